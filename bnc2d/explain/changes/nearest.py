"""The nearest instances that are decided otherwise, or in a certain way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.arguments import names
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.readers.numbers import Number
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.compile.zeros.constraint import violation
from bnc2d.explain.changes.allowed import MayChange
from bnc2d.explain.changes.prices import Costs, Prices
from bnc2d.explain.changes.ways_out import Features, Row, Search, ways_out
from bnc2d.logic.diagram.nearest import nearest as nearest_row
from bnc2d.logic.domain import Domain


@dataclass(frozen=True)
class Nearest(Finding):
    """The nearest instance that is decided as asked, or, when false, that there is none.

    ``changes`` gives the old and the new state of every feature that differs; ``distance`` is the number of
    them, or the sum of their weights or costs where such were given.
    """

    instance: dict[str, str] | None
    decision: Label | None
    distance: int | Fraction | None
    changes: dict[str, tuple[str, str]]

    @property
    def holds(self) -> bool:
        """Whether there is such an instance."""
        return self.instance is not None

    @property
    def witness(self) -> dict[str, str] | None:
        """The instance."""
        return self.instance

    def __str__(self) -> str:
        if self.instance is None:
            return "no allowed change leads there"
        changed = ", ".join(f"{name}: {old} → {new}" for name, (old, new) in self.changes.items())
        return f"{changed or 'no change'} gives {decision_words(self.decision)}"


def reached(domain: Domain, prices: Prices, row: Sequence[int], decision: Label | None) -> Nearest:
    """Return the answer that an instance is, by its state positions."""
    before, after = domain.decode(prices.positions), domain.decode(row)
    changes = {name: (before[name], after[name]) for name in domain.names if before[name] != after[name]}
    return Nearest(after, decision, prices.distance(row), changes)


class NearestSearch:
    """Looks for the nearest instances in the diagram of a model."""

    def __init__(
        self,
        model: BaseCompiledModel,
        instance: OneInstance,
        towards: Label | None = None,
        fixed: Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
        costs: Costs | None = None,
        may: MayChange = MayChange(),  # noqa: B008 - does not change
    ) -> None:
        row = encode_one(model.classifier.feature_variables, instance)
        named = decisions(model)
        own = int(model.diagram.labels(np.array([row]))[0])
        if own >= len(named):
            raise violation()
        others = [label for label in range(len(named)) if label != own]
        self._model = model
        self._wanted = others if towards is None else [model.label(towards)]
        self._fixed = frozenset(model.domain.index(name) for name in names(fixed, "fixed"))
        self._prices = Prices(model.domain, row, weights, costs, may.box(model.domain, row))

    def one(self, time_limit: float | None) -> Nearest:
        """Return the nearest instance, or that there is none."""
        with Budget(time_limit).limiting("the nearest change is not known"):
            row = self._search(unique=False)(frozenset())
        return Nearest(None, None, None, {}) if row is None else self._reached(row)

    def several(self, limit: int, time_limit: float | None) -> list[Nearest]:
        """Return so many different ways out at most (see ``ways_out``)."""
        return list(map(self._reached, listed(self._search(unique=True), self._prices, limit, time_limit)))

    def _search(self, *, unique: bool) -> Search:
        prices = self._prices.by_state(unique=unique)

        def search(kept: Features) -> Row | None:
            model, own = self._model, self._prices.positions
            return nearest_row(model.diagram, own, self._wanted, self._fixed | kept, prices)

        return search

    def _reached(self, row: Row) -> Nearest:
        model = self._model
        label = int(model.diagram.labels(np.array([row], dtype=np.intp))[0])
        return reached(model.domain, self._prices, row, (*model.classifier.class_labels, None)[label])


def nearest(
    model: BaseCompiledModel, instance: OneInstance, towards: Label | None, fixed: Iterable[str]
) -> Nearest:
    """Return the instance of class ``towards``, or decided otherwise, that changes the fewest features."""
    return NearestSearch(model, instance, towards, fixed).one(None)


def listed(search: Search, prices: Prices, limit: int | None, time_limit: float | None) -> list[Row]:
    """Return different ways out, ``limit`` of them at most."""
    most = checked_limit(limit)
    with Budget(time_limit).limiting("the ways out are not known"):
        return list(islice(ways_out(search, prices), most))
