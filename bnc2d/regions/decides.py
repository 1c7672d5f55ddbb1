"""Whether every instance of a region is in one class: the question that users ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words, instance_words
from bnc2d.base.readers.arguments import mapping
from bnc2d.base.scales import Label
from bnc2d.compile.result import feature_domain
from bnc2d.errors import ClassifierError, LimitExceeded, TimeLimitExceeded
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import DECISION_SECONDS, NO_CLASS
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.region import Region, first_instance
from bnc2d.regions.search import Bounds, Search
from bnc2d.regions.tables import HiddenVariables


@dataclass(frozen=True)
class Decided(Finding):
    """Whether all instances of a region have one ``decision`` (None: they are in no class).

    Where they have not, ``witness`` is one that has ``other`` instead. Where the time limit came first,
    ``holds`` is None, and ``settled`` is the share of the region in which all are known to have it; 0 and a
    ``decision`` of None where not even that of one instance is known.
    """

    holds: bool | None
    decision: str | None
    witness: dict[str, str] | None = None
    other: str | None = None
    settled: float = 1.0

    def __str__(self) -> str:
        what = "in no class" if self.decision is None else f"in class {self.decision}"
        if self.holds is None and self.decision is None and not self.settled:
            return "open: the time limit came first"
        if self.holds is None:
            return f"open: {self.settled:.2%} of the region is known to be {what}, the time limit came first"
        if self.witness is None:
            return f"yes, every instance of the region is {what}"
        return (
            f"no, {instance_words(self.witness)} is not {what}: its decision is {decision_words(self.other)}"
        )


def bounds_of(classifier: BaseClassifier) -> Bounds:
    """Return what is known of the regions of a classifier, by the way that its network allows."""
    try:
        return ObservedBounds(classifier)
    except (HiddenVariables, LimitExceeded):
        return HiddenBounds(classifier)


def read_region(domain: Domain, given: Mapping[str, object]) -> Region:
    """Return the region of a mapping from feature to one state or several; others may have any."""
    states = mapping(given, "the region", "a mapping from feature to states")
    region = [np.arange(size) for size in domain.cardinalities]
    for name, allowed in states.items():
        feature = domain.index(name)
        mask = domain.mask(feature, allowed)
        if not mask:
            raise ClassifierError(
                f"the region allows no state of {name!r}; name one at least, or leave it out"
            )
        region[feature] = np.array([state for state in region[feature].tolist() if mask >> state & 1])
    return region


def decides(
    classifier: BaseClassifier,
    bounds: Callable[[], Bounds],
    given: Mapping[str, object],
    towards: Label | None,
    time_limit: float | None,
) -> Decided:
    """Return whether all instances of a region have one decision (see ``bnc2d.Classifier.decides``).

    Making the bounds counts towards the time.
    """
    domain = feature_domain(classifier)
    region = read_region(domain, given)
    label = None if towards is None else classifier.label(towards)
    search, budget = None, Budget(time_limit)
    try:
        if label is None:
            with budget.at_least(DECISION_SECONDS).limiting("the decision is not known"):
                label = _label(classifier, first_instance(region))
        with budget.limiting("the region is not decided"):
            search = Search(classifier, bounds())
            labels = [*range(len(classifier.classes)), *([NO_CLASS] if classifier.rule.leaves_ties else [])]
            found = search.find(region, [other for other in labels if other != label])
            other = None if found is None else _name(classifier, _label(classifier, found))
    except TimeLimitExceeded:
        return Decided(None, _name(classifier, label), settled=search.settled if search else 0.0)
    decision = _name(classifier, label)
    if found is None:
        return Decided(True, decision)
    return Decided(False, decision, domain.decode(found), other)


def _label(classifier: BaseClassifier, instance: Sequence[int]) -> int:
    return int(classifier.labels(np.array([instance], dtype=np.intp))[0])


def _name(classifier: BaseClassifier, label: int | None) -> str | None:
    return None if label is None or label == NO_CLASS else classifier.classes[label]
