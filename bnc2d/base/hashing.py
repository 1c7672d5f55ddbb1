"""Equal rows of integers, found by hashing and then compared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import joined, take
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces

Key = TypeVar("Key", bound=np.generic)

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
# Many keys are parted at values from a sample of this size, into pieces of about this many.
_SAMPLE = 1 << 16
_BUCKET = 1 << 17


def distinct(keys: NDArray[Key]) -> tuple[NDArray[Key], NDArray[np.intp], NDArray[np.intp]]:
    """Return the different keys in ascending order, the first place of each, and for each place its number.

    The same as ``np.unique`` on one axis, which takes a tenth of a second to load, more on small arrays, and
    seconds without a checkpoint on large ones.
    """
    numbers = np.empty(len(keys), dtype=np.intp)
    if len(keys) <= PIECE:  # most arrays are small, and there are many of them
        order = np.argsort(keys, kind="stable")
        ascending = keys[order]
        new = np.ones(len(keys), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
        numbers[order] = np.cumsum(new) - 1
        return ascending[new], order[new], numbers
    found, first = [keys[:0]], [np.zeros(0, dtype=np.intp)]
    count = 0
    for order in _ascending(keys):
        ascending = keys[order]
        new = np.empty(len(order), dtype=bool)
        new[0] = not count or ascending[0] != found[-1][-1]
        np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
        numbers[order] = np.cumsum(new) + (count - 1)
        if new.any():
            found.append(ascending[new])
            first.append(order[new])
            count += len(found[-1])
    return joined(found), joined(first), numbers


def _ascending(keys: NDArray[Key]) -> Iterator[NDArray[np.intp]]:
    """Yield the places of the keys in ascending order, equal ones as they come, a piece at a time.

    Many keys are first parted at some of their own values (a sample sort, Frazer and McKellar 1970). A key
    that is one of those needs no sorting any more, so that keys of few values make no large piece.
    """
    if len(keys) <= PIECE:
        if len(keys):
            yield np.argsort(keys, kind="stable")
        return
    between = len(keys) // _SAMPLE + 1
    pivots = sorted_distinct(np.sort(keys[::between])[:: max(1, _SAMPLE * _BUCKET // len(keys))])
    buckets: list[list[NDArray[np.intp]]] = [[] for _ in range(2 * len(pivots) + 1)]
    for piece in pieces(len(keys)):
        low = np.searchsorted(pivots, keys[piece], side="left")
        low += np.searchsorted(pivots, keys[piece], side="right")  # odd where it is a pivot
        order = np.argsort(low.astype(np.uint16), kind="stable")
        ends = np.cumsum(np.bincount(low, minlength=len(buckets)))
        order += piece.start
        for bucket, end, start in zip(buckets, ends.tolist(), [0, *ends.tolist()], strict=False):
            if start < end:
                bucket.append(order[start:end])
    for number, bucket in enumerate(buckets):
        checkpoint()
        if number % 2:
            yield from bucket
        elif bucket:
            places = np.concatenate(bucket)
            yield places[np.argsort(keys[places], kind="stable")]
        bucket.clear()


def stable_order(keys: NDArray[Key]) -> NDArray[np.intp]:
    """Return the places of the keys in ascending order, equal ones as they come."""
    return joined([np.zeros(0, dtype=np.intp), *_ascending(keys)])


def sorted_distinct(values: NDArray[Key]) -> NDArray[Key]:
    """Return the different values in ascending order; by sorting, which is faster than by hashing here."""
    if len(values) > PIECE:
        return distinct(values)[0]
    ascending = np.sort(values)
    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def ascending(values: NDArray[Key]) -> NDArray[Key]:
    """Return the values in ascending order."""
    return (
        np.sort(values) if len(values) <= PIECE else joined([values[order] for order in _ascending(values)])
    )


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each row of a matrix the number of its kind, and for each kind the first row of it.

    Kinds are numbered as they appear, so that what is near stays near.
    """
    if rows.shape[1] == 1 and _is_narrow(rows):
        return _by_table(rows[:, 0])
    keys = rows[:, 0] if rows.shape[1] == 1 else row_hashes(rows).view(np.int64)
    _, first, kinds = distinct(keys)
    if rows.shape[1] > 1 and len(first) < len(rows) and not _are_equal(rows, first, kinds):
        _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)  # a collision
    return _as_they_appear(first, kinds.reshape(-1))


def _are_equal(rows: NDArray[np.int64], first: NDArray[np.intp], kinds: NDArray[np.intp]) -> bool:
    """Return whether every row is equal to the first of its kind."""
    return all(
        np.array_equal(rows[first[kinds[piece]]], rows[piece])
        for piece in pieces(len(rows), PIECE // rows.shape[1])
    )


def _as_they_appear(
    first: NDArray[np.intp], kinds: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of kinds and their first places, with the kinds numbered as they appear."""
    present = _marked(len(kinds), first)
    kinds_there = take(kinds, present)
    rank = np.empty(len(first), dtype=np.intp)
    for piece in pieces(len(first)):
        rank[kinds_there[piece]] = np.arange(piece.start, piece.stop)
    return take(rank, kinds), present


def _marked(length: int, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return distinct places below ``length`` in ascending order."""
    marks = np.zeros(length, dtype=bool)
    for piece in pieces(len(places)):
        marks[places[piece]] = True
    return joined([np.flatnonzero(marks[piece]) + piece.start for piece in pieces(length, 8 * PIECE)])


def _is_narrow(numbers: NDArray[np.int64]) -> bool:
    """Return whether a table with an entry for every possible number is smaller than sorting them is slow."""
    return bool(numbers.size) and int(numbers.min()) >= 0 and int(numbers.max()) < 4 * numbers.size


def _by_table(numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do the work of ``distinct_rows`` for small numbers without sorting them."""
    first = np.empty(int(numbers.max()) + 1, dtype=np.intp)  # by number, where one appears
    backwards = numbers[::-1]
    for piece in pieces(len(numbers)):  # the last to write is the first to appear
        first[backwards[piece]] = np.arange(len(numbers) - 1 - piece.start, len(numbers) - 1 - piece.stop, -1)
    present = joined(
        [
            np.flatnonzero(first[numbers[piece]] == np.arange(piece.start, piece.stop)) + piece.start
            for piece in pieces(len(numbers))
        ]
    )
    for piece in pieces(len(present)):
        first[numbers[present[piece]]] = np.arange(piece.start, piece.stop)  # from here on ranks
    return take(first, numbers), present


def row_hashes(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row."""
    hashes = np.empty(len(rows), dtype=np.uint64)
    weights = hash_weights(rows.shape[1])
    for piece in pieces(len(rows), PIECE // max(1, rows.shape[1])):
        mixed = _mixed(np.ascontiguousarray(rows[piece]).view(np.uint64))
        mixed *= weights
        np.add.reduce(mixed, axis=1, out=hashes[piece])
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
    numbers = np.empty(prod(shape))
    for piece in pieces(len(numbers)):
        mixed = _mixed(np.arange(piece.start + 1, piece.stop + 1, dtype=np.uint64))
        np.ldexp((mixed >> np.uint64(11)).astype(np.float64), -53, out=numbers[piece])
        numbers[piece] += 0.5
    return numbers.reshape(shape)
