"""Least reasons by weight, against all reasons by definition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, Clause, LimitExceeded, LogicError, Term, UnknownNameError, example
from bnc2d.base.budget import Budget
from bnc2d.base.readers.numbers import Number
from bnc2d.explain.by_diagram import single
from bnc2d.explain.by_diagram.case import DiagramCase
from bnc2d.explain.by_diagram.single import least_sufficient_by_maxsat
from bnc2d.explain.keys import Keys
from bnc2d.testing import random_naive_bayes
from tests.brute_force.reasons import Truth, minimal_sets, truths
from tests.cases import cases

WEIGHTS: st.SearchStrategy[Number] = st.one_of(
    st.integers(1, 5),
    st.fractions(Fraction(1, 5), 5, max_denominator=6),
    st.sampled_from([0.1, 0.25, 2.5, 1e-9, 1e9, "0.1", "2.5"]),
)


def least(truth: Truth, weights: dict[str, Number], *, necessary: bool) -> tuple[str, ...] | None:
    """The set of least weight, then size, then the first in the order of the features."""
    names = truth.model.features
    found = [tuple(n for n in names if n in part) for part in minimal_sets(truth, necessary=necessary)]
    return min(
        found,
        key=lambda part: (
            sum(Fraction(str(weights.get(name, 1))) for name in part),
            len(part),
            [names.index(name) for name in part],
        ),
        default=None,
    )


@settings(max_examples=cases(14, 60))
@given(truth=truths(), data=st.data())
def test_the_least_reasons(truth: Truth, data: st.DataObject) -> None:
    names = st.sampled_from(truth.model.features)
    weights = data.draw(st.none() | st.dictionaries(names, WEIGHTS), "weights")
    e = truth.explanation
    term, clause = e.shortest_sufficient_reason(weights), e.shortest_necessary_reason(weights)
    event(f"sizes: {len(term)}, {None if clause is None else len(clause)}")
    assert isinstance(term, Term)
    assert all(states == {truth.instance[name]} for name, states in term.items())
    assert tuple(term) == least(truth, weights or {}, necessary=False)
    expected = least(truth, weights or {}, necessary=True)
    if expected is None:
        assert clause is None
    else:
        assert isinstance(clause, Clause)
        assert tuple(clause) == expected
        assert all(states == {truth.instance[name]} for name, states in clause.items())


@settings(max_examples=cases(14, 60))
@given(truth=truths(), data=st.data())
def test_maxsat_finds_the_same(truth: Truth, data: st.DataObject) -> None:
    names = st.sampled_from(truth.model.features)
    weights = data.draw(st.none() | st.dictionaries(names, WEIGHTS), "weights")
    e = truth.explanation
    keys = Keys(truth.model.domain, weights)
    assert isinstance(e._case, DiagramCase)
    found = least_sufficient_by_maxsat(e._case, keys, Budget(30.0))
    assert [truth.model.features[f] for f in found] == list(e.shortest_sufficient_reason(weights))


def test_weights_choose_between_the_papers_reasons() -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    e = model.explain({"BP": "High", "CT": "1", "HR": "Normal"})
    assert str(e.shortest_sufficient_reason()) == "BP=High ∧ CT"
    assert str(e.shortest_sufficient_reason({"CT": 3})) == "BP=High ∧ HR=Normal"
    assert str(e.shortest_necessary_reason()) == "BP=High"
    assert str(e.shortest_necessary_reason({"BP": Fraction(5, 2)})) == "CT ∨ HR=Normal"
    assert str(e.shortest_necessary_reason({"BP": 2})) == "BP=High"


def test_a_large_diagram_gives_way_to_maxsat(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Classifier(random_naive_bayes(5, 22), "Y").compile()
    e = model.explain(dict.fromkeys(model.features, 0))
    expected = e.shortest_sufficient_reason()
    assert e.is_sufficient(expected)
    monkeypatch.setattr(single, "_MOST_STEPS", -1)
    assert e.shortest_sufficient_reason() == expected
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.02 s"):
        e.shortest_sufficient_reason({n: 1 + i / 7 for i, n in enumerate(model.features)}, time_limit=0.02)


@pytest.mark.parametrize(
    ("weights", "kind", "message"),
    [
        ({"ct": 1}, UnknownNameError, "did you mean 'CT'"),
        ({"CT": 0}, LogicError, "positive"),
        ({"CT": -1.5}, LogicError, "positive"),
        ({"CT": float("nan")}, LogicError, "positive"),
        ({"CT": float("inf")}, LogicError, "positive"),
        ({"CT": "one"}, LogicError, "a number"),
        ({"CT": True}, LogicError, "a number"),
    ],
)
def test_wrong_weights(weights: Any, kind: type[Exception], message: str) -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    e = model.explain({"BP": "High", "CT": "1", "HR": "Normal"})
    for ask in (e.shortest_sufficient_reason, e.shortest_necessary_reason):
        with pytest.raises(kind, match=message):
            ask(weights)
