"""Questions about classes as wholes: their shares, random members, the nearest member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import count, names
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.errors import ClassifierError
from bnc2d.logic.diagram.nearest import nearest as nearest_row

_MOST_DRAWS = 10**8  # more would not fit in memory


def decisions(model: BaseCompiledModel) -> tuple[str | None, ...]:
    """Return the decision that each label of the diagram stands for: a class, or None for no class."""
    found: tuple[str | None, ...] = (*model.classes, None)
    return found[: model.diagram.terminals]


def label_of(model: BaseCompiledModel, name: str | None) -> int:
    """Return the label of a class; None stands for "in no class", where ties leave instances so."""
    if name is None and None in decisions(model):
        return len(model.classes)
    return model.label(name)


def shares(model: BaseCompiledModel) -> dict[str | None, Fraction]:
    """Return which share of all instances is in each class.

    They sum to 1. Under ``ties="none"`` the key None holds the share of the instances in no class.
    """
    return dict(zip(decisions(model), model.diagram.shares(), strict=True))


def share(model: BaseCompiledModel, name: str | None) -> Fraction:
    """Return which share of all instances is in a class (None: in no class)."""
    return shares(model)[decisions(model)[label_of(model, name)]]


def sample(
    model: BaseCompiledModel, name: str | None, seed: int = 0, size: int | None = None
) -> dict[str, str] | list[dict[str, str]]:
    """Return an instance of a class, each with the same probability, or a list of ``size`` of them.

    Exact, by their position in the list of all of them. Draws are independent, and the same seed gives the
    same ones. A class without instances is an error.
    """
    label = label_of(model, name)
    seed = count(seed, "seed")
    if size is not None:
        size = count(size, "size", most=_MOST_DRAWS, error=ClassifierError)
    if not model.diagram.count(label):
        where = "in no class" if name is None else f"in class {name!r} of {model.target!r}"
        raise ClassifierError(f"no instance is {where}, so there is none to draw")
    drawn = model.diagram.sample(label, seed, 1 if size is None else size)
    return drawn[0] if size is None else drawn


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
    towards: str | None = None,
    *,
    fixed: str | Iterable[str] = (),
    weights: Mapping[str, Number] | None = None,
) -> Nearest:
    """Return the nearest instance of class ``towards``, by default the nearest decided otherwise.

    Nearest means the fewest features changed or, with ``weights`` (features without one weigh 1), the least
    sum of weights; features in ``fixed`` keep their states. "Decided otherwise" includes "in no class". Among
    equally near ones the answer is the same on every run. The result is false where no change leads there.
    Linear in the size of the decision diagram.
    """
    row = encode_one(model.classifier.feature_variables, instance)
    own = int(model.diagram.labels(np.array([row]))[0])
    if towards is None:
        wanted = [label for label in range(model.diagram.terminals) if label != own]
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
    return Nearest(after, decisions(model)[label], distance, changes)
