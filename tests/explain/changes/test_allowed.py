"""Explanations where only some changes are allowed, against definitions by enumeration and by constraints."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, Explanation
from bnc2d.errors import Bnc2dError, ClassifierError, UnknownNameError
from bnc2d.explain.changes.allowed import MayChange
from bnc2d.explain.routes import NetworkRoute
from bnc2d.regions.hidden import HiddenBounds
from tests.brute_force.reasons import (
    Truth,
    table_classifier,
    truth_of,
    variable_minimal_clauses,
    variable_minimal_terms,
)
from tests.explain.changes.drawn import States, draw_changes
from tests.explain.routes import LISTS, assert_same, network_oracle
from tests.explain.test_given import Combination, is_allowed, random_constraint
from tests.hard_classifiers import mixed_classifier

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
MOST_TERMS = 1 << 10


class Drawn:
    """A random classifier, some under a constraint, an instance, and what may change."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)  # noqa: S311 - reproducible test data
        classifier = table_classifier(seed, MOST_TERMS) if seed % 3 else mixed_classifier(seed, 100)
        names = classifier.features
        self.forbidden: list[Combination] = random_constraint(classifier, rng) if seed % 4 == 0 else []
        drawn = [tuple(rng.choice(v.states) for v in classifier.feature_variables) for _ in range(30)]
        fit = [states for states in drawn if is_allowed(states, names, self.forbidden)]
        small = prod(2 ** len(v) for v in classifier.feature_variables) <= MOST_TERMS
        small &= prod(map(len, classifier.network.variables)) <= 1 << 16
        self.is_good = bool(fit) and small
        if self.is_good:
            self.classifier, self.own = classifier, fit[0]
            self.fixed = [name for name in names if rng.random() < 0.15]
            self.changes, self.may = draw_changes(classifier, fit[0], rng)
            self.truth: Truth = truth_of(classifier, dict(zip(names, fit[0], strict=True)), self.fixed)
            self.model: CompiledModel = self.truth.model
            if self.forbidden:
                self.model = self.model.given(self.forbidden)

    def counts(self, states: States) -> bool:
        """Return whether an instance counts: it can be, and allowed changes lead to it."""
        names = self.classifier.features
        within = all(state in self.may[name] for name, state in zip(names, states, strict=True))
        return within and is_allowed(states, names, self.forbidden)

    def explained(self) -> Explanation:
        found: Explanation = self.model.explain(self.truth.instance, self.fixed, **self.changes)
        return found

    def explained_by_network(self) -> Explanation:
        given = self.forbidden or None
        return self.classifier.explain(self.truth.instance, self.fixed, None, given, **self.changes)


def assert_by_definition(drawn: Drawn, e: Explanation) -> None:
    """Assert that reasons are those of "it counts, so it is in the class"."""
    truth = drawn.truth
    allowed = {states for states in truth.table if drawn.counts(states)}
    formula = truth.inside({truth.decision}) | (set(truth.space) - allowed)
    complete, general = truth.complete(formula), truth.general(formula)
    assert e.decision == truth.decision
    assert set(e.sufficient_reasons()) == truth.terms(truth.implicants(complete))
    assert set(e.necessary_reasons()) == truth.clauses(truth.implicates(complete))
    terms, clauses = truth.terms(truth.implicants(general)), truth.clauses(truth.implicates(general))
    assert set(e.general_sufficient_reasons()) == variable_minimal_terms(terms)
    assert set(e.general_necessary_reasons()) == variable_minimal_clauses(clauses)
    for states in truth.space:
        assert e.complete_reason.evaluate(truth.named(states)) == (states in complete)
        assert e.general_reason.evaluate(truth.named(states)) == (states in general)
    for name in e.classifier.classes:
        if name != truth.decision:
            rest = set(truth.space) - (truth.inside({name}) & allowed)
            why_not = truth.clauses(truth.implicates(truth.general(rest)))
            assert set(e.contrastive(name)) == variable_minimal_clauses(why_not)
    distances = [
        sum(a != b for a, b in zip(states, truth.own, strict=True))
        for states in truth.space
        if states in allowed and truth.table[states] != truth.decision
    ]
    assert e.robustness().distance == min(distances, default=None)
    free = drawn.model.explain(truth.instance, drawn.fixed)  # the fewer changes, the less it takes to be sure
    assert len(e.shortest_sufficient_reason()) <= len(free.shortest_sufficient_reason())
    if distances:
        assert (free.robustness().distance or 0) <= min(distances)
    for clause in list(e.general_necessary_reasons(5)):
        for instance, decision in e.changes(clause):
            assert drawn.counts(tuple(instance.values()))
            assert decision == truth.decide(instance) != truth.decision
    limited = {name: states for name, states in drawn.may.items() if name not in drawn.fixed}
    expected = {
        v.name: tuple(s for s in v.states if s in limited[v.name] and s != truth.instance[v.name])
        for v in e.classifier.feature_variables
        if v.name in limited and len(limited[v.name]) < len(v)
    }
    assert e.allowed == expected


