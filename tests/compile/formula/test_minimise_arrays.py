"""The arrays behind small formulas, each against a naive count, and the bounds on its work."""

from __future__ import annotations

from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnc2d.base.checkpoints import ending
from bnc2d.base.hashing import sorted_distinct
from bnc2d.compile.formula.blocks import BlockCircuits
from bnc2d.compile.formula.cells import CellTables
from bnc2d.compile.formula.guards import GuardBuilder, choose_guards
from bnc2d.compile.formula.implication import Implications
from bnc2d.compile.formula.minimise import Minimiser
from bnc2d.compile.formula.plan import Planner, scaled, shared
from bnc2d.logic.circuit.absorb import absorb
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.builder import CircuitBuilder
from bnc2d.logic.circuit.levels import Levels
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager
from bnc2d.logic.circuit.queries import evaluate_rows, is_or_decomposable, node_count
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.parts import parts_of
from bnc2d.logic.diagram.to_circuit import class_formula
from tests.compile.formula.test_minimise import check, small_formulas
from tests.logic.diagram.strategies import all_rows, diagram_of, domain_of, labelled_diagrams, random_labels
from tests.logic.strategies import contents
from tests.loops import BOTH, take_way

Case = tuple[Diagram, list[int], NDArray[np.int64]]


def naive_cells(function: Diagram, node: int, start: int, stop: int) -> list[int]:
    """Follow each instance of the block's features from a node, the last feature fastest."""
    levels = function.walk[start:stop]
    reached = []
    for states in product(*(range(level.table.shape[1]) for level in levels)):
        at = node
        for level, state in zip(levels, states, strict=True):
            if level.first <= at < level.first + len(level.table):
                at = int(level.table[at - level.first, state])
        reached.append(at)
    return reached


def naive_block(function: Diagram, start: int, stop: int) -> dict[int, list[int]]:
    """The cells of the nodes of the block's levels that an edge from before the block reaches."""
    before = {function.root, *(int(c) for level in function.walk[:start] for c in level.table.reshape(-1))}
    inside = {
        node
        for level in function.walk[start:stop]
        for node in range(level.first, level.first + len(level.table))
    }
    return {node: naive_cells(function, node, start, stop) for node in before & inside}


@given(labelled_diagrams(), st.sampled_from(BOTH))
def test_the_cells_of_every_block(case: Case, way: str) -> None:
    function = case[0].two_terminal(0)
    tables = CellTables(function)
    for start in range(len(function.walk)):
        for stop in range(start + 1, min(start + 3, len(function.walk)) + 1):
            with pytest.MonkeyPatch.context() as patch:
                take_way(way, patch)
                rows = tables.block(start, stop)
            found = dict(zip(rows.nodes.tolist(), rows.cells.T.tolist(), strict=True))
            assert found == naive_block(function, start, stop)


@given(labelled_diagrams(), st.booleans())
def test_the_size_of_a_formula_is_known_when_it_is_made(case: Case, negated: bool) -> None:
    diagram = case[0]
    minimiser = Minimiser(diagram, diagram.domain)
    manager = Manager(diagram.domain)
    for label in range(diagram.terminals):
        root = minimiser.formula(label, negated)
        assert minimiser.manager.size(root) == len(Levels(minimiser.manager.store, [root]))
        root = class_formula(diagram, manager, label, negated)
        assert manager.size(root) == len(Levels(manager.store, [root]))


@given(
    labelled_diagrams(),
    st.sampled_from([1, 40, 1 << 18]),
    st.sampled_from([0, 16, 1 << 20]),
    st.sampled_from(BOTH),
)
def test_the_cost_of_a_plan_is_counted(case: Case, together: int, entries: int, way: str) -> None:
    function = case[0].two_terminal(0)
    with pytest.MonkeyPatch.context() as patch:
        take_way(way, patch)
        patch.setattr("bnc2d.compile.formula.plan._COUNTED", together)
        patch.setattr("bnc2d.compile.formula.plan._CELLS_TOGETHER", together)
        patch.setattr("bnc2d.compile.formula.plan._ENTRIES", entries)
        planner = Planner(CellTables(function))
    for estimate in (scaled(1.0), scaled(0.0), shared):
        plan = planner.plan(estimate)
        assert plan[0] == 0
        assert plan[-1] == len(function.walk)
        expected = 0.0
        for start, stop in pairwise(plan):
            rows = naive_block(function, start, stop)
            parts = {
                (node, target): frozenset(cell for cell, at in enumerate(cells) if at == target)
                for node, cells in rows.items()
                for target in cells
            }
            clauses = {(target, cells) for (_, target), cells in parts.items() if target > 1}
            guards = {cells for (_, target), cells in parts.items() if target != 1}
            expected += len(rows) + len(clauses) + estimate(stop - start, len(guards))
        assert planner.size(plan, estimate) == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 70))
