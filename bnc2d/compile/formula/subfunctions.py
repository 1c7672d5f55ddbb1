"""The nodes of a two-terminal diagram as functions, and what they lead to over blocks of levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.logic.diagram.diagram import Diagram

Cells: TypeAlias = NDArray[np.int32]  # numbers of nodes

# Rows of at most this many cells are parted by comparing every two of them.
_COMPARED_CELLS = 8


@dataclass(frozen=True)
class SubFunctions:
    """A two-terminal reduced diagram without its empty levels; ``root`` is a node number."""

    features: tuple[int, ...]
    levels: tuple[Numbers, ...]
    root: int

    @classmethod
    def of(cls, diagram: Diagram, negated: bool = False) -> SubFunctions:
        """Return the function of a two-terminal diagram, or its complement."""
        if negated:
            diagram = diagram.two_terminal(0)
        walk = diagram.walk
        return cls(tuple(level.feature for level in walk), tuple(level.table for level in walk), diagram.root)

    @property
    def node_count(self) -> int:
        """The number of nodes, terminals included."""
        return 2 + sum(len(level) for level in self.levels)

    def offsets(self) -> list[int]:
        """Return the number of the first node of each level."""
        firsts = []
        following = 2
        for level in reversed(self.levels):
            firsts.append(following)
            following += len(level)
        return firsts[::-1]

    def reached_from(self) -> Numbers:
        """Return for each node the first level with an edge to it; -1 for the root."""
        reached = np.full(self.node_count, len(self.levels), dtype=np.int64)
        for position in range(len(self.levels) - 1, -1, -1):
            reached[self.levels[position]] = position
        reached[self.root] = -1
        return reached


class BlockRows(NamedTuple):
    """The nodes that some blocks decide: number, first level of the block, ``[cell, row]`` what follows."""

    nodes: Numbers
    starts: Numbers
    cells: Cells


class CellTables:
    """What every cell of blocks of levels leads to; blocks of one shape are extended together.

    A cell of a block combines a state of each of its features, the last one counting fastest. A block decides
    the nodes of its levels that an edge from before it reaches.
    """

    def __init__(self, functions: SubFunctions) -> None:
        levels = functions.levels
        self.sizes = [level.shape[1] for level in levels]
        self.counts = np.array([len(level) for level in levels], dtype=np.int64)
        self._firsts = np.array(functions.offsets(), dtype=np.int64)
        self._reached = functions.reached_from()
        # The edges of all levels. Those of a node of a level begin at its number times the level's size, plus
        # what is in _shifts.
        self._edges = np.empty(sum(level.size for level in levels), dtype=np.int32)
        ends = np.cumsum(self.counts * self.sizes, dtype=np.int64)
        self._shifts = (ends - (self._firsts + self.counts) * self.sizes).astype(np.int32)
        for level, end in zip(levels, ends.tolist(), strict=True):
            edges = level.reshape(-1)
            for piece in pieces(level.size):
                self._edges[end - level.size :][piece] = edges[piece]

    def _nodes(self, positions: Numbers) -> Numbers:
        """Return the nodes of some levels, level by level."""
        counts = self.counts[positions]
        ends = np.cumsum(counts)
        return np.arange(int(counts.sum())) + np.repeat(self._firsts[positions] - ends + counts, counts)

    def extend(self, rows: BlockRows, starts: Numbers, length: int) -> BlockRows:
        """Add one level to the blocks of ``length`` levels from ``starts``; these levels have equal sizes."""
        following = starts + length
        fresh = self._nodes(following)
        fresh_starts = np.repeat(starts, self.counts[following])
        entered = np.flatnonzero(self._reached[fresh] < fresh_starts)
        fresh, fresh_starts = take(fresh, entered), take(fresh_starts, entered)
        nodes, row_starts = joined([rows.nodes, fresh]), joined([rows.starts, fresh_starts])
        width, before = rows.cells.shape
        size = self.sizes[int(following[0])]
        wider = np.empty((width, size, len(nodes)), dtype=np.int32)
        states = np.arange(size, dtype=np.int32)[:, None]
        cells = np.empty((width, len(nodes)), dtype=np.int32)
        cells[:, :before] = rows.cells
        cells[:, before:] = fresh
        for piece in pieces(len(nodes), PIECE // (width * size)):
            level = row_starts[piece] + length
            some = cells[:, None, piece]
            inside = some >= self._firsts[level]  # no cell leads to a node of an earlier level
            edges = np.where(inside, some * np.int32(size) + self._shifts[level], np.int32(0)) + states
            np.copyto(wider[:, :, piece], some)
            np.copyto(wider[:, :, piece], self._edges.take(edges), where=inside)
        return BlockRows(nodes, row_starts, wider.reshape(width * size, len(nodes)))

    def block(self, start: int, stop: int) -> BlockRows:
        """Return the rows of one block."""
        rows = self.none()
        for length in range(stop - start):
            rows = self.extend(rows, np.array([start]), length)
        return rows

    @staticmethod
    def none() -> BlockRows:
        """Return the rows of blocks without levels."""
        nothing = np.zeros(0, dtype=np.int64)
        return BlockRows(nothing, nothing, np.zeros((1, 0), dtype=np.int32))


class Parts(NamedTuple):
    """The parts of rows of cells that lead to one function: row, function, sum of the weights of its cells.

    Rows ascend. The order of a row's parts depends on that row only.
    """

    rows: Numbers
    targets: Cells
    sets: NDArray[Any]


def parts_in_pieces(cells: Cells, weights: NDArray[Any]) -> Iterator[tuple[slice, Parts]]:
    """Yield the parts of some rows of ``[cell, row]`` after the other, and which rows these are."""
    for piece in pieces(cells.shape[1], PIECE // len(cells)):
        yield piece, parts_of(cells[:, piece], weights)


def parts_of(cells: Cells, weights: NDArray[Any]) -> Parts:
    """Return the parts of each row of ``[cell, row]``; each cell has a weight."""
    if len(cells) <= _COMPARED_CELLS:
        return _parts_by_comparing(cells, weights)
    width = len(cells)
    codes = cells.T.astype(np.int64)
    codes *= width
    codes += np.arange(width)
    codes.sort(axis=1)
    targets = codes // width
    codes -= targets * width
    begins = np.ones(codes.shape, dtype=bool)
    np.not_equal(targets[:, 1:], targets[:, :-1], out=begins[:, 1:])
    firsts = np.flatnonzero(begins)
    sets = np.add.reduceat(weights[codes.reshape(-1)], firsts)
    return Parts(firsts // width, targets.reshape(-1)[firsts].astype(np.int32), sets)


def _parts_by_comparing(cells: Cells, weights: NDArray[Any]) -> Parts:
    """Find the parts of rows with few cells by comparing every two cells."""
    width, rows = cells.shape
    small = np.min_scalar_type(int(weights.sum()))
    narrow = weights.astype(small)
    sets = np.repeat(narrow, rows).reshape(width, rows)  # of each cell, with the later ones that are alike
    begins = np.ones((width, rows), dtype=bool)
    for cell in range(width):
        for later in range(cell + 1, width):
            alike = cells[cell] == cells[later]
            sets[cell] += alike * narrow[later]
            begins[later] &= ~alike
    indices = np.flatnonzero(begins.T)
    which = indices // width
    indices = (indices - which * width) * rows + which
    return Parts(which, cells.reshape(-1)[indices], sets.reshape(-1)[indices].astype(weights.dtype))


def cell_bits(width: int) -> NDArray[Any]:
    """Return weights whose sums are sets of cells: bit ``i`` stands for cell ``i``."""
    if width > 64:
        return np.array([1 << cell for cell in range(width)], dtype=object)
    return np.left_shift(np.uint64(1), np.arange(width, dtype=np.uint64))
