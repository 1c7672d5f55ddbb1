"""Reordering a diagram's features by sifting (Rudell 1993), on arrays.

A feature is moved through all levels by swapping neighbours and left where the diagram was smallest. A swap
touches two levels only: the nodes of the upper one that decide both features are rebuilt in place, so every
edge from above stays valid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnc2d.base.arrays import Numbers
from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder

# A swap costs about as much as this many rows, however small the levels are.
_SWAP = 200
# A feature is not moved on once the diagram has grown to so many times its size.
_GROWTH = 1.3


@dataclass
class _Level:
    """The nodes that decide one feature: their numbers and their edges ``[node, state]``."""

    feature: int
    size: int
    numbers: Numbers
    children: Numbers


class Sifter:
    """A diagram whose levels can be swapped; node numbers stay, dead nodes are dropped at once."""

    def __init__(self, diagram: Diagram) -> None:
        self._domain = diagram.domain
        self._terminals = diagram.terminals
        self._root = diagram.root
        first_free = diagram.size
        self._next = first_free
        self._row = np.full(max(16, 2 * first_free), -1, dtype=np.int64)  # of the lower level in a swap
        self._uses = np.zeros(len(self._row), dtype=np.int64)  # edges to each node; the root has one more
        firsts = {level.feature: level.first for level in diagram.walk}
        self._levels = []
        for feature, table in zip(diagram.order, diagram.levels, strict=True):
            first = firsts.get(feature, 0)
            self._levels.append(_Level(feature, table.shape[1], np.arange(first, first + len(table)), table))
            self._count(table, 1)
        self._uses[self._root] += 1
        self.nodes = diagram.node_count
        self.work = 0  # rows touched so far, and a constant for each swap

    @property
    def order(self) -> tuple[int, ...]:
        """The features from the first level to the last."""
        return tuple(level.feature for level in self._levels)

    def _count(self, edges: Numbers, sign: int) -> None:
        np.add.at(self._uses, edges.reshape(-1), sign)

    def _reserve(self, count: int) -> None:
        missing = self._next + count - len(self._uses)
        if missing > 0:
            grown = max(missing, len(self._uses))
            self._uses = np.concatenate([self._uses, np.zeros(grown, dtype=np.int64)])
            self._row = np.concatenate([self._row, np.full(grown, -1, dtype=np.int64)])

    def swap(self, upper: int) -> None:
        """Swap the features of the levels ``upper`` and ``upper + 1``."""
        checkpoint()
        x, y = self._levels[upper], self._levels[upper + 1]
        self.work += _SWAP + len(x.numbers) + len(y.numbers)
        row = self._row
        row[y.numbers] = np.arange(len(y.numbers))
        below = row[x.children]  # where a child decides y: its row there
        both = (below >= 0).any(axis=1)
        if not both.any():
            row[y.numbers] = -1
            self._levels[upper], self._levels[upper + 1] = y, x
            return
        dependent, edges, rows = x.numbers[both], x.children[both], below[both]
        row[y.numbers] = -1
        # cofactors[node, state of y, state of x]
        cofactors = np.where(rows[:, :, None] >= 0, y.children[rows], edges[:, :, None])
        cofactors = np.ascontiguousarray(cofactors.transpose(0, 2, 1)).reshape(-1, x.size)
        kept_numbers, kept = x.numbers[~both], x.children[~both]
        images = cofactors[:, 0].copy()
        proper = (cofactors != images[:, None]).any(axis=1)
        wanted = cofactors[proper]
        x_numbers, x_children, found = self._find_or_add(kept_numbers, kept, wanted)
        images[proper] = found
        y_children = images.reshape(-1, y.size)
        self._count(edges, -1)
        self._count(y_children, 1)
        self._count(x_children[len(kept) :], 1)
        alive = self._uses[y.numbers] > 0
        if not alive.all():
            self._count(y.children[~alive], -1)
        lower = _Level(x.feature, x.size, x_numbers, x_children)
        raised = _Level(
            y.feature,
            y.size,
            np.concatenate([y.numbers[alive], dependent]),
            np.concatenate([y.children[alive], y_children]),
        )
        self.nodes += len(lower.numbers) + len(raised.numbers) - len(x.numbers) - len(y.numbers)
        self._levels[upper], self._levels[upper + 1] = raised, lower

    def _find_or_add(
        self, numbers: Numbers, known: Numbers, wanted: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Add the wanted rows to a level; return its numbers, its rows and the number of each wanted row."""
        rows = np.concatenate([known, wanted])
        codes = rows[:, 0]
        for column in rows.T[1:]:
            if int(codes.max(initial=0)) >= 2**62 // self._next:
                _, codes = np.unique(codes, return_inverse=True)
            codes = codes * self._next + column
        # Known rows come first and are distinct, so that each is the first of its code.
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        fresh = np.flatnonzero(first >= len(known))
        self._reserve(len(fresh))
        named = np.empty(len(first), dtype=np.int64)
        old = first < len(known)
        named[old] = numbers[first[old]]
        named[fresh] = np.arange(self._next, self._next + len(fresh))
        self._next += len(fresh)
        return (
            np.concatenate([numbers, named[fresh]]),
            np.concatenate([known, rows[first[fresh]]]),
            named[inverse[len(known) :]],
        )

    def move(self, position: int, target: int) -> None:
        """Move the feature at a level to another level."""
        while position < target:
            self.swap(position)
            position += 1
        while position > target:
            position -= 1
            self.swap(position)

    def diagram(self) -> Diagram:
        """Return the diagram as it is now, numbered from the last level to the first."""
        builder = DiagramBuilder(self._terminals)
        image = np.zeros(self._next, dtype=np.int64)
        image[: self._terminals] = np.arange(self._terminals)
        for level in reversed(self._levels):
            image[level.numbers] = builder.add_level(image[level.children])
        return builder.finish(self._domain, self.order, int(image[self._root]))

    def level_sizes(self) -> dict[int, int]:
        """Return the number of nodes that decide each feature."""
        return {level.feature: len(level.numbers) for level in self._levels}


def sift(diagram: Diagram, work_limit: int) -> Diagram:
    """Return the diagram in an order found by sifting every feature once, those with most nodes first.

    No feature is moved any more once ``work_limit`` rows were touched.
    """
    sifter = Sifter(diagram)
    sizes = sifter.level_sizes()
    for feature in sorted(sizes, key=lambda feature: (-sizes[feature], feature)):
        if sifter.work > work_limit:
            break
        _sift_feature(sifter, sifter.order.index(feature))
    return sifter.diagram() if sifter.nodes < diagram.node_count else diagram


def _sift_feature(sifter: Sifter, start: int) -> None:
    """Try the nearer end first, then the other, and leave the feature where the diagram was smallest."""
    last = len(sifter.order) - 1
    best, best_at, limit = sifter.nodes, start, sifter.nodes * _GROWTH
    at = start
    for goal in (last, 0) if 2 * start >= last else (0, last):
        while at != goal:
            following = at + (1 if goal > at else -1)
            sifter.move(at, following)
            at = following
            if sifter.nodes < best:
                best, best_at = sifter.nodes, at
            # Only on new ground: on the way back the diagram is large before it is small.
            if sifter.nodes > limit and (at > start) == (goal == last):
                break
    sifter.move(at, best_at)
