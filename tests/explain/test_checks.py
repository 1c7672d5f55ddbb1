"""Checks by SAT: yes exactly for the reasons by definition, and every no with something that shows it."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, Clause, CompiledModel, LogicError, Term, Verdict, example
from tests.brute_force.reasons import (
    Truth,
    truths,
    variable_minimal_clauses,
    variable_minimal_terms,
)
from tests.cases import cases

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


@st.composite
def questions(draw: st.DrawFn) -> tuple[Truth, dict[str, list[str]]]:
    """A case and literals that may make a reason, most of them with the instance's own states."""
    truth = draw(truths())
    literals = {}
    for name, states in zip(truth.model.features, truth.model.domain.states, strict=True):
        if len(states) > 1 and draw(st.booleans()):
            own = truth.instance[name]
            some = draw(st.lists(st.sampled_from(states), unique=True, max_size=len(states) - 1))
            chosen = some if some and draw(st.integers(0, 9)) == 0 else [own, *(s for s in some if s != own)]
            literals[name] = chosen[: len(states) - 1] if draw(st.booleans()) else [chosen[0]]
    return truth, literals


def confirm(truth: Truth, verdict: Verdict, given: Term | Clause, reasons: set[Term] | set[Clause]) -> None:
    """A yes is a reason; a no has a smaller one that is, or a witness that breaks it, or an odd literal."""
    event(verdict.reason.partition(" ")[2][-40:])
    assert bool(verdict) == (given in reasons)
    if verdict:
        assert (verdict.witness, verdict.smaller) == (None, None)
        return
    fixed = {truth.model.features[f] for f in truth.fixed}
    shows_nothing = verdict.witness is None and verdict.smaller is None
    odd = set(given) & fixed or any(
        truth.instance[name] not in states or (len(states) > 1 and shows_nothing)
        for name, states in given.items()
    )
    assert odd or verdict.witness is not None or verdict.smaller is not None
    if verdict.smaller is not None:
        assert verdict.smaller in reasons
        assert set(verdict.smaller) <= set(given)
        assert verdict.smaller != given
    if odd or verdict.witness is None:
        return
    witness = verdict.witness
    assert all(witness[truth.model.features[f]] == truth.own[f] for f in truth.fixed)
    if isinstance(given, Term):
        assert given.holds(witness)
        assert truth.decide(witness) != truth.decision
        return
    assert {name for name in witness if witness[name] != truth.instance[name]} <= set(given)
    if verdict.smaller is None:
        assert not given.holds(witness)
        assert truth.decide(witness) == truth.decision
    else:
        changed = {name for name in witness if witness[name] != truth.instance[name]}
        assert changed <= set(verdict.smaller)
        assert truth.decide(witness) != truth.decision


@settings(max_examples=cases(14, 60))
@given(question=questions())
def test_verdicts_by_definition(question: tuple[Truth, dict[str, list[str]]]) -> None:
    truth, literals = question
    e, domain = truth.explanation, truth.model.domain
    formula = truth.inside({truth.decision})
    complete, general = truth.complete(formula), truth.general(formula)
    term, clause = Term(domain, literals), Clause(domain, literals)
    confirm(truth, e.is_sufficient(term), term, truth.terms(truth.implicants(complete)))
    confirm(truth, e.is_necessary(clause), clause, truth.clauses(truth.implicates(complete)))
    terms = variable_minimal_terms(truth.terms(truth.implicants(general)))
    confirm(truth, e.is_general_sufficient(term), term, terms)
    clauses = variable_minimal_clauses(truth.clauses(truth.implicates(general)))
    confirm(truth, e.is_general_necessary(clause), clause, clauses)


@settings(max_examples=cases(14, 60))
@given(truth=truths())
def test_every_listed_reason_passes(truth: Truth) -> None:
    e = truth.explanation
    for kind in ("sufficient", "necessary", "general_sufficient", "general_necessary"):
        for reason in islice(getattr(e, f"{kind}_reasons")(), 5):
            assert getattr(e, f"is_{kind}")(reason)
    for name in truth.model.classes:
        for clause in islice(e.contrastive(name), 5):
            assert e.is_general_necessary(clause, towards=name)


