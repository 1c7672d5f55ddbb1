"""From blocks of labels to a reduced diagram: equal sub-functions are found by their values.

A row of labels is the sub-function that is left once the features of the first side are set. Rows are packed
into words, equal rows are stored once, and what remains is reduced level by level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.compile.labels import LabelBlock


class RowPool:
    """The distinct rows seen so far, packed, and the number of each row in order of arrival."""

    def __init__(self, ends: int, cardinalities: Sequence[int]) -> None:
        self._ends = ends
        self._cardinalities = tuple(cardinalities)
        # As many of the last features as fit in a word share one: their labels are digits of a number.
        self._tail = 0
        cells = 1
        for size in reversed(self._cardinalities):
            if ends ** (cells * size) > 2**63:
                break
            cells *= size
            self._tail += 1
        self._powers = np.array([ends**position for position in range(cells)], dtype=np.uint64)
        self._numbers: dict[bytes, int] = {}
        self._words: list[NDArray[np.uint64]] = []  # used instead where a row is a single word
        self._rows: list[NDArray[np.int64]] = []
        self.distinct = 0  # known after ``reduce``

    @property
    def _cells(self) -> int:
        return len(self._powers)

    def add(self, labels: LabelBlock) -> None:
        """Take in the rows of a block."""
        words = self._pack(labels)
        if words.shape[1] == 1:
            self._words.append(words[:, 0])
            return
        numbers = self._numbers
        data, width = words.tobytes(), words.shape[1] * words.itemsize
        keys = [data[start : start + width] for start in range(0, len(data), width)]
        self._rows.append(np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64))

    def _pack(self, labels: LabelBlock) -> NDArray[np.uint64]:
        grouped = labels.reshape(len(labels), -1, self._cells)
        if self._ends == 2 and self._cells % 8 == 0:
            packed = np.packbits(grouped, axis=2, bitorder="little")
            padded = np.zeros((*packed.shape[:2], 8), dtype=np.uint8)
            padded[:, :, : packed.shape[2]] = packed
            words: NDArray[np.uint64] = padded.view("<u8")[:, :, 0].astype(np.uint64)
            return words
        digits: NDArray[np.uint64] = grouped.astype(np.uint64) * self._powers
        packed_digits: NDArray[np.uint64] = np.add.reduce(digits, axis=2, dtype=np.uint64)
        return packed_digits

    def _unpack(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        digits = (words[:, None] // self._powers) % np.uint64(self._ends)
        return digits.astype(np.int64)

    def reduce(self, builder: DiagramBuilder) -> NDArray[np.int64]:
        """Add the levels of the rows' features to the builder; return the node of every row."""
        if self._words:
            words, rows = np.unique(np.concatenate(self._words), return_inverse=True)
            table = words[:, None]
        else:
            rows = np.concatenate(self._rows)
            table = np.frombuffer(b"".join(self._numbers), dtype=np.uint64).reshape(len(self._numbers), -1)
        self.distinct = len(table)
        distinct, inverse = np.unique(table, return_inverse=True)
        tail = self._cardinalities[len(self._cardinalities) - self._tail :]
        head = self._cardinalities[: len(self._cardinalities) - self._tail]
        nodes = reduce_table(self._unpack(distinct), tail, builder)
        nodes = reduce_table(nodes[inverse.reshape(table.shape)], head, builder)
        return nodes[rows]


def reduce_pool(pool: RowPool, ends: int, cardinalities: Sequence[int], order: Sequence[int]) -> Diagram:
    """Return the reduced diagram of all rows in the pool.

    ``cardinalities`` are those of the features that number the rows; ``order`` lists these, then the pool's.
    """
    builder = DiagramBuilder(ends)
    nodes = pool.reduce(builder)
    root = reduce_table(nodes[None, :], cardinalities, builder)
    return builder.finish(order, int(root[0]))
