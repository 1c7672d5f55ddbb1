from __future__ import annotations

from itertools import combinations
from time import monotonic

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.errors import LimitExceeded, LogicError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import evaluate
from bnc2d.logic.circuit.transforms import negate
from bnc2d.logic.convert.sat import (
    Answer,
    CircuitSolver,
    disjoint,
    equivalent,
    exhaustive,
    implies,
    is_deterministic,
    satisfiable,
)
from bnc2d.logic.convert.sdd import to_sdd
from bnc2d.logic.domain import Domain
from tests.logic.strategies import Circuit, circuits, models


def holds(manager: Manager, root: NodeId, answer: Answer) -> bool:
    assert answer.witness is not None
    return evaluate(manager, root, manager.domain.encode(answer.witness))


@st.composite
def circuit_with_nodes(draw: st.DrawFn, count: int) -> tuple[Manager, list[NodeId]]:
    manager, _ = draw(circuits(max_gates=16))
    return manager, [draw(st.integers(0, len(manager) - 1)) for _ in range(count)]


def test_answers_read_as_booleans() -> None:
    assert Answer(True, {"A": "a"})
    assert not Answer(False)


@given(circuits())
def test_satisfiable(circuit: Circuit) -> None:
    answer = satisfiable(*circuit)
    event(f"satisfiable: {bool(answer)}")
    assert bool(answer) == bool(models(*circuit))
    assert holds(*circuit, answer) if answer else answer.witness is None


@given(circuit_with_nodes(2))
def test_implication_equivalence_and_disjointness(drawn: tuple[Manager, list[NodeId]]) -> None:
    manager, (first, second) = drawn
    left, right = models(manager, first), models(manager, second)
    answer = implies(manager, first, second)
    event(f"implies: {bool(answer)}")
    assert bool(answer) == (left <= right)
    if not answer:
        assert holds(manager, first, answer)
        assert not holds(manager, second, answer)
    answer = equivalent(manager, first, second)
    event(f"equivalent: {bool(answer)}")
    assert bool(answer) == (left == right)
    assert answer or holds(manager, first, answer) != holds(manager, second, answer)
    answer = disjoint(manager, first, second)
    event(f"disjoint: {bool(answer)}")
    assert bool(answer) == (not left & right)
    assert answer or (holds(manager, first, answer) and holds(manager, second, answer))


@given(circuit_with_nodes(3))
def test_exhaustive(drawn: tuple[Manager, list[NodeId]]) -> None:
    manager, roots = drawn
    covered = set().union(*(models(manager, root) for root in roots))
    answer = exhaustive(manager, roots)
    event(f"exhaustive: {bool(answer)}")
    assert bool(answer) == (len(covered) == manager.domain.instance_count)
    assert answer or not any(holds(manager, root, answer) for root in roots)
    assert exhaustive(manager, [roots[0], negate(manager, roots[0])])


@given(circuits())
def test_circuits_of_two_managers(circuit: Circuit) -> None:
    manager, root = circuit
    other = Manager(manager.domain)
    everything = other.add_or(
        other.add_and(other.add_literal(f, 1 << state) for f, state in enumerate(positions))
        for positions in models(manager, root)
    )
    assert equivalent(manager, root, (other, everything))
    assert disjoint(manager, (other, everything), negate(manager, root))
    assert implies(other, everything, (manager, root))
    assert exhaustive(manager, [negate(manager, root), (other, everything)])


def test_other_domains_are_refused() -> None:
    one, other = Manager(Domain({"A": ["a", "b"]})), Manager(Domain({"A": ["a", "c"]}))
    with pytest.raises(LogicError, match="different domains"):
        equivalent(one, TRUE, (other, TRUE))


def test_constants_single_states_and_no_features() -> None:
    for domain in (Domain({}), Domain({"one": ["only"]}), Domain({"A": ["a", "b"], "one": ["only"]})):
        manager = Manager(domain)
        assert satisfiable(manager, TRUE).witness == domain.decode([0] * len(domain)) or "A" in domain.names
        assert not satisfiable(manager, FALSE)
        assert implies(manager, FALSE, TRUE)
        assert not implies(manager, TRUE, FALSE)
        assert not equivalent(manager, TRUE, FALSE)
        assert disjoint(manager, FALSE, TRUE)
        assert not exhaustive(manager, [])
        assert exhaustive(manager, [FALSE, TRUE])
        assert is_deterministic(manager, TRUE)


