"""Functions from instances to small numbers as decision diagrams that share their nodes.

All functions of a forest have the same order of features. Equal functions are the same node, so that a least
of many pairs of functions looks at each pair of nodes once. Everything is done for many nodes at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.domain import Domain, FeatureId

# Nodes of a forest, and pairs of them that one operation looks at: some 100 bytes each.
MAX_NODES = 1 << 22
MAX_PAIRS = 1 << 23
_SHIFT = 32  # a pair of nodes is one number


class Forest:
    """Nodes of functions to ``0 .. top``; the first ``top + 1`` are the constant functions, by their value.

    ``sizes`` are the numbers of states of the features, the last of the order first: the feature at depth
    ``d`` has ``sizes[d - 1]``. Constants are at depth 0, and children are less deep than their parents.
    """

    def __init__(self, sizes: Sequence[int], top: int) -> None:
        self.top = top
        self._tables = [_Table(size) for size in sizes]
        self.count = top + 1
        values = np.arange(self.count)
        self._depth, self._row = np.zeros(self.count, dtype=np.int64), values.copy()
        self._least, self._most = values.copy(), values.copy()  # of the values of a function

    def add(self, depth: int, rows: Numbers) -> Numbers:
        """Return the nodes of functions ``[node, state]``, by what each state of the feature leads to."""
        found = np.array(rows[:, 0])
        varying = np.flatnonzero((rows != rows[:, :1]).any(axis=1))
        if varying.size:
            table = self._tables[depth - 1]
            numbers, fresh = table.numbers(take(rows, varying), self.count)
            self._enter(depth, fresh, len(table.rows) - len(fresh))
            found[varying] = numbers
        return found

    def _enter(self, depth: int, rows: Numbers, first: int) -> None:
        """Remember new nodes, with the bounds of their values."""
        self.count += len(rows)
        if self.count > MAX_NODES:
            raise LimitExceeded(f"the diagrams of distances have more than {MAX_NODES} nodes")
        while self.count > len(self._depth):
            self._depth, self._row, self._least, self._most = (
                np.resize(column, 2 * len(column))
                for column in (self._depth, self._row, self._least, self._most)
            )
        new = slice(self.count - len(rows), self.count)
        self._depth[new] = depth
        self._row[new] = np.arange(first, first + len(rows))
        self._least[new] = self._least[rows].min(axis=1, initial=self.top)
        self._most[new] = self._most[rows].max(axis=1, initial=0)

    def least(self, left: Numbers, right: Numbers, more: int) -> Numbers:
        """Return the nodes of ``min(left, right + more)`` for pairs of nodes; ``more`` is 0 or 1.

        1. From the deepest pairs down: pairs of nodes lead to pairs of children, until bounds of their values
           tell which one is the less. Each pair is looked at once.
        2. From the least deep up, pairs become nodes.
        """
        asked: dict[int, list[Numbers]] = {}
        first = self._ask(left, right, more, asked)
        steps: list[tuple[int, int, Numbers, _Answers]] = []
        count = 0
        for depth in range(len(self._tables), 0, -1):
            if depth not in asked:
                continue
            checkpoint()
            codes, _, numbers = distinct(joined(asked.pop(depth)))
            states = self._tables[depth - 1].states
            count += len(codes) * states
            if count > MAX_PAIRS:
                raise LimitExceeded(f"more than {MAX_PAIRS} pairs of diagram nodes to look at")
            lefts = self._children(codes >> _SHIFT, depth).reshape(-1)
            rights = self._children(codes & (1 << _SHIFT) - 1, depth).reshape(-1)
            steps.append((depth, states, numbers, self._ask(lefts, rights, more, asked)))
        found: dict[int, Numbers] = {}
        for depth, states, numbers, answers in reversed(steps):
            checkpoint()
            found[depth] = take(self.add(depth, answers.filled(found).reshape(-1, states)), numbers)
        return first.filled(found)

    def _ask(self, left: Numbers, right: Numbers, more: int, asked: dict[int, list[Numbers]]) -> _Answers:
        """Return what is known of pairs at once; the others are asked for at their depth."""
        nodes = np.full(len(left), -1, dtype=np.int64)
        for piece in pieces(len(left)):
            one, other = left[piece], right[piece]
            found = nodes[piece]
            most = self._most[other] + more
            if more:  # a constant that is the less
                is_less = (self._depth[other] == 0) & (most <= self._least[one])
                found[is_less] = np.minimum(most[is_less], self.top)
            else:
                is_less = most <= self._least[one]
                found[is_less] = other[is_less]
            same = (one == other) | (self._most[one] <= self._least[other] + more)
            found[same] = one[same]
        open_to = np.flatnonzero(nodes < 0)
        one, other = left[open_to], right[open_to]
        if not more:  # in any order
            one, other = np.maximum(one, other), np.minimum(one, other)
        codes = (one << _SHIFT) + other
        depths = np.maximum(self._depth[one], self._depth[other])
        parts: list[tuple[int, Numbers, int]] = []
        for depth in np.flatnonzero(np.bincount(depths)).tolist():
            here = np.flatnonzero(depths == depth)
            waiting = asked.setdefault(depth, [])
            parts.append((depth, open_to[here], sum(map(len, waiting))))
            waiting.append(codes[here])
        return _Answers(nodes, parts)

    def _children(self, nodes: Numbers, depth: int) -> Numbers:
        """Return ``[node, state]`` what nodes lead to; a less deep one leads to itself."""
        table = self._tables[depth - 1]
        here = self._depth[nodes] == depth
        children = take(table.rows, np.where(here, self._row[nodes], 0))
        later = np.flatnonzero(~here)
        children[later] = nodes[later, None]
        return children

    def diagram(self, domain: Domain, order: Sequence[FeatureId], root: int) -> Diagram:
        """Return a function as a diagram with a terminal for each value; ``order`` is that of the forest."""
        needed = np.zeros(self.count, dtype=bool)
        needed[root] = True
        rows_of = []
        for depth in range(len(self._tables), 0, -1):
            checkpoint()
            table = self._tables[depth - 1]
            nodes = table.nodes[needed[table.nodes]]
            rows = take(table.rows, self._row[nodes])
            needed[rows.reshape(-1)] = True
            rows_of.append((nodes, rows))
        image = np.arange(self.count)
        builder = DiagramBuilder(self.top + 1)
        for nodes, rows in reversed(rows_of):
            image[nodes] = builder.add_level(take(image, rows.reshape(-1)).reshape(rows.shape))
        return builder.finish(domain, order, int(image[root]))


class _Answers:
    """Nodes, -1 where an answer is still to come: from a depth, at these places of all asked for there."""

    def __init__(self, nodes: Numbers, parts: list[tuple[int, Numbers, int]]) -> None:
        self._nodes, self._parts = nodes, parts

    def filled(self, found: dict[int, Numbers]) -> Numbers:
        """Return all nodes, with those found at each depth."""
        for depth, places, start in self._parts:
            self._nodes[places] = found[depth][start : start + len(places)]
        return self._nodes


class _Table:
    """The nodes at one depth: their ``rows`` of children, their numbers ``nodes``, and how to find a row."""

    def __init__(self, states: int) -> None:
        self.states = states
        self.rows = np.zeros((0, states), dtype=np.int64)
        self.nodes = np.zeros(0, dtype=np.int64)
        # A row is found by its first two children, then by the number of these and the third, and so on.
        self._prefixes = [_Interned() for _ in range(states - 1)]

    def numbers(self, rows: Numbers, first: int) -> tuple[Numbers, Numbers]:
        """Return the node of each row, and the rows not seen before, which are numbered from ``first`` on."""
        found, fresh = rows[:, 0], np.arange(0)
        for column, interned in enumerate(self._prefixes, 1):
            found, fresh = interned.numbers((found << _SHIFT) + rows[:, column])
        new = take(rows, fresh)
        self.rows = joined([self.rows, new])
        self.nodes = joined([self.nodes, np.arange(first, first + len(new))])
        return take(self.nodes, found), new


class _Interned:
    """Numbers 0, 1, ... for keys, in the order in which they are first seen."""

    def __init__(self) -> None:
        self.count = 0
        self._keys = self._numbers = np.zeros(0, dtype=np.int64)  # by ascending keys

    def numbers(self, keys: Numbers) -> tuple[Numbers, NDArray[np.intp]]:
        """Return the number of each key, and where the new ones are first, in the order of their numbers."""
        wanted, where, ids = distinct(keys)
        places = np.searchsorted(self._keys, wanted)
        known = np.zeros(len(wanted), dtype=bool)
        inside = np.flatnonzero(places < len(self._keys))
        known[inside] = self._keys[places[inside]] == wanted[inside]
        found = np.empty(len(wanted), dtype=np.int64)
        found[known] = self._numbers[places[known]]
        fresh = np.flatnonzero(~known)
        found[fresh] = np.arange(self.count, self.count + len(fresh))
        if fresh.size:
            self._keys = np.insert(self._keys, places[fresh], wanted[fresh])
            self._numbers = np.insert(self._numbers, places[fresh], found[fresh])
            self.count += len(fresh)
        return take(found, ids), where[fresh]
