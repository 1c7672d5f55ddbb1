"""Why not another class, and the changes that lead there."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings

from bnc2d import Bnc2dError, Classifier, ClassifierError, Clause, CompiledModel, LogicError, Term, example
from tests.brute_force.reasons import Truth, truths, variable_minimal_clauses
from tests.cases import cases

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


@settings(max_examples=cases(14, 60))
@given(truth=truths())
def test_contrasts_are_those_of_the_definition(truth: Truth) -> None:
    e = truth.explanation
    for name in truth.model.classes:
        found = e.contrastive(towards=name)
        listed = list(found)
        assert found.complete
        if name == truth.decision:
            assert listed == []
            assert found.message == f"the instance is already in class {name}"
            continue
        reachable = truth.inside({name})
        event(f"reachable: {bool(reachable)}, clauses: {min(len(listed), 4)}")
        assert (found.message is None) == bool(reachable)
        others = truth.inside({*truth.model.classes, None} - {name})
        primes = truth.clauses(truth.implicates(truth.general(others)))
        expected = variable_minimal_clauses(primes)
        assert set(listed) == expected
        assert len(listed) == len(expected)
        for clause in listed:
            for instance, decision in e.changes(clause):
                assert decision == truth.decide(instance) == name
                assert not clause.holds(instance)
                changed = {n for n in instance if instance[n] != truth.instance[n]}
                assert changed == set(clause)


def test_changes_of_the_diagnosis_example(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT)
    found = e.contrastive(towards="0")
    clauses = list(found)
    assert found.ordered
    assert found.message is None
    assert [len(list(e.changes(clause))) for clause in clauses] == [1, 2, 1]
    assert list(e.changes(clauses[1])) == [
        ({"BP": "Low", "CT": "1", "HR": "Low"}, "0"),
        ({"BP": "Normal", "CT": "1", "HR": "Low"}, "0"),
    ]
    assert len(list(e.changes(clauses[1], limit=1))) == 1
    assert list(e.changes(clauses[1], limit=0)) == []
    assert list(e.changes({"BP": "High"})) == [
        ({**PATIENT, "BP": "Low"}, "2"),
        ({**PATIENT, "BP": "Normal"}, "1"),
    ]


def test_many_changes_come_lazily() -> None:
    model = Classifier(example("asia"), "bronc").compile()
    e = model.explain({v.name: v.states[0] for v in model.classifier.feature_variables})
    everything = Clause(model.domain, {name: e.instance[name] for name in model.features})
    assert [len(list(e.changes(everything, limit))) for limit in (None, 1)] == [1, 1]


def test_nothing_to_contrast(diagnosis: CompiledModel) -> None:
    same = diagnosis.explain(PATIENT).contrastive("2")
    assert list(same) == []
    assert same.complete
    assert repr(same) == "<Contrast towards 2: the instance is already in class 2>"
    held = diagnosis.explain(PATIENT, fixed=["BP"]).contrastive("1")
    assert (list(held), held.message) == ([], "no instance with BP as here is in class 1")
    constant = Classifier(example("cancer"), "Cancer", ["Xray", "Dyspnoea"]).compile()
    empty = constant.explain({"Xray": "positive", "Dyspnoea": "True"}).contrastive("True")
    assert (list(empty), empty.message) == ([], "no instance is in class True")


def test_limits(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT)
    found = e.contrastive("0", limit=2)
    assert (len(list(found)), found.cut, found.complete) == (2, "limit", False)
    late = e.contrastive("0", time_limit=0)
    (one,) = late
    assert (one in set(e.contrastive("0")), late.cut) == (True, "time")
    with pytest.raises(LogicError, match="negative"):
        e.contrastive("0", limit=-1)
    with pytest.raises(LogicError, match="negative"):
        e.changes({"BP": "High"}, limit=-1)


def test_wrong_questions(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT, fixed=["CT"])
    with pytest.raises(ClassifierError, match="no class 'two'; valid: '0', '1', '2'"):
        e.contrastive("two")
    with pytest.raises(LogicError, match="'CT', which is fixed"):
        e.changes({"CT": "1"})
    with pytest.raises(LogicError, match="expected a Clause, not a Term"):
        e.changes(Term(diagnosis.domain, {"BP": "High"}))
    other = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    with pytest.raises(Bnc2dError, match="other features"):
        e.changes(Clause(other.domain, {"D": "1"}))
