"""Random classifiers, instances, distributions and conditions, each asked for probable reasons twice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from bnc2d import (
    CPT,
    BayesianNetwork,
    Bnc2dError,
    Classifier,
    ClassifierError,
    CompiledModel,
    Explanation,
    Ties,
    Variable,
)
from bnc2d.testing import random_tan
from tests.brute_force.probable import (
    Truth,
    Weights,
    decided,
    drawn_marginals,
    locally_minimal,
    minimal,
    weights_of_marginals,
)
from tests.hard_classifiers import mixed_classifier

_MOST_JOINT = 1 << 11
KINDS = ("uniform", "marginals", "zeros", "network", "rows")
CONDITIONS = ("none", "none", "fixed", "given", "allowed", "given fixed")


def compare(seed: int, seen: Counter[str]) -> None:
    """Compare everything on one random classifier; ``seen`` counts what was met."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    classifier = _classifier(rng)
    decisions, network = decided(classifier)
    model: CompiledModel = classifier.compile()
    wanted = rng.choice(sorted(set(decisions.values()), key=str))
    own = rng.choice([states for states, decision in decisions.items() if decision == wanted])
    kind = KINDS[seed % len(KINDS)]
    given, weights = _distribution(rng, kind, classifier, network)
    condition = rng.choice(CONDITIONS)
    some = frozenset(name for name in classifier.features if rng.random() < 0.3)
    held = some if "fixed" in condition else frozenset()
    options: dict[str, Any] = {}
    counting = set(decisions)
    if "given" in condition:
        counting = {states for states in decisions if states == own or rng.random() < 0.7}
        left_out = set(decisions) - counting
        if left_out:
            model = model.given([dict(zip(classifier.features, states, strict=True)) for states in left_out])
    if condition == "allowed":
        options["allowed"] = {}
        for place, variable in enumerate(classifier.feature_variables):
            if rng.random() < 0.5:
                states = [state for state in variable.states if rng.random() < 0.5]
                options["allowed"][variable.name] = states
                counting = {one for one in counting if one[place] in (*states, own[place])}
    weights = {states: weight for states, weight in weights.items() if states in counting}
    truth = Truth(classifier.features, decisions, weights, own, held)
    instance = dict(zip(classifier.features, own, strict=True))
    explanation = model.explain(instance, held, **options)
    compare_one(rng, explanation, truth, given, seen)
    seen[kind] += 1
    seen[condition] += 1


def _classifier(rng: Random) -> Classifier:
    """Return a classifier: of any hard kind, a TAN, or any function of independent features."""
    kind = rng.randrange(3)
    if kind == 0:
        while True:
            found = mixed_classifier(rng.randrange(10**9), 100)
            if prod(len(variable) for variable in found.network.variables) <= _MOST_JOINT:
                return found
    states = rng.choice((2, 2, 3))
    features = rng.randint(2, 6 if states == 2 else 4)
    classes = rng.choice((2, 3))
    ties: Ties = "none" if rng.random() < 0.5 else "lowest"
    if kind == 1:
        network = random_tan(rng.randrange(10**9), features, states, classes)
        return Classifier(network, "Y", [f"X{number}" for number in range(features)], ties=ties)
    variables = [Variable(f"X{number}", tuple(map(str, range(states)))) for number in range(features)]
    target = Variable("Y", tuple(map(str, range(classes))))
    cpts = [CPT(variable, (), _column(rng, states)) for variable in variables]
    columns = [entry for _ in range(states**features) for entry in _column(rng, classes)]
    network = BayesianNetwork([*variables, target], [*cpts, CPT(target, variables, columns)])
    return Classifier(network, "Y", [variable.name for variable in variables], ties=ties)


def _column(rng: Random, size: int) -> list[Fraction]:
    numbers = [rng.randint(0, 4) for _ in range(size)]
    numbers[rng.randrange(size)] += 1
    return [Fraction(number, sum(numbers)) for number in numbers]


