"""Explanations by the network itself are those of the compiled model."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

import bnc2d
from bnc2d import Classifier, NotCompiledError, example
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.search import Bounds, Search
from tests.cases import cases
from tests.explain.routes import LISTS, assert_same, by_network
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.long.outcome import run_seeds
from tests.long.routes import KINDS, check_routes


@pytest.mark.parametrize("make", [mixed_classifier, extreme_classifier])
@pytest.mark.parametrize("bounds", [ObservedBounds, HiddenBounds])
@pytest.mark.parametrize("start", range(0, cases(10, 40), 10))
def test_the_routes_agree(
    bounds: Callable[[Classifier], Bounds], make: Callable[[int], Classifier], start: int
) -> None:
    for seed in range(start, start + 10):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        model = classifier.compile()
        instance = {variable.name: rng.choice(variable.states) for variable in classifier.feature_variables}
        fixed = [name for name in classifier.features if rng.random() < 0.15]
        found = by_network(classifier, instance, fixed, bounds)
        assert_same(model.explain(instance, fixed), found, seed)


def test_a_slice_of_the_long_mode() -> None:
    outcome = run_seeds(check_routes, 10**6, 8)
    assert outcome.wrong == {}
    assert set(outcome.met) >= {*KINDS, "ObservedBounds", "HiddenBounds", "by definition"}
    assert outcome.compared > 50


@pytest.mark.parametrize(
    ("owner", "name", "answer", "words"),
    [
        (Search, "find", lambda *_: None, "AssertionError"),
        (RegionCase, "stays", lambda _, kept: kept.any(axis=1), "AssertionError"),
        (RegionCase, "one_sufficient", lambda *_: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_wrong_answer_is_found(
    owner: type, name: str, answer: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, answer)
    outcome = run_seeds(check_routes, 5, 3)
    assert outcome.wrong
    assert all(words in reason for reason in outcome.wrong.values())


def test_what_needs_a_formula_says_so() -> None:
    explanation = Classifier(example("running"), "A", ["D", "E", "F"]).explain({"D": 1, "E": 0, "F": 1})
    for name in ("complete_reason", "general_reason", "model"):
        with pytest.raises(NotCompiledError, match=r"classifier\.compile\(\)"):
            getattr(explanation, name)
    for name in LISTS:
        with pytest.raises(NotCompiledError, match="the number of reasons"):
            getattr(explanation, f"count_{name}")()


def test_without_time_no_feature_is_proved_needed() -> None:
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    reason = classifier.explain({"D": 1, "E": 0, "F": 1}, time_limit=0).a_sufficient_reason()
    assert reason.features == ("D", "E", "F")
    assert not reason.proved_minimal
    assert reason.unproved == ("D", "E", "F")
    assert reason == bnc2d.Term(reason.domain, {"D": 1, "E": 0, "F": 1})
