"""Tables that wait: forced for the smallest, they are proportional to the exact ones and decide the same."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings

from bnc2d import Classifier
from bnc2d.compile.meet.cut_problem import Given, Side
from bnc2d.compile.meet.tables import gathered_sums, pending, products
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.gathered_sums import GatheredSums
from bnc2d.compile.meet.tables.pending import Pending
from bnc2d.compile.store import model_to_bytes
from bnc2d.testing import random_classifier
from tests.cases import cases
from tests.compile.meet.test_compressed_factor import check_against_exact_tables, cut_problem_of
from tests.compile.meet.test_method import check_against_enumeration
from tests.strategies import classifiers

in_a_test = settings(max_examples=cases(22, 200), suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Every product waits, and is made one or a few columns at a time; how many steps those had."""
    monkeypatch.setattr(products, "_LARGE", 1)
    monkeypatch.setattr(pending, "_ENTRIES", 1)
    monkeypatch.setattr(pending, "_LEAST_COLUMNS", 2)
    monkeypatch.setattr(gathered_sums, "_MANY_PRODUCTS", 1)
    monkeypatch.setattr(gathered_sums, "_LONG_RUN", 1)
    seen: Counter[int] = Counter()
    made = Pending.made

    def counted(self: Pending) -> CompressedFactor:
        seen[len(self.steps)] += 1
        return made(self)

    monkeypatch.setattr(Pending, "made", counted)
    return seen


@given(classifier=classifiers())
@in_a_test
def test_tables_are_proportional_to_exact_ones(classifier: Classifier, steps: Counter[int]) -> None:
    steps.clear()
    check_against_exact_tables(cut_problem_of(classifier))
    event(f"longest chain: {min(3, max(steps, default=0))}")


@given(classifier=classifiers())
@in_a_test
def test_decisions_are_the_same(classifier: Classifier, steps: Counter[int]) -> None:
    steps.clear()
    check_against_enumeration(classifier, classifier.compile())
    event(f"chains: {any(steps)}")


@pytest.mark.parametrize("seed", range(10))
def test_threads_make_the_same_table(seed: int, steps: Counter[int]) -> None:
    """The same file for any number of threads, each with memory of its own."""
    classifier = random_classifier(seed, variables=16, features=8, max_states=3, inner_features=False)
    models = [classifier.compile(jobs=jobs) for jobs in (1, 2, 3)]
    assert len({model_to_bytes(model) for model in models}) == 1
    enumerated = classifier.compile(method="enumerate")
    assert models[-1].diagram.counts() == enumerated.diagram.counts()
    assert models[-1].equivalent(enumerated).holds


def test_chains_are_there(steps: Counter[int]) -> None:
    """Else the tests above prove nothing."""
    for seed in range(10):
        random_classifier(seed, variables=16, features=8, max_states=3, inner_features=False).compile()
    assert steps[1] > 10
    assert sum(count for length, count in steps.items() if length > 1) > 5


def test_a_side_does_not_repeat_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feature of the other side changes nothing; one of its own does, and so do integers."""
    cut_problem = cut_problem_of(random_classifier(3, variables=10, features=6))
    side = next(side for side in cut_problem._sides if side.features)
    elsewhere = next(f for f in cut_problem.prepared.feature_ids if f not in side.features)
    calls = []
    whole = Side._factor

    def counted(self: Side, given: Given, exact: bool, structural: bool) -> CompressedFactor:
        calls.append(given)
        return whole(self, given, exact, structural)

    monkeypatch.setattr(Side, "_factor", counted)
    factor = side.factor({})
    assert side.factor({elsewhere: 1}) is factor
    assert side.factor({elsewhere: 0}, structural=True).structural
    assert len(calls) == (1 if factor.structural else 2)
    assert not side.factor({side.features[0]: 1}).is_exact
    assert side.factor({side.features[0]: 1}, exact=True).is_exact
    assert len(calls) == (3 if factor.structural else 4)


@pytest.mark.parametrize(("patterns", "groups", "width"), [(4, 64, 8192), (64, 4096, 64), (512, 1 << 16, 1)])
def test_memory_is_bounded(patterns: int, groups: int, width: int) -> None:
    """However large a column is, no more of them are made at a time than fit."""
    rows = np.zeros((groups, 1), dtype=np.intp)
    left, right = np.ones((1, patterns)), pending.shape_alone(1, 1 << 14)
    waiting = Pending(cast("Any", None), left, right, GatheredSums(rows, rows))
    assert waiting._width == width
    assert width * groups * patterns <= max(groups * patterns, pending._MOST_ENTRIES)
