"""From rows of labels to a reduced diagram: equal sub-functions are found by their values.

A row of labels is the sub-function that is left once the features of the first side are set. Rows are packed
into words, equal rows are stored once, and what remains is reduced level by level.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import contiguous, take, take_columns
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import distinct, distinct_rows, row_hashes
from bnc2d.base.records import record
from bnc2d.compile.meet.labels import LabelBlock
from bnc2d.logic.diagram.diagram import DiagramBuilder, reduce_table

Words: TypeAlias = NDArray[np.int64]

_LANES = 8
_LAST_BITS = np.uint64(0x0101010101010101)


def pack(labels: LabelBlock, ends: int) -> Words:
    """Return rows of labels as rows of words; padded with zeros."""
    if ends > 2:
        return _whole(labels)
    if labels.shape[1] % 8 == 0:  # as one row, which is faster
        flat = np.packbits(labels.reshape(-1), bitorder="little")
        return _whole(flat.reshape(len(labels), labels.shape[1] // 8))
    return _whole(np.packbits(labels, axis=1, bitorder="little"))


def _whole(rows: NDArray[Any]) -> Words:
    """Return rows of bytes or words, padded with zeros, as rows of 64-bit integers."""
    width = rows.shape[1] * rows.itemsize
    padding = -width % 8 // rows.itemsize
    if padding:
        padded = np.zeros((len(rows), rows.shape[1] + padding), dtype=rows.dtype)
        for piece in pieces(len(rows), PIECE // padded.shape[1]):
            padded[piece, : rows.shape[1]] = rows[piece]
        rows = padded
    return np.ascontiguousarray(rows).view(np.int64)


def unpack(words: Words, ends: int, length: int) -> LabelBlock:
    """Return the first ``length`` labels of each row of words."""
    data = words.view(np.uint8)
    return np.unpackbits(data, axis=1, count=length, bitorder="little") if ends <= 2 else data[:, :length]


def take_labels(labels: LabelBlock, columns: NDArray[np.intp], ends: int) -> LabelBlock:
    """Return ``labels[:, columns]``.

    With two classes eight rows are taken at once, as the bits of a byte: to take bytes is what costs.
    """
    rows, width = labels.shape
    if ends > 2 or rows < _LANES or width % 8 or len(columns) % 8:
        return take_columns(labels, columns)
    lanes = np.zeros((-(-rows // _LANES), width), dtype=np.uint8)
    for lane in range(_LANES):  # entries are 0 and 1, so that words of eight can be shifted
        some = np.ascontiguousarray(labels[lane::_LANES]).view(np.uint64)
        lanes.view(np.uint64)[: len(some)] |= some << np.uint64(lane)
    words = take_columns(lanes, columns).view(np.uint64)
    taken = np.empty((rows, len(columns)), dtype=np.uint8)
    for lane in range(_LANES):
        some = (words >> np.uint64(lane)) & _LAST_BITS
        taken[lane::_LANES] = some.view(np.uint8)[: len(taken[lane::_LANES])]
    return taken


def _runs(words: Words) -> NDArray[np.bool_] | None:
    """Return which rows differ from the one before, where that is not so of most rows; else None."""
    differ = np.ones(len(words), dtype=bool)
    if not words.size:
        return None
    for column in words.T[:: max(1, words.shape[1] - 1)]:  # the first and the last
        np.not_equal(column[1:], column[:-1], out=differ[1:])
        if 2 * np.count_nonzero(differ) > len(differ):
            return None
    for piece in pieces(len(words) - 1, PIECE // words.shape[1]):
        later = slice(piece.start + 1, piece.stop + 1)
        differ[later] = (words[later] != words[piece]).any(axis=1)
    return None if 2 * np.count_nonzero(differ) > len(differ) else differ


@record
class DistinctRows:
    """Rows of words, equal ones once, with their hashes; ``ids`` says which of them each row is."""

    rows: Words
    hashes: NDArray[np.uint64]
    ids: NDArray[np.intp]

    @classmethod
    def of(cls, words: Words) -> DistinctRows:
        """Return the distinct ones of some rows, in the order in which they appear."""
        runs = _runs(words)
        if runs is not None:
            found = cls.of(take(words, np.flatnonzero(runs)))
            return cls(found.rows, found.hashes, take(found.ids, np.cumsum(runs) - 1))
        ids, first = distinct_rows(words)
        rows = take(words, first)
        return cls(rows, row_hashes(rows), ids)


class RowPool:
    """Rows of words, numbered in order of arrival; equal ones are stored once.

    Rows are found by their hashes and then compared. One whose hash another has is stored whenever it comes.
    """

    def __init__(self) -> None:
        self._ids: dict[int, int] = {}  # by hash
        self._rows: Words = np.zeros((0, 0), dtype=np.int64)  # with room for more
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, words: Words) -> NDArray[np.intp]:
        """Take in rows, all of one width; return the number of each."""
        return self.add_distinct(DistinctRows.of(words))

    def add_distinct(self, distinct: DistinctRows) -> NDArray[np.intp]:
        """Take in rows of which it is known which are equal; return the number of each."""
        rows, hashes = distinct.rows, distinct.hashes.tolist()
        ids = np.array([self._ids.get(key, -1) for key in hashes], dtype=np.intp)
        found = np.flatnonzero(ids >= 0)
        for piece in pieces(len(found), PIECE // rows.shape[1]):
            some = found[piece]
            same = (self._rows.take(ids[some], axis=0) == rows.take(some, axis=0)).all(axis=1)
            ids[some[~same]] = -1
        new = np.flatnonzero(ids < 0)
        ids[new] = self.add_new(take(rows, new))
        self._ids.update(
            (hashes[at], number) for at, number in zip(new.tolist(), ids[new].tolist(), strict=True)
        )
        return take(ids, distinct.ids)

    def add_new(self, rows: Words) -> NDArray[np.intp]:
        """Take in rows of which none is there yet, nor comes again: they are not looked for."""
        stop = self._count + len(rows)
        if stop > len(self._rows):
            larger = np.empty((max(stop, 2 * self._count), rows.shape[1]), dtype=np.int64)
            for piece in pieces(self._count, PIECE // rows.shape[1]):
                larger[piece] = self._rows[piece]
            self._rows = larger
        if len(rows):  # before the first one, the width is not known
            self._rows[self._count : stop] = rows
        ids = np.arange(self._count, stop)
        self._count = stop
        return ids

    def rows(self) -> Words:
        """Return the rows in the order of their numbers."""
        return self._rows[: self._count]


class Packing:
    """Rows of labels as digits: a word holds the labels of the last few features.

    Words are of 16 bits where that is enough for a feature and there are three classes or more.
    """

    def __init__(self, ends: int, cardinalities: Sequence[int]) -> None:
        self._ends, self._cardinalities = ends, tuple(cardinalities)
        last = self._cardinalities[-1] if self._cardinalities else 1
        self._type: type[np.integer[Any]] = np.uint16 if ends > 2 and ends**last <= 2**16 else np.int64
        limit = 2**16 if self._type is np.uint16 else 2**63
        self._tail, cells = 0, 1
        for size in reversed(self._cardinalities):
            if ends ** (cells * size) > limit:
                break
            cells *= size
            self._tail += 1
        self._powers = np.array([ends**position for position in range(cells)], dtype=np.int64)
        self._length = prod(self._cardinalities) // cells

    def pack(self, labels: LabelBlock) -> Words:
        """Return rows of words, padded to whole integers of 64 bits."""
        cells = len(self._powers)
        words = [
            self._words(labels[:, piece.start * cells : piece.stop * cells])
            for piece in pieces(labels.shape[1] // cells, 16 * PIECE // (cells * len(labels) or 1))
        ]
        return _whole(words[0] if len(words) == 1 else np.concatenate(words, axis=1))

    def taken(self, rows: Words, patterns: int, pattern_of_row: NDArray[np.intp]) -> Words:
        """Return rows of bits or labels over patterns (see ``pack``) as packed rows over instances."""
        cells = len(self._powers)
        if kernels.loops is not None and self._ends == 2 and cells % 8 == 0:
            words = np.empty((len(rows), self._length), dtype=np.int64)
            kernels.loops.expand_bits(rows, rows.shape[1], pattern_of_row, cells, words)
            return words
        labels = unpack(rows, self._ends, patterns)
        return self.pack(take_labels(labels, pattern_of_row, self._ends))

    def _words(self, labels: LabelBlock) -> NDArray[Any]:
        """Return rows of words."""
        cells = len(self._powers)
        if self._ends == 2 and cells % 8 == 0:
            packed = np.packbits(labels, axis=1, bitorder="little").reshape(len(labels), -1, cells // 8)
            padded = np.zeros((*packed.shape[:2], 8), dtype=np.uint8)
            padded[:, :, : packed.shape[2]] = packed
            return padded.view(np.int64)[:, :, 0]
        digits = labels.reshape(len(labels), -1, cells)
        words = np.zeros(digits.shape[:2], dtype=self._type)
        for position, power in enumerate(self._powers):
            words += digits[:, :, position] * self._type(power)
        return words

    def reduce(self, rows: Words, builder: DiagramBuilder) -> NDArray[np.int64]:
        """Add the levels of the features to a builder; return the node of every row."""
        words = rows.view(self._type)[:, : self._length]
        head = len(self._cardinalities) - self._tail
        if not head:
            return self._nodes(words, builder)[:, 0]
        # The last feature before words: rows that differ in words differ in nodes.
        last = contiguous(words).reshape(-1, self._cardinalities[head - 1])
        kinds, first = distinct_rows(_whole(last))
        numbers = builder.add_level(self._nodes(take(last, first), builder))
        nodes = take(numbers, kinds).reshape(len(rows), -1)
        return reduce_table(nodes, self._cardinalities[: head - 1], builder)

    def _nodes(self, words: NDArray[Any], builder: DiagramBuilder) -> NDArray[np.int64]:
        """Add the levels of the features in a word to a builder; return the node of every word."""
        kept, indices = self._distinct(words)
        labels = np.empty((len(kept), len(self._powers)), dtype=np.int64)
        for piece in pieces(len(kept), PIECE // len(self._powers)):
            labels[piece] = (kept[piece, None] // self._powers) % self._ends
        features = self._cardinalities[len(self._cardinalities) - self._tail :]
        nodes = reduce_table(labels, features, builder)
        return take(nodes, indices.reshape(-1)).reshape(indices.shape)

    def _distinct(self, words: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Return the distinct words, and for each word its index among them."""
        if self._type is np.int64:
            found, _, indices = distinct(contiguous(words).reshape(-1))
            return found, indices.reshape(words.shape)
        seen = np.zeros(2**16, dtype=bool)
        for piece in pieces(len(words), PIECE // (words.shape[1] or 1)):
            seen[words[piece]] = True
        number = np.cumsum(seen) - 1
        indices = np.empty(words.shape, dtype=np.intp)
        for piece in pieces(len(words), PIECE // (words.shape[1] or 1)):
            indices[piece] = number[words[piece]]
        return np.flatnonzero(seen), indices
