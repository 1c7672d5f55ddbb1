"""Bounds with hidden variables in the way, against enumeration: odds, changes, zeros, answers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import inf
from random import Random

import numpy as np
import pytest

from bnc2d import Classifier
from bnc2d.regions import hidden
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.messages.message import Unknown
from bnc2d.regions.odds import branching, few, grid
from bnc2d.regions.odds.passes import Choices, OddsPasses
from bnc2d.regions.region import Region, States, instances
from bnc2d.regions.search import Search
from bnc2d.regions.tables import has_zero
from tests.cases import cases
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.regions.test_decides import random_labels, random_region

MAKERS: list[Callable[[int], Classifier]] = [mixed_classifier, extreme_classifier]
# Numbers of a message; where there would be more, some variable is forgotten.
MOST_NUMBERS = [1, 16, 64, grid.MOST_NUMBERS]


def joints(classifier: Classifier, region: Region) -> list[list[int]]:
    """Return the joint probabilities of all instances and classes, those of an instance up to a factor."""
    values: list[list[int]] = classifier._query.joint(instances(region), exact=True).values.tolist()
    return values


def passes_of(classifier: Classifier, region: Region) -> OddsPasses | None:
    """Return the bounds of all classes; None where numbers are too small for floats."""
    bounds = HiddenBounds(classifier)
    return bounds._odds(range(len(classifier.classes)), region) if bounds._usable else None


def random_choices(region: Region, rng: Random, count: int) -> tuple[Choices, list[list[States]]]:
    """Return regions within one: of each feature all states, or one."""
    options = [[*allowed.reshape(-1, 1), allowed] for allowed in region]
    rows = [[rng.randrange(len(one)) if rng.random() < 0.6 else len(one) - 1 for one in options]]
    rows += [[rng.randrange(len(one) - 1) for one in options]]  # one instance
    for _ in range(count - 2):
        share = rng.random()
        rows.append([rng.randrange(len(one)) if rng.random() < share else len(one) - 1 for one in options])
    return np.array(rows), options


@pytest.mark.parametrize("ways", [1, few._FEW_WAYS])
@pytest.mark.parametrize("most", MOST_NUMBERS)
@pytest.mark.parametrize("make", MAKERS)
def test_bounds_on_odds_hold(
    make: Callable[[int], Classifier], most: int, ways: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "MOST_NUMBERS", most)
    monkeypatch.setattr(few, "_FEW_WAYS", ways)
    tight = loose = 0
    for seed in range(cases(20, 30)):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        whole = random_region(classifier, rng)
        passes = passes_of(classifier, whole)
        if passes is None or len(classifier.classes) < 2:
            continue
        choices, options = random_choices(whole, rng, 5)
        meeting = rng.randrange(passes.root) if passes.root else 0
        bounds = passes.bounds(choices, options, meeting)
        everywhere = passes.bounds_everywhere(choices[0], options)
        assert np.array_equal(everywhere[meeting], bounds[0])
        classes = len(classifier.classes)
        for row, choice in enumerate(choices.tolist()):
            region = [one[at] for one, at in zip(options, choice, strict=True)]
            every_joint = list(joints(classifier, region))
            every = [bounds[row], *(everywhere.values() if row == 0 else [])]
            for first, second in permutations(range(classes), 2):
                limits = [float(one[(first - second) % classes - 1, second]) for one in every]
                pairs = [(joint[first], joint[second]) for joint in every_joint]
                for limit in (one for one in limits if one < inf):
                    assert all(one <= Fraction(limit) * other for one, other in pairs), seed
                ratios = [Fraction(one, other) for one, other in pairs if other]
                if ratios and max(ratios) > 0:
                    tight += limits[0] < inf and limits[0] <= max(ratios) * Fraction(100001, 100000)
                    loose += limits[0] > max(ratios) * 2
    assert tight > 20
    assert loose > 5 or most > 1 or ways > 1  # where everything is forgotten, not much is known


@pytest.mark.parametrize("make", MAKERS)
def test_odds_of_one_instance_are_exact_without_zeros(
    make: Callable[[int], Classifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few, "_FEW_WAYS", 0)  # else nothing is left to join
    compared = 0
    for seed in range(80):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        whole = [np.arange(len(variable)) for variable in classifier.feature_variables]
        passes = passes_of(classifier, whole)
        if passes is None or len(classifier.classes) < 2 or has_zero(classifier.network.cpts):
            continue
        instance = np.array([[rng.randrange(len(allowed)) for allowed in whole]])
        options = [list(allowed.reshape(-1, 1)) for allowed in whole]
        (joint,) = joints(classifier, [np.array([state]) for state in instance[0]])
        bounds = passes.bounds(instance, options, passes.root - 1 if passes.root else 0)[0]
        for first, second in permutations(range(len(joint)), 2):
            if joint[second] and first != second:
                limit = float(bounds[(first - second) % len(joint) - 1, second])
                ratio = float(Fraction(joint[first], joint[second]))
                assert limit == pytest.approx(ratio, rel=1e-9, abs=1e-139) or limit == inf, seed
                compared += limit < inf
    assert compared > 40


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("most", MOST_NUMBERS)
@pytest.mark.parametrize("enumerated", [0, 1000, few.MOST_WORK])
def test_answers_are_exact_whatever_is_forgotten(
    make: Callable[[int], Classifier], most: int, enumerated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "MOST_NUMBERS", most)
    monkeypatch.setattr(branching, "MOST_WORK", enumerated)
    monkeypatch.setattr(hidden, "EFFORTS", ())
    for seed in range(cases(20, 40)):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        search = Search(classifier, HiddenBounds(classifier), few=1)
        region, wanted = random_region(classifier, rng), random_labels(classifier, rng)
        found = search.find(region, wanted) if wanted else None
        labels = classifier.labels(instances(region))
        assert (found is not None) == np.isin(labels, list(wanted)).any(), seed


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_enumerated_are_the_joint_probabilities(make: Callable[[int], Classifier]) -> None:
    compared = 0
    for seed in range(60):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        whole = [np.arange(len(variable)) for variable in classifier.feature_variables]
        region = random_region(classifier, rng)
        passes = passes_of(classifier, whole)
        if passes is None or not passes.root:
            continue
        try:
            found = list(passes.few.totals(region, extremes=False))
        except Unknown:
            assert make is extreme_classifier
            continue
        matter = len(joints(classifier, region))
        for totals, choices in found:
            for numbers, choice in zip(totals, choices.tolist(), strict=True):
                row = passes.few.instance(region, choice, extremes=False)
                assert all(state in allowed for state, allowed in zip(row, region, strict=True))
                (joint,) = joints(classifier, [np.array([state]) for state in row])
                shares = numbers / (numbers.sum() or 1.0)
                exact = [float(Fraction(one, sum(joint) or 1)) for one in joint]
                assert shares.tolist() == pytest.approx(exact, rel=1e-9, abs=1e-300), seed
                compared += 1
        assert sum(len(one.rows) for one in found) <= matter
    assert compared > (200 if make is mixed_classifier else 50)
