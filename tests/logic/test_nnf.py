"""The facade: every method of ``NNF`` reaches the right function and speaks names, not numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bnc2d.errors import LogicError, UnknownNameError
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF

STATES = ("Low", "Normal", "High")
DOMAIN = Domain({"BP": STATES, "CT": ("0", "1"), "HR": STATES})
PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def diagnosis(manager: Manager | None = None) -> NNF:
    """Class 2 of the paper's diagnosis example."""
    m = manager or Manager(DOMAIN)
    fast, ct = NNF.literal(m, "HR", {"Normal", "High"}), NNF.literal(m, "CT", "1")
    first = fast | (ct & NNF.literal(m, "BP", "High"))
    return first & (NNF.literal(m, "BP", ["Low", "High"]) | NNF.literal(m, "HR", "Low"))


def test_the_papers_formula() -> None:
    formula = diagnosis()
    assert str(formula) == "(BP∈{Low,High} ∨ HR=Low) ∧ (HR∈{Normal,High} ∨ (BP=High ∧ CT))"
    assert repr(formula) == f"<NNF: {formula.node_count} nodes, {formula.edge_count} edges>"
    assert (formula.node_count, formula.edge_count, formula.depth) == (9, 8, 3)
    assert formula.features == ("BP", "CT", "HR")
    assert formula.model_count() == 9
    assert formula.is_or_decomposable()
    assert not formula.is_and_decomposable()
    assert not formula.is_deterministic()
    assert formula.evaluate(PATIENT)
    assert not formula.evaluate({**PATIENT, "BP": "Normal"})


def test_the_papers_reasons() -> None:
    formula = diagnosis()
    complete, general = formula.complete_reason(PATIENT), formula.general_reason(PATIENT)
    assert complete.is_monotone_towards(PATIENT)
    assert {str(term) for term in complete.prime_implicants(towards=PATIENT)} == {
        "BP=High ∧ CT",
        "BP=High ∧ HR=Normal",
    }
    assert {str(clause) for clause in complete.prime_implicates(towards=PATIENT)} == {
        "BP=High",
        "CT ∨ HR=Normal",
    }
    general_sufficient = general.prime_implicants(towards=PATIENT, variable_minimal=True)
    assert {str(term) for term in general_sufficient} == {"BP∈{Low,High} ∧ HR∈{Normal,High}", "BP=High ∧ CT"}
    assert {str(clause) for clause in general.prime_implicates(towards=PATIENT)} == {
        "BP∈{Low,High}",
        "CT ∨ HR∈{Normal,High}",
        "BP=High ∨ HR∈{Normal,High}",
    }
    general_necessary = general.prime_implicates(towards=PATIENT, variable_minimal=True)
    assert {str(clause) for clause in general_necessary} == {"BP∈{Low,High}", "CT ∨ HR∈{Normal,High}"}
    assert set(general.prime_implicants()) == set(general.prime_implicants(towards=PATIENT))
    assert set(general.prime_implicates()) == set(general.prime_implicates(towards=PATIENT))


def test_many_instances() -> None:
    formula = diagnosis()
    rows = np.stack(np.unravel_index(np.arange(18), (3, 2, 3)), axis=1)
    values = formula.evaluate(rows)
    assert values.sum() == 9
    assert formula.evaluate([DOMAIN.decode(row) for row in rows.tolist()]).tolist() == values.tolist()
    assert formula.evaluate([]).tolist() == []
    for broken in (rows[:, :2], rows * 2, rows - 1, rows.astype(float)):
        with pytest.raises(LogicError):
            formula.evaluate(broken)


def test_algebra() -> None:
    formula = diagnosis()
    manager = formula.manager
    assert ~~formula == formula
    assert (formula & NNF.true(manager)) == formula
    assert str(NNF.false(manager)) == "⊥"
    assert formula.condition({"BP": "Normal"}).equivalent(
        NNF.literal(manager, "HR", "Low") & NNF.false(manager)
    )
    assert str(formula.condition({"BP": "Low", "HR": {"Normal", "High"}})) == "⊤"
    for unknown in ({"bp": "Low"}, {"BP": "low"}):
        with pytest.raises(UnknownNameError, match="did you mean"):
            formula.condition(unknown)
    with pytest.raises(LogicError, match="no state for 'BP'"):
        formula.condition({"BP": []})
    with pytest.raises(LogicError, match="nothing to combine"):
        NNF.all_of([])
    with pytest.raises(LogicError, match="different managers"):
        _ = formula & diagnosis()
    with pytest.raises(LogicError, match="no node"):
        NNF(manager, 10**6)
    assert len({formula, diagnosis(manager), diagnosis()}) == 2


def test_sat_services_across_managers() -> None:
    formula, twin = diagnosis(), diagnosis()
    assert formula != twin
    assert formula.equivalent(twin)
    assert formula.copy_to(twin.manager) == twin
    assert formula.disjoint(~twin)
    assert formula.general_reason(PATIENT).implies(twin)
    assert twin.implies(formula.general_reason(PATIENT))  # here the general reason is the whole formula
    answer = twin.implies(formula.complete_reason(PATIENT))
    assert answer.witness is not None
    assert formula.evaluate(answer.witness)
    assert not formula.complete_reason(PATIENT).evaluate(answer.witness)
    witness = formula.satisfiable().witness
    assert witness is not None
    assert formula.evaluate(witness)
    with pytest.raises(LogicError, match="domain"):
        formula.copy_to(Manager(Domain({"BP": STATES})))
    with pytest.raises(LogicError, match="domain"):
        formula.equivalent(NNF.true(Manager(Domain({"BP": STATES}))))


def test_conversions(tmp_path: Path) -> None:
    formula = diagnosis()
    assert len(formula.to_cnf().clauses) > 0
    form = formula.to_sdd()
    assert form.count() == 9
    assert NNF(formula.manager, form.to_nnf(formula.manager)).equivalent(formula)
    assert NNF.from_sympy(formula.manager, formula.to_sympy()).equivalent(formula)
    path = tmp_path / "two.nnf"
    formula.save(path)
    loaded = NNF.load(path)
    assert str(loaded) == str(formula)
    assert loaded.copy_to(formula.manager) == formula
    assert formula.to_dot().startswith("digraph")
    assert "BP∈{Low,High}" in formula._repr_svg_()
    assert formula.to_svg(highlight=PATIENT) != formula.to_svg()