def compare_one(rng: Random, e: Explanation, truth: Truth, given: Any, seen: Counter[str]) -> None:
    """Compare the answers about one explanation with those by definition."""
    probabilities = truth.all_probabilities()
    if probabilities[frozenset()] is None:
        seen["nothing weighs"] += 1
        for ask in (lambda: e.probability((), given), lambda: list(e.probable_reasons(0.5, given))):
            try:
                ask()
            except ClassifierError:
                continue
            raise AssertionError("what has no weight has a probability")
        return
    for some in rng.sample(list(probabilities), min(6, len(probabilities))):
        expected = probabilities[some]
        if expected is None:
            try:
                e.probability(some, given)
            except ClassifierError:
                continue
            raise AssertionError(f"{some} has no weight")
        assert e.probability(some, given) == expected, some
    values = sorted({one for one in probabilities.values() if one is not None})
    for d in (
        Fraction(0),
        Fraction(1, 2),
        Fraction(9, 10),
        Fraction(1),
        rng.choice(values),
        Fraction(rng.randint(0, 99), 99),
    ):
        _compare_sets(e, probabilities, d, given, seen)


def _compare_sets(e: Explanation, probabilities: Any, d: Fraction, given: Any, seen: Counter[str]) -> None:
    # A feature with nothing to change to is fixed: no set has it.
    held = {name for name, states in e.allowed.items() if not states}
    probabilities = {some: found for some, found in probabilities.items() if not some & held}
    expected = minimal(probabilities, d)
    listed = e.probable_reasons(d, given)
    reasons = list(listed)
    assert {frozenset(reason.features) for reason in reasons} == expected, (d, reasons, expected)
    assert len(reasons) == len(expected)
    assert listed.complete
    assert listed.cut is None
    for reason in reasons:
        assert reason.probability == probabilities[frozenset(reason.features)] >= d
        assert reason.term.holds(e.instance)
        assert reason.proved_minimal
    least = min(map(len, expected), default=None)
    seen["no set" if least is None else f"least {least}"] += 1
    if not expected:
        for ask in (e.a_probable_reason, e.shortest_probable_reason):
            try:
                ask(d, given)
            except Bnc2dError:
                continue
            raise AssertionError("there is no set")
        assert list(e.probable_reasons(d, given, shortest=True)) == []
        return
    if listed.ordered:
        sizes = [len(reason) for reason in reasons]
        assert sizes == sorted(sizes)
        assert all(reason.least == least for reason in reasons)
    shortest = e.shortest_probable_reason(d, given)
    assert len(shortest) == shortest.least == least
    assert shortest.proved_shortest
    assert frozenset(shortest.features) in expected
    all_shortest = list(e.probable_reasons(d, given, shortest=True))
    assert {frozenset(r.features) for r in all_shortest} == {s for s in expected if len(s) == least}
    assert all_shortest[0].term == shortest.term
    one = e.a_probable_reason(d, given)
    assert locally_minimal(probabilities, d, frozenset(one.features))
    assert one.proved_minimal  # these are small
    assert frozenset(one.features) in expected
    assert one.probability == probabilities[frozenset(one.features)]
    local = sum(locally_minimal(probabilities, d, some) for some in probabilities)
    seen["local differs"] += local != len(expected)
    if d == 1 and set(map(type, [given])) <= {type(None), str} and given != "network":
        assert [reason.term for reason in reasons] == list(e.sufficient_reasons())
        seen["sufficient"] += 1


def _distribution(rng: Random, kind: str, classifier: Classifier, network: Weights) -> tuple[Any, Weights]:
    if kind == "uniform":
        return rng.choice((None, "uniform")), dict.fromkeys(network, Fraction(1))
    if kind in ("marginals", "zeros"):
        marginals = drawn_marginals(rng, classifier, kind == "zeros")
        return marginals, weights_of_marginals(classifier, marginals, network)
    if kind == "network":
        return "network", network
    chosen = rng.choices(list(network), k=rng.randint(1, 30))
    rows = [dict(zip(classifier.features, states, strict=True)) for states in chosen]
    return rows, {states: Fraction(count) for states, count in Counter(chosen).items()}
