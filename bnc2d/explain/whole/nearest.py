"""The nearest instance that is decided otherwise, or in a certain way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import names
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.compile.zeros.constraint import violation
from bnc2d.errors import ClassifierError
from bnc2d.logic.diagram.nearest import nearest as nearest_row


@dataclass(frozen=True)
class Nearest(Finding):
    """The nearest instance that is decided as asked, or, when false, that there is none.

    ``changes`` gives the old and the new state of every feature that differs; ``distance`` is the number of
    them, or the sum of their weights where weights were given.
    """

    instance: dict[str, str] | None
    decision: str | None
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


def nearest(
    model: BaseCompiledModel,
    instance: OneInstance,
    towards: str | None,
    fixed: Iterable[str],
    weights: Mapping[str, Number] | None = None,
) -> Nearest:
    """Return the nearest instance of class ``towards``, or decided otherwise (see ``CompiledModel``)."""
    row = encode_one(model.classifier.feature_variables, instance)
    own, named = int(model.diagram.labels(np.array([row]))[0]), decisions(model)
    if own >= len(named):
        raise violation()
    if towards is None:
        wanted = [label for label in range(len(named)) if label != own]
    else:
        wanted = [model.label(towards)]
    costs = [] if weights is None else read_weights(weights, model.features, ClassifierError)
    kept = {model.domain.index(name) for name in names(fixed, "fixed")}
    scale = lcm(*(cost.denominator for cost in costs))
    reached = nearest_row(model.diagram, row, wanted, kept, [int(cost * scale) for cost in costs] or None)
    if reached is None:
        return Nearest(None, None, None, {})
    before, after = model.domain.decode(row), model.domain.decode(reached)
    changes = {name: (before[name], after[name]) for name in model.features if before[name] != after[name]}
    label = int(model.diagram.labels(np.array([reached]))[0])
    distance: int | Fraction = len(changes)
    if weights is not None:
        distance = sum((costs[model.domain.index(name)] for name in changes), Fraction(0))
    return Nearest(after, named[label], distance, changes)
