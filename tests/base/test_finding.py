"""Every yes-or-no answer keeps one protocol: holds, witness, status, a sentence, and its truth value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

import bnc2d
from bnc2d import (
    NNF,
    Agreement,
    Audit,
    AuditCheck,
    Classifier,
    Comparison,
    Decided,
    Domain,
    Equivalence,
    IfKnown,
    Manager,
    Nearest,
    Verdict,
)
from bnc2d.base.finding import Finding
from bnc2d.explain.whole.bias import Bias
from bnc2d.explain.whole.monotone import Monotone
from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
from bnc2d.logic.convert.sat import Answer
from bnc2d.verify.report import Check, Report

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
MODEL = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
STRICT = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"], ties="none").compile()
REGIONS = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])
OTHER = Classifier(bnc2d.example("diagnosis"), "X", ["BP", "CT", "HR"]).compile()
HIGHER = Classifier(bnc2d.example("diagnosis"), "X", ["BP", "CT", "HR"], threshold="0.9").compile()
CIRCUITS = Manager(Domain({"X": ("0", "1"), "Y": ("0", "1")}))
X, Y = NNF.literal(CIRCUITS, "X", "1"), NNF.literal(CIRCUITS, "Y", "1")
E = MODEL.explain(PATIENT)
ROWS_AUDIT = bnc2d.audit(MODEL, protected="CT", time_limit=2.0)
WHY = "yes, the term fixes the decision, and no part of it does"

# A finding, its kind, whether it is proved, refuted or open, and the beginning of its sentence.
CASES: list[tuple[Callable[[], Finding], type[Finding], str, str]] = [
    (lambda: E.is_sufficient({"BP": "High", "CT": "1"}), Verdict, "proved", WHY),
    (
        lambda: E.is_sufficient({"BP": "High"}),
        Verdict,
        "refuted",
        "no, this instance has all of the term, yet",
    ),
    (
        lambda: E.is_sufficient(PATIENT),
        Verdict,
        "refuted",
        "no, a part of the term is enough; a reason is BP=",
    ),
    (lambda: E.is_necessary({"BP": "High"}), Verdict, "proved", "yes, these features together can change"),
    (
        lambda: E.is_general_sufficient({"CT": "1"}),
        Verdict,
        "refuted",
        "no, this instance has all of the term",
    ),
    (lambda: E.is_general_necessary({"BP": ["Low", "High"]}), Verdict, "proved", "yes, violating the clause"),
    (lambda: MODEL.explain({"BP": "High", "CT": "1"}).if_known(), IfKnown, "proved", "yes, every completion"),
    (lambda: MODEL.explain({"BP": "High"}).if_known(), IfKnown, "refuted", "no, BP=High CT=0 HR=Low is"),
    (lambda: REGIONS.explain({"BP": "High"}).if_known(0), IfKnown, "open", "open: whether a completion"),
    (lambda: MODEL.equivalent(STRICT), Equivalence, "proved", "both decide every instance alike"),
    (lambda: OTHER.equivalent(HIGHER), Equivalence, "refuted", "BP="),
    (lambda: MODEL.compare(STRICT), Comparison, "proved", "0 instances decided differently"),
    (lambda: OTHER.compare(HIGHER), Comparison, "refuted", "7 instances decided differently"),
    (lambda: MODEL.is_biased("BP"), Bias, "proved", "BP: "),
    (lambda: MODEL.is_biased("CT", {"BP": "Low", "CT": 0, "HR": "High"}), Bias, "refuted", "no change of CT"),
    (lambda: MODEL.is_monotone("BP", towards="2"), Monotone, "refuted", "raising BP from"),
    (
        lambda: MODEL.is_monotone("CT", towards="2"),
        Monotone,
        "proved",
        "raising CT never leads out of class 2",
    ),
    (lambda: REGIONS.decides(PATIENT), Decided, "proved", "yes, every instance of the region is in class 2"),
    (lambda: REGIONS.decides({}), Decided, "refuted", "no, BP="),
    (lambda: REGIONS.decides({}, time_limit=0), Decided, "open", "open: 0.00% of the region is known"),
    (lambda: MODEL.check("D=0 or D!=0"), RuleCheck, "proved", "yes, every instance obeys the rules"),
    (lambda: MODEL.check("class=2"), RuleCheck, "refuted", "no, BP="),
    (lambda: MODEL.check("class does not depend on CT"), RuleCheck, "refuted", "no, two instances break"),
    (lambda: REGIONS.check("class=2", time_limit=0), RuleCheck, "open", "open: 1 of 1 rules"),
    (
        lambda: MODEL.is_independent("CT", {"HR": "High", "BP": "Low"}),
        RuleResult,
        "proved",
        "proved: if HR in {High} and BP in {Low} then class does not depend on CT",
    ),
    (lambda: MODEL.is_coherent(), RuleResult, "refuted", "refuted: class changes by at most one step; BP="),
    (lambda: REGIONS.is_coherent(time_limit=0), RuleResult, "open", "open: class changes"),
    (lambda: MODEL.nearest(PATIENT), Nearest, "proved", "BP: High → Normal gives"),
    (
        lambda: MODEL.nearest(PATIENT, fixed=MODEL.features),
        Nearest,
        "refuted",
        "no allowed change leads there",
    ),
    (lambda: X.satisfiable(), Answer, "proved", "yes, an instance satisfies the circuit: X=1 Y="),
    (lambda: (X & ~X).satisfiable(), Answer, "refuted", "no, no instance satisfies the circuit"),
    (
        lambda: (X & Y).implies(X),
        Answer,
        "proved",
        "yes, no instance satisfies the first circuit and not the",
    ),
    (lambda: X.implies(Y), Answer, "refuted", "no, an instance satisfies the first circuit and not the sec"),
    (lambda: X.equivalent(X & (X | Y)), Answer, "proved", "yes, no instance satisfies one circuit only"),
    (lambda: X.equivalent(Y), Answer, "refuted", "no, an instance satisfies one circuit only: X="),
    (lambda: X.disjoint(~X), Answer, "proved", "yes, no instance satisfies both circuits"),
    (lambda: X.disjoint(Y), Answer, "refuted", "no, an instance satisfies both circuits: X=1 Y=1"),
    (
        lambda: (X | Y).is_deterministic(),
        Answer,
        "refuted",
        "no, an instance satisfies two disjuncts of an OR",
    ),
    (lambda: (X | (~X & Y)).is_deterministic(), Answer, "proved", "yes, no instance satisfies two disjuncts"),
    (lambda: MODEL.verify(second_method=False), Report, "proved", "ok   structure"),
    (lambda: MODEL.verify(time_limit=0), Report, "open", "open structure"),
    (lambda: Check("a", True, 0.1, "fine"), Check, "proved", "ok   a"),
    (lambda: Check("a", False, 0.1, "bad", {"X": "1"}), Check, "refuted", "FAIL a"),
    (lambda: Check("a", False, 0.1, "late", finished=False), Check, "open", "open a"),
    (
        lambda: Report((Check("a", True, 0.1), Check("b", False, 0.1, finished=False))),
        Report,
        "open",
        "ok   a",
    ),
    (
        lambda: Report((Check("b", False, 0, finished=False), Check("a", False, 0))),
        Report,
        "refuted",
        "open b",
    ),
    (
        lambda: bnc2d.agreement(OTHER.classifier, OTHER, [PATIENT]),
        Agreement,
        "proved",
        "1 of 1 rows are decided alike",
    ),
    (
        lambda: bnc2d.agreement(OTHER.classifier, HIGHER, [OTHER.compare(HIGHER).witness or {}]),
        Agreement,
        "refuted",
        "0 of 1 rows are decided alike",
    ),
    (lambda: bnc2d.audit(MODEL, protected="CT", time_limit=0.0), Audit, "open", "open network"),
    (lambda: ROWS_AUDIT.with_verdict("failed")[0], AuditCheck, "refuted", "FAIL protected: CT"),
    (lambda: ROWS_AUDIT, Audit, "refuted", "-    network"),
]


@pytest.mark.parametrize(("ask", "kind", "status", "words"), CASES)
def test_the_protocol(ask: Callable[[], Finding], kind: type[Finding], status: str, words: str) -> None:
    found = ask()
    assert type(found) is kind
    assert isinstance(found, Finding)
    assert found.status == status
    assert found.holds is {"proved": True, "refuted": False, "open": None}[status]
    assert bool(found) is (status == "proved")
    assert str(found).startswith(words), str(found)
    assert found.witness is None or isinstance(found.witness, dict | tuple)


def test_no_other_truth_value() -> None:
    """Whatever has a protocol has its truth value from one place."""
    for kind in Finding.__subclasses__():
        assert kind.__bool__ is Finding.__bool__
        assert kind.status is Finding.status
        assert kind.__str__ is not object.__str__
    assert {kind for _, kind, _, _ in CASES} == {
        k for k in Finding.__subclasses__() if "bnc2d" in k.__module__
    }


def test_witnesses_show_the_answer() -> None:
    refuted = OTHER.equivalent(HIGHER)
    assert refuted.witness is not None
    assert refuted.decisions == (OTHER.predict(refuted.witness), HIGHER.predict(refuted.witness))
    comparison = OTHER.compare(HIGHER)
    assert comparison.witness is not None
    assert OTHER.predict(comparison.witness) != HIGHER.predict(comparison.witness)
    bias = MODEL.is_biased("BP")
    assert bias.witness == bias.pair
    assert bias.witness is not None
    assert MODEL.predict(bias.witness[0]) != MODEL.predict(bias.witness[1])
    near = MODEL.nearest(PATIENT)
    assert near.witness == near.instance
    report = Report((Check("a", True, 0, witness=None), Check("b", False, 0, witness={"X": "1"})))
    assert report.witness == {"X": "1"}


def test_a_finding_of_ones_own() -> None:
    @dataclass(frozen=True)
    class Guess(Finding):
        holds: bool | None
        witness: dict[str, str] | None = None

    assert [bool(Guess(holds)) for holds in (True, False, None)] == [True, False, False]
    assert [Guess(holds).status for holds in (True, False, None)] == ["proved", "refuted", "open"]
