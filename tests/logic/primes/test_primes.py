"""Primes: two routes, the definition, and the laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_monotone_towards, is_or_decomposable
from bnc2d.logic.circuit.transforms import complete_reason, general_reason
from bnc2d.logic.domain import Domain
from bnc2d.logic.primes import by_sat as primes_sat
from bnc2d.logic.primes import direct as primes
from bnc2d.logic.primes import monotone, subsumption
from bnc2d.logic.primes.direct import Mode
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term
from tests.brute_force import primes as brute_force
from tests.cases import cases
from tests.logic.strategies import circuits, models, or_decomposable_circuits

Fixated = tuple[Manager, NodeId, list[int]]
KINDS: dict[str, Any] = {"prime_implicants": Term, "prime_implicates": Clause}
MODES: list[Mode] = ["auto", "sorted", "lazy"]


def random_fixated(seed: int, max_features: int = 5, max_states: int = 4, fuel: int = 3) -> Fixated:
    """An OR-decomposable circuit, all of whose literals hold for an instance, with many crossing literals."""
    rng = Random(seed)  # noqa: S311
    sizes = [rng.randint(2, max_states) for _ in range(rng.randint(2, max_features))]
    manager = Manager(Domain({f"F{f}": [f"s{s}" for s in range(size)] for f, size in enumerate(sizes)}))
    positions = [rng.randrange(size) for size in sizes]

    def literal(feature: int) -> NodeId:
        full = manager.domain.full(feature)
        mask = rng.randint(1, full - 1) | 1 << positions[feature]
        return manager.add_literal(feature, mask if mask != full else 1 << positions[feature])

    def build(features: list[int], fuel: int) -> NodeId:
        if fuel == 0 or len(features) == 1:
            chosen = rng.sample(features, min(len(features), rng.randint(1, 3)))
            return manager.add_or([literal(feature) for feature in chosen])
        if rng.random() < 0.5:
            return manager.add_and([build(features, fuel - 1) for _ in range(rng.randint(2, 3))])
        order = rng.sample(features, len(features))
        cut = rng.randint(1, len(order) - 1)
        return manager.add_or([build(order[:cut], fuel - 1), build(order[cut:], fuel - 1)])

    parts = [build(list(range(len(sizes))), rng.randint(1, fuel)) for _ in range(rng.randint(1, 3))]
    return manager, manager.add_and(parts), positions


def fixated_circuits(**sizes: int) -> st.SearchStrategy[Fixated]:
    seeded = st.integers(0, 2**32).map(lambda seed: random_fixated(seed, **sizes))
    return seeded | or_decomposable_circuits(max_features=3, max_states=4, towards=True)


def everything(found: Primes[Any]) -> list[Any]:
    """All primes, after a check that the iterator says so and that none comes twice."""
    listed = list(found)
    assert found.complete
    assert found.cut is None
    assert len(set(listed)) == len(listed)
    return listed


def exploding(kind: str, pairs: int = 40, states: int = 2) -> Fixated:
    """A circuit with 2**pairs primes of a kind."""
    names = [f"s{state}" for state in range(states)]
    manager = Manager(Domain({f"F{feature}": names for feature in range(2 * pairs)}))
    outer, inner = manager.add_and, manager.add_or
    if kind == "prime_implicates":
        outer, inner = inner, outer
    parts = []
    for feature in range(0, 2 * pairs, 2):
        literals = [manager.add_literal(feature, 1), manager.add_literal(feature + 1, 1)]
        if states > 2:  # crossing literals, so that several primes share a feature set
            literals[0] = manager.add_and([manager.add_literal(feature, 0b011), literals[0]])
            literals[1] = manager.add_literal(feature + 1, 0b011)
            other = [manager.add_literal(feature, 0b101), manager.add_literal(feature + 1, 0b101)]
            parts.append(manager.add_and([inner(literals), manager.add_or(other)]))
        else:
            parts.append(inner(literals))
    return manager, outer(parts), [0] * (2 * pairs)


# --- the routes agree -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(110, 800))
@given(circuit=fixated_circuits(), variable_minimal=st.booleans())
def test_all_routes_agree(kind: str, circuit: Fixated, variable_minimal: bool) -> None:
    manager, root, positions = circuit
    by_sat = everything(primes_sat.primes(KINDS[kind], manager, root, variable_minimal=variable_minimal))
    event(f"primes: {min(len(by_sat), 8)}")
    direct = partial(primes.primes, KINDS[kind])
    listed = {
        mode: everything(
            direct(manager, root, positions=positions, variable_minimal=variable_minimal, mode=mode)
        )
        for mode in MODES
    }
    assert set(listed["sorted"]) == set(listed["lazy"]) == set(by_sat)
    assert listed["auto"] == listed["sorted"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(44, 300))
@given(circuit=fixated_circuits(max_features=3, max_states=4), variable_minimal=st.booleans())
def test_direct_route_gives_the_definition(kind: str, circuit: Fixated, variable_minimal: bool) -> None:
    manager, root, positions = circuit
    expected = getattr(brute_force, kind)(manager, root, variable_minimal)
    event(f"variable-minimal only: {variable_minimal}")
    found = primes.primes(KINDS[kind], manager, root, positions=positions, variable_minimal=variable_minimal)
    assert set(everything(found)) == expected


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(44, 300))
@given(
    circuit=circuits(max_features=3, max_states=4) | circuits(max_features=5, max_states=2),
    variable_minimal=st.booleans(),
)
def test_sat_route_gives_the_definition_on_any_circuit(
    kind: str, circuit: tuple[Manager, NodeId], variable_minimal: bool
) -> None:
    expected = getattr(brute_force, kind)(*circuit, variable_minimal)
    event(f"primes: {min(len(expected), 8)}")
    assert (
        set(everything(primes_sat.primes(KINDS[kind], *circuit, variable_minimal=variable_minimal)))
        == expected
    )


# --- laws -------------------------------------------------------------------------------------------------


def as_circuit(manager: Manager, found: Iterable[Term] | Iterable[Clause], kind: str) -> NodeId:
    inner, outer = manager.add_and, manager.add_or
    if kind == "prime_implicates":
        inner, outer = outer, inner
    return outer([inner([manager.add_literal(*literal) for literal in p.masks.items()]) for p in found])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(44, 300))
@given(circuit=fixated_circuits(max_features=4))
def test_primes_are_equivalent_to_the_circuit_and_none_subsumes_another(kind: str, circuit: Fixated) -> None:
    manager, root, positions = circuit
    found = everything(primes.primes(KINDS[kind], manager, root, positions=positions))
    true = models(manager, root)
    assert models(manager, as_circuit(manager, found, kind)) == true
    alone = [models(manager, as_circuit(manager, [prime], kind)) for prime in found]
    for here, mine in enumerate(alone):
        assert mine <= true if kind == "prime_implicants" else true <= mine
        assert not any(mine <= other for there, other in enumerate(alone) if there != here)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(33, 200))
@given(circuit=fixated_circuits())
def test_every_literal_holds_for_the_instance(kind: str, circuit: Fixated) -> None:
    manager, root, positions = circuit
    for prime in primes.primes(KINDS[kind], manager, root, positions=positions):
        assert all(mask >> positions[feature] & 1 for feature, mask in prime.masks.items())


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(44, 300))
@given(circuit=or_decomposable_circuits(max_features=4, max_states=4))
def test_shrunk_general_reasons_are_the_reasons(
    kind: str, circuit: tuple[Manager, NodeId, list[int]]
) -> None:
    manager, root, positions = circuit
    general, complete = (reason(manager, root, positions) for reason in (general_reason, complete_reason))
    find = partial(primes.primes, KINDS[kind])
    minimal = everything(find(manager, general, positions=positions, variable_minimal=True))
    event(f"primes: {min(len(minimal), 4)}")
    shrunk = {frozenset((feature, positions[feature]) for feature in prime.masks) for prime in minimal}
    reasons = everything(find(manager, complete, positions=positions))
    assert shrunk == {frozenset((f, mask.bit_length() - 1) for f, mask in p.masks.items()) for p in reasons}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=cases(33, 200))
@given(circuit=fixated_circuits(), variable_minimal=st.booleans(), limit=st.integers(0, 6))
def test_order_is_shortest_first_and_limits_cut_it(
    kind: str, circuit: Fixated, variable_minimal: bool, limit: int
) -> None:
    manager, root, positions = circuit
    find: Callable[..., Primes[Any]] = partial(primes.primes, KINDS[kind])
    arguments = {"positions": positions, "variable_minimal": variable_minimal}
    listed = everything(find(manager, root, **arguments))
    keys = [(len(prime), tuple(prime.masks), tuple(prime.masks.values())) for prime in listed]
    assert keys == sorted(keys)
    for mode in MODES:
        some = find(manager, root, limit=limit, mode=mode, **arguments)
        cut = list(some)
        assert len(cut) == min(limit, len(listed))
        assert set(cut) <= set(listed)
        assert mode == "lazy" or cut == listed[:limit]
        assert (some.cut, some.complete) == (("limit", False) if limit < len(listed) else (None, True))
        assert cut == list(find(manager, root, limit=limit, mode=mode, **arguments))
    by_sat = primes_sat.primes(KINDS[kind], manager, root, limit=limit, variable_minimal=variable_minimal)
    assert len(list(by_sat)) == min(limit, len(listed))
    assert by_sat.complete == (limit >= len(listed))


# --- examples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variable_minimal", [False, True])
def test_constants_and_single_literals(mode: Mode, variable_minimal: bool) -> None:
    domain = Domain({"A": ("x", "y", "z"), "B": ("0", "1")})
    manager = Manager(domain)
    literal = manager.add_literal(0, 0b011)
    expected: dict[NodeId, tuple[list[Term], list[Clause]]] = {
        TRUE: ([Term(domain)], []),
        FALSE: ([], [Clause(domain)]),
        literal: ([Term(domain, {"A": ("x", "y")})], [Clause(domain, {"A": ("x", "y")})]),
    }
    for root, (implicants, implicates) in expected.items():
        at: dict[str, Any] = {"positions": [0, 0], "variable_minimal": variable_minimal, "mode": mode}
        assert everything(primes.primes(Term, manager, root, **at)) == implicants
        assert everything(primes.primes(Clause, manager, root, **at)) == implicates
        by_sat = primes_sat.primes(Term, manager, root, variable_minimal=variable_minimal)
        assert everything(by_sat) == implicants
        clauses = primes_sat.primes(Clause, manager, root, variable_minimal=variable_minimal)
        assert everything(clauses) == implicates


@pytest.mark.parametrize("variable_minimal", [False, True])
def test_three_clauses_resolve_on_one_feature(variable_minimal: bool) -> None:
    manager = Manager(Domain({"A": ("w", "x", "y", "z"), "B": ("0", "1", "2")}))
    clauses = [
        manager.add_or([manager.add_literal(0, mask), manager.add_literal(1, other)])
        for mask, other in ((0b0111, 0b001), (0b1011, 0b001), (0b1101, 0b011))
    ]
    found = primes.primes(
        Clause, manager, manager.add_and(clauses), positions=[0, 0], variable_minimal=variable_minimal
    )
    assert [str(clause) for clause in everything(found)] == ["A=w ∨ B∈{0,1}", "A∈{w,x} ∨ B=0"]


def test_a_circuit_over_one_feature() -> None:
    manager = Manager(Domain({"A": ("w", "x", "y", "z"), "B": ("0", "1")}))
    literals = [manager.add_literal(0, mask) for mask in (0b0111, 0b1011)]
    root = manager.add_and(literals)
    assert [str(prime) for prime in everything(primes.primes(Term, manager, root, positions=[0, 0]))] == [
        "A∈{w,x}"
    ]
    assert [str(prime) for prime in everything(primes_sat.primes(Clause, manager, root))] == ["A∈{w,x}"]


@pytest.fixture
def diagnosis() -> Fixated:
    """The paper's general reason for class 2 at BP=High, CT, HR=Normal, from the class formula."""
    levels = ("Low", "Normal", "High")
    manager = Manager(Domain({"BP": levels, "CT": ("0", "1"), "HR": levels}))
    ct_and_high = manager.add_and([manager.add_literal(1, 0b10), manager.add_literal(0, 0b100)])
    first = manager.add_or([manager.add_literal(2, 0b110), ct_and_high])
    second = manager.add_or([manager.add_literal(0, 0b101), manager.add_literal(2, 0b001)])
    positions = [2, 1, 1]
    return manager, general_reason(manager, manager.add_and([first, second]), positions), positions


