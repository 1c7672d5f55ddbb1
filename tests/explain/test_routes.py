"""Explanations by the network itself are those of the compiled model."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

import bnc2d
from bnc2d import Classifier, Explanation, NotCompiledError, Number, example
from bnc2d.api.explanation import Explanation as ExplanationOfUsers
from bnc2d.explain.routes import NetworkRoute
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.oracle import NetworkOracle
from tests.hard_classifiers import extreme_classifier, mixed_classifier

LISTS = ("sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons")
CHECKS = ("is_sufficient", "is_necessary", "is_general_sufficient", "is_general_necessary")


def by_network(
    classifier: Classifier, instance: dict[str, str], fixed: list[str], bounds: Callable[..., object]
) -> Explanation:
    """Return the explanation that these bounds give."""
    known = bounds(classifier)
    oracle = NetworkOracle(classifier, lambda: known)  # type: ignore[arg-type, return-value]
    return ExplanationOfUsers(NetworkRoute(classifier, oracle), instance, fixed)


def assert_same(compiled: Explanation, found: Explanation, rng: Random) -> None:
    """Assert that two explanations of one instance agree in everything that both can be asked."""
    classes, features = compiled.classifier.classes, compiled.classifier.features
    assert found.decision == compiled.decision
    for name, check in zip(LISTS, CHECKS, strict=True):
        expected, listed = list(getattr(compiled, name)()), list(getattr(found, name)())
        assert set(listed) == set(expected), name
        assert len(listed) == len(expected), name
        for reason in rng.sample(expected, min(2, len(expected))):
            assert getattr(found, check)(reason)
            assert reason.proved_minimal
    for name in classes:
        contrast, other = compiled.contrastive(name), found.contrastive(name)
        assert other.message == contrast.message
        assert set(other) == set(contrast)
        assert found.robustness(name).distance == compiled.robustness(name).distance
    near = found.robustness()
    assert near.distance == compiled.robustness().distance
    if near.witness is not None:
        assert compiled.classifier.predict(near.witness) == near.decision != compiled.decision
    weights: dict[str, Number] = {
        name: Fraction(rng.choice([1, 2, 3]), 2) for name in features if rng.random() < 0.5
    }
    for given in (None, weights):
        assert found.shortest_sufficient_reason(given) == compiled.shortest_sufficient_reason(given)
        assert found.shortest_necessary_reason(given) == compiled.shortest_necessary_reason(given)
    assert found.necessary_features() == compiled.necessary_features()
    assert found.relevant_features() == compiled.relevant_features()
    assert compiled.is_sufficient(found.a_sufficient_reason())


@pytest.mark.parametrize("make", [mixed_classifier, extreme_classifier])
@pytest.mark.parametrize("bounds", [ObservedBounds, HiddenBounds])
@pytest.mark.parametrize("start", range(0, 40, 10))
def test_the_routes_agree(
    bounds: Callable[..., object], make: Callable[[int], Classifier], start: int
) -> None:
    for seed in range(start, start + 10):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        model = classifier.compile()
        instance = {variable.name: rng.choice(variable.states) for variable in classifier.feature_variables}
        fixed = [name for name in classifier.features if rng.random() < 0.15]
        assert_same(model.explain(instance, fixed), by_network(classifier, instance, fixed, bounds), rng)


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
