"""The search for a cheap cut: edges of a jointree to start from, then tables change sides.

An edge of a jointree is a good start, but only one of many ways to divide the tables of the network. The
search moves tables across the cut while the estimate gets better.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TypeAlias

from bnc2d.base.masks import Mask, VariableId, positions, union
from bnc2d.base.records import record
from bnc2d.compile.graph.jointree import MaskTree, NodeIndex, chains, downwards
from bnc2d.compile.meet.cut.cost import SECONDS_PER_MESSAGE, CutModel, TableIndex
from bnc2d.model.elimination import joined_tables, least_growth_order, order_of, smallest_first

# Joins with at most this many entries cost next to nothing and are made before the search.
_SMALL_JOIN = 2.0**8
# Edges with fewer than one in this many features on the smaller side are no start, but for the cheapest edge.
_LEAST_SHARE = 4
# What a look at one side of a way to cut takes, for each hidden variable of the core.
_SECONDS_PER_LOOK = 6e-6


@record
class Start:
    """An edge of a jointree as a cut: the tables on its first side, and an estimate of its seconds."""

    seconds: float
    first: frozenset[TableIndex]
    order: tuple[VariableId, ...]


_Sent: TypeAlias = list[tuple[float, float]]  # for each node what its edge to the root carries one way


class EdgeCuts:
    """All edges of an unfolded jointree as cuts, by one sweep towards the root and one back.

    A message sums out each variable that only tables behind it mention. Its work is counted as the states of
    all that its tables and the messages below mention, times the instances of the features behind it.
    """

    def __init__(self, model: CutModel, tree: MaskTree) -> None:
        self._model = model
        self._near, _ = chains(tree.near)
        self._tables = self._assign(tree)
        own = [union([model.scopes[table] for table in tables]) for tables in self._tables]
        self._order, self._above = downwards(self._near, 0)
        self._below = own[:]  # all that is mentioned at a node or farther from the root
        for node in reversed(self._order[1:]):
            self._below[self._above[node]] |= self._below[node]
        self._beyond = [0] * len(own)  # all that is mentioned elsewhere
        for node in self._order[1:]:
            above = self._above[node]
            beyond = own[above] | self._beyond[above]
            for other in self._near[above]:
                if other != node and other != self._above[above]:
                    beyond |= self._below[other]
            self._beyond[node] = beyond
        self._shared = [below & beyond for below, beyond in zip(self._below, self._beyond, strict=True)]
        self._own = own

    def _assign(self, tree: MaskTree) -> list[list[TableIndex]]:
        """Give each table to the smallest cluster that covers it."""
        count = self._model.counts.count
        holders: dict[VariableId, list[NodeIndex]] = {}
        for node in sorted(range(len(tree.clusters)), key=lambda node: count(tree.clusters[node])):
            for variable in positions(tree.clusters[node]):
                holders.setdefault(variable, []).append(node)
        tables: list[list[TableIndex]] = [[] for _ in self._near]
        for table, scope in enumerate(self._model.scopes):
            nodes = holders[table]  # a table mentions its own variable
            tables[next(node for node in nodes if not scope & ~tree.clusters[node])].append(table)
        return tables

    def best(self) -> list[tuple[float, NodeIndex]]:
        """Return edges that fit, cheapest first, each as its estimated seconds and its lower node.

        The first is the cheapest of all. The others are the cheapest of their size, the number of features on
        the smaller side, for sizes that are not far from half: where the search often ends.
        """
        up, down = [(0.0, 0.0)] * len(self._own), [(0.0, 0.0)] * len(self._own)
        for node in reversed(self._order[1:]):
            up[node] = self._sent(node, self._above[node], up, down)
        found = []
        for node in self._order[1:]:
            down[node] = self._sent(self._above[node], node, up, down)
            (work, largest), (other_work, other_largest) = up[node], down[node]
            seconds = self._model.join_seconds(self._below[node], self._beyond[node])
            if max(largest, other_largest) <= self._model.max_entries and seconds < inf:
                found.append((seconds + (work + other_work) * SECONDS_PER_MESSAGE, node))
        features = self._model.features
        total = features.bit_count()
        sizes: set[int] = set()
        best: list[tuple[float, NodeIndex]] = []
        for edge in sorted(found):
            below = (self._below[edge[1]] & features).bit_count()
            size = min(below, total - below)
            if not best or (size not in sizes and size >= total / _LEAST_SHARE):
                sizes.add(size)
                best.append(edge)
        return best

    def _sent(self, node: NodeIndex, towards: NodeIndex, up: _Sent, down: _Sent) -> tuple[float, float]:
        """Return the work of all messages behind and including this one, and the largest one-row result."""
        model, above = self._model, self._above[node]
        work, largest = 0.0, 0.0
        joined = self._own[node]
        for other in self._near[node]:
            if other != towards:
                before, large = down[node] if other == above else up[other]
                joined |= self._shared[node if other == above else other]
                work += before
                largest = max(largest, large)
        inside, outside = self._sides(node, towards)
        if joined & model.hidden & ~outside:
            carried = inside & (model.features | model.target)
            work += model.counts.count(joined | carried)
            largest = max(largest, model.counts.count((joined & outside | carried) & ~model.features))
        return work, largest

    def _sides(self, node: NodeIndex, towards: NodeIndex) -> tuple[Mask, Mask]:
        """Return what is mentioned behind a directed edge and ahead of it."""
        if towards == self._above[node]:
            return self._below[node], self._beyond[node]
        return self._beyond[towards], self._below[towards]

    def start(self, seconds: float, lower: NodeIndex) -> Start:
        """Return an edge as a cut, with the order in which its messages sum variables out."""
        sides = self._behind(lower, self._above[lower]), self._behind(self._above[lower], lower)
        order: list[VariableId] = []
        summed = 0
        for side in sides:
            for node, towards in side:
                inside, outside = self._sides(node, towards)
                done = inside & self._model.hidden & ~outside
                order += positions(done & ~summed)
                summed |= done
        return Start(seconds, frozenset(t for node, _ in sides[0] for t in self._tables[node]), tuple(order))

    def _behind(self, node: NodeIndex, towards: NodeIndex) -> list[tuple[NodeIndex, NodeIndex]]:
        """Return the directed edges behind and including this one, farthest first."""
        edges = [(node, towards)]
        for index, origin in edges:
            edges += [(other, index) for other in self._near[index] if other != origin]
        return edges[::-1]


class Core:
    """What is left of the tables after all small joins, and the search for a way to divide it.

    ``order`` lists the variables that the small joins sum out; a part is a table that is left, given by its
    scope and by the tables of the network that went into it.
    """

    def __init__(self, model: CutModel) -> None:
        self._model = model
        joins = smallest_first(model.scopes, model.hidden, model.counts.count, _SMALL_JOIN)
        self.order = order_of(joins)
        inside, left = joined_tables(model.scopes, joins)
        scopes = [*model.scopes, *(join.result for join in joins)]
        members = [[table] for table in range(len(model.scopes))]
        for entries in inside:
            members.append([table for number in entries for table in members[number]])
        self._parts = [scopes[number] for number in left]
        self._members = [members[number] for number in left]
        self._seconds_per_look = _SECONDS_PER_LOOK * (union(self._parts) & model.hidden).bit_count()
        self._looks = 0

    def improve(self, first: frozenset[TableIndex], budget: float) -> tuple[Division, float]:
        """Return a division that no single move makes cheaper, and the seconds that the search took.

        The start puts a part on the side where most of its tables are. A move takes one part across the cut,
        or all parts of a side that mention one variable of the separator. The search ends where it takes
        longer than ``budget``; both are estimates, so that the outcome does not depend on the clock.
        """
        on_first = [2 * len(first.intersection(members)) > len(members) for members in self._members]
        self._looks = 0
        best = self._look(on_first, inf, True)
        improved = True
        while improved:
            improved = False
            for moved in self._moves(best):
                if self._looks * self._seconds_per_look > budget:
                    return best, self._looks * self._seconds_per_look
                sides = [side != (part in moved) for part, side in enumerate(best.on_first)]
                found = self._look(sides, best.seconds, best.first_is_slower)
                if found.seconds < best.seconds * (1 - 1e-9):
                    best, improved = found, True
        return best, self._looks * self._seconds_per_look

    def _moves(self, start: Division) -> list[set[int]]:
        """Return sets of parts to take across, for the division that a round starts from."""
        everything = range(len(self._parts))
        first, second = self._mentioned(start.on_first)
        shared = []
        for variable in positions(self._model.separator(first, second)):
            holders = [part for part in everything if self._parts[part] >> variable & 1]
            shared += [{part for part in holders if start.on_first[part] == side} for side in (True, False)]
        return [{part} for part in everything] + [moved for moved in shared if len(moved) > 1]

    def _mentioned(self, on_first: Sequence[bool]) -> tuple[Mask, Mask]:
        first = second = 0
        for scope, side in zip(self._parts, on_first, strict=True):
            if side:
                first |= scope
            else:
                second |= scope
        return first, second

    def _look(self, on_first: Sequence[bool], most: float, first_is_slower: bool) -> Division:
        """Return a division with its estimated seconds, or with infinity where they exceed ``most``.

        The side that is likely to be slower comes first, so that often the other one is not looked at.
        """
        model = self._model
        first, second = self._mentioned(on_first)
        seconds = model.join_seconds(first, second)
        summed = model.hidden & ~(first & second)
        orders: list[VariableId] = []
        works = {True: 0.0, False: 0.0}
        for wanted in (first_is_slower, not first_is_slower):
            if seconds >= most or seconds == inf:
                return Division(tuple(on_first), inf, (), first_is_slower)
            scopes = [scope for scope, side in zip(self._parts, on_first, strict=True) if side == wanted]
            limit = (most - seconds) / SECONDS_PER_MESSAGE
            order, works[wanted] = least_growth_order(scopes, summed, model.counts, limit)
            seconds += works[wanted] * SECONDS_PER_MESSAGE
            orders += order
            self._looks += 1
        return Division(tuple(on_first), seconds, tuple(orders), works[True] > works[False])

    def tables(self, division: Division) -> frozenset[TableIndex]:
        """Return the tables of the network on the first side."""
        pairs = zip(self._members, division.on_first, strict=True)
        return frozenset(table for members, side in pairs if side for table in members)


@record
class Division:
    """The parts of a core on two sides, its estimated seconds, and an order that sums variables out."""

    on_first: tuple[bool, ...]
    seconds: float
    order: tuple[VariableId, ...]
    first_is_slower: bool
