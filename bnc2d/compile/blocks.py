"""Small OR-decomposable formulas from a diagram: several levels are decided at once.

A node of a decision diagram costs three gates, ``(x ∨ low) ∧ (¬x ∨ high)``. Here a block of levels is decided
at once, as in a sentential decision diagram (Darwiche 2011): a node whose cells (the instances of the block's
features) lead to functions ``g`` below the block is the AND of one clause ``q_g ∨ g`` for each of them. The
guards ``q_g`` are over the block's features, so no OR shares a feature; all nodes of the block share them.

The blocks are chosen by dynamic programming. What a block costs does not depend on the blocks before and
after it: the nodes that it decides are those that an edge from before it reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.diagram import Diagram, DiagramBuilder
from bnc2d.compile.guards import GuardBuilder, choose_clauses
from bnc2d.compile.implication import Implications
from bnc2d.logic.manager import FALSE, TRUE, Manager, NodeId

# A block has at most so many cells, unless it is a single feature.
_CELLS = 64
# Where a block's table would be larger than this and than the diagram, blocks stay shorter.
_CELLS_AT_ONCE = 100_000
# Estimated gates of a guard over a block of 1, 2, ... levels, from measured circuits.
_GUARD_GATES = (0.0, 1.0, 1.5, 2.0, 3.0)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_WEIGHTS = np.random.default_rng(1).integers(2**63, size=4096, dtype=np.uint64)
_NO_NODES = np.zeros(0, dtype=np.int64)
_NO_CELLS = np.zeros((0, 1), dtype=np.int64)

Plan: TypeAlias = tuple[int, ...]  # the first level of each block, and last the number of levels


@dataclass(frozen=True)
class SubFunctions:
    """A two-ended reduced diagram without its empty levels; ``root`` is a node number."""

    features: tuple[int, ...]
    levels: tuple[NDArray[np.int64], ...]
    root: int

    @classmethod
    def of(cls, diagram: Diagram, negated: bool = False) -> SubFunctions:
        """Return the function of a two-ended diagram, or its complement."""
        full = [(f, level) for f, level in zip(diagram.order, diagram.levels, strict=True) if len(level)]
        image = np.arange(diagram.ends + diagram.node_count)
        if negated:
            image[:2] = [1, 0]
        return cls(
            tuple(feature for feature, _ in full),
            tuple(image[level] for _, level in full),
            int(image[diagram.root]),
        )

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
        """Return for each node the first level with an edge to it; -1 for the root."""
        reached = np.full(self.node_count, len(self.levels), dtype=np.int64)
        for position in range(len(self.levels) - 1, -1, -1):
            reached[self.levels[position]] = position
        reached[self.root] = -1
        return reached


def two_ended(diagram: Diagram, label: int) -> Diagram:
    """Return the reduced diagram of "the instance leads to this label": 1 where it does, 0 where not."""
    builder = DiagramBuilder(2)
    image = np.array([int(end == label) for end in range(diagram.ends)], dtype=np.int64)
    for level in reversed(diagram.levels):
        image = np.concatenate([image, builder.add_level(image[level])])
    return builder.finish(diagram.order, int(image[diagram.root]))


class _Blocks:
    """The nodes that each block decides, and what every cell of the block leads them to."""

    def __init__(self, functions: SubFunctions) -> None:
        self.functions = functions
        self.offsets = functions.offsets()
        self.reached = functions.reached_from()

    def extend(
        self, start: int, position: int, nodes: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add the level ``position`` to a block: its nodes, and ``[node, cell]`` what they lead to."""
        level, first = self.functions.levels[position], self.offsets[position]
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
        nodes, cells = _NO_NODES, _NO_CELLS
        for position in range(start, stop):
            nodes, cells = self.extend(start, position, nodes, cells)
        return nodes, cells

    @staticmethod
    def cost(cells: NDArray[np.int64]) -> tuple[int, int]:
        """Return the gates of a block, an AND per node and an OR per clause, and the number of its guards."""
        if not len(cells):
            return 0, 0
        by_target = np.argsort(cells, axis=1)
        targets = np.take_along_axis(cells, by_target, axis=1)
        starts = np.ones(cells.shape, dtype=bool)
        starts[:, 1:] = targets[:, 1:] != targets[:, :-1]
        first = np.flatnonzero(starts)
        target = targets.reshape(-1)[first]
        # A set of cells is told from others by the sum of its cells' weights.
        sets = np.add.reduceat(_WEIGHTS[by_target % len(_WEIGHTS)].reshape(-1), first)
        guards = len(np.unique(sets[target != 1]))
        inner = target > 1
        clauses = len(np.unique(sets[inner] * _ODD + target[inner].astype(np.uint64)))
        return len(cells) + clauses, guards


def plain_size_at_least(functions: SubFunctions) -> int:
    """Return a lower bound on the nodes of the circuit that decides one level at a time.

    A node without constant children needs an AND and an OR for each of its clauses; equal ones are shared.
    """
    inner = [level[level.min(axis=1) > 1] for level in functions.levels]
    return max(functions.node_count - 2, sum(_Blocks.cost(rows)[0] for rows in inner))


def plan_blocks(functions: SubFunctions, guard_scales: Sequence[float] = (1.0,)) -> list[Plan]:
    """Return the cheapest blocks, for guards that cost so many times what is estimated; each plan once."""
    blocks = _Blocks(functions)
    last = len(functions.levels)
    cells_at_once = max(_CELLS_AT_ONCE, functions.node_count)
    scales = np.array(guard_scales)
    best = np.full((last + 1, len(scales)), np.inf)
    best[last] = 0.0
    following = np.zeros((last + 1, len(scales)), dtype=np.int64)
    for start in range(last - 1, -1, -1):
        nodes, cells = _NO_NODES, _NO_CELLS
        for stop in range(start + 1, min(last, start + len(_GUARD_GATES)) + 1):
            width = cells.shape[1] * functions.levels[stop - 1].shape[1]
            if stop > start + 1 and (width > _CELLS or width * len(cells) > cells_at_once):
                break
            nodes, cells = blocks.extend(start, stop - 1, nodes, cells)
            gates, guards = blocks.cost(cells)
            total = gates + scales * (guards * _GUARD_GATES[stop - start - 1]) + best[stop]
            better = total < best[start]
            best[start][better] = total[better]
            following[start][better] = stop
    plans = []
    for column in following.T.tolist():
        plan = [0]
        while plan[-1] < last:
            plan.append(column[plan[-1]])
        plans.append(tuple(plan))
    return list(dict.fromkeys(plans))


def build(functions: SubFunctions, plan: Plan, manager: Manager) -> NodeId:
    """Return the OR-decomposable formula of the function, block by block from the last."""
    blocks = _Blocks(functions)
    implications = Implications(functions.levels, blocks.offsets)
    formulas: dict[int, NodeId] = {0: FALSE, 1: TRUE}
    for start, stop in zip(reversed(plan[:-1]), reversed(plan[1:]), strict=True):
        nodes, cells = blocks.table(start, stop)
        sizes = [level.shape[1] for level in functions.levels[start:stop]]
        clauses = choose_clauses(cells, implications)
        wanted = sorted({guard for row in clauses for guard, _ in row})
        builder = GuardBuilder(functions.features[start:stop], sizes, manager)
        guards = {guard: builder.formula(guard) for guard in wanted}
        for node, row in zip(nodes.tolist(), clauses, strict=True):
            parts = [manager.add_or([guards[guard], formulas[below]]) for guard, below in row]
            formulas[node] = manager.add_and(parts)
    return formulas[functions.root]
