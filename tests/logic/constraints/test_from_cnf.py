"""CNFs as constraints: what ``NNF.to_cnf`` writes comes back, helpers and all."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import event, given
from pysat.formula import CNF

from bnc2d import NNF, Domain, LogicError, Manager
from bnc2d.logic.constraints import from_cnf
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.convert.one_hot import OneHot
from tests.logic.strategies import Circuit, circuits

DOMAIN = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})


@given(circuits())
def test_a_circuit_comes_back(made: Circuit) -> None:
    circuit = NNF(*made)
    cnf = circuit.to_cnf()
    manager = Manager(circuit.domain)
    try:
        found = read_constraint(cnf, manager)
    except LogicError:
        event("too many helpers")
        return
    event("helpers" if cnf.nv > OneHot(circuit.domain).count else "no helpers")
    assert found.equivalent(circuit)


def test_any_clauses_against_enumeration() -> None:
    hot = OneHot(DOMAIN)
    top = hot.count + 3
    helped = 0
    for seed in range(200):
        rng = Random(seed)  # noqa: S311 - reproducible test data
        clauses = [
            [rng.choice((1, -1)) * rng.randint(1, top) for _ in range(rng.randint(1, 3))]
            for _ in range(rng.randint(0, 8))
        ]
        found = read_constraint(CNF(from_clauses=clauses), Manager(DOMAIN))
        if clauses:
            assert found.equivalent(read_constraint(clauses, Manager(DOMAIN)))
            assert found.equivalent(read_constraint(tuple(map(tuple, clauses)), Manager(DOMAIN)))
        for bp, ct in product(range(3), range(2)):
            own = {hot.variable(0, bp), hot.variable(1, ct)}
            expected = False
            for helpers in product((False, True), repeat=3):
                true = own | {hot.count + 1 + at for at, value in enumerate(helpers) if value}
                expected |= all(any((abs(x) in true) == (x > 0) for x in clause) for clause in clauses)
            states = {"BP": DOMAIN.states[0][bp], "CT": DOMAIN.states[1][ct]}
            assert found.evaluate(states) == expected, clauses
        helped += any(abs(x) > hot.count for clause in clauses for x in clause)
    assert helped > 100


def test_what_is_no_cnf(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = CNF()
    wrong.clauses = [[1, "x"]]
    with pytest.raises(LogicError, match="str 'x', which is no literal"):
        read_constraint(wrong, Manager(DOMAIN))
    with pytest.raises(LogicError, match="int 0, which is no literal"):
        read_constraint([[1, 0]], Manager(DOMAIN))
    with pytest.raises(LogicError, match="item 1"):
        read_constraint([[1, 2], "CT"], Manager(DOMAIN))
    monkeypatch.setattr(from_cnf, "MOST_CLAUSES", 2)
    with pytest.raises(LogicError, match="variables of features are 1 to 5"):
        read_constraint(CNF(from_clauses=[[9, 1], [9, 2], [-9, 3], [-9, 4]]), Manager(DOMAIN))
