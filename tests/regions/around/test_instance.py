"""Which features are enough around an instance: against enumeration."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bnc2d.regions.around.listing import necessary_sets, sufficient_sets
from bnc2d.regions.region import instances
from tests.cases import cases as how_many
from tests.regions.around.cases import Case, cases


def minimal(case: Case, *, necessary: bool) -> set[tuple[int, ...]]:
    """Return the minimal sets that are enough, or without which the others are not."""
    found: set[tuple[int, ...]] = set()
    everything = set(range(len(case.around.row))) - case.around.fixed
    for members in case.subsets():
        holds = not case.stays(everything - set(members)) if necessary else case.stays(members)
        if holds and not any(set(one) <= set(members) for one in found):
            found.add(members)
    return found


@pytest.mark.parametrize("start", range(0, how_many(40, 60), 20))
def test_sets_of_features_that_are_enough(start: int) -> None:
    several = 0
    for case in cases(range(start, start + 20)):
        rng = Random(start)  # noqa: S311 - reproducible test data
        subsets = list(case.subsets())
        rng.shuffle(subsets)
        for piece in (subsets[:7], subsets[7:9], subsets[9:]):  # what was asked before does not matter
            kept = np.zeros((len(piece), len(case.around.row)), dtype=bool)
            for place, members in enumerate(piece):
                kept[place, list(members)] = True
            assert case.around.stays(kept).tolist() == [case.stays(members) for members in piece]
        sufficient = minimal(case, necessary=False)
        assert sorted(map(tuple, sufficient_sets(case.around))) == sorted(sufficient)
        assert sorted(map(tuple, necessary_sets(case.around))) == sorted(minimal(case, necessary=True))
        assert tuple(case.around.one_sufficient()) in sufficient
        assert case.around.critical() == [f for f in sorted(case.around.features) if alone(case, f)]
        several += len(sufficient) > 2
    assert several > 3


def alone(case: Case, feature: int) -> bool:
    """Return whether a feature alone can change the label."""
    return not case.stays(set(range(len(case.around.row))) - {feature})


def test_counterexamples_keep_what_is_kept() -> None:
    found = 0
    for case in cases(range(100, 115)):
        for members in list(case.subsets())[::5]:
            other = case.around.counterexample(members)
            assert (other is None) == case.stays(members)
            if other is not None:
                found += 1
                assert case.classifier.labels(np.array([other]))[0] != case.label
                held = [*members, *case.around.fixed]
                assert [other[f] for f in held] == [case.around.row[f] for f in held]
    assert found > 100


def test_states_along_a_feature() -> None:
    """Asked of any region, not only of those around the instance."""
    mixed = 0
    for case in cases(range(200, 215)):
        rng = Random(7)  # noqa: S311 - reproducible test data
        sizes = [len(variable) for variable in case.classifier.feature_variables]
        comparisons = case.around.comparisons
        for feature in range(len(sizes)):
            region = [np.array(sorted(rng.sample(range(size), rng.randint(1, size)))) for size in sizes]
            behind = np.asarray(comparisons.behind_along(region, feature).any(axis=1))
            for state in range(sizes[feature]):
                part = [*region[:feature], np.array([state]), *region[feature + 1 :]]
                labels = case.classifier.labels(instances(part))
                assert behind[state] == (labels != case.label).any()
            mixed += 0 < int(behind.sum()) < len(behind)
    assert mixed > 15