@given(circuits())
def test_deterministic(circuit: Circuit) -> None:
    manager, root = circuit
    ors = [node for node in manager.reachable(root) if manager.kind(node) == Kind.OR]
    pairs = [pair for node in ors for pair in combinations(manager.children(node), 2)]
    expected = not any(models(manager, a) & models(manager, b) for a, b in pairs)
    answer = is_deterministic(manager, root)
    event(f"deterministic: {bool(answer)}, ors: {bool(ors)}")
    assert bool(answer) == expected
    assert answer or any(holds(manager, a, answer) and holds(manager, b, answer) for a, b in pairs)


@given(circuits())
def test_deterministic_circuits(circuit: Circuit) -> None:
    manager, root = circuit
    parts = [to_sdd(manager, node).to_nnf(manager) for node in (root, negate(manager, root))]
    both = manager.add_or(parts)  # the two parts exclude each other, which no literal shows
    event(f"kind of the OR: {manager.kind(both).name}")
    assert is_deterministic(manager, both)


def test_determinism_that_only_search_sees() -> None:
    manager = Manager(Domain({"A": list("abc"), "B": list("abc"), "C": list("ab")}))
    same = manager.add_or(
        manager.add_and([manager.add_literal(0, 1 << s), manager.add_literal(1, 1 << s)]) for s in range(3)
    )
    root = manager.add_or([same, manager.add_and([negate(manager, same), manager.add_literal(2, 1)])])
    assert not is_deterministic(manager, root)  # negation turned deterministic ORs into others
    different = manager.add_or(
        manager.add_and([manager.add_literal(0, 1 << s), manager.add_literal(1, 7 & ~(1 << s))])
        for s in range(3)
    )
    assert is_deterministic(manager, manager.add_or([same, different]))


@given(circuits(), st.data())
def test_a_loaded_circuit_answers_many_questions(circuit: Circuit, data: st.DataObject) -> None:
    manager, root = circuit
    domain = manager.domain
    everywhere, found = models(manager, TRUE), models(manager, root)
    with CircuitSolver(manager, root) as solver:
        for _ in range(4):
            features = data.draw(st.sets(st.integers(0, len(domain) - 1)))
            masks = {feature: data.draw(st.integers(0, domain.full(feature))) for feature in sorted(features)}
            value = data.draw(st.booleans())
            wanted = found if value else everywhere - found
            inside = {x for x in wanted if all(mask >> x[f] & 1 for f, mask in masks.items())}
            positions = solver.solve(masks, value=value)
            event(f"found: {positions is not None}")
            assert tuple(positions) in inside if positions is not None else not inside
            if positions is None:
                core = solver.core()
                assert all(masks[f] | mask == mask for f, mask in core.items())
                assert not {x for x in wanted if all(mask >> x[f] & 1 for f, mask in core.items())}
        # Blocking every instance found, one after the other, finds all models and ends.
        seen = set()
        while (positions := solver.solve()) is not None:
            seen.add(tuple(positions))
            solver.add_clause([-solver.one_hot.variable(f, p) for f, p in enumerate(positions)])
        assert seen == found
        solver.close()


def pigeons(holes: int) -> Circuit:
    """No two of ``holes + 1`` pigeons share a hole: unsatisfiable, and hard to refute by resolution."""
    domain = Domain({f"P{i}": [f"h{j}" for j in range(holes)] for i in range(holes + 1)})
    manager = Manager(domain)
    apart = [
        manager.add_or(manager.add_literal(pigeon, domain.full(pigeon) & ~(1 << hole)) for pigeon in pair)
        for pair in combinations(range(holes + 1), 2)
        for hole in range(holes)
    ]
    return manager, manager.add_and(apart)


def test_a_hard_question_is_settled() -> None:
    assert not satisfiable(*pigeons(5), time_limit=60)


def test_time_limits_end_the_search() -> None:
    manager, root = pigeons(12)
    start = monotonic()
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.3 s"):
        satisfiable(manager, root, time_limit=0.3)
    with pytest.raises(LimitExceeded):
        implies(manager, root, FALSE, time_limit=0.2)
    with pytest.raises(LimitExceeded):
        equivalent(manager, FALSE, root, time_limit=0.2)
    with pytest.raises(LimitExceeded):
        disjoint(manager, root, root, time_limit=0)
    assert monotonic() - start < 5