@pytest.mark.parametrize("mode", MODES)
def test_diagnosis_example(diagnosis: Fixated, mode: Mode) -> None:
    manager, general, positions = diagnosis

    def shown(kind: Any, root: NodeId, variable_minimal: bool = False) -> set[str]:
        found = primes.primes(
            kind, manager, root, positions=positions, variable_minimal=variable_minimal, mode=mode
        )
        return {str(prime) for prime in everything(found)}

    gsrs = {"BP∈{Low,High} ∧ HR∈{Normal,High}", "BP=High ∧ CT"}
    gnrs = {"BP∈{Low,High}", "CT ∨ HR∈{Normal,High}"}
    assert shown(Term, general, True) == gsrs
    assert shown(Clause, general, True) == gnrs
    assert shown(Clause, general) == gnrs | {"BP=High ∨ HR∈{Normal,High}"}
    complete = complete_reason(manager, general, positions)
    assert shown(Term, complete) == {"BP=High ∧ HR=Normal", "BP=High ∧ CT"}
    assert shown(Clause, complete) == {"BP=High", "CT ∨ HR=Normal"}


# --- limits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("variable_minimal", [False, True])
def test_first_primes_of_an_exploding_circuit(kind: str, states: int, variable_minimal: bool) -> None:
    manager, root, positions = exploding(kind, states=states)
    assert is_or_decomposable(manager, root)
    assert is_monotone_towards(manager, root, positions)
    find = partial(primes.primes, KINDS[kind])
    arguments: dict[str, Any] = {"positions": positions, "limit": 10, "variable_minimal": variable_minimal}
    found = find(manager, root, **arguments)
    listed = list(found)
    assert len(set(listed)) == 10
    assert found.cut == "limit"
    assert listed == list(find(manager, root, **arguments))
    assert listed[:3] == list(find(manager, root, **{**arguments, "limit": 3}))
    assert listed == list(islice(find(manager, root, **{**arguments, "limit": None}), 10))
    assert len(list(islice(primes_sat.primes(KINDS[kind], manager, root), 3))) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_time_limits(kind: str) -> None:
    manager, root, positions = exploding(kind)
    for mode in MODES:
        found = primes.primes(KINDS[kind], manager, root, positions=positions, time_limit=0.3, mode=mode)
        some = list(found)
        assert bool(some) == (mode != "sorted")
        assert found.cut == "time"
        assert not found.complete
        assert list(found) == []
    found = primes_sat.primes(KINDS[kind], manager, root, time_limit=0.2)
    assert list(found)
    assert found.cut == "time"
    found = primes_sat.primes(KINDS[kind], manager, root, time_limit=0)
    assert list(found) == []
    assert found.cut == "time"


