"""Weighted counts, models in order, cheapest models: by definition on circuits and diagrams, and by pysdd."""

from __future__ import annotations

import time
from fractions import Fraction
from math import prod

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import NNF, Domain, LimitExceeded, LogicError, Manager, Number, TimeLimitExceeded, UnknownNameError
from bnc2d.logic.circuit import count
from bnc2d.logic.circuit.manager import NodeId
from bnc2d.logic.convert.one_hot import OneHot
from bnc2d.logic.counting import circuits as counted
from tests.cases import cases
from tests.logic.counting.strategies import Numbers, of_states, state_numbers
from tests.logic.diagram.strategies import Case, all_rows, labelled_diagrams
from tests.logic.strategies import Circuit, circuits, models, or_decomposable_circuits

FEW = settings(max_examples=cases(16, 30))
DOMAIN = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})


def weight(domain: Domain, numbers: Numbers, rows: list[tuple[int, ...]]) -> Fraction:
    return sum((prod(of_states(domain, numbers, row, 1), start=Fraction(1)) for row in rows), Fraction(0))


def check(manager: Manager, root: NodeId, weights: Numbers, costs: Numbers) -> None:
    domain, formula = manager.domain, NNF(manager, root)
    found = sorted(models(manager, root))
    expected = weight(domain, weights, found)
    assert formula.model_count(weights) == expected
    assert formula.model_count() == len(found)
    assert list(formula.models()) == [domain.decode(row) for row in found]
    by_cost = sorted((sum(of_states(domain, costs, row, 0)), row) for row in found)
    cheapest = list(formula.cheapest_models(costs))
    assert cheapest == [(domain.decode(row), cost) for cost, row in by_cost]
    assert formula.cheapest_model(costs) == (cheapest[0] if cheapest else None)


@FEW
@given(circuits(), st.data())
def test_circuits_by_definition(circuit: Circuit, data: st.DataObject) -> None:
    manager, root = circuit
    is_decomposable = NNF(manager, root).is_and_decomposable()
    event("AND-decomposable" if is_decomposable else "conjuncts share features")
    numbers = [data.draw(state_numbers(manager.domain)) for _ in range(2)]
    check(manager, root, *numbers)


@FEW
@given(or_decomposable_circuits(), st.data())
def test_or_decomposable_circuits_by_definition(
    case: tuple[Manager, NodeId, list[int]], data: st.DataObject
) -> None:
    manager, root, _ = case
    numbers = [data.draw(state_numbers(manager.domain)) for _ in range(2)]
    check(manager, root, *numbers)


@FEW
@given(labelled_diagrams(), st.data())
def test_diagrams_by_definition(case: Case, data: st.DataObject) -> None:
    diagram, sizes, labels = case
    domain = diagram.domain
    weights, costs = (data.draw(state_numbers(domain)) for _ in range(2))
    rows = [tuple(row) for row in all_rows(sizes).tolist()]
    of = [[row for row, end in zip(rows, labels, strict=True) if end == k] for k in range(diagram.terminals)]
    assert diagram.counts(weights) == [weight(domain, weights, found) for found in of]
    terminal = data.draw(st.integers(0, diagram.terminals - 1))
    assert diagram.count(terminal, weights) == weight(domain, weights, of[terminal])
    by_cost = sorted(
        (sum(of_states(domain, costs, row, 0)), tuple(row[f] for f in diagram.order), row)
        for row in of[terminal]
    )
    cheapest = list(diagram.in_order_of_cost(terminal, costs))
    assert cheapest == [(domain.decode(row), cost) for cost, _, row in by_cost]
    assert diagram.cheapest(terminal, costs) == (cheapest[0] if cheapest else None)
    assert len(list(diagram.in_order_of_cost(terminal, costs, limit=2))) == min(2, len(cheapest))
    formula = diagram.to_nnf(terminal)
    if formula.root > 1 and max(sizes) == 2:  # one pass counts it
        assert count._Rules(formula.manager, formula.root, False).fit
    assert formula.model_count(weights) == weight(domain, weights, of[terminal])


@settings(max_examples=12)
@given(circuits(), st.data())
def test_sdd_and_the_count_of_pysdd_itself(circuit: Circuit, data: st.DataObject) -> None:
    manager, root = circuit
    drawn, hot = data.draw(state_numbers(manager.domain)), OneHot(manager.domain)
    # pysdd gives no number where weights are negative.
    weights = {name: {state: abs(number) for state, number in row.items()} for name, row in drawn.items()}
    formula = NNF(manager, root)
    form, expected = formula.to_sdd(), formula.model_count(weights)
    assert form.count(drawn) == formula.model_count(drawn)
    assert form.count(weights) == expected
    assert form.count() == formula.model_count()
    foreign = form.node.wmc(log_mode=False)
    for variable in range(1, hot.count + 1):
        feature, state = hot.owner(variable)
        name, states = manager.domain.names[feature], manager.domain.states[feature]
        number = weights.get(name, {}).get(states[state], Fraction(1))
        foreign.set_literal_weight(form.manager.literal(variable), float(number))
    assert foreign.propagate() == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


