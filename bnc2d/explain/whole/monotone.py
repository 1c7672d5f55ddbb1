"""Whether raising an ordered feature ever takes an instance out of a class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import names as as_names
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.errors import ClassifierError
from bnc2d.explain.changes.allowed import ranking
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.pairs import find_pair
from bnc2d.logic.diagram.walks import Assignment, instance_with, label_pairs, path_to


@dataclass(frozen=True)
class Monotone(Finding):
    """Whether raising features only ever raises the decision; true where it does.

    Otherwise ``pair`` holds two instances that differ in ``feature`` only, the second with the higher state,
    whose ``decisions`` go the wrong way. Under a constraint they may differ in several of the features.
    """

    holds: bool
    features: tuple[str, ...]
    towards: Label | None
    feature: str | None = None
    pair: tuple[dict[str, str], dict[str, str]] | None = None
    decisions: tuple[Label | None, Label | None] | None = None

    @property
    def witness(self) -> tuple[dict[str, str], dict[str, str]] | None:
        """The pair."""
        return self.pair

    def __str__(self) -> str:
        names = ", ".join(self.features)
        aim = "lowers the class" if self.towards is None else f"leads out of class {self.towards}"
        if self.pair is None or self.decisions is None:
            return f"raising {names} never {aim}"
        low, high = self.pair
        steps = [f"{name} from {low[name]} to {high[name]}" for name in low if low[name] != high[name]]
        before, after = map(decision_words, self.decisions)
        return f"raising {' and '.join(steps)} can change the decision from {before} to {after}"


def is_monotone(
    model: BaseCompiledModel,
    features: str | Iterable[str],
    order: Sequence[str] | Mapping[str, Sequence[str]] | None,
    towards: Label | None,
    time_limit: float | None,
) -> Monotone:
    """Return whether raising features only raises decisions (see ``CompiledModel``).

    Raising several features, or one by several states, is a chain of single steps, so each step is asked
    about: every pair of neighbouring states, by a walk through pairs of diagram nodes.
    """
    names = as_names(features, "features")
    if not names:
        raise ClassifierError("the list of features is empty; name at least one")
    orders = _orders(model, names, order)
    budget = Budget(time_limit)
    with budget.limiting(), budget.phase("pairs of nodes"):
        diagram = model.diagram
        if model.constraint is not None:
            return _among_allowed(model, names, orders, towards)
        if towards is not None:
            diagram = diagram.two_terminal(model.label(towards))
        elif diagram.terminals > len(model.classes) and diagram.counts()[-1]:
            raise _not_ordered()
        for feature, states in orders.items():
            rows = _falling_pair(diagram, feature, states)
            if rows is not None:
                low, high = (instance_with(diagram, row) for row in rows)
                before, after = model.predict([low, high])
                name = model.features[feature]
                return Monotone(False, tuple(names), towards, name, (low, high), (before, after))
    return Monotone(True, tuple(names), towards)


def _not_ordered() -> ClassifierError:
    return ClassifierError("some instances are in no class, which no order holds; name a class towards=")


def _among_allowed(
    model: BaseCompiledModel, names: list[str], orders: dict[int, list[int]], towards: Label | None
) -> Monotone:
    """Return the same under a constraint, where both instances of a pair must be allowed.

    What lies between them need not be, so that all raises count, of one feature first and then of several.
    """
    diagram, known = model.diagram, len(decisions(model))
    wanted = np.zeros((diagram.terminals, diagram.terminals), dtype=bool)
    if towards is not None:
        wanted[model.label(towards), :known] = True
        wanted[model.label(towards), model.label(towards)] = False
    elif known > len(model.classes) and diagram.count(known - 1):
        raise _not_ordered()
    else:
        wanted[:known, :known] = np.tri(known, k=-1, dtype=bool)
    steps = {
        feature: np.array([(low, high) for at, low in enumerate(states) for high in states[at:]])
        for feature, states in orders.items()
    }
    for asked in [*({feature: some} for feature, some in steps.items()), steps]:
        found = find_pair(diagram, asked, wanted)
        if found is not None:
            low, high = (instance_with(diagram, part) for part in found)
            before, after = model.predict([low, high])
            name = next(name for name in names if low[name] != high[name])
            return Monotone(False, tuple(names), towards, name, (low, high), (before, after))
    return Monotone(True, tuple(names), towards)


def _orders(
    model: BaseCompiledModel, names: list[str], order: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> dict[int, list[int]]:
    """Return the states of each feature from the lowest to the highest, as positions."""
    domain = model.domain
    if order is not None and not isinstance(order, Mapping):
        if len(names) > 1:
            raise ClassifierError("for several features, order is a mapping from feature to list of states")
        order = {names[0]: order}
    features = [domain.index(name) for name in names]
    orders = {feature: list(range(domain.cardinalities[feature])) for feature in features}
    for name, states in (order or {}).items():
        feature = domain.index(name)
        if feature not in orders:
            raise ClassifierError(f"order names {name!r}, which is not among the features asked about")
        orders[feature] = ranking(domain, feature, states)
    return orders


def _falling_pair(diagram: Diagram, feature: int, states: list[int]) -> tuple[Assignment, Assignment] | None:
    """Return states of two instances, a step of the feature apart, of which the higher has a lower label."""
    level, first = next(((table, first) for at, table, first in diagram.walk if at == feature), (None, 0))
    if level is None:
        return None
    steps = list(pairwise(states))
    starts = np.concatenate([level[:, step] for step in steps])
    found = label_pairs(diagram, starts, [0] * len(starts))
    for (before, after), reached in sorted(found.items()):
        if before > after:
            step, row = divmod(reached.start, len(level))
            other = path_to(diagram, first + row) | reached.assignment
            low, high = steps[step]
            return {**other, feature: low}, {**other, feature: high}
    return None