def test_parts(seed: int, rows: int, width: int) -> None:
    cells = np.random.default_rng(seed).integers(5, size=(width, rows)).astype(np.int32)
    parts = parts_of(cells)
    assert parts.rows.tolist() == sorted(parts.rows.tolist())
    found = sorted(zip(parts.rows.tolist(), parts.targets.tolist(), parts.sets.tolist(), strict=True))
    assert found == [
        (row, target, sum(1 << cell for cell in np.flatnonzero(cells[:, row] == target).tolist()))
        for row in range(rows)
        for target in sorted(set(cells[:, row].tolist()))
    ]


@given(st.lists(st.integers(0, 9)))
def test_sorted_distinct(values: list[int]) -> None:
    assert sorted_distinct(np.array(values, dtype=np.int64)).tolist() == sorted(set(values))


def greedy_guards(ranges: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Again and again the smallest of the limits that fit most ranges left."""
    left = {(low, high) for low, high in ranges if low}
    candidates = sorted({limit for pair in left for limit in pair})
    chosen = dict.fromkeys(ranges, 0)
    while left:
        fitting = {c: {p for p in left if not p[0] & ~c and not c & ~p[1]} for c in candidates}
        best = max(candidates, key=lambda c: (len(fitting[c]), -c))
        chosen.update(dict.fromkeys(fitting[best], best))
        left -= fitting[best]
    return chosen


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255)), min_size=1, max_size=30), st.booleans())
def test_guards_lie_in_their_ranges_and_are_chosen_greedily(sets: list[tuple[int, int]], wide: bool) -> None:
    ranges = [(a & b, a | b) for a, b in sets]
    kind = object if wide else np.uint64
    low, high = (np.array([pair[side] for pair in ranges], dtype=kind) for side in (0, 1))
    guards, places = choose_guards(low, high)
    assert guards == sorted(set(guards))
    for (least, most), place in zip(ranges, places.tolist(), strict=True):
        assert not guards[place] & ~most
        assert not least & ~guards[place]
    expected = {(a, b): b if a else 0 for a, b in ranges} if wide else greedy_guards(ranges)
    assert [guards[place] for place in places.tolist()] == [expected[pair] for pair in ranges]
    event(f"freedom: {any(a != b for a, b in ranges)}")


@given(st.lists(st.sampled_from([2, 2, 3]), min_size=1, max_size=4), st.data())
def test_guard_formulas(sizes: list[int], data: st.DataObject) -> None:
    domain = domain_of(sizes)
    cells = prod(sizes)
    sets = data.draw(st.lists(st.integers(1, (1 << cells) - 2), min_size=1, max_size=8))
    for wanted in sets:
        builder = CircuitBuilder()
        guards = GuardBuilder(range(len(sizes)), sizes, builder)
        manager = Manager(domain)
        [root] = builder.finish(guards.formula(wanted)).add_to(manager)
        values = evaluate_rows(manager, root, all_rows(sizes)).tolist()
        assert values == [bool(wanted >> cell & 1) for cell in range(cells)]
        assert is_or_decomposable(manager, root)
        manager.assert_consistent()


@given(labelled_diagrams(), st.booleans())
def test_block_circuits_of_a_function_and_of_its_complement(case: Case, negated: bool) -> None:
    diagram, sizes, labels = case
    function = diagram.two_terminal(0)
    tables = CellTables(function)
    plan = Planner(tables).plan(shared)
    circuit = BlockCircuits(function, plan, tables, Implications(function)).circuit(negated)
    manager = Manager(domain_of(sizes))
    [root] = circuit.add_to(manager)
    manager.assert_consistent()
    assert (evaluate_rows(manager, root, all_rows(sizes)) == ((labels == 0) != negated)).all()
    assert is_or_decomposable(manager, root)
    # Nothing is added that the root does not need, and the size is what was announced.
    assert len(manager) - 2 == node_count(manager, root) - (root in (FALSE, TRUE))
    assert node_count(manager, root) <= circuit.size
    if negated:
        turned = diagram.two_terminal(0, negated=True)
        direct = BlockCircuits(turned, plan, CellTables(turned), Implications(turned)).circuit(negated=False)
        assert direct.size == circuit.size
    event(f"gates: {min(len(circuit.is_or), 30) // 10}")


@given(labelled_diagrams())
def test_how_work_is_cut_up_does_not_matter(case: Case) -> None:
    diagram, sizes, labels = case
    whole = small_formulas(diagram, domain_of(sizes), diagram.terminals, effort=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnc2d.compile.formula.blocks._PAIRS_TOGETHER", 3)
        patch.setattr("bnc2d.compile.formula.plan._CELLS_TOGETHER", 10)
        patch.setattr("bnc2d.logic.circuit.store._BATCH", 2)
        patch.setattr("bnc2d.logic.circuit.manager._FEW", 0)
        cut = small_formulas(diagram, domain_of(sizes), diagram.terminals, effort=0)
    check(cut, diagram, sizes, labels)
    assert (cut.formulas, cut.negations) == (whole.formulas, whole.negations)
    assert contents(cut.manager) == contents(whole.manager)


@given(labelled_diagrams(), st.sampled_from(["_PAIRS_OF_BLOCK", "_OPEN_PAIRS"]))
def test_with_few_implications_and_with_a_second_plan_everywhere(case: Case, limit: str) -> None:
    diagram, sizes, labels = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"bnc2d.compile.formula.blocks.{limit}", 2)
        patch.setattr("bnc2d.compile.formula.blocks._PAIRS_TOGETHER", 4)
        patch.setattr("bnc2d.compile.formula.minimise._PROMISED", 2.0)
        patch.setattr("bnc2d.compile.formula.minimise._AS_ESTIMATED", 0.0)
        small = small_formulas(diagram, domain_of(sizes), diagram.terminals, effort=0)
    check(small, diagram, sizes, labels)


def test_gates_in_bulk_are_found_again() -> None:
    manager = Manager(domain_of([2, 2, 3]))
    a, b, c = (manager.add_literal(feature, 1) for feature in range(3))
    known = manager.add_or([a, b])
    images = [FALSE, TRUE, c, b, a, 0, 0, 0, 0]
    circuit = CircuitArrays(
        np.array([2, 1, 0]),
        (1, 1, 1),
        np.array([True, False, False, True]),
        np.array([0, 2, 4, 7, 9]),
        np.array([3, 4, 5, 2, 4, 3, 2, 6, 7]),
        np.array([5, 6, 7, 8]),
    )
    images[5:] = circuit.add_to(manager, simplify=False)
    assert images[5] == known
    assert images[6] == manager.add_and([known, c])
    assert images[7] == manager.add_and([a, b, c])
    assert images[8] == manager.add_or([images[6], images[7]])
    assert len(manager) == 2 + 3 + 4
    manager.assert_consistent()


def test_gates_that_serve_one_gate_of_their_kind_are_absorbed() -> None:
    domain = domain_of([2] * 5)
    builder = CircuitBuilder()
    a, b, c, d, e = (builder.literal(feature, 1) for feature in range(5))
    used_twice = builder.gate(Kind.OR, [a, b])
    assert builder.gate(Kind.OR, [b, a]) == used_twice
    inner = builder.gate(Kind.AND, [c, used_twice])
    [pair] = builder.gates(Kind.OR, np.array([2]), np.array([c, d]))
    [triple, alone, other, same] = builder.clauses(
        np.array([pair, FALSE, used_twice, used_twice]), np.array([e, inner, d, d])
    )
    assert (alone, other) == (inner, same)
    [only, root] = builder.conjunctions(np.array([0, 1, 1, 1]), np.array([pair, alone, triple, other]), 2)
    assert only == pair
    circuit = absorb(builder.finish(int(root)))
    manager = Manager(domain)
    [top] = circuit.add_to(manager)
    children = manager.children(top)
    assert sorted(map(manager.kind, children)) == [Kind.LITERAL, Kind.OR, Kind.OR, Kind.OR]
    assert sorted(len(manager.children(child)) for child in children) == [0, 2, 2, 3]
    assert node_count(manager, top) == circuit.size == 5 + 4
    manager.assert_consistent()


class StopError(Exception):
    """Raised by a check."""


def test_a_check_ends_the_work_at_any_time_and_formulas_can_still_be_made() -> None:
    sizes = [2, 3, 2, 2, 4, 2, 3]
    labels = random_labels(4, sizes, 3, "threshold")
    diagram = diagram_of(labels, sizes, 3, list(range(7)))
    expected = small_formulas(diagram, domain_of(sizes), 3, effort=0)
    calls = 0

    def stop_later() -> None:
        nonlocal calls
        calls += 1
        if calls == limit:
            raise StopError

    limit = 1
    while True:
        calls = 0
        minimiser = Minimiser(diagram, domain_of(sizes), effort=0)
        try:
            with ending(stop_later):
                minimiser.formula(1)
        except StopError:
            minimiser.manager.assert_consistent()
            root = minimiser.formula(1)
            assert (evaluate_rows(minimiser.manager, root, all_rows(sizes)) == (labels == 1)).all()
        else:
            break
        limit += 1
    assert limit > 10
    assert node_count(minimiser.manager, minimiser.formula(1)) == node_count(
        expected.manager, expected.formulas[1]
    )


@pytest.mark.parametrize(("sizes", "ends"), [([2] * 17, 2), ([3, 2] * 5 + [4, 3], 3)])
def test_tens_of_thousands_of_nodes(sizes: list[int], ends: int) -> None:
    random = np.random.default_rng(5)
    rows = random.integers(ends, size=(900, prod(sizes[6:])))
    labels = rows[random.integers(900, size=prod(sizes[:6]))].reshape(-1)
    diagram = diagram_of(labels, sizes, ends, list(range(len(sizes))))
    assert diagram.node_count > 10_000
    minimiser = Minimiser(diagram, domain_of(sizes), effort=0)
    some = random.integers(len(labels), size=2000)
    instances = np.stack(np.unravel_index(some, sizes), axis=1)
    for label in range(ends):
        root = minimiser.formula(label)
        assert is_or_decomposable(minimiser.manager, root)
        assert (evaluate_rows(minimiser.manager, root, instances) == (labels[some] == label)).all()
        assert node_count(minimiser.manager, root) < 2 * diagram.node_count
    minimiser.manager.assert_consistent()
