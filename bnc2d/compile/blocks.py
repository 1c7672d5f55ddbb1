"""Small OR-decomposable formulas from a diagram: several levels are decided at once.

A node of a decision diagram costs three gates, ``(x ∨ low) ∧ (¬x ∨ high)``. Where a block of levels is decided
at once, as in a sentential decision diagram (Darwiche 2011), a node that the cells ``m_g`` of the block lead to
``g`` is the AND of clauses ``q_g ∨ g``, one for each function ``g`` below the block, with guards ``q_g``
over the block's features, and the guards are shared by all nodes of the block.

A guard need not be exactly "the cells that do not lead to ``g``". Where another function ``h`` of the node implies
``g``, the clause may as well claim ``g`` in the cells of ``h``. So a guard is false in ``m_g``, true where the function
does not imply ``g``, and free elsewhere; the clause of a function that all others imply needs no guard.

The blocks are chosen by dynamic programming. A block from one level to another costs the same whatever the blocks
before and after are: the nodes that it decides are those that edges from before it reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.compile.implication import Implications
from bnc2d.logic.manager import FALSE, TRUE, Manager, NodeId

# A block has at most so many cells, unless it is a single feature.
_CELLS = 64
# Estimated gates of a guard over a block of 1, 2, ... levels, from measured circuits.
_GUARD_GATES = (0.0, 1.0, 1.5, 2.0, 3.0, 4.0)
_ODD = np.uint64(0x9E3779B97F4A7C15)
Plan = tuple[int, ...]  # the first level of each block, and last the number of levels


@dataclass(frozen=True)
class Forest:
    """Functions as roots of one reduced diagram with the ends false (0) and true (1); no level is empty."""

    features: tuple[int, ...]
    levels: tuple[NDArray[np.int64], ...]
    roots: NDArray[np.int64]

    @property
    def node_count(self) -> int:
        """The number of nodes, ends included."""
        return 2 + sum(len(level) for level in self.levels)

    def offsets(self) -> list[int]:
        """Return the number of the first node of each level."""
        firsts = []
        following = 2
        for level in reversed(self.levels):
            firsts.append(following)
            following += len(level)
        return firsts[::-1]

    def reached_from(self) -> NDArray[np.int64]:
        """Return for each node the first level with an edge to it; -1 for roots."""
        reached = np.full(self.node_count, len(self.levels), dtype=np.int64)
        for position in range(len(self.levels) - 1, -1, -1):
            reached[self.levels[position]] = position
        reached[self.roots] = -1
        return reached


def forest_of(diagram: Diagram, label: int, negated: bool = False) -> Forest:
    """Return the function "the instance leads to this label" (or to another one)."""
    builder = DiagramBuilder(2)
    image = np.array([int((end == label) != negated) for end in range(diagram.ends)], dtype=np.int64)
    for level in reversed(diagram.levels):
        image = np.concatenate([image, builder.add_level(image[level])])
    reduced = builder.finish(diagram.order, int(image[diagram.root]))
    return _forest(reduced, np.array([reduced.root], dtype=np.int64))


def _forest(diagram: Diagram, roots: NDArray[np.int64]) -> Forest:
    # Dropping what no root reaches: a level is walked after all that point to it.
    used = np.zeros(diagram.ends + diagram.node_count, dtype=bool)
    used[roots] = True
    used[:2] = True
    offsets = diagram.offsets()
    for level, first in zip(diagram.levels, offsets, strict=True):
        used[level[used[first : first + len(level)]]] = True
    renumbered = np.cumsum(used) - 1
    kept = [
        (feature, renumbered[level[used[first : first + len(level)]]])
        for feature, level, first in zip(diagram.order, diagram.levels, offsets, strict=True)
    ]
    full = [(feature, level) for feature, level in kept if len(level)]
    return Forest(tuple(f for f, _ in full), tuple(level for _, level in full), renumbered[roots])


class _Blocks:
    """The nodes that each block decides, and what every cell of the block leads them to."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.offsets = forest.offsets()
        self.reached = forest.reached_from()

    def extend(
        self, start: int, position: int, nodes: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add the level ``position`` to a block: its nodes, and ``[node, cell]`` what they lead to."""
        level, first = self.forest.levels[position], self.offsets[position]
        here = np.arange(first, first + len(level))
        fresh = here[self.reached[here] < start]
        nodes = np.concatenate([nodes, fresh])
        cells = np.concatenate([cells, np.broadcast_to(fresh[:, None], (len(fresh), cells.shape[1]))])
        size = level.shape[1]
        wider = np.repeat(cells[:, :, None], size, axis=2)
        inside = (cells >= first) & (cells < first + len(level))
        wider[inside] = level[cells[inside] - first]
        return nodes, wider.reshape(len(cells), cells.shape[1] * size)

    def table(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nodes of a block and what their cells lead to."""
        nodes, cells = np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.int64)
        for position in range(start, stop):
            nodes, cells = self.extend(start, position, nodes, cells)
        return nodes, cells

    def cost(self, cells: NDArray[np.int64], guard_gates: float) -> float:
        """Estimate the gates of a block: an AND per node, an OR per clause, and the guards."""
        nodes, width = cells.shape
        if not nodes:
            return 0.0
        count = self.forest.node_count
        keys = (np.arange(nodes)[:, None] * count + cells).reshape(-1)
        distinct, inverse = np.unique(keys, return_inverse=True)
        # A set of cells is told from others by the sum of odd multiples.
        weights = (np.arange(1, width + 1, dtype=np.uint64) * _ODD) ** np.uint64(3)
        sets = np.zeros(len(distinct), dtype=np.uint64)
        np.add.at(sets, inverse, np.tile(weights, nodes))
        target = distinct % count
        guards = len(np.unique(sets[target != 1]))
        inner = target > 1
        clauses = len(np.unique(sets[inner] * _ODD + target[inner].astype(np.uint64)))
        return nodes + clauses + guard_gates * guards


