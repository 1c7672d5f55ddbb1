"""The guards of a block's clauses: few different ones, chosen where a clause leaves room.

A node of a block leads the cells ``m_g`` to the function ``g``. Its clause ``q_g ∨ g`` may claim ``g`` not
only in ``m_g`` but also in the cells of every function that implies ``g``. So the guard is false in ``m_g``,
true where the function does not imply ``g``, and free elsewhere; where all others imply ``g`` none is needed.
The guards of all nodes of a block are chosen together, so that few different ones are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.implication import Implications
from bnc2d.logic.manager import FALSE, TRUE, Manager, NodeId

CellSet: TypeAlias = int  # bit i stands for cell i
Clause: TypeAlias = tuple[CellSet, int]  # guard, function below; the guard 0 is false
_Range: TypeAlias = tuple[CellSet, CellSet]  # cells that must be in a guard, cells that may be

# With more ranges than this the table of who fits whom gets too large: each then takes its widest guard.
_RANGES_AT_ONCE = 1500


def choose_clauses(cells: NDArray[np.int64], implications: Implications) -> list[list[Clause]]:
    """Return the clauses of each node, given what its cells lead to: ``[node, cell]``, 0 false and 1 true."""
    rows: list[dict[int, CellSet]] = []
    for row in cells.tolist():
        sets: dict[int, CellSet] = {}
        bit = 1
        for below in row:
            sets[below] = sets.get(below, 0) | bit
            bit <<= 1
        rows.append(sets)
    ranges = _ranges(rows, implications, (1 << cells.shape[1]) - 1)
    chosen = _cover(sorted({limits for row in ranges for limits, _ in row if limits[0]}), cells.shape[1])
    return [[(chosen.get(limits, 0), below) for limits, below in row] for row in ranges]


def _ranges(
    rows: list[dict[int, CellSet]], implications: Implications, full: CellSet
) -> list[list[tuple[_Range, int]]]:
    """Return for each node and each function below, except true, the range of its guard."""
    left = [h for sets in rows for g in sets if g != 1 for h in sets]
    right = [g for sets in rows for g in sets if g != 1 for _ in sets]
    pairs = (np.array(left, dtype=np.int64), np.array(right, dtype=np.int64))
    implied = iter(implications.holds(*pairs).tolist())
    ranges = []
    for sets in rows:
        parts = []
        for g, region in sets.items():
            if g != 1:
                claimed = 0
                for other in sets.values():
                    if next(implied):
                        claimed |= other
                parts.append(((full & ~claimed, full & ~region), g))
        ranges.append(parts)
    return ranges


def _cover(ranges: list[_Range], width: int) -> dict[_Range, CellSet]:
    """Return a guard for each range: again and again the limit that fits most of the ranges left."""
    if len(ranges) > _RANGES_AT_ONCE or width > 64:
        return {limits: limits[1] for limits in ranges}
    low = np.array([limits[0] for limits in ranges], dtype=np.uint64)
    high = np.array([limits[1] for limits in ranges], dtype=np.uint64)
    candidates = np.unique(np.concatenate([low, high]))
    fits = ((low & ~candidates[:, None]) | (candidates[:, None] & ~high)) == 0
    left = fits.sum(axis=1)
    chosen: dict[_Range, CellSet] = {}
    while len(chosen) < len(ranges):
        best = int(left.argmax())
        taken = np.flatnonzero(fits[best])
        left -= fits[:, taken].sum(axis=1)
        fits[:, taken] = False
        guard = int(candidates[best])
        chosen.update((ranges[position], guard) for position in taken.tolist())
    return chosen


class GuardBuilder:
    """Builds OR-decomposable formulas over a block's features; cells count with the last feature fastest."""

    def __init__(self, features: Sequence[int], sizes: Sequence[int], manager: Manager) -> None:
        self._features = features
        self._manager = manager
        self._known: dict[tuple[int, int, CellSet], NodeId] = {}
        # _widths[i][j]: cells of the features i..j-1
        self._widths = [
            [prod(sizes[start:stop]) for stop in range(len(sizes) + 1)] for start in range(len(sizes) + 1)
        ]

    def formula(self, cells: CellSet) -> NodeId:
        """Return the formula of a set of cells."""
        return self._formula(0, len(self._features), cells)

    def _formula(self, start: int, stop: int, cells: CellSet) -> NodeId:
        """Return the formula of cells of the features ``start..stop-1``; as deep as the block is long."""
        if stop - start == 1:
            return self._manager.add_literal(self._features[start], cells)
        if not cells:
            return FALSE
        if cells == (1 << self._widths[start][stop]) - 1:
            return TRUE
        key = (start, stop, cells)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._split(start, stop, cells)
        return known

    def _split(self, start: int, stop: int, cells: CellSet) -> NodeId:
        """Decide the first half of the features at once, as a block of its own."""
        middle = (start + stop) // 2
        width = self._widths[middle][stop]
        true = (1 << width) - 1
        regions: dict[CellSet, CellSet] = {}  # what is left for the second half, and where in the first
        bit = 1
        for _ in range(self._widths[start][middle]):
            regions[cells & true] = regions.get(cells & true, 0) | bit
            cells >>= width
            bit <<= 1
        full = bit - 1
        clauses = []
        for below, region in regions.items():
            if below == true:
                continue
            needed = full
            for other, cells_of_other in regions.items():
                if not other & ~below:
                    needed &= ~cells_of_other
            allowed = full & ~region
            guard = allowed if needed and (start, middle, allowed) in self._known else needed
            parts = [self._formula(start, middle, guard), self._formula(middle, stop, below)]
            clauses.append(self._manager.add_or(parts))
        return self._manager.add_and(clauses)