@pytest.mark.parametrize(
    ("question", "literals", "holds", "reason", "smaller"),
    [
        ("is_sufficient", {"BP": "High", "CT": "1"}, True, "fixes the decision", None),
        ("is_sufficient", {"BP": "High"}, False, "yet the decision changes", None),
        ("is_sufficient", {"BP": "Low", "CT": "1"}, False, "does not hold", None),
        ("is_sufficient", {"BP": ["Low", "High"]}, False, "only general reasons", None),
        ("is_sufficient", PATIENT, False, "a part of the term is enough", "BP=High ∧ HR=Normal"),
        ("is_necessary", {"CT": "1", "HR": "Normal"}, True, "can change the decision", None),
        ("is_necessary", {"CT": "1"}, False, "the decision stays", None),
        ("is_necessary", {}, False, "the decision stays", None),
        ("is_necessary", {"BP": "High", "CT": "1"}, False, "a part of the clause", "BP=High"),
        ("is_general_sufficient", {"BP": "High", "CT": "1"}, True, "no weaker term", None),
        ("is_general_sufficient", {"BP": "High", "HR": "Normal"}, False, "a weaker term", "∈{Low,High}"),
        ("is_general_sufficient", {**PATIENT, "HR": ["Normal", "High"]}, False, "fewer features", " ∧ "),
        ("is_general_sufficient", {"BP": ["Low", "High"], "CT": "1"}, False, "decision changes", None),
        ("is_general_necessary", {"BP": ["Low", "High"]}, True, "always changes", None),
        ("is_general_necessary", {"BP": "High"}, False, "yet the decision stays", None),
        ("is_general_necessary", {"BP": ["High", "Normal"]}, False, "yet the decision stays", None),
        (
            "is_general_necessary",
            {"BP": ["Low", "High"], "CT": "1"},
            False,
            "fewer features",
            "BP∈{Low,High}",
        ),
    ],
)
def test_verdicts_of_the_diagnosis_example(
    diagnosis: CompiledModel,
    question: str,
    literals: dict[str, object],
    holds: bool,
    reason: str,
    smaller: str | None,
) -> None:
    verdict: Verdict = getattr(diagnosis.explain(PATIENT), question)(literals)
    assert bool(verdict) is verdict.holds is holds
    assert reason in verdict.reason
    assert smaller is None if verdict.smaller is None else str(smaller) in str(verdict.smaller)


def test_a_stronger_clause_is_named(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain({"BP": "Low", "CT": "0", "HR": "Low"})
    (clause,) = [c for c in e.general_necessary_reasons() if set(c) == {"HR"}]
    assert str(clause) == "HR=Low"
    verdict = e.is_general_necessary({"HR": ["Low", "High"]})
    assert (verdict.holds, verdict.reason, verdict.smaller) == (
        False,
        "a stronger clause is necessary",
        clause,
    )


def test_contrasts_can_be_checked(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT)
    clause = {"BP": ["Low", "High"], "CT": "1"}
    assert e.is_general_necessary(clause, towards="0")
    assert not e.is_general_necessary(clause)
    assert not e.is_general_necessary(clause, towards="1")
    assert "already in class 2" in e.is_general_necessary(clause, towards="2").reason


def test_fixed_features_are_in_no_reason(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT, fixed=["CT"])
    assert e.is_sufficient({"BP": "High"})
    verdict = e.is_sufficient({"BP": "High", "CT": "1"})
    assert not verdict
    assert verdict.reason == "'CT' is fixed, so no reason mentions it"


def test_wrong_questions(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT)
    with pytest.raises(LogicError, match="expected a Term, not a Clause"):
        e.is_sufficient(Clause(diagnosis.domain, {"BP": "High"}))
    other = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    with pytest.raises(LogicError, match="other features"):
        e.is_sufficient(Term(other.domain, {"D": "1"}))
