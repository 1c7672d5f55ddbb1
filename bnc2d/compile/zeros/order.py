"""An order of features in which few of them have to be remembered at a time.

Walking down a diagram of several relations, one must remember the features of relations that have begun and
not ended, and the hidden variables that relations to come mention. Two kinds of orders are tried, and the one
that has least to remember is kept:

- the tree of a min-fill elimination from its root, smaller branches first: while the largest branch is
  walked nothing waits beside it, so at most a logarithm of the tree's clusters waits at a time (a path
  decomposition from a tree decomposition: Bodlaender, "A partial k-arboretum", 1998);
- greedy, for some first features: next is the feature after which least has to be remembered, among those
  that open relations wait for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId, mask_of, positions, union
from bnc2d.base.records import record
from bnc2d.compile.zeros.relations import Relation
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.model.min_fill import MinFill, graph_of

_SEEDS = 4
# At most this many features are placed by greedy runs, all starts together; none where nodes are few.
_PLACED = 1000
_FEW_NODES = 1 << 12


@record
class Given:
    """The features of the target's diagram in its order, and about how many bits tell its nodes apart.

    There is a number of bits for each number of features that are set.
    """

    order: tuple[int, ...]
    log_widths: tuple[float, ...]

    @classmethod
    def of(cls, diagram: Diagram, features: Sequence[int]) -> Given:
        """Return what there is to know of a diagram whose feature ``i`` is ``features[i]`` here."""
        widths = [log2(len(table) + diagram.terminals) for table in diagram.levels[1:]]
        order = tuple(features[feature] for feature in diagram.order)
        return cls(order, (0.0, *widths, log2(diagram.terminals)))


def choose_order(relations: Sequence[Relation], given: Given, sizes: Sequence[int]) -> list[int]:
    """Return the features of the relations and of the ``given`` diagram; these in the diagram's order."""
    features = [*given.order, *(feature for relation in relations for feature in relation.features)]
    free = sorted(set(features) - {*given.order})
    runs = [_Walk(relations, given, sizes).follow(order) for order in _trees(relations, given)]
    starts = _PLACED // len(set(features))
    if starts and min(runs)[0] > _FEW_NODES:
        firsts = [given.order[0], *free[:: max(1, len(free) // starts)]]
        runs += [_Walk(relations, given, sizes).search(first, len(set(features))) for first in firsts]
    return min(runs)[1]


def _trees(relations: Sequence[Relation], given: Given) -> Iterator[list[int]]:
    """Yield orders from elimination trees, with the features of the given diagram put into its order."""
    scopes = [mask_of(relation.scope) for relation in relations]
    everything = union([*scopes, mask_of(given.order)])
    graph = MinFill(graph_of(scopes, everything.bit_length()), everything)
    inside = set(given.order)
    features = inside.union(*(relation.features for relation in relations))
    for seed in range(_SEEDS):
        search = graph.copy()
        search.finish(seed)
        turn = {variable: number for number, variable in enumerate(search.order)}
        below: dict[int, list[int]] = {variable: [] for variable in search.order}
        weight = dict.fromkeys(search.order, 1)
        pending = []
        for variable, cluster in zip(search.order, search.clusters, strict=True):
            above = [other for other in positions(cluster) if other != variable]
            if above:
                parent = min(above, key=turn.__getitem__)
                below[parent].append(variable)
                weight[parent] += weight[variable]
            else:
                pending.append(variable)
        walked = []
        while pending:
            variable = pending.pop()
            walked.append(variable)
            pending += sorted(below[variable], key=weight.__getitem__, reverse=True)
        in_turn = iter(given.order)
        yield [next(in_turn) if v in inside else v for v in walked if v in features]


class _Walk:
    """An order in the making, and what has to be remembered; ``relations`` are known by their positions."""

    def __init__(self, relations: Sequence[Relation], given: Given, sizes: Sequence[int]) -> None:
        self._given = given.order
        self._widths = given.log_widths
        self._next_given = 0
        self._in_given = set(given.order)
        self._features = self._in_given.union(*(relation.features for relation in relations))
        self._scope = [relation.features for relation in relations]
        self._hidden = [relation.hidden for relation in relations]
        self._uses: dict[VariableId, list[int]] = {feature: [] for feature in given.order}
        self._logs: dict[VariableId, float] = {feature: log2(sizes[feature]) for feature in given.order}
        for at, relation in enumerate(relations):
            for variable, size in zip(relation.scope, relation.allowed.shape, strict=True):
                self._uses.setdefault(variable, []).append(at)
                self._logs[variable] = log2(size)
        self._missing = [len(scope) for scope in self._scope]  # features that are not placed yet
        self._open: set[int] = set()
        self._remembered: set[VariableId] = set()
        self._placed: set[int] = set()
        self._bits = self._cost = 0.0

    def follow(self, order: list[int]) -> tuple[float, list[int]]:
        """Return the cost of an order, about how many nodes it leads to, and the order."""
        for feature in order:
            self._place(feature)
        return self._cost, order

    def search(self, first: int, count: int) -> tuple[float, list[int]]:
        """Return the cost of a greedy order, and the order."""
        order = [first]
        self._place(first)
        while len(order) < count:
            found = self._candidates()
            order.append(min(found, key=lambda f: (self._change(f), -len(self._uses[f]), f)))
            self._place(order[-1])
        return self._cost, order

    def _candidates(self) -> set[int]:
        """Return the features that open relations or the begun diagram wait for, or else all others."""
        waited = {feature for at in self._open for feature in self._scope[at] if feature not in self._placed}
        needs_given = bool(waited & self._in_given) or 0 < self._next_given < len(self._given)
        if not waited and not needs_given:
            waited = self._features - self._placed
            needs_given = self._next_given < len(self._given)
        waited -= self._in_given
        if needs_given:
            waited.add(self._given[self._next_given])
        return waited

    def _change(self, feature: int) -> float:
        """Return how many bits more have to be remembered once this feature is placed."""
        ending = {at for at in self._uses[feature] if self._missing[at] == 1}
        touched: set[VariableId] = {feature}
        for at in ending:
            touched.update((*self._scope[at], *self._hidden[at]))
        change = 0.0
        for variable in touched:
            stays = any(at not in ending and self._missing[at] > 0 for at in self._uses[variable])
            change += self._logs[variable] * (stays - (variable in self._remembered))
        return change

    def _place(self, feature: int) -> None:
        checkpoint()
        self._bits += self._change(feature)
        self._placed.add(feature)
        if self._next_given < len(self._given) and feature == self._given[self._next_given]:
            self._next_given += 1
        touched: set[VariableId] = {feature}
        for at in self._uses[feature]:
            self._missing[at] -= 1
            if self._missing[at]:
                self._open.add(at)
            else:
                self._open.discard(at)
                touched.update((*self._scope[at], *self._hidden[at]))
        for variable in touched:
            if any(self._missing[at] > 0 for at in self._uses[variable]):
                self._remembered.add(variable)
            else:
                self._remembered.discard(variable)
        self._cost += 2.0 ** min(self._bits + self._widths[self._next_given], 900.0)
