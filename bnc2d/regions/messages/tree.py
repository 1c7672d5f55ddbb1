"""The tables of a classifier, joined two by two: a tree with the tables as leaves.

The target is looked at in one class after the other, so it is no variable here. An edge parts the tables in
two; its *separator* has the variables that both sides mention: hidden ones, and features that several tables
have. A join multiplies what comes along two edges. Hidden variables that go are summed out; features that go
are *chosen*: each state is a way of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, VariableId, mask_of, positions, union
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import smallest_first
from bnc2d.model.inference import independent_parts
from bnc2d.regions.tables import has_zero

Edge: TypeAlias = tuple[int, int]  # from a node towards another
Scope: TypeAlias = tuple[VariableId, ...]

# More ways than this all count as this many.
_MOST_WAYS = 1e60


@dataclass(frozen=True)
class Node:
    """A table, or the product of what two nodes say of their separators.

    ``scope`` is the separator towards the root. ``chosen`` are the features that go here, ``below`` all that
    the node depends on.
    """

    scope: Scope
    chosen: Scope
    has_target: bool
    below: Mask
    cpt: CPT | None = None
    inputs: tuple[int, ...] = ()


class Tree:
    """Nodes, each after those that go into it, the root last; ``column`` has the features by position.

    It is rooted where the fewest products are formed if all features are free.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        network = classifier.network
        self.ids = {name: position for position, name in enumerate(network.names)}
        self.sizes = [len(variable) for variable in network.variables]
        self.features = classifier.features
        self.target = self.ids[classifier.target]
        self.column = {self.ids[name]: column for column, name in enumerate(classifier.features)}
        own, *others = independent_parts(network, classifier.target, classifier.features)
        self._cpts = [*own, *(cpt for part in others if has_zero(part) for cpt in part)]
        self._mentioned = [mask_of(self.ids[v.name] for v in cpt.scope) for cpt in self._cpts]
        self._features = mask_of(self.column)
        self._counts = StateCounts(self.sizes)
        self.nodes: list[Node] = []
        self._number_from_best_root(self._join_in_pairs())

    @cached_property
    def leaf_of(self) -> dict[VariableId, int]:
        """The node of each feature that only one table has."""
        return {f: number for number, node in enumerate(self.nodes) if node.cpt for f in node.chosen}

    @cached_property
    def operations(self) -> int:
        """How many roundings a number undergoes on its way through the tree, at most."""
        total = 0
        for node in self.nodes:
            inputs = {variable for number in node.inputs for variable in self.nodes[number].scope}
            total += 8 + prod(self.sizes[variable] for variable in inputs - {*node.scope, *node.chosen})
        return total

    def _join_in_pairs(self) -> list[list[int]]:
        """Return the neighbours of each table and then of each join, in an unrooted tree.

        Hidden variables go in the order of an elimination, each by joins of two, the smallest product first,
        and products without features before others.
        """
        near: list[list[int]] = [[] for _ in self._cpts]
        live = {number: mask & ~(1 << self.target) for number, mask in enumerate(self._mentioned)}
        free = {number: bool(mask & self._features) for number, mask in live.items()}

        def merge(one: int, other: int) -> None:
            both = live.pop(one) | live.pop(other)
            made = len(near)
            near.append([one, other])
            near[one].append(made)
            near[other].append(made)
            live[made] = both & union(live.values())
            free[made] = free[one] or free[other]

        size = self._counts.count
        for join in smallest_first(list(live.values()), union(live.values()), size):
            while True:
                checkpoint()
                users = [number for number, scope in live.items() if scope & join.summed]
                if len(users) < 2:
                    break
                *_, one, other = min(
                    (free[one] + free[other], size(live[one] | live[other]), one, other)
                    for one, other in combinations(users, 2)
                )
                merge(one, other)
        while len(live) > 1:
            one, other, *_ = sorted(live, key=lambda number: (free[number], number))
            merge(one, other)
        last = len(near) - 1
        if len(near[last]) == 2:  # the last join is but an edge between the two
            one, other = near.pop()
            near[one][-1], near[other][-1] = other, one
        return near

    def _number_from_best_root(self, near: list[list[int]]) -> None:
        mentioned: dict[Edge, Mask] = {}
        ways: dict[Edge, float] = {}
        work: dict[Edge, float] = {}
        edges = _inner_first(near)
        for one, other in edges:
            beyond = [mentioned[child, one] for child in near[one] if child != other]
            mentioned[one, other] = union(beyond) if beyond else self._mentioned[one]
        apart = ~(1 << self.target)
        scopes = {edge: mentioned[edge] & mentioned[edge[::-1]] & apart for edge in edges}
        for edge in edges:
            one, other = edge
            inside = [(child, one) for child in near[one] if child != other]
            size = self._counts.count(union([scopes[child] for child in inside]))
            chosen = union([mentioned[child] for child in inside] or [mentioned[edge]]) & ~scopes[edge]
            rows = prod([ways[child] for child in inside], start=self._counts.count(chosen & self._features))
            work[edge] = sum([work[child] for child in inside], start=rows * size)
            states = self._counts.count(scopes[edge])
            has_target = mentioned[edge] >> self.target & 1
            extreme = states if states == 1 or (states == 2 and not has_target) else _MOST_WAYS
            ways[edge] = min(rows, extreme)

        def total(edge: Edge) -> float:
            back = edge[::-1]
            return work[edge] + work[back] + ways[edge] * ways[back] * self._counts.count(scopes[edge])

        if not edges:
            self._add(0, (), self._mentioned[0], 0)
            return
        best = min([edge for edge in edges if edge[0] < edge[1]], key=total)
        number: dict[Edge, int] = {}
        todo: list[Edge] = [best, best[::-1]]
        for edge in todo:  # grows while it is read
            todo += [(child, edge[0]) for child in near[edge[0]] if child != edge[1]]
        for edge in reversed(todo):
            inputs = tuple(number[child, edge[0]] for child in near[edge[0]] if child != edge[1])
            number[edge] = self._add(edge[0], inputs, mentioned[edge], scopes[edge])
        self._add(-1, (number[best], number[best[::-1]]), union(self._mentioned), 0)

    def _add(self, table: int, inputs: tuple[int, ...], mentioned: Mask, scope: Mask) -> int:
        """Add a node; features go where nothing beyond mentions them."""
        present = union([mask_of(self.nodes[number].scope) for number in inputs]) if inputs else mentioned
        self.nodes.append(
            Node(
                tuple(positions(scope)),
                tuple(positions(present & self._features & ~scope)),
                bool(mentioned >> self.target & 1),
                mentioned & self._features,
                None if inputs else self._cpts[table],
                inputs,
            )
        )
        return len(self.nodes) - 1


def _inner_first(near: list[list[int]]) -> list[Edge]:
    """Return the edges in both directions, each after those that lead to it."""
    order, before = [0], {0: -1}
    for node in order:  # grows while it is read
        for other in near[node]:
            if other not in before:
                before[other] = node
                order.append(other)
    up = [(node, before[node]) for node in reversed(order) if before[node] >= 0]
    down = [(before[node], node) for node in order if before[node] >= 0]
    return up + down
