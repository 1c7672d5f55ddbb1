"""An order of features in which few of them have to be remembered at a time.

Walking down a diagram of several relations, one must remember the features of relations that have begun and
not ended, and the hidden variables that relations to come mention. Greedy: next is the feature after which
least has to be remembered, among those that open relations wait for; the best of a few starts is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import TypeAlias

from bnc2d.checking import checkpoint
from bnc2d.compile.diagram import Diagram
from bnc2d.compile.impossible_relations import Relation

Name: TypeAlias = int | str  # of a feature by its position, of a hidden variable by its name

_STARTS = 6
# A run for so many features and relations is cheap enough for several starts.
_SMALL = 300


def choose_order(relations: Sequence[Relation], given: Diagram, sizes: Sequence[int]) -> list[int]:
    """Return the features of the relations and of the ``given`` diagram; these in the diagram's order."""
    involved = sorted({*given.order, *(feature for relation in relations for feature in relation.features)})
    starts: list[int] = [given.order[0]]
    if len(involved) <= _SMALL:
        degree = dict.fromkeys(involved, 0)
        for relation in relations:
            for feature in relation.features:
                degree[feature] += len(relation.features)
        starts += sorted(set(involved) - {*given.order}, key=lambda f: (degree[f], f))[: _STARTS - 1]
    runs = [_Greedy(relations, given, sizes).run(start, len(involved)) for start in starts]
    return min(runs)[1]


class _Greedy:
    """One run; ``relations`` are known by their positions."""

    def __init__(self, relations: Sequence[Relation], given: Diagram, sizes: Sequence[int]) -> None:
        self._given = given.order
        self._widths = _log_widths(given)
        self._next_given = 0
        self._in_given = set(given.order)
        self._scope = [relation.features for relation in relations]
        self._hidden = [relation.hidden for relation in relations]
        self._uses: dict[Name, list[int]] = {feature: [] for feature in given.order}
        self._logs: dict[Name, float] = {feature: log2(sizes[feature]) for feature in given.order}
        for at, relation in enumerate(relations):
            names: list[Name] = [*relation.features, *relation.hidden]
            for variable, size in zip(names, relation.allowed.shape, strict=True):
                self._uses.setdefault(variable, []).append(at)
                self._logs[variable] = log2(size)
        self._missing = [len(scope) for scope in self._scope]  # features that are not placed yet
        self._open: set[int] = set()
        self._remembered: set[Name] = set()
        self._placed: set[int] = set()

    def run(self, start: int, count: int) -> tuple[float, list[int]]:
        """Return the cost of a greedy order, and the order."""
        order: list[int] = []
        cost, size = 0.0, 0.0
        feature = start
        while True:
            checkpoint()
            size += self._change(feature)
            self._place(feature)
            order.append(feature)
            cost += 2.0 ** min(size + self._widths[self._next_given], 1000.0)
            if len(order) == count:
                return cost, order
            feature = min(self._candidates(), key=lambda f: (self._change(f), -len(self._uses[f]), f))

    def _candidates(self) -> set[int]:
        """Return the features that open relations or the begun diagram wait for, or else all others."""
        waited = {feature for at in self._open for feature in self._scope[at] if feature not in self._placed}
        needs_given = bool(waited & self._in_given)
        if 0 < self._next_given < len(self._given):
            needs_given = True
        if not waited and not needs_given:
            waited = {feature for feature in self._uses if isinstance(feature, int)} - self._placed
            needs_given = self._next_given < len(self._given)
        waited -= self._in_given
        if needs_given:
            waited.add(self._given[self._next_given])
        return waited

    def _change(self, feature: int) -> float:
        """Return how much more has to be remembered, in bits, once this feature is placed."""
        ending = {at for at in self._uses[feature] if self._missing[at] == 1}
        touched: set[Name] = {feature}
        for at in ending:
            touched.update((*self._scope[at], *self._hidden[at]))
        change = 0.0
        for variable in touched:
            after = any((at not in ending and self._missing[at] > 0) for at in self._uses[variable])
            change += self._logs[variable] * (after - (variable in self._remembered))
        return change

    def _place(self, feature: int) -> None:
        self._placed.add(feature)
        if self._next_given < len(self._given) and feature == self._given[self._next_given]:
            self._next_given += 1
        touched: set[Name] = {feature}
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


def _log_widths(diagram: Diagram) -> list[float]:
    """Return for each number of features that are set about how many bits tell the nodes apart."""
    return [0.0, *(log2(len(level) + diagram.ends) for level in diagram.levels[1:]), log2(diagram.ends)]
