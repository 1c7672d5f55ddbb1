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

from bnc2d.base.arrays import contiguous, take
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import distinct, distinct_rows
from bnc2d.compile.meet.labels import LabelBlock
from bnc2d.logic.diagram.diagram import DiagramBuilder, reduce_table

Words: TypeAlias = NDArray[np.int64]


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


class RowPool:
    """Distinct rows of words, numbered in order of arrival."""

    def __init__(self) -> None:
        self._ids: dict[bytes, int] = {}
        self._width = 0

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, words: Words) -> NDArray[np.intp]:
        """Take in rows, all of one width; return the number of each."""
        group_ids, first = distinct_rows(words)
        self._width = words.shape[1]
        data, width = words.take(first, axis=0).tobytes(), self._width * words.itemsize
        ids = self._ids
        known = [ids.setdefault(data[at : at + width], len(ids)) for at in range(0, len(data), width)]
        return np.array(known, dtype=np.intp)[group_ids]

    def rows(self) -> Words:
        """Return the distinct rows in the order of their ids."""
        return np.frombuffer(b"".join(self._ids), dtype=np.int64).reshape(len(self), self._width)


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
