"""Models under a constraint, against definitions by enumeration."""

from __future__ import annotations

from math import prod
from random import Random

import pytest

import bnc2d
from bnc2d import Classifier, GivenModel, LimitExceeded
from bnc2d.compile.zeros.constraint import allowed_instances
from bnc2d.errors import Bnc2dError, InstanceError, LogicError
from bnc2d.explain.routes import NetworkRoute
from bnc2d.logic.diagram import from_circuits
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.testing import random_instance, random_naive_bayes
from tests.brute_force.reasons import (
    Truth,
    table_classifier,
    truth_of,
    variable_minimal_clauses,
    variable_minimal_terms,
)
from tests.cases import cases
from tests.explain.routes import assert_same, network_oracle
from tests.hard_classifiers import mixed_classifier

States = tuple[str, ...]
Combination = dict[str, object]


def random_constraint(classifier: Classifier, rng: Random) -> list[Combination]:
    """Return combinations of states that are forbidden."""
    found: list[Combination] = []
    for _ in range(rng.randint(0, 4)):
        chosen = rng.sample(classifier.feature_variables, rng.randint(1, len(classifier.features)))
        found.append({v.name: rng.sample(v.states, rng.randint(1, len(v))) for v in chosen})
    return found


def is_allowed(states: States, names: tuple[str, ...], forbidden: list[Combination]) -> bool:
    """Return whether an instance has none of the forbidden combinations."""
    own = dict(zip(names, states, strict=True))
    return not any(all(own[name] in allowed for name, allowed in one.items()) for one in forbidden)  # type: ignore[operator]


