"""Which levels of a diagram to decide together: blocks chosen by dynamic programming.

What a block costs does not depend on the blocks before and after it: the nodes that it decides are those that
an edge from before it reaches. The gates of a block are counted, those of its guards are estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import count_different, hash_weights
from bnc2d.base.workers import spread
from bnc2d.compile.formula.cells import BlockRows, CellTables
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.parts import Cells, cell_bits, parts_in_pieces

if TYPE_CHECKING:
    from types import ModuleType

# Most cells of a block, unless it is a single feature.
_CELLS = 64
# Where a block's table would be larger than this and than the diagram, blocks stay shorter.
_CELLS_AT_ONCE = 100_000
# Batch size: about so many cells, of at most so many blocks (their id is part of a key).
_CELLS_TOGETHER = 1 << 18
_BLOCKS_TOGETHER = 64
# Sets of few cells are counted in a table of all such sets; with functions, too, where that has no more than
# so many entries for each cell.
_FEW_CELLS = 16
_ENTRIES = 16
# Cells that a loop in C counts at a time.
_COUNTED = 1 << 22
# Estimated gates of a guard over a block of 1, 2, ... levels, from measured circuits. Where a block has n
# guards they share gates, and each needs about factor / n^exponent of them: nearer the truth, unless
# implications leave far fewer guards than are counted here.
_GUARD_GATES = (0.0, 1.0, 1.5, 2.0, 3.0)
_SHARED_GATES = ((0.0, 0.0), (0.8, 0.15), (2.0, 0.3), (3.0, 0.3), (5.0, 0.3))
_ODD = np.uint64(0x9E3779B97F4A7C15)

Plan: TypeAlias = tuple[int, ...]  # the first level of each block, and last the number of levels
Estimate: TypeAlias = Callable[[int, int], float]  # length of a block, its guards: their gates
_Costs: TypeAlias = dict[tuple[int, int], tuple[int, int]]  # by first level and length: gates, guards


def scaled(scale: float) -> Estimate:
    """Return the estimate that every guard over equally many levels needs equally many gates."""
    return lambda length, guards: scale * (guards * _GUARD_GATES[length - 1])


def shared(length: int, guards: int) -> float:
    """Estimate the gates of guards that share some."""
    factor, exponent = _SHARED_GATES[length - 1]
    each: float = min(_GUARD_GATES[length - 1], factor / max(guards, 1) ** exponent)
    return guards * each


class Planner:
    """Counts what blocks cost, once, and finds the cheapest plans for estimates of what guards cost."""

    def __init__(self, tables: CellTables) -> None:
        self._last = len(tables.sizes)
        self._costs = _costs(tables, max(_CELLS_AT_ONCE, 2 + int(tables.counts.sum())))

    def plan(self, estimate: Estimate) -> Plan:
        """Return the cheapest blocks; of equally cheap ones the shorter first."""
        best = [0.0] * (self._last + 1)
        following = [0] * (self._last + 1)
        for start in range(self._last - 1, -1, -1):
            best[start], following[start] = min(
                (self._cost(start, stop, estimate) + best[stop], stop)
                for stop in range(start + 1, min(self._last, start + len(_GUARD_GATES)) + 1)
                if (start, stop - start) in self._costs
            )
        plan = [0]
        while plan[-1] < self._last:
            plan.append(following[plan[-1]])
        return tuple(plan)

    def size(self, plan: Plan, estimate: Estimate) -> float:
        """Return how many gates a plan is estimated to need."""
        return sum(self._cost(start, stop, estimate) for start, stop in pairwise(plan))

    def _cost(self, start: int, stop: int, estimate: Estimate) -> float:
        gates, guards = self._costs[start, stop - start]
        return gates + estimate(stop - start, guards)


def _costs(tables: CellTables, cells_at_once: int) -> _Costs:
    costs: _Costs = {}
    chunks = _chunks(tables.counts)
    for found in spread(lambda together: _costs_from(tables, together, cells_at_once), chunks):
        costs.update(found)
    return costs


def _costs_from(tables: CellTables, together: Numbers, cells_at_once: int) -> _Costs:
    """Return the costs of the blocks that begin at some levels."""
    costs: _Costs = {}
    pending = [(group, 0, CellTables.none()) for group in _by_size(tables, together)]
    while pending:
        checkpoint()
        starts, length, rows = pending.pop()
        rows = tables.extend(rows, starts, length)
        length += 1
        block_ids = np.searchsorted(starts, rows.starts)
        gates, guards = _block_costs(rows.cells, block_ids, len(starts))
        found = zip(gates.tolist(), guards.tolist(), strict=True)
        costs.update(((start, length), cost) for start, cost in zip(starts.tolist(), found, strict=True))
        if length == len(_GUARD_GATES):
            continue
        height = np.bincount(block_ids, minlength=len(starts))
        growing = starts[starts + length < len(tables.sizes)]
        height = height[: len(growing)]
        for group in _by_size(tables, growing, length):
            width = len(rows.cells) * tables.sizes[int(group[0]) + length]
            fitting = group[width * height[np.searchsorted(starts, group)] <= cells_at_once]
            if width <= _CELLS and len(fitting):
                pending.append((fitting, length, _rows_of(rows, fitting, len(fitting) == len(starts))))
    return costs


def _chunks(counts: Numbers) -> Iterator[Numbers]:
    """Split the levels into runs whose blocks are counted together."""
    run: list[int] = []
    cells = 0
    for start, count in enumerate(counts.tolist()):
        if run and (cells + count * _CELLS // 2 > _CELLS_TOGETHER or len(run) == _BLOCKS_TOGETHER):
            yield np.array(run)
            run, cells = [], 0
        run.append(start)
        cells += count * _CELLS // 2
    if run:
        yield np.array(run)


def _by_size(tables: CellTables, starts: Numbers, length: int = 0) -> list[Numbers]:
    """Group blocks by the size of the level that follows their first ``length`` ones."""
    groups: dict[int, list[int]] = {}
    for start in starts.tolist():
        groups.setdefault(tables.sizes[start + length], []).append(start)
    return [np.array(group) for group in groups.values()]


def _rows_of(rows: BlockRows, starts: Numbers, everything: bool) -> BlockRows:
    if everything:
        return rows
    kept = np.flatnonzero(np.isin(rows.starts, starts))
    return BlockRows(rows.nodes[kept], rows.starts[kept], rows.cells[:, kept])


def _block_costs(cells: Cells, block_ids: Numbers, blocks: int) -> tuple[Numbers, Numbers]:
    """Return for each block its gates, an AND per row and an OR per clause, and its different guards.

    ``block_ids`` is the block of each row. Large sets of cells, and clauses, are told apart by hashes.
    """
    gates = np.bincount(block_ids, minlength=blocks)
    if not len(block_ids):
        return gates, gates
    width, bits = len(cells), (blocks - 1).bit_length()
    if kernels.loops is not None and width <= _CELLS:
        return _block_costs_by_loop(kernels.loops, cells, block_ids, gates)
    weights = cell_bits(width) if width <= _CELLS else hash_weights(width)
    span = int(cells.max()) + 1
    if width <= _FEW_CELLS and blocks * span << width <= _ENTRIES * cells.size:
        table = np.zeros((blocks, 1 << width, span), dtype=bool)
        for rows, targets, sets in parts_in_pieces(cells, weights):
            table.reshape(-1)[(take(block_ids, rows) << width | sets.view(np.int64)) * span + targets] = True
        table[:, :, 1] = False
        gates += [np.count_nonzero(part) - np.count_nonzero(part[:, 0]) for part in table]
        return gates, np.count_nonzero(table.any(axis=2), axis=1)
    seen = np.zeros(blocks << width if width <= _FEW_CELLS else 0, dtype=bool)  # by block and set of cells
    guards, clauses = [], []
    for rows, targets, sets in parts_in_pieces(cells, weights):
        block = take(block_ids, rows).view(np.uint64) if bits else np.uint64(0)
        guarded = targets != 1
        if len(seen):
            seen[np.compress(guarded, block << np.uint64(width) | sets)] = True
        hashes = sets * _ODD
        if not len(seen):
            guards.append(np.compress(guarded, _tagged(block, hashes, bits)))
        hashes += targets.view(np.uint64)
        hashes *= _ODD
        clauses.append(np.compress(targets > 1, _tagged(block, hashes, bits)))
    gates += count_different(joined(clauses), bits)[:blocks]
    if len(seen):
        return gates, np.count_nonzero(seen.reshape(blocks, -1), axis=1)
    return gates, count_different(joined(guards), bits)[:blocks]


def _block_costs_by_loop(
    loops: ModuleType, cells: Cells, block_ids: Numbers, gates: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the same where the ANDs are counted; parts are told apart by hashes in C."""
    gates, guards = gates.astype(np.int64), np.zeros(len(gates), dtype=np.int64)
    known = loops.new_keys(), loops.new_keys()
    for piece in pieces(len(block_ids), _COUNTED // len(cells)):
        loops.count_parts(*known, cells, block_ids, piece.start, piece.stop, gates, guards)
    return gates, guards


def _tagged(
    block: NDArray[np.uint64] | np.uint64, hashes: NDArray[np.uint64], bits: int
) -> NDArray[np.uint64]:
    """Return hashes with the number of a block in their first bits."""
    return (block << np.uint64(64 - bits)) | (hashes >> np.uint64(bits)) if bits else hashes


def plain_size_at_least(diagram: Diagram) -> int:
    """Return a lower bound on the nodes of the circuit that decides one level at a time.

    It holds for the complement as well. A node without constant children needs an AND and an OR for each of
    its clauses; equal ones are shared.
    """
    total = 0
    for _, table, _ in diagram.walk:
        rows = take(table, np.flatnonzero(table.min(axis=1) > 1))
        cells = np.ascontiguousarray(rows.T, dtype=np.int32)
        total += int(_block_costs(cells, np.zeros(len(rows), dtype=np.int64), 1)[0][0])
    return max(diagram.node_count, total)
