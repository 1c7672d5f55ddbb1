"""Equal rows of integers, found by hashing and then compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cache
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import contiguous, counted, joined, take
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces

Key = TypeVar("Key", bound=np.generic)

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
# Many keys are parted at values from a sample of this size, into pieces of about this many.
_SAMPLE = 1 << 16
_BUCKET = 1 << 17
# Matrices of at most this many entries are compared row by row.
_FEW_ENTRIES = 128
# Rows of at most this many entries are added up column by column.
_FEW_COLUMNS = 8
# Rows are added to groups in pieces of this many entries.
_ADDED = 1 << 15
# Up to this many keys are grouped one by one, up to this many by sorting, more by hashing.
_VERY_FEW = 96
_FEW = 1 << 11


def distinct(keys: NDArray[Key]) -> tuple[NDArray[Key], NDArray[np.intp], NDArray[np.intp]]:
    """Return the different keys in ascending order, the first index of each, and the id of each key.

    The same as ``np.unique`` on one axis, which takes a tenth of a second to load, more on small arrays, and
    seconds without a checkpoint on large ones. Keys are integers of 64 bits.
    """
    if len(keys) <= _FEW:  # most arrays are small, and there are many of them
        group_ids = np.empty(len(keys), dtype=np.intp)
        order = np.argsort(keys, kind="stable")
        ascending = keys[order]
        new = np.ones(len(keys), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
        group_ids[order] = np.cumsum(new) - 1
        return ascending[new], order[new], group_ids
    group_ids, first = grouped(keys)
    found = take(keys, first)
    order = stable_order(found)
    rank = np.empty(len(order), dtype=np.intp)
    for piece in pieces(len(order)):
        rank[order[piece]] = np.arange(piece.start, piece.stop)
    return take(found, order), take(first, order), take(rank, group_ids)


def _ascending(keys: NDArray[Key]) -> Iterator[NDArray[np.intp]]:
    """Yield the indices of the keys in ascending order, equal ones as they come, a piece at a time.

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
            indices = np.concatenate(bucket)
            yield indices[np.argsort(keys[indices], kind="stable")]
        bucket.clear()


def stable_order(keys: NDArray[Key]) -> NDArray[np.intp]:
    """Return the indices of the keys in ascending order, equal ones as they come."""
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


def count_different(keys: NDArray[np.uint64], bits: int = 0) -> NDArray[np.int64]:
    """Return how many different keys there are, counted by the number in their first bits."""
    if len(keys) <= _FEW:  # sorting is faster
        found = sorted_distinct(keys)
        if not bits:
            return np.array([len(found)])
        return np.bincount((found >> np.uint64(64 - bits)).view(np.int64), minlength=1 << bits)
    if kernels.loops is not None:
        found = take(keys, added_rows(keys[:, None])[1])
        if not bits:
            return np.array([len(found)])
        return counted((found >> np.uint64(64 - bits)).view(np.int64), 1 << bits)
    counts = np.zeros(1 << bits, dtype=np.int64)
    turn = 0
    while len(keys):
        slots, size = _slots(keys, turn)
        table, filled = np.empty(size, dtype=np.uint64), np.zeros(size, dtype=bool)
        for piece in pieces(len(keys)):
            table[slots[piece]] = keys[piece]
            filled[slots[piece]] = True
        for piece in pieces(size, 8 * PIECE):
            if bits:
                found = np.compress(filled[piece], table[piece]) >> np.uint64(64 - bits)
                counts += np.bincount(found.view(np.int64), minlength=len(counts))
            else:
                counts += np.count_nonzero(filled[piece])
        keys = joined(
            [np.compress(table.take(slots[piece]) != keys[piece], keys[piece]) for piece in pieces(len(keys))]
        )
        turn += 1
    return counts