def test_wrong_arguments(diagnosis: Fixated) -> None:
    manager, root, positions = diagnosis
    same_feature = manager.add_or(
        [manager.add_and([manager.add_literal(0, 4), manager.add_literal(1, 2)]), root]
    )
    for circuit, arguments, message in [
        (same_feature, {"positions": positions}, "OR-decomposable"),
        (root, {"positions": [0, 0, 0]}, "hold for the instance"),
        (root, {"positions": [2, 1]}, "every feature"),
        (root, {"positions": [3, 1, 1]}, "every feature"),
        (root, {"positions": positions, "limit": -1}, "negative"),
        (root, {"positions": positions, "time_limit": -1.0}, "seconds"),
        (root, {"positions": positions, "mode": "fast"}, "'fast'"),
    ]:
        with pytest.raises(LogicError, match=message):
            primes.primes(Term, manager, circuit, **arguments)  # type: ignore[arg-type]


# --- families of sets -------------------------------------------------------------------------------------


@settings(max_examples=cases(14, 60))
@given(seed=st.integers(0, 2**32), width=st.sampled_from([8, 20, 64, 65, 150]), count=st.integers(0, 1500))
def test_minimal_members(seed: int, width: int, count: int) -> None:
    rng = Random(seed)  # noqa: S311
    family = [sum({1 << rng.randrange(width) for _ in range(rng.randint(1, 7))}) for _ in range(count)]
    found = subsumption.minimal(family)
    assert len(set(found)) == len(found)
    assert set(found) == {
        one for one in set(family) if not any(other & one == other != one for other in family)
    }


