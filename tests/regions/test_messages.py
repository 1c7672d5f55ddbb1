"""Messages over regions against enumeration: bounds on ratios, worst instances, changes, zeros."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import inf
from random import Random

import numpy as np
import pytest

from bnc2d import Classifier
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions import hidden
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.messages.message import Unknown
from bnc2d.regions.messages.passes import Effort, Passes, Question
from bnc2d.regions.messages.possible import Zeros
from bnc2d.regions.region import Region, instances
from bnc2d.regions.search import Search
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.regions.test_decides import random_labels, random_region

MAKERS: list[Callable[[int], Classifier]] = [mixed_classifier, extreme_classifier]
EFFORTS = [Effort(1, 1), Effort(2, 64), Effort(3, 1 << 20), Effort(16, 256), Effort(1 << 20, 1 << 30)]


def joints(classifier: Classifier, region: Region) -> list[list[int]]:
    """Return the joint probabilities of all instances and classes, those of an instance up to a factor."""
    values: list[list[int]] = classifier._query.joint(instances(region), exact=True).values.tolist()
    return values


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("make", MAKERS)
def test_bounds_on_ratios_hold(make: Callable[[int], Classifier], effort: Effort) -> None:
    tight = 0
    for seed in range(40):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        passes = Passes(classifier)
        margin = 1 + 64 * Fraction(passes.tree.operations * UNIT_ROUNDOFF)
        region = random_region(classifier, rng)
        joint = joints(classifier, region)
        for label, rival in permutations(range(len(classifier.classes)), 2):
            try:
                worst = passes.least(region, Question(label, rival), effort)
            except Unknown:
                assert make is extreme_classifier
                continue
            ratios = [Fraction(row[label], row[rival]) for row in joint if row[rival]]
            if worst is None:
                assert not ratios, seed
                continue
            assert not ratios or worst.bound <= min(ratios) * margin, seed
            assert all(state in allowed for state, allowed in zip(worst.instance, region, strict=True))
            if effort == EFFORTS[-1] and ratios:
                assert worst.bound == pytest.approx(float(min(ratios)), rel=1e-9), seed
                (met,) = joints(classifier, [np.array([state]) for state in worst.instance])
                assert float(Fraction(met[label], met[rival])) == pytest.approx(worst.bound, rel=1e-9), seed
            tight += bool(ratios) and worst.bound * 2 > min(ratios) > 0
    assert tight > 20  # bounds that are always zero would hold as well


@pytest.mark.parametrize("make", MAKERS)
def test_changes_are_those_of_single_features(make: Callable[[int], Classifier]) -> None:
    compared = 0
    for seed in range(60):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        if len(classifier.classes) < 2:
            continue
        sizes = [len(variable) for variable in classifier.feature_variables]
        instance = [rng.randrange(size) for size in sizes]
        try:
            changes = Passes(classifier).changes(
                instance, Question(0, 1), [np.arange(size) for size in sizes]
            )
        except Unknown:
            assert make is extreme_classifier
            continue
        for column, ratios in changes.items():
            region = [np.array([state]) for state in instance]
            region[column] = np.arange(sizes[column])
            for (first, second, *_), ratio in zip(joints(classifier, region), ratios.tolist(), strict=True):
                if second and first < second * 10**300:
                    assert ratio == pytest.approx(float(Fraction(first, second)), rel=1e-9)
                    compared += 1
                elif not second:
                    assert ratio == inf
    assert compared > 20


@pytest.mark.parametrize("make", MAKERS)
def test_an_impossible_instance_is_found_where_there_is_one(make: Callable[[int], Classifier]) -> None:
    answers = set()
    for seed in range(60):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        passes = Passes(classifier)
        zeros = Zeros(passes.tree, passes.leaves)
        for _ in range(3):
            region = random_region(classifier, rng)
            found = zeros.impossible_instance(region)
            assert (found is None) == all(any(row) for row in joints(classifier, region)), seed
            if found is not None:
                assert not any(joints(classifier, [np.array([state]) for state in found])[0])
                assert all(state in allowed for state, allowed in zip(found, region, strict=True))
            answers.add(found is None)
    assert answers == {True, False}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("effort", EFFORTS[:3])
def test_answers_are_exact_whatever_the_effort(
    make: Callable[[int], Classifier], effort: Effort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden, "EFFORTS", (effort,))
    for seed in range(40):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        search = Search(classifier, HiddenBounds(classifier), few=1)
        region, wanted = random_region(classifier, rng), random_labels(classifier, rng)
        found = search.find(region, wanted) if wanted else None
        labels = classifier.labels(instances(region))
        assert (found is not None) == np.isin(labels, list(wanted)).any(), seed
