"""Region oracles: what the explanation of an instance asks about the instances around it.

A compiled model answers from its diagram; here the network answers itself, and nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.compile.result import feature_domain
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS, Labels
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.observed import Comparisons, ObservedBounds
from bnc2d.regions.questions import Choices
from bnc2d.regions.region import Label, Region, States, parts
from bnc2d.regions.search import Bounds, Search

# Given regions, by their choices of one option a feature, say of each whether all its instances are so.
Asking: TypeAlias = Callable[[Choices], NDArray[np.bool_]]

_REGIONS_AT_ONCE = 64


class RegionOracle(Protocol):
    """Answers, exactly, what holds for all instances of regions; a budget may end every question.

    Labels are the positions of the classes, the one after them stands for "in no class".
    """

    @property
    def domain(self) -> Domain:
        """The features and their states."""

    @property
    def observed(self) -> ObservedBounds | None:
        """The bounds that answer, where no hidden variable is in the way."""

    @property
    def hidden(self) -> HiddenBounds | None:
        """The bounds that answer, where hidden variables are in the way of the network."""

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance."""

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of a region with a label wanted, or None where there is none."""

    def at_once(self, labels: Collection[Label]) -> int:
        """Return how many regions ``asking`` takes together as fast as one, at most 64."""

    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels.

        A region is a choice of one of the ``options``, each a set of states, for every feature.
        """

    def along(self, labels: Collection[Label], region: Region, feature: FeatureId) -> NDArray[np.bool_]:
        """Return for each state that a region allows a feature whether it leaves only these labels.

        The other features have the states that the region allows.
        """


class NetworkOracle:
    """Answers from the network of a classifier; ``bounds`` gives what is known of its regions."""

    def __init__(self, classifier: BaseClassifier, bounds: Callable[[], Bounds]) -> None:
        self.domain = feature_domain(classifier)
        self._classifier = classifier
        self._make = bounds
        self._observed: ObservedBounds | None = None
        self._all_labels = len(classifier.classes) + classifier.rule.leaves_ties

    @cached_property
    def _search(self) -> Search:
        return Search(self._classifier, self._make())

    @property
    def observed(self) -> ObservedBounds | None:
        """The bounds, where no hidden variable is in the way."""
        bounds = self._make()
        self._observed = bounds if isinstance(bounds, ObservedBounds) else None
        return self._observed

    @property
    def hidden(self) -> HiddenBounds | None:
        """The bounds, where hidden variables are in the way."""
        bounds = self._make()
        return bounds if isinstance(bounds, HiddenBounds) else None

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance, by inference or, once there are bounds, by these."""
        labels = (self._observed or self._classifier).labels(rows)
        return np.where(labels == NO_CLASS, len(self._classifier.classes), labels)

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of a region with a label wanted, or None where there is none."""
        none = len(self._classifier.classes)
        return self._search.find(region, [NO_CLASS if label == none else label for label in wanted])

    def at_once(self, labels: Collection[Label]) -> int:
        """Many where a class is compared with the others, and no hidden variable is in the way."""
        return 1 if self._comparisons(labels) is None else _REGIONS_AT_ONCE

    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels."""
        comparisons = self._comparisons(labels)
        if comparisons is not None:
            questions = comparisons.questions(options)
            return lambda choices: np.asarray(~comparisons.behind(questions, choices).any(axis=1))
        others = self._others(labels)
        return one_by_one(lambda region: self.find(region, others) is None, options)

    def along(self, labels: Collection[Label], region: Region, feature: FeatureId) -> NDArray[np.bool_]:
        """Return for each state that a region allows a feature whether it leaves only these labels."""
        comparisons = self._comparisons(labels)
        if comparisons is not None:
            return np.asarray(~comparisons.behind_along(region, feature)[region[feature]].any(axis=1))
        others = self._others(labels)
        return np.array([self.find(part, others) is None for part in parts(region, feature)], dtype=bool)

    def _comparisons(self, labels: Collection[Label]) -> Comparisons | None:
        """Return the comparisons of a class with the others, where they answer for all of a region."""
        label = next(iter(labels))
        if len(labels) > 1 or label == len(self._classifier.classes) or self.observed is None:
            return None
        return self.observed.of_class(label)

    def _others(self, labels: Collection[Label]) -> list[Label]:
        return [other for other in range(self._all_labels) if other not in labels]


def one_by_one(question: Callable[[Region], bool], options: Sequence[Sequence[States]]) -> Asking:
    """Return what asks a question of each region in turn, of equal ones once."""

    def ask(choices: Choices) -> NDArray[np.bool_]:
        known: dict[tuple[int, ...], bool] = {}
        for choice in map(tuple, choices.tolist()):
            if choice not in known:
                known[choice] = question([states[at] for states, at in zip(options, choice, strict=True)])
        return np.array([known[choice] for choice in map(tuple, choices.tolist())], dtype=bool)

    return ask
