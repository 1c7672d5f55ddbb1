"""The robustness of a classifier: how many instances are how far from another decision.

Instance by instance that is the robustness of a decision; of all instances it is the model robustness of Shi,
Shih, Darwiche and Choi ("On tractable representations of binary neural networks", KR 2020), who count it
with one diagram for each distance. Here one diagram leads every instance of a class to its distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.compile.shares.distribution import (
    AnyDistribution,
    ByRows,
    Distribution,
    Uniform,
    read_distribution,
)
from bnc2d.compile.shares.weighing import Weighed, weigh, weigh_labels
from bnc2d.errors import InstanceError, LimitExceeded, TimeLimitExceeded
from bnc2d.explain.whole.profile.result import BaseProfile, ClassRobustness, Distance
from bnc2d.explain.whole.profile.rows import distances_of
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.distances import distance_diagram
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.diagram.walks import instance_with, path_to

_NOT_KNOWN = "the robustness is not known"


def robustness_profile(
    model: BaseCompiledModel,
    distribution: AnyDistribution = None,
    towards: Label | None = None,
    time_limit: float | None = None,
) -> BaseProfile:
    """Return how far the instances of each class are from another decision (see ``CompiledModel``)."""
    target = None if towards is None else model.label(towards)
    budget = Budget(time_limit)
    budget.left()  # the time starts to run
    with budget.limiting(_NOT_KNOWN):
        chosen = read_distribution(model.classifier, distribution)
        if isinstance(chosen, ByRows):
            return _of_rows(model, chosen, target)
        weighed = weigh(chosen, model.diagram, decisions(model))
    making = _Making(model, chosen, weighed.allowed, time_limit)
    names = decisions(model)
    labels = [label for label in range(len(names)) if label != target]
    classes: dict[str | None, ClassRobustness] = {}
    for label, share in zip(labels, budget.shares(len(labels)), strict=True):
        wanted = frozenset(range(len(names))) - {label} if target is None else frozenset([target])
        classes[names[label]] = making.of_class(label, wanted, weighed.shares[names[label]], share)
    return _told(model, target, weighed, classes, making.cut)


def _told(
    model: BaseCompiledModel,
    target: int | None,
    weighed: Weighed,
    classes: dict[str | None, ClassRobustness],
    cut: str | None,
) -> BaseProfile:
    return BaseProfile(
        model.target,
        None if target is None else model.classes[target],
        weighed.distribution,
        classes,
        None if model.constraint is None else str(model.constraint),
        weighed.rows,
        weighed.violating,
        cut,
    )


@dataclass
class _Making:
    """Makes the robustness of classes; ``allowed`` is the share of the distribution that counts."""

    model: BaseCompiledModel
    distribution: Distribution
    allowed: Fraction
    time_limit: float | None
    cut: str | None = None  # the limit that came before the end
    _counts: list[int] = field(init=False)
    # By the labels wanted and the largest distance told.
    _diagrams: dict[tuple[frozenset[int], int], Diagram] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._counts = self.model.diagram.counts()

    def of_class(
        self, label: int, wanted: frozenset[int], share: Fraction, budget: Budget
    ) -> ClassRobustness:
        """Return how far the instances of a label are from the wanted ones, as far as the budget goes.

        First all distances at once; where that meets a limit, by two thirds of the time or by the size of the
        diagrams, then those up to 1, up to 2, and so on.
        """
        count, features = self._counts[label], len(self.model.diagram.walk)
        if not count:
            return ClassRobustness({}, {}, {}, features)
        if not any(self._counts[other] for other in wanted):  # nothing changes the decision
            path = path_to(self.model.diagram, label)
            return ClassRobustness(
                {None: count}, {None: share}, {None: instance_with(self.model.diagram, path)}, features
            )
        found = ClassRobustness({}, {}, {}, features, 0, count, share)
        try:
            with budget.share(2 / 3).limiting(_NOT_KNOWN):
                return self._up_to(features, label, wanted, share)
        except LimitExceeded as error:
            cut: LimitExceeded = error
        for most in range(1, features):
            try:
                with budget.limiting(_NOT_KNOWN):
                    found = self._up_to(most, label, wanted, share)
            except LimitExceeded as error:
                cut = error
                break
            if found.complete:
                return found
        timed_out = isinstance(cut, TimeLimitExceeded)
        self.cut = f"the time limit of {self.time_limit:g} s was reached" if timed_out else str(cut)
        return found

    def _up_to(self, most: int, label: int, wanted: frozenset[int], share: Fraction) -> ClassRobustness:
        """Return what is told by the diagram of distances up to ``most``."""
        diagram = self._distances(most, label, wanted)
        numbers = diagram.counts()
        masses = numbers if isinstance(self.distribution, Uniform) else self.distribution.masses(diagram)
        total = sum(masses) * self.allowed
        counts: dict[Distance, int] = {d: numbers[d] for d in range(1, most + 1) if numbers[d]}
        shares: dict[Distance, Fraction] = {d: masses[d] / total for d in range(1, most + 1) if numbers[d]}
        examples: dict[Distance, dict[str, str]] = {
            d: instance_with(diagram, path_to(diagram, d)) for d in range(1, most + 1) if numbers[d]
        }
        beyond = self._counts[label] - sum(counts.values())
        rest = share - sum(shares.values(), Fraction(0))
        features = len(self.model.diagram.walk)
        return ClassRobustness(counts, shares, examples, features, most if beyond else None, beyond, rest)

    def _distances(self, most: int, label: int, wanted: frozenset[int]) -> Diagram:
        """Return the diagram of distances of the instances of a label; all others lead to 0."""
        key = (wanted, most)
        whole = self.model.diagram
        if key not in self._diagrams:
            self._diagrams.clear()  # they may be large
            self._diagrams[key] = distance_diagram(whole.leading_to(wanted), [1], most)
        found = self._diagrams[key]
        if len(wanted) + 1 == whole.terminals:
            return found
        return restricted(found, whole.two_terminal(label), outside=0)


def _of_rows(model: BaseCompiledModel, chosen: ByRows, target: int | None) -> BaseProfile:
    """Return the robustness of complete rows, each of which weighs the same."""
    rows, names = chosen.rows, decisions(model)
    if (rows == MISSING).any():
        row = int((rows == MISSING).any(axis=1).argmax())
        raise InstanceError(
            f"row {row} of the distribution leaves features out; a profile is one of complete rows "
            "(robustness_of() answers for others, too)"
        )
    labels = model.diagram.labels(rows)
    counting = labels < len(names)
    weighed = weigh_labels(model.classes, names, labels, counting)
    rows, labels = rows[counting], labels[counting]
    distances = distances_of(model, rows, labels, target)
    classes: dict[str | None, ClassRobustness] = {}
    for label, name in enumerate(names):
        if label != target:
            classes[name] = _of_some(model, rows, distances, np.flatnonzero(labels == label).tolist())
    return _told(model, target, weighed, classes, None)


def _of_some(
    model: BaseCompiledModel, rows: np.ndarray, distances: np.ndarray, places: Sequence[int]
) -> ClassRobustness:
    """Return the robustness of some of the rows."""
    counts: dict[Distance, int] = {}
    examples: dict[Distance, dict[str, str]] = {}
    found = distances[list(places)]
    for number in sorted(set(found.tolist()), key=lambda distance: (distance < 0, distance)):
        distance = None if number < 0 else number
        counts[distance] = int((found == number).sum())
        examples[distance] = model.domain.decode(rows[places[int((found == number).argmax())]].tolist())
    shares: dict[Distance, Fraction] = {d: Fraction(count, len(rows)) for d, count in counts.items()}
    return ClassRobustness(counts, shares, examples, len(model.diagram.walk))
