"""Sets of variables as integers: bit ``i`` of a mask stands for the variable at position ``i``."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from math import log2
from operator import or_
from typing import TypeAlias

Mask: TypeAlias = int
VariableId: TypeAlias = int  # position of a variable in its network

# Products of more states than this all count as this many, which keeps them in the range of float64.
_LARGEST_LOG = 1000.0


def positions(mask: Mask) -> list[VariableId]:
    """Return the variables of a mask, in ascending order.

    >>> positions(0b1011)
    [0, 1, 3]
    """
    return list(_positions(mask))


@lru_cache(maxsize=1 << 12)  # searches ask for the same ones again and again
def _positions(mask: Mask) -> tuple[VariableId, ...]:
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def union(masks: Iterable[Mask]) -> Mask:
    """Return the variables that are in any of the masks.

    >>> union([0b001, 0b101])
    5
    """
    return reduce(or_, masks, 0)


def mask_of(variables: Iterable[VariableId]) -> Mask:
    """Return the mask of some variables.

    >>> mask_of([0, 2])
    5
    """
    return union([1 << variable for variable in variables])


class StateCounts:
    """How many instances a set of variables has, given the number of states of each variable."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._bytes = 8 * max(1, -(-len(sizes) // 64))
        by_size: dict[int, Mask] = {}
        for position, size in enumerate(sizes):
            by_size[size] = by_size.get(size, 0) | 1 << position
        self._groups = [(log2(size), mask) for size, mask in sorted(by_size.items()) if size > 1]
        # Most networks have variables of one size only, and then a list has all numbers.
        weight, self._only = self._groups[0] if len(self._groups) == 1 else (0.0, 0)
        self._powers: list[float] = [
            2.0 ** min(weight * n, _LARGEST_LOG) for n in range(self._only.bit_count() + 1)
        ]

    def packed(self, mask: Mask) -> bytes:
        """Return a mask as words of 64 bits, as many for each."""
        return mask.to_bytes(self._bytes, "little")

    @property
    def packed_groups(self) -> tuple[bytes, bytes, float]:
        """What a loop in C needs to count: variables of equal size, log2 of each size, the largest log."""
        masks = b"".join([self.packed(mask) for _, mask in self._groups])
        return (
            masks,
            struct.pack(f"{len(self._groups)}d", *(weight for weight, _ in self._groups)),
            _LARGEST_LOG,
        )

    def log(self, mask: Mask) -> float:
        """Return log2 of the number of instances.

        >>> StateCounts([2, 3, 4]).log(0b101)
        3.0
        """
        total = 0.0
        for weight, group in self._groups:
            total += weight * (mask & group).bit_count()
        return total

    def count(self, mask: Mask) -> float:
        """Return the number of instances, at most 2**1000.

        >>> StateCounts([2, 3, 4]).count(0b101)
        8.0
        """
        if self._only:
            return self._powers[(mask & self._only).bit_count()]
        return float(2.0 ** min(self.log(mask), _LARGEST_LOG))