def assert_as_given(drawn: Drawn, e: Explanation) -> None:
    """Assert that reasons, and their order, are those under the constraint "within the box"."""
    names = drawn.classifier.feature_variables
    outside = [{v.name: [s for s in v.states if s not in drawn.may[v.name]]} for v in names]
    box = [one for one in outside if all(one.values())]
    as_given = drawn.model.given(box).explain(drawn.truth.instance, drawn.fixed)
    for kind in LISTS:
        assert set(getattr(e, kind)()) == set(getattr(as_given, kind)())
    for name in e.classifier.classes:
        assert set(e.contrastive(name)) == set(as_given.contrastive(name))
        assert e.robustness(name).distance == as_given.robustness(name).distance
    assert e.shortest_sufficient_reason() == as_given.shortest_sufficient_reason()
    assert e.shortest_necessary_reason() == as_given.shortest_necessary_reason()
    assert e.relevant_features() == as_given.relevant_features()


def compare(seed: int) -> bool:
    """Compare everything on a random case; return whether there was one."""
    drawn = Drawn(seed)
    if not drawn.is_good:
        return False
    e = drawn.explained()
    assert_by_definition(drawn, e)
    assert_as_given(drawn, e)
    assert_same(e, drawn.explained_by_network(), seed)
    if seed % 2:  # by the bounds of networks with hidden variables, too
        oracle = network_oracle(drawn.classifier, HiddenBounds, few=2)
        route, may = NetworkRoute(drawn.classifier, oracle), MayChange(**drawn.changes)
        if not drawn.forbidden:
            assert_same(e, bnc2d.Explanation(route, drawn.truth.instance, drawn.fixed, may=may), seed)
    return True


@pytest.mark.parametrize("start", range(0, 24, 12))
def test_allowed_changes(start: int) -> None:
    assert sum(compare(seed) for seed in range(start, start + 12)) > 5


@pytest.fixture(scope="module")
def diagnosis() -> Classifier:
    return Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])


def test_what_need_not_be_limited_is_not(diagnosis: Classifier) -> None:
    model = diagnosis.compile()
    free = model.explain(PATIENT, allowed={"BP": ["Low", "Normal"], "CT": "down"}, forbidden={"HR": []})
    assert free.allowed == {}
    assert free.to_text() == model.explain(PATIENT).to_text()
    assert str(free.complete_reason) == str(model.explain(PATIENT).complete_reason)
    pinned = model.explain(PATIENT, allowed={"BP": "up"})
    assert pinned.allowed == {"BP": ()}
    assert list(pinned.changes({"BP": "High", "CT": "1"})) == []
    for kind in LISTS:
        assert list(getattr(pinned, kind)()) == list(getattr(model.explain(PATIENT, ["BP"]), kind)())