def test_weights_that_cancel_beside_an_or() -> None:
    """A feature that one disjunct lacks weighs 0 in all; found by dividing by the weights below."""
    manager = Manager(Domain(dict.fromkeys("abc", ("0", "1"))))
    a, b, c = (NNF.literal(manager, name, "1") for name in "abc")
    formula = (a & b) | (~a & c)
    weights: dict[str, dict[str, Number]] = {"b": {"0": -1, "1": 1}, "c": {"0": "0.5", "1": "0.25"}}
    assert formula.model_count(weights) == Fraction(3, 4)
    assert formula.model_count({**weights, "a": {"0": -7}}) == Fraction(3, 4)


def test_a_promise_of_determinism_is_believed() -> None:
    manager = Manager(Domain(dict.fromkeys("abcd", ("0", "1"))))
    a, b, c, d = (NNF.literal(manager, name, "1") for name in "abcd")
    # Disjuncts that share features and exclude each other, though no single feature shows it.
    both = (((a & b) | (~a & ~b)) & c) | (((a & ~b) | (~a & b)) & d)
    assert both.is_deterministic()
    assert both.is_and_decomposable()
    assert not count._Rules(manager, both.root, False).fit
    assert both.model_count(deterministic=True) == both.model_count() == 8
    overlapping = (a & b) | (b & c)
    assert overlapping.model_count() == 6
    assert overlapping.model_count(deterministic=True) == 8  # nobody should have said so


def test_many_features_need_long_numbers() -> None:
    manager = Manager(Domain({f"F{number}": ("0", "1", "2") for number in range(150)}))
    formula = NNF.literal(manager, "F0", "1")
    for name in manager.domain.names[1:]:
        one = NNF.literal(manager, name, ["1", "2"])
        formula = (formula & one) | (~one & NNF.literal(manager, "F0", "0"))
    one_each: dict[str, Number] = {"0": "0.125", "1": Fraction(1, 3), "2": -2}
    weights = dict.fromkeys(manager.domain.names, one_each)
    small = Fraction(1, 8) + Fraction(1, 3) - 2
    assert NNF.literal(manager, "F7", ["0", "1"]).model_count(weights) == Fraction(11, 24) * small**149
    started = time.perf_counter()
    found = formula.cheapest_model(weights)
    assert found is not None
    assert formula.evaluate(found.instance)
    assert len(list(formula.models(limit=5))) == 5
    assert time.perf_counter() - started < 30


def test_deep_circuits_are_restricted_without_recursion() -> None:
    manager = Manager(Domain({f"F{number}": tuple("012") for number in range(3)}))
    literals = [manager.add_literal(feature, mask) for mask in (1, 3, 6) for feature in range(3)]
    root = literals[0]
    for gate in range(1, 1200):
        root = (manager.add_and if gate % 2 else manager.add_or)([root, literals[gate % 7]])
    formula = NNF(manager, root)
    assert formula.depth > 1000
    found = [tuple(map(int, model.values())) for model in formula.models()]
    assert found == sorted(models(manager, root))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Manager(Domain({f"F{number}": tuple("012") for number in range(12)}))
    literal = [NNF.literal(manager, name, "1") for name in manager.domain.names]
    formula = NNF.all_of([left | right for left in literal[:6] for right in literal[6:]])
    with pytest.raises(TimeLimitExceeded, match="not counted within the time limit of 0 s"):
        formula.model_count(time_limit=0)
    with pytest.raises(TimeLimitExceeded, match="not all models"):
        next(formula.models(time_limit=0))
    with pytest.raises(TimeLimitExceeded, match="cheapest"):
        formula.cheapest_model({}, time_limit=0)
    assert list(formula.models(0)) == []
    monkeypatch.setattr(count, "_MAX_WIDTH", 1)
    with pytest.raises(LimitExceeded, match="to_sdd"):
        formula.model_count()
    monkeypatch.setattr(counted, "_MAX_WIDTH", 1)
    with pytest.raises(LimitExceeded, match="more than 1 different restrictions"):
        formula.cheapest_model({})


@pytest.mark.parametrize(
    ("given_weights", "message"),
    [
        ({"BP": 3}, "weights of 'BP' must be a mapping from state to number, not int 3"),
        ({"BP": {"High": "x"}}, "weights of 'BP': that of 'High' must be a finite number, not str 'x'"),
        ({"BP": {"High": float("nan")}}, "must be a finite number"),
        ({"CT": {1: 2, "1": 3}}, "weights of 'CT': '1' and '1' are the same state"),
        ([1], "weights must be a mapping from feature to numbers by state"),
        ({"BP": {"Hig": 1}}, "did you mean 'High'"),
        ({"B": {}}, "unknown feature 'B'; did you mean 'BP'"),
    ],
)
def test_wrong_weights(given_weights: Numbers, message: str) -> None:
    formula = NNF.literal(Manager(DOMAIN), "CT", "1")
    with pytest.raises((LogicError, UnknownNameError), match=message):
        formula.model_count(given_weights)
    with pytest.raises((LogicError, UnknownNameError), match=message.replace("weights", "costs")):
        formula.cheapest_models(given_weights)
