"""Small formulas of a diagram's classes: equal to it, OR-decomposable, never larger than the plain ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pysat.solvers import Solver

from bnc2d import Classifier
from bnc2d.compile.formula.blocks import BlockCircuits
from bnc2d.compile.formula.cells import CellTables
from bnc2d.compile.formula.implication import Implications
from bnc2d.compile.formula.minimise import Minimiser
from bnc2d.compile.formula.plan import Planner, scaled
from bnc2d.logic.circuit.absorb import absorb, absorbable
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import evaluate_rows, is_or_decomposable, node_count
from bnc2d.logic.circuit.transforms import negate
from bnc2d.logic.convert.cnf import to_cnf
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.diagram.to_circuit import class_formula
from bnc2d.logic.domain import Domain
from tests.logic.diagram.strategies import all_rows, diagram_of, domain_of, labelled_diagrams, random_labels
from tests.logic.strategies import contents
from tests.loops import BOTH, take_way
from tests.strategies import classifiers


@dataclass(frozen=True)
class SmallFormulas:
    """For each class its formula and the formula of its complement, all in one manager."""

    manager: Manager
    formulas: tuple[NodeId, ...]
    negations: tuple[NodeId, ...]


def small_formulas(diagram: Diagram, domain: Domain, classes: int, *, effort: float = 1.0) -> SmallFormulas:
    minimiser = Minimiser(diagram, domain, effort)
    formulas = tuple(minimiser.formula(label) for label in range(classes))
    negations = tuple(minimiser.formula(label, negated=True) for label in range(classes))
    return SmallFormulas(minimiser.manager, formulas, negations)


def check(small: SmallFormulas, diagram: Diagram, sizes: list[int], labels: NDArray[np.int64]) -> None:
    rows = all_rows(sizes)
    manager = small.manager
    manager.assert_consistent()
    assert len(small.formulas) == len(small.negations)
    for negated, roots in ((False, small.formulas), (True, small.negations)):
        for label, root in enumerate(roots):
            assert (evaluate_rows(manager, root, rows) == ((labels == label) != negated)).all()
            assert is_or_decomposable(manager, root)
            plain = Manager(manager.domain)
            assert node_count(manager, root) <= node_count(
                plain, class_formula(diagram, plain, label, negated)
            )


@given(labelled_diagrams(), st.sampled_from([0, 0.05, 1, 3]))
def test_small_formulas_are_the_classes(
    case: tuple[Diagram, list[int], NDArray[np.int64]], effort: float
) -> None:
    diagram, sizes, labels = case
    check(small_formulas(diagram, domain_of(sizes), diagram.terminals, effort=effort), diagram, sizes, labels)
    event(f"nodes: {min(diagram.node_count, 40) // 10}")


@given(classifiers())
def test_small_formulas_of_classifiers(classifier: Classifier) -> None:
    sizes = [len(variable.states) for variable in classifier.feature_variables]
    ends = len(classifier.classes) + 1
    labels = classifier.labels(all_rows(sizes)).astype(np.int64) % ends
    diagram = diagram_of(labels, sizes, ends, list(range(len(sizes))))
    domain = Domain({variable.name: variable.states for variable in classifier.feature_variables})
    check(small_formulas(diagram, domain, ends - 1), diagram, sizes, labels)


@given(labelled_diagrams())
def test_the_same_diagram_gives_the_same_circuits(
    case: tuple[Diagram, list[int], NDArray[np.int64]],
) -> None:
    diagram, sizes, _ = case
    first, second = (small_formulas(diagram, domain_of(sizes), diagram.terminals) for _ in range(2))
    assert (first.formulas, first.negations) == (second.formulas, second.negations)
    assert contents(first.manager) == contents(second.manager)


@pytest.mark.parametrize("effort", [0, 1])
@pytest.mark.parametrize("kind", ["random", "rare", "threshold", "modulo"])
def test_a_dozen_features(kind: str, effort: float) -> None:
    """Large enough for long blocks, many guards and sifting."""
    sizes = [2, 3, 2, 2, 2, 2, 1, 2, 2, 3, 2, 2]
    labels = random_labels(7, sizes, 3, kind)
    diagram = diagram_of(labels, sizes, 3, list(range(12)))
    check(small_formulas(diagram, domain_of(sizes), 3, effort=effort), diagram, sizes, labels)


def test_a_formula_and_its_negation_are_complements_by_sat() -> None:
    sizes = [2] * 8 + [3, 3]
    labels = random_labels(3, sizes, 2, "threshold")
    diagram = diagram_of(labels, sizes, 2, list(range(10)))
    minimiser = Minimiser(diagram, domain_of(sizes))
    manager = minimiser.manager
    left, right = minimiser.formula(1), negate(manager, minimiser.formula(1, negated=True))
    for a, b in ((left, right), (right, left)):
        difference = manager.add_and([a, negate(manager, b)])
        with Solver("cadical153", bootstrap_with=to_cnf(manager, difference).clauses) as solver:
            assert not solver.solve()


def test_constants() -> None:
    domain = domain_of([2, 3])
    diagram = diagram_of(np.full(6, 1, dtype=np.int64), [2, 3], 3, [1, 0])
    small = small_formulas(diagram, domain, 3)
    assert small.formulas == (FALSE, TRUE, FALSE)
    assert small.negations == (TRUE, FALSE, TRUE)
    nothing = DiagramBuilder(2).finish(Domain({}), (), 1)
    assert small_formulas(nothing, Domain({}), 2).formulas == (FALSE, TRUE)


def test_a_feature_with_more_states_than_bits_in_a_word() -> None:
    sizes = [2, 70, 3]
    labels = random_labels(5, sizes, 3, "random")
    diagram = diagram_of(labels, sizes, 3, [1, 0, 2])
    check(small_formulas(diagram, domain_of(sizes), 3), diagram, sizes, labels)


def test_a_random_function_needs_far_fewer_gates_than_its_decision_diagram() -> None:
    sizes = [2] * 12
    labels = random_labels(1, sizes, 2, "random")
    diagram = diagram_of(labels, sizes, 2, list(range(12)))
    small = small_formulas(diagram, domain_of(sizes), 2)
    assert node_count(small.manager, small.formulas[1]) < diagram.node_count


@given(labelled_diagrams(), st.sampled_from([1, 4, 30, 512]), st.sampled_from(BOTH))
def test_implications(
    case: tuple[Diagram, list[int], NDArray[np.int64]], combinations: int, way: str
) -> None:
    diagram, sizes, _ = case
    function = diagram.two_terminal(0)
    count = function.size
    values = []
    for node in range(count):
        twin = replace(function, root=node)
        values.append(twin.labels(all_rows(sizes)).astype(bool))
    left, right = (numbers.reshape(-1) for numbers in np.meshgrid(np.arange(count), np.arange(count)))
    expected = [bool((~values[a] | values[b]).all()) for a, b in zip(left, right, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnc2d.compile.formula.implication._COMBINATIONS", combinations)
        take_way(way, patch)
        implications = Implications(function)
        assert implications.holds(left, right).tolist() == expected
    a, b = implications.first_words(left), implications.first_words(right)
    assert not (a & ~b)[expected].any()
    event(f"implied: {sum(expected) > 3 * count}")


def test_implications_give_up_without_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnc2d.compile.formula.implication._PAIRS_AT_ONCE", 3)
    monkeypatch.setattr("bnc2d.compile.formula.guards._RANGES_AT_ONCE", 2)
    monkeypatch.setattr("bnc2d.compile.formula.plan._CELLS_AT_ONCE", 8)
    sizes = [2] * 9
    labels = random_labels(2, sizes, 2, "threshold")
    diagram = diagram_of(labels, sizes, 2, list(range(9)))
    check(small_formulas(diagram, domain_of(sizes), 2), diagram, sizes, labels)


@given(labelled_diagrams())
def test_every_plan_gives_the_function(case: tuple[Diagram, list[int], NDArray[np.int64]]) -> None:
    diagram, sizes, labels = case
    function = diagram.two_terminal(0)
    last = len(function.walk)
    tables, implications = CellTables(function), Implications(function)
    planner = Planner(tables)
    plans = {planner.plan(scaled(scale)) for scale in (0.1, 1.0, 9.0)}
    plans |= {tuple(range(last + 1)), (*range(0, last, 2), last)}
    for plan in plans:
        manager = Manager(domain_of(sizes))
        [root] = BlockCircuits(function, plan, tables, implications).circuit(negated=False).add_to(manager)
        assert is_or_decomposable(manager, root)
        assert (evaluate_rows(manager, root, all_rows(sizes)) == (labels == 0)).all()


def test_absorbing_takes_what_one_gate_of_the_kind_uses() -> None:
    manager = Manager(domain_of([2] * 5))
    a, b, c, d, e = (manager.add_literal(feature, 1) for feature in range(5))
    shared = manager.add_or([a, b])
    root = manager.add_and(
        [manager.add_and([c, shared]), manager.add_or([manager.add_or([c, d]), e]), shared]
    )
    target = Manager(manager.domain)
    [flat] = absorb(CircuitArrays.of(manager, [root])).add_to(target)
    assert sorted(target.kind(child) for child in target.children(flat)) == [Kind.LITERAL, Kind.OR, Kind.OR]
    assert node_count(target, flat) == node_count(manager, root) - 2


def test_absorbing_brings_no_two_literals_of_a_feature_together() -> None:
    manager = Manager(domain_of([3, 2]))
    inner = manager.add_and([manager.add_literal(0, 0b011), manager.add_literal(1, 1)])
    root = manager.add_and([manager.add_literal(0, 0b110), inner])
    edges, above = absorbable(CircuitArrays.of(manager, [root]))
    assert not len(edges)
    assert above.tolist() == [0, 1]
