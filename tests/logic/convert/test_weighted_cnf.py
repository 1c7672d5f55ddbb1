"""DIMACS with weights: counting its models by enumeration gives the weighted count of the circuit."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from bnc2d import NNF, Domain, FormatError, LogicError, Manager
from bnc2d.logic.convert.weighted_cnf import WeightFormat
from tests.logic.counting.strategies import state_numbers
from tests.logic.strategies import Circuit, circuits


def count(text: str) -> Fraction:
    """Count as the two conventions say: by enumeration, with the weights of the lines."""
    weights: dict[int, Fraction] = {}
    factor, clauses, announced = Fraction(1), [], [0, 0]
    for line in text.splitlines():
        match line.split():
            case ["c", "p", "weight", literal, weight, "0"]:
                weights[int(literal)] = Fraction(weight)
            case ["c", "bnc2d", "factor", number]:
                factor = Fraction(number)
            case ["c", *_]:
                pass
            case ["w", variable, weight]:
                number_ = Fraction(weight)
                assert number_ == -1 or 0 <= number_ <= 1
                weights[int(variable)] = Fraction(1) if number_ == -1 else number_
                weights[-int(variable)] = Fraction(1) if number_ == -1 else 1 - number_
            case ["p", "cnf", variables, amount]:
                announced = [int(variables), int(amount)]
            case [*literals, "0"]:
                clauses.append(list(map(int, literals)))
    assert announced[1] == len(clauses)
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        found = [
            prod(weights.get(literal, Fraction(1)) for literal in model) for model in solver.enum_models()
        ]
    return factor * sum(found, Fraction(0))


@settings(max_examples=20)
@given(circuits(max_features=3, max_states=3), st.data(), st.sampled_from(["mcc", "cachet"]))
def test_the_count_of_the_file_is_that_of_the_circuit(
    circuit: Circuit, data: st.DataObject, form: WeightFormat
) -> None:
    formula = NNF(*circuit)
    weights = data.draw(state_numbers(formula.domain))
    if form == "cachet":
        weights = {name: {s: abs(number) for s, number in row.items()} for name, row in weights.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.cnf")
        formula.save(path, weights=weights, weight_format=form)
        text = path.read_text("utf-8")
    event(f"{form}, factor: {'factor' in text}")
    assert count(text) == formula.model_count(weights)


def test_the_text(tmp_path: Path) -> None:
    formula = NNF.literal(Manager(Domain({"BP": ("Low", "High")})), "BP", "High")
    formula.save(tmp_path / "x.cnf", weights={"BP": {"Low": "-12.50", "High": Fraction(1, 30)}})
    assert (tmp_path / "x.cnf").read_text() == (
        "c t wmc\nc bnc2d factor 1/3\nc 1 BP=Low\nc 2 BP=High\np cnf 2 3\n"
        "c p weight 1 -37.5 0\nc p weight -1 1 0\nc p weight 2 0.1 0\nc p weight -2 1 0\n"
        "1 2 0\n-1 -2 0\n-1 0\n"
    )
    formula.save(tmp_path / "x.cnf", weights={"BP": {"High": 40}}, weight_format="cachet")
    assert (tmp_path / "x.cnf").read_text() == (
        "c bnc2d factor 100\nc 1 BP=Low\nc 2 BP=High\np cnf 4 5\nw 1 -1\nw 2 -1\nw 3 0.01\nw 4 0.4\n"
        "1 2 0\n-1 -2 0\n-1 0\n-1 3 0\n-2 4 0\n"
    )


def test_what_has_no_weights(tmp_path: Path) -> None:
    formula = NNF.literal(Manager(Domain({"BP": ("Low", "High")})), "BP", "High")
    for name in ("x.nnf", "x.svg", "x.json"):
        with pytest.raises(FormatError, match=r"weights go into \.cnf and \.dimacs files only"):
            formula.save(tmp_path / name, weights={})
    with pytest.raises(LogicError, match="'BP': -1/2 is negative, and Cachet's lie in 0 to 1"):
        formula.save(tmp_path / "x.cnf", weights={"BP": {"Low": -0.5}}, weight_format="cachet")
    assert not list(tmp_path.iterdir())
