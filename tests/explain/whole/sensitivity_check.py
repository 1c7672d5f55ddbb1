"""Intervals of a classifier's numbers, confirmed by changing the network and compiling it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np

from bnc2d import CPT, BayesianNetwork, Classifier
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.explain.whole.sensitivity import search
from bnc2d.explain.whole.sensitivity.ranges import entry_interval, threshold_interval
from bnc2d.explain.whole.sensitivity.results import StableInterval
from bnc2d.explain.whole.sensitivity.search import FEW_INSTANCES, Subject
from tests.hard_classifiers import mixed_classifier

# Nearer to an end than any other number at which a decision of these classifiers changes.
NEAR = Fraction(1, 10**300)


def with_entry(
    classifier: Classifier, name: str, state: str, given: dict[str, str], value: Fraction
) -> Classifier:
    """Return the classifier with another entry, the others of its column in proportion."""
    old = classifier.network.cpt(name)
    table = old.exact.copy()
    column = tuple(parent.index(given[parent.name]) for parent in old.parents)
    at = old.child.index(state)
    entries = list(table[column])
    rest = 1 - entries[at]
    for place, entry in enumerate(entries):
        share = entry / rest if rest else Fraction(1, len(entries) - 1)
        table[(*column, place)] = value if place == at else (1 - value) * share
    cpts = [CPT(old.child, old.parents, table) if cpt is old else cpt for cpt in classifier.network.cpts]
    network = BayesianNetwork(classifier.network.variables, cpts)
    return Classifier(
        network,
        classifier.target,
        classifier.features,
        classifier.threshold,
        classifier.positive,
        classifier.ties,
    )


def with_threshold(classifier: Classifier, value: Fraction) -> Classifier:
    """Return the classifier with another threshold."""
    return Classifier(
        classifier.network,
        classifier.target,
        classifier.features,
        value,
        classifier.positive,
        classifier.ties,
    )


class Confirmed:
    """An interval, confirmed by the classifiers that ``build`` makes; ``met`` counts what was met."""

    def __init__(
        self, classifier: Classifier, build: Callable[[Fraction], Classifier], rng: Random, met: Counter[str]
    ) -> None:
        self._classifier, self._build, self._rng, self._met = classifier, build, rng, met
        self._rows = np.concatenate(list(all_rows(classifier.feature_variables)))
        self._labels = classifier.labels(self._rows)
        self._model = classifier.compile()

    def same(self, value: Fraction) -> bool:
        """Return whether every decision is the same at a value: one by one, and by compiling again."""
        other = self._build(value)
        alike = bool((other.labels(self._rows) == self._labels).all())
        assert self._model.compare(other.compile()).holds == alike
        self._met["compiled again"] += 1
        return alike

    def check(self, found: StableInterval, valid: Callable[[Fraction], bool]) -> None:
        """Raise ``AssertionError`` where the interval is wrong."""
        assert found.status == "proved"
        assert (found.sure_low, found.sure_high) == (found.low, found.high)
        below = (found.low, found.low_included, found.first_below, found.decisions_below)
        above = (found.high, found.high_included, found.first_above, found.decisions_above)
        for sign, (end, included, first, decisions) in ((-1, below), (1, above)):
            inner = end if included else end - sign * NEAR
            assert sign * (inner - found.value) >= 0
            if valid(inner):
                assert inner in found
                assert self.same(inner)
            between = found.value + (inner - found.value) * Fraction(self._rng.randrange(1001), 1000)
            if valid(between):  # decisions may come back beyond, but never leave in between
                assert between in found
                assert (self._build(between).labels(self._rows) == self._labels).all()
            if first is None:
                assert end == (1 + sign) // 2
                assert decisions is None
                self._met["no flip"] += 1
                continue
            outer = end + sign * NEAR if included else end
            assert valid(outer)
            assert outer not in found
            assert not self.same(outer)
            assert decisions == (self._classifier.predict(first), self._build(outer).predict(first))
            assert decisions[0] != decisions[1]
            self._met["flip"] += 1
            self._met["included"] += included
            self._met["at once"] += end == found.value
            self._met["impossible"] += not self._classifier.is_possible(first)
            self._met["in no class"] += None in decisions


def check_seed(seed: int, met: Counter[str], questions: int = 3) -> None:
    """Ask a random classifier about its threshold and some entries, instance by instance or by compiling."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    classifier = mixed_classifier(seed, 120 if seed % 3 else 400)
    by_compiling = rng.random() < 0.5
    model: BaseCompiledModel | None = classifier.compile() if rng.random() < 0.5 else None
    subject = Subject(classifier, model, 0 if by_compiling else FEW_INSTANCES)
    draws, search._DRAWS = search._DRAWS, rng.choice((2, 1 << 12))
    try:
        if classifier.threshold is not None:
            met["threshold"] += 1
            confirmed = Confirmed(classifier, lambda value: with_threshold(classifier, value), rng, met)
            found = threshold_interval(subject, None)
            confirmed.check(found, lambda value: 0 < value < 1)
            ends = (found.low, found.first_below), (found.high, found.first_above)
            for end, first in ends:
                assert first is None or classifier.posterior(first)[str(classifier.positive)] == end
        for _ in range(questions):
            cpt = rng.choice([*classifier.network.cpts, classifier.network.cpt(classifier.target)])
            name, state = cpt.child.name, rng.choice(cpt.child.states)
            given = {parent.name: rng.choice(parent.states) for parent in cpt.parents}
            entry = entry_interval(subject, name, state, given, None)
            assert (
                entry.value
                == cpt.exact[
                    (*(parent.index(given[parent.name]) for parent in cpt.parents), cpt.child.index(state))
                ]
            )
            met["entry"] += 1
            met["by compiling"] += by_compiling
            met["0 or 1"] += entry.value in (0, 1)
            if len(cpt.child) == 1:
                assert entry.low == entry.value == entry.high == 1
                assert entry.margin is None
                continue

            def build(
                value: Fraction, name: str = name, state: str = state, given: dict[str, str] = given
            ) -> Classifier:
                return with_entry(classifier, name, state, given, value)

            Confirmed(classifier, build, rng, met).check(entry, lambda value: 0 <= value <= 1)
    finally:
        search._DRAWS = draws
