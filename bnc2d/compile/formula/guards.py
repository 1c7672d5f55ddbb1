"""The guards of a block's clauses: few different ones, chosen where a clause leaves room.

A node of a block leads the cells ``m_g`` to the function ``g``. Its clause ``q_g ∨ g`` may claim ``g`` not
only in ``m_g`` but also in the cells of every function that implies ``g``. So the guard is false in ``m_g``,
true where the function does not imply ``g``, and free elsewhere; where all others imply ``g`` none is needed.
The guards of all nodes of a block are chosen together, so that few different ones are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct, grouped, grouped_pairs, sorted_distinct
from bnc2d.logic.circuit.builder import CircuitBuilder
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind

CellSet: TypeAlias = int  # bit i stands for cell i
CellSets: TypeAlias = NDArray[Any]  # of uint64, or of Python integers where a set has more than 64 cells

# With more ranges than this the table of who fits whom gets too large: each then takes its widest guard.
_RANGES_AT_ONCE = 1500


def choose_guards(low: CellSets, high: CellSets) -> tuple[list[CellSet], NDArray[np.int64]]:
    """Return guards between the cells each must have and those it may have.

    The result is a sorted list of different guards, and the index in it for each range.
    """
    if low.dtype == object:
        return _with_ids([least and most for least, most in zip(low.tolist(), high.tolist(), strict=True)])
    if len(high) and int(high.max()) >> 32:
        range_ids, first = grouped_pairs(low, high)
    else:  # both fit in one key
        range_ids, first = grouped(low << np.uint64(32) | high)
    low, high = take(low, first), take(high, first)
    # Where no cell is needed there is no guard.
    chosen = np.where(low == 0, low, high)
    needed = np.flatnonzero(chosen)
    least, most = low[needed], high[needed]
    if len(needed) <= _RANGES_AT_ONCE and (least != most).any():
        chosen[needed] = _cover(least, most)
    guards, _, guard_ids = distinct(chosen)
    return guards.tolist(), take(guard_ids, range_ids)


def _with_ids(guards: list[CellSet]) -> tuple[list[CellSet], NDArray[np.int64]]:
    ascending = sorted(set(guards))
    ids = {guard: index for index, guard in enumerate(ascending)}
    return ascending, np.array([ids[guard] for guard in guards], dtype=np.int64)


def _cover(low: CellSets, high: CellSets) -> CellSets:
    """Return a guard for each range: again and again the limit that fits most of the ranges left.

    How many ranges a limit fits only ever falls, so a heap of counts that may be too high finds the next one.
    """
    chosen = high.copy()
    candidates = sorted_distinct(np.concatenate([low, high]))
    fits = ((low & ~candidates[:, None]) | (candidates[:, None] & ~high)) == 0
    packed = np.packbits(fits, axis=1, bitorder="little")
    fitting = [int.from_bytes(row.tobytes(), "little") for row in packed]
    heap = [(-ranges.bit_count(), index) for index, ranges in enumerate(fitting)]
    heapify(heap)
    left = (1 << len(low)) - 1
    taken: list[tuple[int, int]] = []
    while left:
        bound, index = heap[0]
        ranges = fitting[index] & left
        count = -ranges.bit_count()
        if count == bound:
            taken.append((index, ranges))
            left &= ~ranges
            heappop(heap)
        elif count:
            heapreplace(heap, (count, index))
        else:
            heappop(heap)
    size = packed.shape[1]
    rows = np.frombuffer(b"".join(ranges.to_bytes(size, "little") for _, ranges in taken), dtype=np.uint8)
    turns, ranges_taken = np.nonzero(np.unpackbits(rows.reshape(-1, size), axis=1, bitorder="little"))
    chosen[ranges_taken] = candidates[[index for index, _ in taken]][turns]
    return chosen


class GuardBuilder:
    """Builds OR-decomposable formulas over a block's features; cells count with the last feature fastest."""

    def __init__(self, features: Sequence[int], sizes: Sequence[int], builder: CircuitBuilder) -> None:
        self._features = features
        self._builder = builder
        # By the features from the first number to before the second, and the set of their cells.
        self._known: dict[tuple[int, int, CellSet], int] = {}
        # _widths[i][j]: cells of the features i..j-1
        self._widths = [
            [prod(sizes[start:stop]) for stop in range(len(sizes) + 1)] for start in range(len(sizes) + 1)
        ]

    def formula(self, cells: CellSet) -> int:
        """Return the formula of a set of cells."""
        checkpoint()
        return self._formula(0, len(self._features), cells)

    def _formula(self, start: int, stop: int, cells: CellSet) -> int:
        """Return the formula of cells of the features ``start..stop-1``; as deep as the block is long."""
        if not cells:
            return FALSE
        key = (start, stop, cells)
        known = self._known.get(key)
        if known is None:
            if cells == (1 << self._widths[start][stop]) - 1:
                return TRUE
            if stop - start == 1:
                known = self._builder.literal(self._features[start], cells)
            else:
                known = self._split(start, stop, cells)
            self._known[key] = known
        return known

    def _split(self, start: int, stop: int, cells: CellSet) -> int:
        """Decide the first half of the features at once, as a block of its own."""
        middle = (start + stop) // 2
        width = self._widths[middle][stop]
        true = (1 << width) - 1
        regions: dict[CellSet, CellSet] = {}  # what is left for the second half, and where in the first
        bit = 1
        for _ in range(self._widths[start][middle]):
            below = cells & true
            regions[below] = regions.get(below, 0) | bit
            cells >>= width
            bit <<= 1
        full = bit - 1
        # Several features share what is known of them: there a guard that is known saves gates.
        prefers_known = middle - start > 1
        clauses = []
        for below, region in regions.items():
            if below == true:
                continue
            guard = full
            for other, cells_of_other in regions.items():
                if not other & ~below:
                    guard &= ~cells_of_other
            if prefers_known and guard and (start, middle, full & ~region) in self._known:
                guard = full & ~region
            first, second = self._formula(start, middle, guard), self._formula(middle, stop, below)
            clause = [node for node in (first, second) if node != FALSE]
            clauses.append(self._builder.gate(Kind.OR, clause))
        return self._builder.gate(Kind.AND, clauses)
