"""Equal rows of integers, found by hashing and then compared."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each row of a matrix the number of its kind, and for each kind the first row of it.

    Kinds are numbered as they appear, so that what is near stays near.
    """
    if rows.shape[1] == 1 and _is_narrow(rows):
        return _by_table(rows[:, 0])
    keys = rows[:, 0] if rows.shape[1] == 1 else row_hashes(rows).view(np.int64)
    _, first, kinds = np.unique(keys, return_index=True, return_inverse=True)
    if rows.shape[1] > 1 and len(first) < len(rows) and not np.array_equal(rows[first[kinds]], rows):
        _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)  # a collision
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[kinds.reshape(-1)], first[order]


def _is_narrow(numbers: NDArray[np.int64]) -> bool:
    """Return whether a table with an entry for every possible number is smaller than sorting them is slow."""
    return bool(numbers.size) and int(numbers.min()) >= 0 and int(numbers.max()) < 4 * numbers.size


def _by_table(numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do the work of ``distinct_rows`` for small numbers without sorting them."""
    first = np.full(int(numbers.max()) + 1, len(numbers), dtype=np.intp)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # the last to write is the first to appear
    present = np.sort(first[first < len(numbers)])
    rank = np.empty_like(first)
    rank[numbers[present]] = np.arange(len(present))
    return rank[numbers], present


def row_hashes(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row."""
    mixed = rows.view(np.uint64) * _FIRST
    mixed ^= mixed >> np.uint64(29)
    mixed *= _SECOND
    mixed ^= mixed >> np.uint64(32)
    hashes: NDArray[np.uint64] = np.add.reduce(mixed * _weights(rows.shape[1]), axis=1, dtype=np.uint64)
    return hashes


@cache
def _weights(count: int) -> NDArray[np.uint64]:
    weights = np.random.default_rng(0).integers(2**63, size=count, dtype=np.uint64)
    return weights | np.uint64(1)
