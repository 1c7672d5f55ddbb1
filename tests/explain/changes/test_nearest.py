"""The nearest changes with costs for each state, and different ways out, against all instances."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, Nearest
from bnc2d.errors import Bnc2dError, ClassifierError, LimitExceeded, NotCompiledError, UnknownNameError
from tests.brute_force.decisions import known
from tests.brute_force.reasons import table_classifier
from tests.explain.changes.drawn import States, draw_changes, draw_costs
from tests.explain.test_given import is_allowed, random_constraint
from tests.hard_classifiers import mixed_classifier

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


class Question:
    """A random question of ``nearest``, and all instances that answer it, by definition."""

    def __init__(self, seed: int, most: str = "pairs") -> None:
        self.rng = rng = Random(seed)  # noqa: S311 - reproducible test data
        self.classifier = classifier = (
            table_classifier(seed, 1 << 14) if seed % 3 else mixed_classifier(seed, 200)
        )
        self.names = names = classifier.features
        case = known(classifier)
        self.table = {tuple(case.instance(row).values()): found for row, found in case.decisions.items()}
        self.model = case.model
        counted, self.forbidden = list(self.table), False
        if seed % 4 == 0:
            forbidden = random_constraint(classifier, rng)
            counted = [states for states in counted if is_allowed(states, names, forbidden)] or counted
            if len(counted) < len(self.table):
                self.model, self.forbidden = self.model.given(forbidden), True
        self.own = own = rng.choice(counted)
        self.instance = dict(zip(names, own, strict=True))
        self.towards = rng.choice([None, None, *classifier.classes])
        self.fixed = [name for name in names if rng.random() < 0.1]
        changes, self.may = draw_changes(classifier, own, rng) if rng.random() < 0.5 else ({}, {})
        costs, self.cost = draw_costs(classifier, own, rng, most) if rng.random() < 0.8 else ({}, {})
        self.changes, self.costs = changes, costs
        self.candidates = [states for states in counted if self.is_answer(states)]

    def is_answer(self, states: States) -> bool:
        """Return whether an instance is decided as asked, and may be changed to."""
        decision = self.table[states]
        right = decision != self.table[self.own] if self.towards is None else decision == self.towards
        return right and all(
            state == own or (name not in self.fixed and state in self.may.get(name, {state}))
            for name, own, state in zip(self.names, self.own, states, strict=True)
        )

    def changed(self, states: States) -> list[int]:
        return [f for f, (own, other) in enumerate(zip(self.own, states, strict=True)) if own != other]

    def distance(self, states: States) -> Fraction:
        changed = [(self.names[feature], states[feature]) for feature in self.changed(states)]
        return sum((self.cost.get(one, Fraction(1)) for one in changed), Fraction(0))

    def key(self, states: States) -> tuple[Fraction, int, list[int]]:
        return self.distance(states), len(self.changed(states)), self.changed(states)

    def ways_out(self) -> list[States]:
        """Return one instance for each way out, of equal keys the first."""
        found: list[States] = []
        while True:
            rest = [
                states
                for states in self.candidates
                if not any(set(self.changed(one)) <= set(self.changed(states)) for one in found)
            ]
            if not rest:
                return found
            found.append(min(rest, key=self.key))

    def check(self, found: Nearest) -> States:
        """Assert that an answer says what is so; return its instance."""
        assert found.instance is not None
        states = tuple(found.instance[name] for name in self.names)
        assert states in self.candidates
        assert found.decision == self.table[states]
        assert found.distance == self.distance(states)
        assert list(found.changes) == [self.names[feature] for feature in self.changed(states)]
        assert all(
            found.changes[name] == (self.instance[name], found.instance[name]) for name in found.changes
        )
        return states


def compare(seed: int) -> int:
    """Compare the answers to a random question with the definition; return how many ways out there are."""
    asked = Question(seed)
    options = {"fixed": asked.fixed, **asked.changes, **asked.costs}
    one = asked.model.nearest(asked.instance, asked.towards, **options)
    expected = asked.ways_out()
    assert bool(one) == bool(expected)
    if one:
        assert asked.distance(asked.check(one)) == asked.distance(expected[0])
    found = asked.model.nearest(asked.instance, asked.towards, **options, limit=50)
    keys = [asked.key(asked.check(way)) for way in found]
    assert keys == [asked.key(states) for states in expected[:50]]
    assert asked.model.nearest(asked.instance, asked.towards, **options, limit=2) == found[:2]
    return len(found)


def compare_explained(seed: int) -> int:
    """Compare the ways out of an explanation, by both routes, with the definition."""
    asked = Question(seed, "one" if seed % 2 else "pairs")
    expected = [asked.key(states) for states in asked.ways_out()[:5]]
    compiled = asked.model.explain(asked.instance, asked.fixed, **asked.changes)
    explained = [compiled]
    if not asked.forbidden:
        explained.append(asked.classifier.explain(asked.instance, asked.fixed, **asked.changes))
    for e in explained:
        try:
            found = e.ways_out(5, asked.towards, **asked.costs)
        except NotCompiledError:  # a cost for each state
            assert seed % 2 == 0
            assert e is not compiled
            continue
        assert [asked.key(asked.check(way)) for way in found] == expected
    return len(expected)


@pytest.mark.parametrize("start", range(0, 24, 12))
def test_ways_out_of_an_explanation(start: int) -> None:
    assert sum(compare_explained(seed) > 1 for seed in range(start, start + 12)) > 0


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_nearest_and_ways_out(start: int) -> None:
    assert sum(compare(seed) > 1 for seed in range(start, start + 20)) > 2


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def test_ways_out_read_well(diagnosis: CompiledModel) -> None:
    ways = diagnosis.nearest(PATIENT, limit=5)
    assert list(map(str, ways)) == ["BP: High → Normal gives 1", "CT: 1 → 0, HR: Normal → Low gives 0"]
    assert diagnosis.nearest(PATIENT, limit=0) == []
    assert diagnosis.nearest(PATIENT, fixed=["BP", "CT"], limit=3) == []
    assert [way.distance for way in diagnosis.nearest(PATIENT, "2", limit=3)] == [0]
    costly = diagnosis.nearest(PATIENT, costs={"BP": {("High", "Normal"): "2.5"}}, limit=2)
    assert [(list(way.changes), way.distance) for way in costly] == [(["BP", "HR"], 2), (["CT", "HR"], 2)]
    assert diagnosis.nearest(PATIENT, costs={"BP": {("High", "Normal"): "2.5"}}, limit=3)[
        2
    ].distance == Fraction(5, 2)


def test_a_cost_for_each_state_takes_a_compiled_model() -> None:
    e = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).explain(PATIENT)
    with pytest.raises(NotCompiledError, match="a cost for each state of a feature needs a compiled model"):
        e.ways_out(costs={"BP": {"Low": 2}})
    same = e.ways_out(costs={"BP": {"Low": 2, "Normal": 2}, "CT": {("1", "0"): 3}})
    assert [(list(way.changes), way.distance) for way in same] == [(["BP"], 2), (["CT", "HR"], 4)]


def test_a_time_limit_ends_the_search(diagnosis: CompiledModel) -> None:
    with pytest.raises(LimitExceeded, match="ways out are not known within"):
        diagnosis.nearest(PATIENT, limit=5, time_limit=0)
    with pytest.raises(LimitExceeded, match="nearest change is not known within"):
        diagnosis.nearest(PATIENT, time_limit=0)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"costs": {"bp": 1}}, UnknownNameError, "did you mean 'BP'"),
        ({"costs": {"BP": {"Hig": 1}}}, UnknownNameError, "did you mean 'High'"),
        ({"costs": {"BP": {("High", "low"): 1}}}, UnknownNameError, "did you mean 'Low'"),
        ({"costs": {"BP": {("High", "Low", "Low"): 1}}}, ClassifierError, "pair of states"),
        ({"costs": {"BP": -1}}, ClassifierError, "must not be negative"),
        ({"costs": {"BP": {"Low": float("inf")}}}, ClassifierError, "must be a number from 0 on"),
        ({"costs": {"BP": None}}, ClassifierError, "must be a number from 0 on, not None"),
        ({"costs": [1]}, Bnc2dError, "costs must be a mapping"),
        ({"costs": {"BP": 1}, "weights": {"BP": 2}}, ClassifierError, "'BP' has a weight and costs"),
        ({"allowed": {"HR": "upp"}}, UnknownNameError, "no state 'upp'"),
        ({"limit": -1}, Bnc2dError, "limit must not be negative"),
        ({"limit": "5"}, Bnc2dError, "limit must be a whole number"),
        ({"limit": 2, "time_limit": "x"}, Bnc2dError, "time_limit must be"),
    ],
)
def test_errors_say_what_is_wrong(
    diagnosis: CompiledModel, options: dict[str, Any], error: type[Bnc2dError], words: str
) -> None:
    with pytest.raises(error, match=words):
        diagnosis.nearest(PATIENT, **options)
