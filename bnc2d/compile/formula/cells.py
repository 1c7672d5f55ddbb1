"""What the cells of blocks of levels lead to.

A block is a run of levels of a diagram. A cell of it combines a state of each of its features, the last one
counting fastest. It decides the nodes of its levels that an edge from before it reaches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.parts import Cells

# Cells that a loop in C makes at a time.
_EXTENDED = 1 << 22


class BlockRows(NamedTuple):
    """The nodes that some blocks decide: number, first level of the block, ``[cell, row]`` what follows."""

    nodes: Numbers
    starts: Numbers
    cells: Cells


class CellTables:
    """What every cell of blocks leads to, for blocks of a diagram with two terminals.

    Blocks of one shape are extended together.
    """

    def __init__(self, diagram: Diagram) -> None:
        tables = [table for _, table, _ in diagram.walk]
        self.sizes = [table.shape[1] for table in tables]
        self.counts = np.array([len(table) for table in tables], dtype=np.int64)
        self._firsts = np.array([first for _, _, first in diagram.walk], dtype=np.int64)
        # The edges of all levels. Those of a node begin at its number times the size of its level, shifted.
        self._edges = np.empty(sum(table.size for table in tables), dtype=np.int32)
        ends = np.cumsum(self.counts * self.sizes, dtype=np.int64)
        self._shifts = (ends - (self._firsts + self.counts) * self.sizes).astype(np.int32)
        # By node, the first level with an edge to it; the root has none.
        self._reached = np.full(diagram.size, len(tables), dtype=np.int64)
        for position, table, end in reversed(list(zip(range(len(tables)), tables, ends, strict=True))):
            for piece in pieces(table.size):
                edges = table.reshape(-1)[piece]
                self._edges[end - table.size :][piece] = edges
                self._reached[edges] = position
        self._reached[diagram.root] = -1

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
        if kernels.loops is not None:
            level = row_starts + length
            firsts, shifts = take(self._firsts, level), take(self._shifts, level)
            for piece in pieces(len(nodes), _EXTENDED // (width * size)):
                kernels.loops.extend_cells(
                    cells, firsts, shifts, self._edges, size, piece.start, piece.stop, wider
                )
            return BlockRows(nodes, row_starts, wider.reshape(width * size, len(nodes)))
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
