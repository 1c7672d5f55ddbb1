"""Circuits: construction, folds, queries and transforms against enumeration of all instances."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.errors import Bnc2dError, LogicError
from bnc2d.logic.circuit import queries
from bnc2d.logic.circuit.count import _count_by_levels, model_count
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager
from bnc2d.logic.circuit.transforms import complete_reason, condition, general_reason, negate
from bnc2d.logic.counting.weights import Weights
from bnc2d.logic.domain import Domain
from bnc2d.logic.terms import Clause, Term
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits, models, or_decomposable_circuits

DOMAIN = Domain(
    {"BP": ("Low", "Normal", "High"), "CT": ("0", "1"), "HR": ("Low", "Normal", "High"), "K": ("k",)}
)


def everything(domain: Domain) -> list[tuple[int, ...]]:
    return sorted(models(Manager(domain), TRUE))


def test_hash_consing_and_local_simplification() -> None:
    m = Manager(DOMAIN)
    low, high = m.add_literal(0, 0b001), m.add_literal(0, 0b100)
    ct = m.add_literal(1, 0b10)
    assert m.add_literal(0, 0b111) == TRUE
    assert m.add_literal(0, 0) == FALSE
    assert m.add_literal(3, 1) == TRUE
    assert m.add_and([low, high]) == FALSE
    assert m.add_or([low, high]) == m.add_literal(0, 0b101)
    assert m.add_or([low, high, m.add_literal(0, 0b010)]) == TRUE
    assert m.add_and([ct, low]) == m.add_and([low, TRUE, ct, low])
    assert m.add_and([]) == TRUE
    assert m.add_or([]) == FALSE
    assert m.add_or([ct]) == ct
    assert m.add_and([ct, FALSE]) == FALSE
    assert m.add_or([ct, TRUE]) == TRUE
    with pytest.raises(LogicError, match="states that 'BP' has not"):
        m.add_literal(0, 0b1000)
    with pytest.raises(LogicError, match="not a literal"):
        m.literal_of(TRUE)
    m.assert_consistent()


@given(circuits())
def test_the_unique_table_stays_consistent(circuit: Circuit) -> None:
    manager, root = circuit
    negate(manager, negate(manager, root))
    manager.assert_consistent()
    copy = Manager(manager.domain)
    assert models(copy, rewrite(manager, root, copy.add_literal, into=copy)) == models(manager, root)


@given(circuits())
def test_evaluation_of_rows_is_evaluation_one_by_one(circuit: Circuit) -> None:
    manager, root = circuit
    rows = np.array(everything(manager.domain)).reshape(-1, len(manager.domain))
    expected = [queries.evaluate(manager, root, row) for row in rows.tolist()]
    assert queries.evaluate_rows(manager, root, rows).tolist() == expected
    assert queries.evaluate_rows(manager, root, rows[:0]).tolist() == []


def test_rows_are_evaluated_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "_BITS_AT_ONCE", 1)
    m = Manager(DOMAIN)
    root = m.add_or([m.add_literal(0, 0b001), m.add_literal(1, 0b10)])
    rows = np.random.default_rng(0).integers(0, [3, 2, 3, 1], size=(1000, 4))
    assert np.array_equal(queries.evaluate_rows(m, root, rows), (rows[:, 0] == 0) | (rows[:, 1] == 1))


@given(circuits())
def test_negation_is_complement_and_its_own_inverse(circuit: Circuit) -> None:
    manager, root = circuit
    complement = negate(manager, root)
    assert models(manager, complement) == set(everything(manager.domain)) - models(manager, root)
    assert negate(manager, complement) == root
    assert queries.is_or_decomposable(manager, complement) == queries.is_and_decomposable(manager, root)


@given(circuits(), st.data())
def test_conditioning(circuit: Circuit, data: st.DataObject) -> None:
    manager, root = circuit
    sizes = manager.domain.cardinalities
    chosen = data.draw(st.sets(st.integers(0, len(sizes) - 1)))
    allowed = {feature: data.draw(st.integers(1, 2 ** sizes[feature] - 1)) for feature in sorted(chosen)}
    result = condition(manager, root, allowed)
    inside = {x for x in everything(manager.domain) if all(m >> x[f] & 1 for f, m in allowed.items())}
    assert models(manager, result) & inside == models(manager, root) & inside
    singles = {feature: 1 << data.draw(st.integers(0, sizes[feature] - 1)) for feature in sorted(chosen)}
    one_by_one = root
    for feature, mask in sorted(singles.items(), reverse=True):
        one_by_one = condition(manager, one_by_one, {feature: mask})
    fixed = condition(manager, root, singles)
    assert models(manager, fixed) == models(manager, one_by_one)
    assert not any(queries.features_below(manager, fixed) >> feature & 1 for feature in singles)


@given(circuits())
def test_counts(circuit: Circuit) -> None:
    manager, root = circuit
    expected = len(models(manager, root))
    assert model_count(manager, root) == expected
    assert _count_by_levels(manager, root, Weights(manager.domain, {})) == expected


def test_counts_beyond_machine_integers() -> None:
    """A parity chain of 100 three-state features, as a decision diagram: half of 3^100, give or take."""
    m = Manager(Domain({f"x{i}": ("a", "b", "c") for i in range(100)}))
    odd, even = FALSE, TRUE
    for feature in reversed(range(100)):
        flips, stays = m.add_literal(feature, 0b001), m.add_literal(feature, 0b110)
        odd, even = (
            m.add_or([m.add_and([flips, even]), m.add_and([stays, odd])]),
            m.add_or([m.add_and([flips, odd]), m.add_and([stays, even])]),
        )
    assert model_count(m, odd) == (3**100 - 1) // 2
    assert model_count(m, negate(m, odd)) == (3**100 + 1) // 2


@given(or_decomposable_circuits())
def test_reasons_are_between_the_instance_and_the_formula(circuit: tuple[Manager, int, list[int]]) -> None:
    """I ⊨ CR ⊨ GR ⊨ Δ, and the reasons are false where the instance does not satisfy Δ."""
    manager, root, positions = circuit
    assert queries.is_or_decomposable(manager, root)
    complete, general = complete_reason(manager, root, positions), general_reason(manager, root, positions)
    holds = queries.evaluate(manager, root, positions)
    event(f"instance satisfies the formula: {holds}")
    assert queries.evaluate(manager, complete, positions) == holds
    assert models(manager, complete) <= models(manager, general) <= models(manager, root)
    for reason in (complete, general):
        assert queries.is_monotone_towards(manager, reason, positions)
        assert queries.is_or_decomposable(manager, reason)
    if not holds:
        assert not models(manager, general)


@given(or_decomposable_circuits(max_features=4))
def test_complete_reason_by_definition(circuit: tuple[Manager, int, list[int]]) -> None:
    """x satisfies the complete reason iff fixing what x shares with the instance forces the formula."""
    manager, root, positions = circuit
    complete = complete_reason(manager, root, positions)
    formula = models(manager, root)
    for x in everything(manager.domain):
        shared = [f for f, (a, b) in enumerate(zip(x, positions, strict=True)) if a == b]
        completions = [y for y in everything(manager.domain) if all(y[f] == positions[f] for f in shared)]
        assert queries.evaluate(manager, complete, x) == all(y in formula for y in completions)


def test_reasons_refuse_other_circuits() -> None:
    m = Manager(DOMAIN)
    low, ct, normal = m.add_literal(0, 0b001), m.add_literal(1, 0b10), m.add_literal(0, 0b010)
    shared = m.add_or([m.add_and([low, ct]), m.add_and([normal, m.add_literal(2, 0b1)])])
    assert not queries.is_or_decomposable(m, shared)
    for reason in (complete_reason, general_reason):
        with pytest.raises(LogicError, match="needs an OR-decomposable circuit"):
            reason(m, shared, [0, 1, 0, 0])


def test_sizes() -> None:
    m = Manager(DOMAIN)
    root = m.add_and([m.add_or([m.add_literal(0, 1), m.add_literal(1, 2)]), m.add_literal(2, 1)])
    assert queries.node_count(m, root) == 5
    assert queries.edge_count(m, root) == 4
    assert queries.depth(m, root) == 2
    assert queries.features_below(m, root) == 0b111
    assert queries.node_count(m, TRUE) == 1


def test_a_long_chain_of_nodes() -> None:
    gates = cases(20_000, 100_000)
    m = Manager(Domain({f"x{i}": ("0", "1") for i in range(gates + 1)}))
    root = m.add_literal(0, 2)
    for feature in range(1, gates + 1):
        add = m.add_and if feature % 2 else m.add_or
        root = add([m.add_literal(feature, 2), root])
    assert queries.node_count(m, root) == 2 * gates + 1
    assert queries.depth(m, root) == gates
    assert queries.evaluate(m, root, [1] * (gates + 1))
    assert m.kind(negate(m, root)) == Kind.AND
    assert not queries.evaluate(m, negate(m, root), [1] * (gates + 1))
    assert m.kind(complete_reason(m, root, [1] * (gates + 1))) == Kind.OR


@given(circuit=circuits(), kind=st.sampled_from([Kind.AND, Kind.OR]))
def test_decomposability_gate_by_gate(circuit: Circuit, kind: Kind) -> None:
    m, root = circuit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Manager, "few_below", lambda *_: None)
        expected = queries._is_decomposable(m, root, kind)
        assert queries._is_decomposable_one_by_one(m, m.levels(root), kind) == expected


def test_terms_and_clauses() -> None:
    term = Term(DOMAIN, {"HR": "Normal", "BP": {"High", "Low"}, "CT": False})
    assert str(term) == "BP∈{Low,High} ∧ ¬CT ∧ HR=Normal"
    assert term.features == ("BP", "CT", "HR") == tuple(term)
    assert term["BP"] == {"Low", "High"}
    assert len(term) == 3
    assert term.holds({"BP": "Low", "CT": "0", "HR": "Normal"})
    assert not term.holds({"BP": "Low", "CT": "1", "HR": "Normal"})
    clause = Clause(DOMAIN, {"BP": ["Low"], "CT": 1})
    assert str(clause) == "BP=Low ∨ CT"
    assert clause.holds({"BP": "High", "CT": 1})
    assert not clause.holds({"BP": "High", "CT": 0})
    assert str(Term(DOMAIN)) == "⊤"
    assert str(Clause(DOMAIN)) == "⊥"
    assert {term, Term(DOMAIN, dict(term))} == {term}
    assert Term(DOMAIN, {"CT": 1}) != Clause(DOMAIN, {"CT": 1})
    assert repr(clause) == "<Clause BP=Low ∨ CT>"
    with pytest.raises(KeyError):
        clause["HR"]
    with pytest.raises(LogicError, match="some states and not all"):
        Term(DOMAIN, {"CT": {"0", "1"}})
    with pytest.raises(LogicError, match="no state for 'CT'"):
        clause.holds({"BP": "High"})


@pytest.mark.parametrize(
    ("features", "words"),
    [({"": ("a",)}, "non-empty string"), ({"A": ()}, "states must be"), ({"A": ("a", "a")}, "a state twice")],
)
def test_bad_domains(features: dict[str, tuple[str, ...]], words: str) -> None:
    with pytest.raises(LogicError, match=words):
        Domain(features)


def test_domain() -> None:
    assert DOMAIN.instance_count == prod([3, 2, 3, 1])
    assert DOMAIN.decode(DOMAIN.encode({"BP": "High", "CT": True, "HR": "Low", "K": "k"}))["BP"] == "High"
    for broken in ({"BP": "High"}, {"BP": "Hihg", "CT": 1, "HR": "Low", "K": "k"}, {"Q": 1}):
        with pytest.raises(Bnc2dError, match=r"no state|unknown feature"):
            DOMAIN.encode(broken)
