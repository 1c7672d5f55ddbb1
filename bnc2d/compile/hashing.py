"""Equal rows of integers, found by hashing and then compared."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key", bound=np.generic)

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)


def distinct(keys: NDArray[Key]) -> tuple[NDArray[Key], NDArray[np.intp], NDArray[np.intp]]:
    """Return the different keys in ascending order, the first place of each, and for each place its number.

    The same as ``np.unique`` on one axis, which takes a tenth of a second to load and more on small arrays.
    """
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    numbers = np.empty(len(keys), dtype=np.intp)
    numbers[order] = np.cumsum(new) - 1
    return ascending[new], order[new], numbers


def sorted_distinct(values: NDArray[Key]) -> NDArray[Key]:
    """Return the different values in ascending order; by sorting, which is faster than by hashing here."""
    ascending = np.sort(values)
    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each row of a matrix the number of its kind, and for each kind the first row of it.

    Kinds are numbered as they appear, so that what is near stays near.
    """
    if rows.shape[1] == 1 and _is_narrow(rows):
        return _by_table(rows[:, 0])
    keys = rows[:, 0] if rows.shape[1] == 1 else row_hashes(rows).view(np.int64)
    _, first, kinds = distinct(keys)
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
    mixed = _mixed(rows.view(np.uint64))
    hashes: NDArray[np.uint64] = np.add.reduce(mixed * hash_weights(rows.shape[1]), axis=1, dtype=np.uint64)
    return hashes


@cache
def hash_weights(count: int) -> NDArray[np.uint64]:
    """Return odd numbers without a pattern, always the same; numpy.random would be slow to load."""
    return _mixed(np.arange(1, count + 1, dtype=np.uint64)) | np.uint64(1)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random and differ where the given ones do."""
    mixed = numbers * _FIRST
    mixed ^= mixed >> np.uint64(29)
    mixed *= _SECOND
    mixed ^= mixed >> np.uint64(32)
    return mixed


def scattered(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers between 1/2 and 3/2 without a pattern, always the same."""
    numbers = _mixed(np.arange(1, prod(shape) + 1, dtype=np.uint64))
    return 0.5 + np.ldexp((numbers >> np.uint64(11)).astype(np.float64), -53).reshape(shape)