def grouped(keys: NDArray[Key]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each key the id of its group of equal keys, and for each group the index of its first key.

    Groups are numbered as they appear, so that what is near stays near.
    """
    if len(keys) <= _VERY_FEW:
        return grouped_one_by_one(keys.tolist())
    if len(keys) <= _FEW:
        _, first, group_ids = distinct(keys)
        begins = np.zeros(len(keys), dtype=bool)
        begins[first] = True
        return (begins.cumsum() - 1)[first[group_ids]], begins.nonzero()[0]
    if kernels.loops is not None:
        return added_rows(keys[:, None])
    first_equal = _first_equal(keys)
    group_ids = np.empty(len(keys), dtype=np.intp)
    found = []
    count = 0
    for piece in pieces(len(keys)):
        found.append(np.flatnonzero(first_equal[piece] == np.arange(piece.start, piece.stop)) + piece.start)
        group_ids[found[-1]] = np.arange(count, count + len(found[-1]))
        count += len(found[-1])
    return take(group_ids, first_equal), joined(found)


def grouped_pairs(left: NDArray[Key], right: NDArray[Key]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do for pairs of keys what ``grouped`` does for keys."""
    if len(left) <= _VERY_FEW:
        return grouped_one_by_one(list(zip(left.tolist(), right.tolist(), strict=True)))
    (left_ids, _), (right_ids, _) = grouped(left), grouped(right)
    return grouped(left_ids * (int(right_ids.max()) + 1) + right_ids)


def _first_equal(keys: NDArray[Key]) -> NDArray[np.intp]:
    """Return for each key the index of the first key that is equal to it.

    Every key writes its index to a slot of a table, the first key last. Who then reads the index of an equal
    key is done; the others, fewer each time, try again with another hash.
    """
    if int(keys.min()) >= 0 and (largest := int(keys.max())) < 4 * len(keys):  # a slot for every number
        return _first_in_slot(keys.view(np.int64), largest + 1)
    found = _first_in_slot(*_slots(keys, 0))
    left = _unequal(keys, found)
    turn = 0
    while len(left):
        turn += 1
        open_keys = take(keys, left)
        first = _first_in_slot(*_slots(open_keys, turn))
        for piece in pieces(len(left)):
            found[left[piece]] = left[first[piece]]
        left = take(left, _unequal(open_keys, first))
    return found


def _slots(keys: NDArray[Key], turn: int) -> tuple[NDArray[np.intp], int]:
    """Return the slot of each key in a table of two to four times as many slots, and their number."""
    bits = len(keys).bit_length() + 1
    slots = np.empty(len(keys), dtype=np.uint64)
    for piece in pieces(len(keys)):
        np.multiply(keys[piece].view(np.uint64), hash_weights(turn + 1)[turn], out=slots[piece])
        slots[piece] >>= np.uint64(64 - bits)
    return slots.view(np.int64), 1 << bits


def _first_in_slot(slots: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Return for each entry the index of the first entry with the same slot."""
    small = np.int32 if len(slots) < 1 << 31 else np.intp  # a table half as large stays in the cache longer
    table = np.empty(size, dtype=small)
    backwards, last = slots[::-1], len(slots) - 1
    for piece in pieces(len(slots)):  # of several entries that write to a slot the last one stays
        table[backwards[piece]] = np.arange(last - piece.start, last - piece.stop, -1, dtype=small)
    first = np.empty(len(slots), dtype=np.intp)
    for piece in pieces(len(slots)):
        first[piece] = table.take(slots[piece])
    return first


def _unequal(keys: NDArray[Key], first: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the indices of the keys that differ from the one they were given."""
    return joined(
        [np.flatnonzero(keys.take(first[piece]) != keys[piece]) + piece.start for piece in pieces(len(keys))]
    )


def distinct_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do for the rows of a matrix what ``grouped`` does for keys."""
    if rows.size <= _FEW_ENTRIES:
        return grouped_one_by_one(list(map(tuple, rows.tolist())))
    if rows.shape[1] == 1:
        return grouped(rows[:, 0])
    if kernels.loops is not None:
        return added_rows(rows)
    group_ids, first = grouped(row_hashes(rows))
    if len(first) < len(rows) and not _are_equal(rows, first, group_ids):  # a collision of hashes
        _, first, group_ids = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return grouped(group_ids.reshape(-1))
    return group_ids, first


def added_rows(rows: NDArray[Any], first_id: int = 0) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do what ``distinct_rows`` does, by a loop that adds one row after the other to a table of hashes.

    Ids begin with ``first_id``. Where that is not 0, entries are nodes of a diagram, all of them before it; a
    row of equal ones is in no group, and that node is its id.
    """
    loops, rows = kernels.loops, contiguous(rows)
    assert loops is not None  # noqa: S101 - who calls has looked
    groups = loops.new_groups()
    group_ids, first = (np.empty(len(rows), dtype=np.intp) for _ in range(2))
    weights, count = hash_weights(rows.shape[1]), 0
    for piece in pieces(len(rows), _ADDED // rows.shape[1]):
        count = loops.add_rows(groups, rows, weights, piece.start, piece.stop, group_ids, first, first_id)
    return group_ids, first[:count].copy()


def grouped_one_by_one(keys: Iterable[Hashable]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Do what ``grouped`` does for keys of any kind, and for few, where numpy costs more than a dict."""
    known: dict[Hashable, int] = {}
    group_ids = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)
    first = np.empty(len(known), dtype=np.intp)
    first[group_ids[::-1]] = np.arange(len(group_ids))[::-1]  # of several, the last to write is the first
    return group_ids, first


def _are_equal(rows: NDArray[np.int64], first: NDArray[np.intp], group_ids: NDArray[np.intp]) -> bool:
    """Return whether every row is equal to the first of its group."""
    return all(
        np.array_equal(rows.take(first[group_ids[piece]], axis=0), rows[piece])
        for piece in pieces(len(rows), PIECE // rows.shape[1])
    )


def row_hashes(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row."""
    hashes = np.empty(len(rows), dtype=np.uint64)
    weights = hash_weights(rows.shape[1])
    if kernels.loops is not None:
        for piece in pieces(len(rows), _ADDED // max(1, rows.shape[1])):
            kernels.loops.row_hashes(np.ascontiguousarray(rows[piece]), weights, hashes[piece])
        return hashes
    for piece in pieces(len(rows), PIECE // max(1, rows.shape[1])):
        mixed = _mixed(np.ascontiguousarray(rows[piece]).view(np.uint64))
        mixed *= weights
        if mixed.shape[1] > _FEW_COLUMNS:
            np.add.reduce(mixed, axis=1, out=hashes[piece])
        else:  # several times faster where rows are short
            hashes[piece] = mixed[:, 0] if mixed.shape[1] else 0
            for column in mixed.T[1:]:
                hashes[piece] += column
    return hashes


def hashes_by_column(columns: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row of a matrix that is given as ``[column, row]``, of any integers."""
    hashes = np.zeros(columns.shape[1], dtype=np.uint64)
    for weight, column in zip(hash_weights(len(columns)), columns, strict=True):
        for piece in pieces(len(hashes)):
            hashes[piece] += _mixed(column[piece].astype(np.uint64)) * weight
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


def codes(first: int, last: int) -> NDArray[np.uint64]:
    """Return 64-bit numbers without a pattern for the numbers of a range (Steele, Lea and Flood 2014)."""
    return _mixed(np.arange(first, last, dtype=np.uint64))


def scattered(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers between 1/2 and 3/2 without a pattern, always the same."""
    numbers = np.empty(prod(shape))
    for piece in pieces(len(numbers)):
        mixed = _mixed(np.arange(piece.start + 1, piece.stop + 1, dtype=np.uint64))
        np.ldexp((mixed >> np.uint64(11)).astype(np.float64), -53, out=numbers[piece])
        numbers[piece] += 0.5
    return numbers.reshape(shape)
