"""The nodes of a two-terminal diagram as functions, and what they lead to over blocks of levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.logic.diagram.diagram import Diagram

_Integer = TypeVar("_Integer", np.int64, np.uint64)


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
    """The nodes that some blocks decide: number, first level of the block, ``[row, cell]`` what follows."""

    nodes: Numbers
    starts: Numbers
    cells: Numbers


_NO_ROWS = BlockRows(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 1), np.int64))


class CellTables:
    """What every cell of blocks of levels leads to; blocks of one shape are extended together.

    A block decides the nodes of its levels that an edge from before it reaches.
    """

    def __init__(self, functions: SubFunctions) -> None:
        levels = functions.levels
        self.sizes = [level.shape[1] for level in levels]
        self._firsts = np.array(functions.offsets(), dtype=np.int64)
        self.counts = np.array([len(level) for level in levels], dtype=np.int64)
        self._reached = functions.reached_from()
        self._level = np.full(functions.node_count, len(levels), dtype=np.int64)
        # Nodes with equally many edges share a table; _row is the place of a node in its table.
        self._row = np.zeros(functions.node_count, dtype=np.int64)
        self._edges: dict[int, Numbers] = {}
        for size in set(self.sizes):
            alike = [position for position, other in enumerate(self.sizes) if other == size]
            self._edges[size] = np.concatenate([levels[position] for position in alike])
            nodes = self._nodes(np.array(alike))
            self._row[nodes] = np.arange(len(nodes))
            self._level[nodes] = np.repeat(alike, self.counts[alike])

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
        entered = self._reached[fresh] < fresh_starts
        fresh, fresh_starts = fresh[entered], fresh_starts[entered]
        width = rows.cells.shape[1]
        nodes = np.concatenate([rows.nodes, fresh])
        row_starts = np.concatenate([rows.starts, fresh_starts])
        cells = joined([rows.cells, np.broadcast_to(fresh[:, None], (len(fresh), width))])
        size = self.sizes[int(following[0])]
        wider = np.empty((len(cells), width, size), dtype=np.int64)
        for piece in pieces(len(cells), PIECE // (width * size)):
            some = cells[piece]
            inside = self._level[some] == (row_starts[piece] + length)[:, None]
            wider[piece] = some[:, :, None]
            wider[piece][inside] = self._edges[size][self._row[some[inside]]]
        return BlockRows(nodes, row_starts, wider.reshape(len(cells), width * size))

    def block(self, start: int, stop: int) -> BlockRows:
        """Return the rows of one block."""
        rows = _NO_ROWS
        for length in range(stop - start):
            rows = self.extend(rows, np.array([start]), length)
        return rows

    @staticmethod
    def none() -> BlockRows:
        """Return the rows of blocks without levels."""
        return _NO_ROWS


class Parts(NamedTuple):
    """The parts of rows of cells that lead to one function, by row and then by function."""

    firsts: Numbers  # position of the first cell of each part, counted over all rows
    targets: Numbers
    cells: Numbers  # the cells of all parts, one after the other


def parts_in_pieces(cells: Numbers) -> Iterator[tuple[slice, Parts]]:
    """Yield the parts of some rows ``[row, cell]`` after the other, and which rows these are."""
    for piece in pieces(len(cells), PIECE // cells.shape[1]):
        yield piece, parts_of(cells[piece])


def parts_of(cells: Numbers) -> Parts:
    """Return the parts of each row ``[row, cell]``."""
    width = cells.shape[1]
    shift = max(1, (width - 1).bit_length())
    codes = cells << shift
    codes |= np.arange(width)
    codes.sort(axis=1)
    targets = codes >> shift
    begins = np.ones(codes.shape, dtype=bool)
    np.not_equal(targets[:, 1:], targets[:, :-1], out=begins[:, 1:])
    firsts = np.flatnonzero(begins)
    codes &= (1 << shift) - 1
    return Parts(firsts, targets.reshape(-1)[firsts], codes.reshape(-1))
