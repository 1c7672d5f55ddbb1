"""The cheapest changes of an instance: against enumeration."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.nearest import nearest, towards
from bnc2d.regions.observed import ObservedBounds
from tests.cases import cases as how_many
from tests.regions.around.cases import Case, cases


def keys(prices: list[int]) -> list[int]:
    """Return prices such that no two sets cost the same: less for the set with the earliest feature."""
    count = len(prices)
    return [(price << count) - (1 << count - 1 - feature) for feature, price in enumerate(prices)]


def random_prices(case: Case, rng: Random, most: int = 10**30) -> list[int]:
    """Return the same price for all, small ones or large ones."""
    largest = min(most, rng.choice((1, 1, 4, 10**6, 10**30)))
    return [rng.randint(1, largest) for _ in case.around.row]


def cheapest(case: Case, prices: list[int], wanted: np.ndarray, without: list[int]) -> list[int] | None:
    """Return the features that change on the way to the nearest wanted instance."""
    changed = case.changed()
    changed = changed[wanted & ~changed[:, [*without, *case.around.fixed]].any(axis=1)]
    sets = [np.flatnonzero(one).tolist() for one in changed]
    exact = keys(prices)
    return min(sets, key=lambda one: sum(exact[feature] for feature in one), default=None)


@pytest.mark.parametrize("start", range(0, how_many(40, 80), 20))
def test_the_cheapest_change_of_the_label(start: int) -> None:
    sizes = set()
    for case in cases(range(start, start + 20)):
        rng = Random(start)  # noqa: S311 - reproducible test data
        for _ in range(3):
            prices = random_prices(case, rng)
            without = rng.sample(range(len(case.around.row)), rng.choice((0, 0, 1)))
            expected = cheapest(case, prices, case.labels != case.label, without)
            found = nearest(case.around, prices, without)
            assert (found is None) == (expected is None)
            if found is not None:
                assert case.classifier.labels(np.array([found]))[0] != case.label
                assert [f for f, state in enumerate(found) if state != case.around.row[f]] == expected
                sizes.add(len(expected or []))
    assert len(sizes) > 2


def test_a_tie_that_floats_cannot_tell() -> None:
    """Three of six features tie, which the label wins; so it takes four, or the right three that differ."""
    target = Variable("T", ("a", "b"))
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    for k in range(6):
        child = Variable(f"x{k}", ("0", "1"))
        cpts.append(
            CPT(child, (target,), [Fraction(7, 10), Fraction(3, 10), Fraction(3, 10), Fraction(7, 10)])
        )
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    classifier = Classifier(network, "T", [f"x{k}" for k in range(6)])
    around = Around(ObservedBounds(classifier).of_class(0), [0] * 6)
    assert nearest(around, [1] * 6) == [1, 1, 1, 1, 0, 0]
    assert nearest(around, [2, 1, 2, 1, 1, 2]) == [1, 1, 0, 1, 1, 0]
    strict = Classifier(network, "T", [f"x{k}" for k in range(6)], ties="none")
    around = Around(ObservedBounds(strict).of_class(0), [0] * 6)
    assert nearest(around, [1] * 6) == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("start", range(0, how_many(40, 60), 20))
def test_the_cheapest_change_towards_a_class(start: int) -> None:
    sizes = set()
    for case in cases(range(300 + start, 320 + start)):
        rng = Random(start)  # noqa: S311 - reproducible test data
        for label in range(len(case.classifier.classes)):
            if label != case.label:
                prices = random_prices(case, rng, 4)
                expected = cheapest(case, prices, case.labels == label, [])
                found = towards(case.bounds, case.around.row, case.around.fixed, label, prices)
                assert (found is None) == (expected is None)
                if found is not None:
                    assert case.classifier.labels(np.array([found]))[0] == label
                    assert [f for f, state in enumerate(found) if state != case.around.row[f]] == expected
                    sizes.add(len(expected or []))
    assert len(sizes) > 2