@settings(max_examples=cases(14, 60))
@given(seed=st.integers(0, 2**32), width=st.sampled_from([6, 12, 64, 100]), size=st.integers(0, 60))
def test_minimal_unions(seed: int, width: int, size: int) -> None:
    rng = Random(seed)  # noqa: S311

    def family() -> list[int]:
        sets = [sum({1 << rng.randrange(width) for _ in range(rng.randint(1, 4))}) for _ in range(size)]
        return subsumption.minimal(sets)

    left, right = family(), family()
    spent: list[int] = []
    found = subsumption.minimal_unions(left, right, spent.append)
    assert set(found) == set(subsumption.minimal(one | other for one in left for other in right))
    assert not left or not right or sum(spent) > 0


@settings(max_examples=cases(16, 100))
@given(circuit=fixated_circuits())
def test_minimality_by_evaluation(circuit: Fixated) -> None:
    manager, root, positions = circuit
    expected = everything(primes.primes(Term, manager, root, positions=positions))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsumption, "_FEW_PAIRS", 0)
        patch.setattr(monotone, "_FEW", 0)
        patch.setattr(monotone, "_STEPS_PER_SET", 10**6)
        assert everything(primes.primes(Term, manager, root, positions=positions)) == expected


def test_large_unions_are_formed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(1)  # noqa: S311
    left, right = (
        subsumption.minimal(sum({1 << rng.randrange(20) for _ in range(4)}) for _ in range(80))
        for _ in range(2)
    )
    whole = subsumption.minimal_unions(left, right, lambda _: None)
    monkeypatch.setattr(subsumption, "_CHUNK", 256)
    monkeypatch.setattr(subsumption, "_PAIRS", 128)
    monkeypatch.setattr(subsumption, "_DIRECT", 16)
    assert sorted(subsumption.minimal_unions(left, right, lambda _: None)) == sorted(whole)
