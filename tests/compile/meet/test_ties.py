"""Ties and close calls: by structure, by integer tables, by single instances; all say the same."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import HealthCheck, given, settings

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.compile.meet import ties as tie_module
from tests.cases import cases
from tests.compile.meet.test_method import check_against_enumeration
from tests.strategies import classifiers

ROUTES = {"by instances": (10**9, 0.0), "by integer tables": (-1, 2.0**60), "by features": (-1, -1.0)}


@pytest.mark.parametrize("route", ROUTES)
@given(classifier=classifiers())
@settings(max_examples=cases(16, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_route_decides_alike(route: str, classifier: Classifier) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tie_module, "FEW", ROUTES[route][0])
        patch.setattr(tie_module, "EXACT_WORK", ROUTES[route][1])
        check_against_enumeration(classifier, classifier.compile())


def symmetric(features: int, copies: int = 1) -> BayesianNetwork:
    """Votes of equal weight for either class; each feature comes in so many copies."""
    target = Variable("T", ("no", "yes"))
    variables, cpts = [target], [CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(features):
        vote = Variable(f"V{number}", ("no", "yes"))
        variables.append(vote)
        cpts.append(CPT(vote, (target,), [Fraction(4, 5), Fraction(1, 5), Fraction(1, 5), Fraction(4, 5)]))
        for copy in range(1, copies):
            twin = Variable(f"V{number}_{copy}", ("no", "yes"))
            variables.append(twin)
            cpts.append(CPT(twin, (vote,), [Fraction(1), Fraction(0), Fraction(0), Fraction(1)]))
    return BayesianNetwork(variables, cpts)


def test_a_vote_ties_where_both_sides_have_as_many() -> None:
    """Millions of tied instances are a few dozen pairs of patterns."""
    network = symmetric(24)
    votes = [name for name in network.names if name != "T"]
    tied = comb(24, 12)
    lowest = Classifier(network, "T", votes).compile()
    assert lowest.count("no") == (2**24 + tied) // 2
    none = Classifier(network, "T", votes, ties="none").compile()
    assert none.count("no") == none.count("yes") == (2**24 - tied) // 2
    assert 0 < (lowest.stats.exact_calls or 0) < 200


def test_duplicated_features() -> None:
    network = symmetric(4, copies=2)
    features = [name for name in network.names if name != "T"]
    for ties in ("lowest", "none"):
        classifier = Classifier(network, "T", features, ties=ties)
        check_against_enumeration(classifier, classifier.compile())


def test_entries_that_only_round_alike_are_told_apart() -> None:
    """Two classes that differ by 1e-40 in one entry: equal in float64, different in truth."""
    little, half = Fraction(1, 10**40), Fraction(1, 2)
    target, vote = Variable("T", ("a", "b", "c")), Variable("V", ("0", "1"))
    columns = [half, half, half + little, half - little, half, half]
    prior = [Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)]
    network = BayesianNetwork([target, vote], [CPT(target, (), prior), CPT(vote, (target,), columns)])
    model = Classifier(network, "T").compile()
    assert (model.predict({"V": 0}), model.predict({"V": 1})) == ("b", "a")


def gated(inputs: int) -> BayesianNetwork:
    """A target that matters only through a gate that the feature ``Open`` shuts, for certain."""
    target, valve = Variable("T", ("no", "yes")), Variable("Valve", ("shut", "open"))
    seen = Variable("Open", ("no", "yes"))
    gates = [Variable(f"G{number}", ("off", "on")) for number in range(inputs)]
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(inputs)]
    off, on = [Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 100), Fraction(99, 100)]
    cpts = [
        CPT(target, (), [Fraction(1, 50), Fraction(49, 50)]),
        CPT(valve, (), [Fraction(1, 3), Fraction(2, 3)]),
        CPT(seen, (valve,), [Fraction(1), Fraction(0), Fraction(0), Fraction(1)]),
    ]
    for number, (gate, leaf) in enumerate(zip(gates, leaves, strict=True)):
        cpts.append(CPT(gate, (target, valve), [*off, *off, *off, *on]))
        strength = Fraction(number + 1, inputs + 2)
        cpts.append(CPT(leaf, (gate,), [Fraction(1, 2), Fraction(1, 2), strength, 1 - strength]))
    return BayesianNetwork([target, valve, seen, *gates, *leaves], cpts)


def test_a_threshold_that_is_hit_by_structure_needs_no_exact_arithmetic() -> None:
    """The prior equals the threshold, and half of the instances say nothing about the target."""
    network = gated(4)
    features = ["Open", *(f"F{number}" for number in range(4))]
    classifier = Classifier(network, "T", features, threshold=Fraction(49, 50))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tie_module, "FEW", 10)
        patch.setattr(tie_module, "EXACT_WORK", 0.0)
        model = classifier.compile()
    check_against_enumeration(classifier, model)
    assert model.stats.exact_calls == 0
    assert model.predict({"Open": "no", "F0": 1, "F1": 0, "F2": 1, "F3": 0}) == "no"
