from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import event, given

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.convert.cnf import Tseitin, to_cnf
from bnc2d.logic.convert.one_hot import OneHot
from bnc2d.logic.domain import Domain
from tests.logic.strategies import Circuit, circuits, models


def all_models(clauses: list[list[int]], top: int) -> list[list[int]]:
    from pysat.solvers import Solver

    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        found = list(solver.enum_models())
    # A solver only knows the variables that occur; each of ours must.
    assert all(len(model) == top for model in found)
    return found


def instances(manager: Manager, root: NodeId) -> list[tuple[int, ...]]:
    """Decode every model of the CNF; a list, so that a model counted twice shows."""
    cnf, hot = to_cnf(manager, root), OneHot(manager.domain)
    return sorted(tuple(hot.decode(model)) for model in all_models(cnf.clauses, cnf.nv))


@given(circuits())
def test_models_of_the_cnf_are_those_of_the_circuit_each_once(circuit: Circuit) -> None:
    expected = models(*circuit)
    event("unsatisfiable" if not expected else "satisfiable")
    assert instances(*circuit) == sorted(expected)


@given(circuits(max_features=2, max_states=11, max_gates=4))
def test_models_of_large_features(circuit: Circuit) -> None:
    event(f"largest feature {max(circuit[0].domain.cardinalities)}")
    assert instances(*circuit) == sorted(models(*circuit))


@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 10, 25])
def test_constraints_have_one_model_for_each_instance(size: int) -> None:
    hot = OneHot(Domain({"A": [f"a{i}" for i in range(size)], "B": ["x", "y"]}))
    found = [tuple(hot.decode(model)) for model in all_models(hot.clauses(), hot.top)]
    assert sorted(found) == sorted(product(range(size), range(2)))


def test_large_features_have_few_clauses() -> None:
    hot = OneHot(Domain({"A": [f"a{i}" for i in range(200)]}))
    assert len(hot.clauses()) < 4 * 200


def test_constants_and_single_literals() -> None:
    manager = Manager(Domain({"one": ["only"], "A": list("abc"), "B": list("pqrstu")}))
    assert manager.add_literal(0, 1) == TRUE
    for root in (FALSE, TRUE, *(manager.add_literal(2, mask) for mask in range(64))):
        assert instances(manager, root) == sorted(models(manager, root))


def test_an_empty_domain_has_one_instance() -> None:
    manager = Manager(Domain({}))
    assert to_cnf(manager, TRUE).clauses == []
    assert instances(manager, FALSE) == []


@given(circuits(), circuits())
def test_outputs_of_several_roots(first: Circuit, second: Circuit) -> None:
    manager, root = first
    tseitin = Tseitin(manager.domain)
    roots = [node for node in (root, root // 2, FALSE, TRUE) if node < len(manager)]
    outputs = [tseitin.output(manager, node) for node in roots]
    assert outputs == [tseitin.output(manager, node) for node in roots]
    found = all_models(tseitin.clauses, tseitin.pool.top)
    assert len(found) == manager.domain.instance_count
    for node, output in zip(roots, outputs, strict=True):
        where = {tuple(tseitin.one_hot.decode(model)) for model in found if output in model}
        assert where == models(manager, node)
    if second[0].domain != manager.domain:
        with pytest.raises(LogicError, match="different domains"):
            tseitin.output(*second)


@given(circuits(max_states=2))
def test_two_state_features_need_no_helpers(circuit: Circuit) -> None:
    manager, root = circuit
    gates = sum(len(manager.children(node)) > 0 for node in manager.reachable(root))
    helpers = to_cnf(manager, root).nv - 2 * len(manager.domain)
    assert helpers == (1 if root == FALSE else gates)


def test_dimacs_names_the_variables(tmp_path: Path) -> None:
    from pysat.formula import CNF

    manager = Manager(Domain({"BP": ["Low", "Very\nHigh"], "CT": ["0", "1"]}))
    root = manager.add_or([manager.add_literal(0, 1), manager.add_literal(1, 2)])
    file = tmp_path / "x.cnf"
    cnf = to_cnf(manager, root)
    cnf.to_file(str(file))
    assert "c 2 BP=Very High\n" in file.read_text("utf-8")
    assert CNF(from_file=str(file)).clauses == cnf.clauses


def test_a_model_must_set_every_feature() -> None:
    hot = OneHot(Domain({"A": ["a", "b"], "B": ["c", "d"]}))
    assert hot.decode([hot.variable(0, 1), hot.variable(1, 0)]) == [1, 0]
    assert hot.mask_assumptions({0: 0b10, 1: 0b11}) == [-1]
    with pytest.raises(LogicError, match="'B'"):
        hot.decode([1, -2, -3, -4])


def test_deep_chains_are_encoded_without_recursion() -> None:
    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(20_000)}))
    root = manager.add_literal(0, 2)
    for feature in range(1, len(manager.domain)):
        add = manager.add_and if feature % 2 else manager.add_or
        root = add([root, manager.add_literal(feature, 2)])
    assert to_cnf(manager, root).nv == 3 * 20_000 - 1