def plan_blocks(forest: Forest, longest: int = 6, guard_scale: float = 1.0) -> tuple[float, Plan]:
    """Return the estimated number of gates and the blocks that attain it, none longer than ``longest``."""
    blocks = _Blocks(forest)
    last = len(forest.levels)
    best = [0.0] * (last + 1)
    following = [last] * (last + 1)
    for start in range(last - 1, -1, -1):
        nodes, cells = np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.int64)
        best[start] = np.inf
        for stop in range(start + 1, min(last, start + longest) + 1):
            size = forest.levels[stop - 1].shape[1]
            if stop > start + 1 and cells.shape[1] * size > _CELLS:
                break
            nodes, cells = blocks.extend(start, stop - 1, nodes, cells)
            gates = guard_scale * _GUARD_GATES[min(stop - start, len(_GUARD_GATES)) - 1]
            total = blocks.cost(cells, gates) + best[stop]
            if total < best[start]:
                best[start], following[start] = total, stop
    plan = [0]
    while plan[-1] < last:
        plan.append(following[plan[-1]])
    return best[0], tuple(plan)


def build(forest: Forest, plan: Plan, manager: Manager) -> list[NodeId]:
    """Return the OR-decomposable formula of each root."""
    blocks = _Blocks(forest)
    implications = Implications(forest.levels, blocks.offsets)
    formulas: dict[int, NodeId] = {0: FALSE, 1: TRUE}
    for start, stop in zip(reversed(plan[:-1]), reversed(plan[1:]), strict=True):
        nodes, cells = blocks.table(start, stop)
        sizes = [level.shape[1] for level in forest.levels[start:stop]]
        clauses = _clauses(cells, implications)
        wanted = sorted({guard for row in clauses for guard, _ in row if guard})
        guards = _guard_formulas(wanted, forest.features[start:stop], sizes, manager)
        guards[0] = FALSE
        for node, row in zip(nodes.tolist(), clauses, strict=True):
            parts = [manager.add_or([guards[guard], formulas[below]]) for guard, below in row]
            formulas[node] = manager.add_and(parts)
    return [formulas[root] for root in forest.roots.tolist()]


def _clauses(cells: NDArray[np.int64], implications: Implications) -> list[list[tuple[int, int]]]:
    """Return for each row the clauses (guard as a set of cells in bits, function below)."""
    rows: list[dict[int, int]] = []
    for row in cells.tolist():
        sets: dict[int, int] = {}
        bit = 1
        for below in row:
            sets[below] = sets.get(below, 0) | bit
            bit <<= 1
        rows.append(sets)
    left = [h for sets in rows for g in sets if g != 1 for h in sets]
    right = [g for sets in rows for g in sets if g != 1 for _ in sets]
    implied = iter(implications.holds(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)).tolist())
    full = (1 << cells.shape[1]) - 1
    clauses = []
    for sets in rows:
        parts = []
        for g in sets:
            if g == 1:
                continue
            claimed = 0
            for region in sets.values():
                if next(implied):
                    claimed |= region
            parts.append((full & ~claimed, g))
        clauses.append(parts)
    return clauses


def _guard_formulas(
    guards: Sequence[int], features: Sequence[int], sizes: Sequence[int], manager: Manager
) -> dict[int, NodeId]:
    """Return an OR-decomposable formula over the block's features for each set of cells."""
    if len(features) == 1:
        return {guard: manager.add_literal(features[0], guard) for guard in guards}
    if not guards:
        return {}
    width = int(np.prod(sizes))
    data = b"".join(guard.to_bytes((width + 7) // 8, "little") for guard in guards)
    bits = np.frombuffer(data, dtype=np.uint8).reshape(len(guards), -1)
    table = np.unpackbits(bits, axis=1, count=width, bitorder="little").astype(np.int64)
    builder = DiagramBuilder(2)
    roots = reduce_table(table, sizes, builder)
    forest = _forest(builder.finish(features, 0), roots)
    _, plan = plan_blocks(forest, longest=len(features) - 1)
    return dict(zip(guards, build(forest, plan, manager), strict=True))