def test_changes_are_allowed_ones(diagnosis: Classifier) -> None:
    for e in (
        diagnosis.compile().explain(PATIENT, allowed={"BP": "Low"}),
        diagnosis.explain(PATIENT, allowed={"BP": "Low"}),
    ):
        assert [instance["BP"] for instance, _ in e.changes({"BP": "High", "CT": "1"})] == ["Low"]


def test_an_order_of_ones_own(diagnosis: Classifier) -> None:
    order = {"BP": ["High", "Low", "Normal"]}
    e = diagnosis.compile().explain(PATIENT, allowed={"BP": "up"}, order=order)
    assert e.allowed == {}
    later = diagnosis.explain({**PATIENT, "BP": "Low"}, allowed={"BP": "up"}, order=order)
    assert later.allowed == {"BP": ("Normal",)}


def test_a_state_that_is_called_up() -> None:
    Y, X = bnc2d.Variable("Y", ("0", "1")), bnc2d.Variable("X", ("up", "level", "down"))
    network = bnc2d.BayesianNetwork(
        [Y, X], [bnc2d.CPT(Y, (), [0.5, 0.5]), bnc2d.CPT(X, (Y,), [0.1, 0.2, 0.7, 0.6, 0.3, 0.1])]
    )
    e = Classifier(network, "Y").compile().explain({"X": "level"}, allowed={"X": "up"})
    assert e.allowed == {"X": ("up",)}


def test_texts_and_data_say_what_may_change(diagnosis: Classifier) -> None:
    options: dict[str, Any] = {"allowed": {"BP": "Low", "CT": "up"}}
    for e in (diagnosis.compile().explain(PATIENT, **options), diagnosis.explain(PATIENT, **options)):
        assert "\nAllowed changes: BP to Low, CT not at all.\n" in e.to_text()
        assert e.to_dict()["allowed"] == {"BP": ["Low"], "CT": []}
        assert e.contrastive("1").message == "no instance within the allowed changes is in class 1"
        assert "BP to Low, CT not at all" in e._repr_html_()
    plain = diagnosis.compile().explain(PATIENT)
    assert "llowed" not in plain.to_text()
    assert plain.to_dict()["allowed"] == {}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"allowed": {"bp": "Low"}}, UnknownNameError, "did you mean 'BP'"),
        ({"allowed": {"BP": "low"}}, UnknownNameError, "no state 'low'; did you mean 'Low'"),
        ({"allowed": {"BP": ["Low", 3]}}, UnknownNameError, "has no state '3'"),
        ({"allowed": {"BP": {"Hgh": "Low"}}}, UnknownNameError, "did you mean 'High'"),
        ({"allowed": {"BP": {"Low": "hihg"}}}, UnknownNameError, "did you mean 'High'"),
        ({"allowed": {"BP": None}}, UnknownNameError, "has no state 'None'"),
        ({"allowed": ["BP"]}, Bnc2dError, "allowed must be a mapping from feature to the states"),
        ({"forbidden": "BP"}, Bnc2dError, "forbidden must be a mapping"),
        ({"order": {"BP": ["Low", "High"]}}, ClassifierError, "must list each of its states once"),
        ({"order": {"BP": ["Low", "High", "Low"]}}, ClassifierError, "must list each of its states once"),
        ({"order": {"BP": 3}}, Bnc2dError, "order of 'BP' must be"),
        ({"order": 3}, Bnc2dError, "order must be a mapping"),
        ({"order": {"Bp": ["Low"]}}, UnknownNameError, "did you mean 'BP'"),
    ],
)
def test_errors_say_what_is_wrong(
    diagnosis: Classifier, options: dict[str, Any], error: type[Bnc2dError], words: str
) -> None:
    for explain in (diagnosis.explain, diagnosis.compile().explain):
        with pytest.raises(error, match=words):
            explain(PATIENT, **options)