def case(seed: int) -> tuple[Truth, GivenModel, set[States], list[Combination]] | None:
    """Return a random model under a random constraint, with an instance that is allowed."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    classifier = table_classifier(seed, 1 << 10) if seed % 3 else mixed_classifier(seed)
    if prod(2 ** len(variable) for variable in classifier.feature_variables) > 1 << 10:
        return None
    forbidden, names = random_constraint(classifier, rng), classifier.features
    drawn = [tuple(rng.choice(v.states) for v in classifier.feature_variables) for _ in range(30)]
    instances = [states for states in drawn if is_allowed(states, names, forbidden)]
    if not instances:
        return None
    own = dict(zip(names, instances[0], strict=True))
    fixed = [name for name in classifier.features if rng.random() < 0.15]
    truth = truth_of(classifier, own, fixed)
    allowed = {states for states in truth.table if is_allowed(states, names, forbidden)}
    return truth, truth.model.given(forbidden), allowed, forbidden


@pytest.mark.parametrize("start", range(0, cases(60, 240), 60))
def test_reasons_are_those_of_the_implication(start: int) -> None:
    shorter = compared = 0
    for seed in range(start, start + 60):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, _ = found
        e = given.explain(truth.instance, [truth.model.features[f] for f in truth.fixed])
        assert e.decision == truth.decision
        outside = set(truth.space) - allowed
        formula = truth.inside({truth.decision}) | outside
        complete, general = truth.complete(formula), truth.general(formula)
        sufficient = list(e.sufficient_reasons())
        assert set(sufficient) == truth.terms(truth.implicants(complete)), seed
        assert set(e.necessary_reasons()) == truth.clauses(truth.implicates(complete)), seed
        terms, clauses = truth.terms(truth.implicants(general)), truth.clauses(truth.implicates(general))
        assert set(e.general_sufficient_reasons()) == variable_minimal_terms(terms), seed
        assert set(e.general_necessary_reasons()) == variable_minimal_clauses(clauses), seed
        for states in truth.space:
            assert e.complete_reason.evaluate(truth.named(states)) == (states in complete), seed
            assert e.general_reason.evaluate(truth.named(states)) == (states in general), seed
        for name in given.classes:
            if name != truth.decision:
                rest = set(truth.space) - (truth.inside({name}) & allowed)
                why_not = truth.clauses(truth.implicates(truth.general(rest)))
                assert set(e.contrastive(name)) == variable_minimal_clauses(why_not), seed
        changes = [
            sum(a != b for a, b in zip(states, truth.own, strict=True))
            for states in truth.space
            if states in allowed and truth.table[states] != truth.decision
        ]
        assert e.robustness().distance == (min(changes) if changes else None), seed
        assert len(e.a_sufficient_reason()) in {len(reason) for reason in sufficient}
        plain = min(map(len, truth.explanation.sufficient_reasons()))
        assert len(e.shortest_sufficient_reason()) <= plain
        shorter += len(e.shortest_sufficient_reason()) < plain
        compared += 1
    assert compared > 20
    assert shorter


@pytest.mark.parametrize("start", range(0, cases(30, 120), 30))
def test_the_network_itself_gives_the_same(start: int) -> None:
    compared = 0
    for seed in range(start, start + 30):
        found = case(seed)
        if found is None:
            continue
        truth, given, _, forbidden = found
        classifier, fixed = truth.model.classifier, [truth.model.features[f] for f in truth.fixed]
        e = given.explain(truth.instance, fixed)
        assert_same(e, classifier.explain(truth.instance, fixed, given=forbidden), seed)
        oracle = network_oracle(classifier, HiddenBounds, few=2)
        route = NetworkRoute(classifier, oracle, *allowed_instances(classifier, forbidden))
        assert_same(e, bnc2d.Explanation(route, truth.instance, fixed), seed)
        compared += 1
    assert compared >= 8


@pytest.mark.parametrize("start", range(0, cases(60, 120), 60))
def test_counts_and_samples_are_of_allowed_instances(start: int) -> None:
    for seed in range(start, start + 60):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, forbidden = found
        assert given.count_allowed() == len(allowed)
        for name in given.classes:
            members = {states for states in allowed if truth.table[states] == name}
            assert given.count(name) == len(members)
            if members:
                drawn = given.sample(name, seed=seed, size=5)
                assert all(tuple(one[f] for f in given.features) in members for one in drawn)
        assert sum(given.shares().values()) == 1
        for states in truth.table:
            assert given.allows(truth.named(states)) == (states in allowed)
            if states in allowed:
                assert given.predict(truth.named(states)) == truth.table[states]
        twice = truth.model.given(forbidden[:1]).given(forbidden[1:])
        assert twice.diagram.counts() == given.diagram.counts()


def test_without_a_constraint_everything_is_as_before() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    given, own = model.given("true"), {"BP": "High", "CT": "1", "HR": "Normal"}
    for kind in ("sufficient_reasons", "necessary_reasons", "general_sufficient_reasons"):
        assert list(getattr(given.explain(own), kind)()) == list(getattr(model.explain(own), kind)())
    line = "Only instances that satisfy the constraint count: ⊤\n"
    assert given.explain(own).to_text().replace(line, "") == model.explain(own).to_text()
    assert given.shares() == model.shares()


def test_what_the_network_knows() -> None:
    """Instances that cannot be are in a class by the tie rule; reasons need not rest on them."""
    seen = 0
    for seed in range(cases(16, 60)):
        classifier = mixed_classifier(seed)
        if not 0 < classifier.count_impossible() < classifier.instance_count:
            continue
        given = classifier.compile().given("possible")
        assert given.count_allowed() == classifier.instance_count - classifier.count_impossible()
        name = next(name for name in given.classes if given.count(name))
        own = given.sample(name)
        assert classifier.is_possible(own)
        assert_same(given.explain(own), classifier.explain(own, given="possible"), seed)
        seen += 1
    assert seen > 5


def test_rows_are_explained_together() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    given = model.given("not (BP=Low and HR=High)")
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}, {"BP": "Low", "CT": "0", "HR": "Low"}]
    for row, found in zip(rows, given.explain_many(rows, kinds=["sufficient"]), strict=True):
        assert set(found.reasons["sufficient"]) == set(given.explain(row).sufficient_reasons())
    with pytest.raises(InstanceError, match="row 1 violates the constraint"):
        given.explain_many([rows[0], {"BP": "Low", "CT": "1", "HR": "High"}])


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("BP=Low and BP=High", "no instance satisfies the constraint"),
        ("BP=", "line 1"),
        ("BPP=Low", "did you mean 'BP'"),
        (3.5, "constraint"),
    ],
)
def test_wrong_constraints_are_refused(constraint: object, message: str) -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(Bnc2dError) as caught:
        model.given(constraint)
    assert message in str(caught.value)


def test_an_instance_that_cannot_be_is_refused() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    given = model.given("BP!=Low")
    own = {"BP": "Low", "CT": "1", "HR": "Low"}
    with pytest.raises(InstanceError, match="violates the constraint"):
        given.explain(own)
    with pytest.raises(LogicError, match="violates the constraint"):
        given.predict(own)
    assert not given.allows(own)


def test_sensors_that_never_differ() -> None:
    """With the pairs apart the diagram of such a constraint has 2^24 nodes; together it is small."""
    classifier = Classifier(random_naive_bayes(1, 48), "Y", features="all")
    names, own = classifier.features, random_instance(classifier, 1)
    pairs = list(zip(names[:24], names[24:], strict=True))
    instance = {**own, **{twin: own[name] for name, twin in pairs}}
    constraint = "; ".join(f"{name}=0 <-> {twin}=0" for name, twin in pairs)
    reason = classifier.explain(instance, given=constraint).a_sufficient_reason()
    assert reason.proved_minimal
    both = [name for name, twin in pairs if name in reason and twin in reason]
    assert not both  # one of two that never differ says it all


def test_a_constraint_that_is_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_circuits, "_MOST_OF_A_CIRCUIT", 2)
    model = Classifier(bnc2d.example("led"), "Digit", features="all").compile()
    names = model.features
    apart = "; ".join(f"{one} <-> {other}" for one, other in zip(names[:3], names[3:6], strict=True))
    with pytest.raises(LimitExceeded, match="more than 2 diagram nodes"):
        model.given(apart)
