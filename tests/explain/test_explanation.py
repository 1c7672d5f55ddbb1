"""The paper's examples to the letter, edge cases, errors, and limits."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from time import perf_counter
from typing import Any

import pandas as pd
import pytest

import bnc2d
from bnc2d import (
    CPT,
    BayesianNetwork,
    Classifier,
    CompiledModel,
    Explanation,
    InstanceError,
    LimitExceeded,
    LogicError,
    UnknownNameError,
    Variable,
)
from bnc2d.base.readers.choices import Ties
from bnc2d.testing import random_instance, random_naive_bayes

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def compiled(classifier: Classifier) -> CompiledModel:
    model: CompiledModel = classifier.compile()
    return model


@pytest.fixture(scope="module")
def running() -> CompiledModel:
    return compiled(Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]))


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    return compiled(Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]))


@pytest.fixture(scope="module")
def wide() -> CompiledModel:
    """Twenty-two binary features below the target: instances with a great many reasons."""
    return compiled(Classifier(random_naive_bayes(5, 22), "Y"))


def shown(reasons: Iterable[object]) -> list[str]:
    return [str(reason) for reason in reasons]


def two_coins(ties: Ties) -> CompiledModel:
    """Y is 0 where A is heads, 1 where A is tails and B too, and undecided otherwise."""
    a, b = Variable("A", ("heads", "tails")), Variable("B", ("heads", "tails"))
    y = Variable("Y", ("0", "1"))
    half, one, zero = Fraction(1, 2), Fraction(1), Fraction(0)
    table = CPT(y, (a, b), [one, zero, one, zero, half, half, zero, one])
    network = BayesianNetwork([a, b, y], [CPT(a, (), [half, half]), CPT(b, (), [half, half]), table])
    return compiled(Classifier(network, "Y", ["A", "B"], ties=ties))


# --- the paper --------------------------------------------------------------------------------------------


def test_the_running_example(running: CompiledModel) -> None:
    e = running.explain({"D": "1", "E": "0", "F": "1"})
    assert (e.decision, e.target, e.instance) == ("1", "A", {"D": "1", "E": "0", "F": "1"})
    manager = e.complete_reason.manager
    d, f = bnc2d.NNF.literal(manager, "D", "1"), bnc2d.NNF.literal(manager, "F", "1")
    not_e = bnc2d.NNF.literal(manager, "E", "0")
    assert e.complete_reason.equivalent((d | not_e) & (not_e | f))
    assert shown(e.necessary_reasons()) == ["D ∨ ¬E", "¬E ∨ F"]
    assert shown(e.sufficient_reasons()) == ["¬E", "D ∧ F"]


def test_the_diagnosis_example(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT)
    assert e.decision == "2"
    assert str(e.complete_reason) == "BP=High ∧ (CT ∨ HR=Normal)"
    manager = e.general_reason.manager
    low_or_high = bnc2d.NNF.literal(manager, "BP", ["Low", "High"])
    high, ct = bnc2d.NNF.literal(manager, "BP", "High"), bnc2d.NNF.literal(manager, "CT", "1")
    not_low = bnc2d.NNF.literal(manager, "HR", ["Normal", "High"])
    assert e.general_reason.equivalent(low_or_high & (not_low | (ct & high)))
    assert shown(e.sufficient_reasons()) == ["BP=High ∧ CT", "BP=High ∧ HR=Normal"]
    assert shown(e.necessary_reasons()) == ["BP=High", "CT ∨ HR=Normal"]
    assert shown(e.general_sufficient_reasons()) == ["BP=High ∧ CT", "BP∈{Low,High} ∧ HR∈{Normal,High}"]
    assert shown(e.general_necessary_reasons()) == ["BP∈{Low,High}", "CT ∨ HR∈{Normal,High}"]
    primes = shown(e.general_reason.prime_implicates(towards=PATIENT))
    assert primes == ["BP∈{Low,High}", "BP=High ∨ HR∈{Normal,High}", "CT ∨ HR∈{Normal,High}"]
    assert shown(e.contrastive(towards="0")) == [
        "BP∈{Low,High} ∨ CT",
        "BP=High ∨ HR∈{Normal,High}",
        "CT ∨ HR∈{Normal,High}",
    ]


# --- edges ------------------------------------------------------------------------------------------------


def test_a_constant_classifier() -> None:
    model = Classifier(bnc2d.example("cancer"), "Cancer", ["Xray", "Dyspnoea"]).compile()
    e = model.explain({"Xray": "positive", "Dyspnoea": "True"})
    assert str(e.complete_reason) == str(e.general_reason) == "⊤"
    assert shown(e.sufficient_reasons()) == shown(e.general_sufficient_reasons()) == ["⊤"]
    assert shown(e.necessary_reasons()) == shown(e.general_necessary_reasons()) == []
    assert (str(e.shortest_sufficient_reason()), e.shortest_necessary_reason()) == ("⊤", None)
    assert e.robustness() == bnc2d.Robustness(None)
    assert (e.count_sufficient_reasons(), e.count_necessary_reasons()) == (1, 0)
    assert (e.count_general_sufficient_reasons(), e.count_general_necessary_reasons()) == (1, 0)
    assert e.necessary_features() == e.relevant_features() == ()
    assert e.irrelevant_features() == ("Xray", "Dyspnoea")
    assert e.is_sufficient({})
    assert e.is_general_sufficient({})
    for clause in ({}, {"Xray": "positive"}):
        assert not e.is_necessary(clause)
        assert not e.is_general_necessary(clause)


def test_a_classifier_with_one_feature() -> None:
    states = ("a", "b", "c")
    x, y = Variable("X", states), Variable("Y", ("0", "1"))
    ones = [Fraction(n, 10) for n in (9, 1, 2, 8, 3, 7)]
    network = BayesianNetwork([x, y], [CPT(x, (), [Fraction(1, 3)] * 3), CPT(y, (x,), ones)])
    model = Classifier(network, "Y", ["X"]).compile()
    e = model.explain({"X": "b"})
    assert e.decision == "1"
    assert shown(e.sufficient_reasons()) == shown(e.necessary_reasons()) == ["X=b"]
    assert shown(e.general_sufficient_reasons()) == shown(e.general_necessary_reasons()) == ["X∈{b,c}"]
    assert e.robustness() == bnc2d.Robustness(1, {"X": "a"}, "0")
    assert str(model.explain({"X": "b"}, fixed=["X"]).complete_reason) == "⊤"


def test_an_instance_in_no_class() -> None:
    e = two_coins("none").explain({"A": "tails", "B": "heads"})
    assert e.decision is None
    assert repr(e) == "<Explanation of no class of Y for A=tails, B=heads>"
    assert shown(e.sufficient_reasons()) == ["A=tails ∧ B=heads"]
    assert shown(e.necessary_reasons()) == ["A=tails", "B=heads"]
    assert e.is_sufficient({"A": "tails", "B": "heads"})
    assert not e.is_sufficient({"A": "tails"})
    assert e.robustness("0") == bnc2d.Robustness(1, {"A": "heads", "B": "heads"}, "0")
    assert e.robustness().distance == 1
    assert shown(e.contrastive("0")) == ["A=tails"]
    assert shown(e.contrastive("1")) == ["B=heads"]
    in_a_class = two_coins("none").explain({"A": "tails", "B": "tails"})
    assert in_a_class.robustness("0").distance == 1
    assert list(in_a_class.changes({"B": "tails"})) == [({"A": "tails", "B": "heads"}, None)]


def test_fixed_features_are_not_mentioned(diagnosis: CompiledModel) -> None:
    e = diagnosis.explain(PATIENT, fixed=["CT"])
    assert e.fixed == ("CT",)
    assert shown(e.sufficient_reasons()) == ["BP=High"]
    assert shown(e.general_sufficient_reasons()) == ["BP=High"]
    assert shown(diagnosis.explain(PATIENT, fixed="BP").necessary_reasons()) == ["CT ∨ HR=Normal"]
    everything = diagnosis.explain(PATIENT, fixed=["BP", "CT", "HR"])
    assert shown(everything.sufficient_reasons()) == ["⊤"]
    assert everything.robustness().distance is None
    with pytest.raises(UnknownNameError, match="did you mean 'CT'"):
        diagnosis.explain(PATIENT, fixed=["ct"])


def test_a_loaded_model_explains_alike(diagnosis: CompiledModel, tmp_path: Any) -> None:
    diagnosis.save(tmp_path / "model.bnc2d")
    e = bnc2d.load(tmp_path / "model.bnc2d").explain(PATIENT)
    assert shown(e.sufficient_reasons()) == shown(diagnosis.explain(PATIENT).sufficient_reasons())


def test_explaining_leaves_the_model_as_it_is(wide: CompiledModel) -> None:
    for label in wide.classes:
        wide.formula(label)
    size = len(wide.manager)
    for seed in range(3):
        e = wide.explain(random_instance(wide.classifier, seed))
        assert next(e.sufficient_reasons(limit=1))
        assert next(e.general_necessary_reasons(limit=1))
    assert len(wide.manager) == size


# --- what instances may be --------------------------------------------------------------------------------


def test_forms_of_an_instance(diagnosis: CompiledModel) -> None:
    assert diagnosis.explain({"BP": "High", "CT": True, "HR": "Normal"}).instance == PATIENT
    assert diagnosis.explain({"BP": "High", "CT": 1, "HR": "Normal"}).instance == PATIENT
    frame = pd.DataFrame([{"D": "?", "BP": "High", "CT": 1, "HR": "Normal"}])
    assert diagnosis.explain(frame.iloc[0]).instance == PATIENT
    assert diagnosis.explain(frame.iloc[0].drop("D").to_dict()).instance == PATIENT


@pytest.mark.parametrize(
    ("instance", "kind", "message"),
    [
        ({"BP": "high", "CT": "1", "HR": "Low"}, UnknownNameError, "no state 'high'; did you mean 'High'"),
        ({"BP": "High", "CT": "1", "hr": "Low"}, UnknownNameError, "did you mean 'HR'"),
        ({**PATIENT, "CTT": "1"}, UnknownNameError, "did you mean 'CT'"),
        ([PATIENT], InstanceError, "one instance"),
        (pd.DataFrame([PATIENT]), InstanceError, "one instance"),
        (pd.Series({"BP": "High", "CT": "1"}), InstanceError, "no state for 'HR'"),
        (7, InstanceError, "mapping"),
    ],
)
def test_wrong_instances(
    diagnosis: CompiledModel, instance: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        diagnosis.explain(instance)


def test_it_prints_in_a_line(diagnosis: CompiledModel, wide: CompiledModel) -> None:
    assert str(diagnosis.explain(PATIENT)) == "<Explanation of D=2 for BP=High, CT, HR=Normal>"
    assert len(repr(wide.explain(dict.fromkeys(wide.features, 1)))) < 100


# --- limits -----------------------------------------------------------------------------------------------

LISTS = [
    "sufficient_reasons",
    "necessary_reasons",
    "general_sufficient_reasons",
    "general_necessary_reasons",
]


@pytest.mark.parametrize("kind", LISTS)
def test_limits_cut_cleanly(wide: CompiledModel, kind: str) -> None:
    e: Explanation = wide.explain(dict.fromkeys(wide.features, 0))
    for limit in (0, 1, 5):
        found = getattr(e, kind)(limit=limit)
        listed = list(found)
        assert (len(listed), found.cut, found.complete) == (limit, "limit", False)
        assert listed == list(getattr(e, kind)(limit=limit))
    late = getattr(e, kind)(time_limit=0)
    (one,) = late
    assert (late.cut, late.complete) == ("time", False)
    assert getattr(e, f"is_{kind.removesuffix('_reasons')}")(one)
    started = perf_counter()
    some = getattr(e, kind)(time_limit=0.2)
    count = sum(1 for _ in some)  # on a busy machine possibly none
    assert some.cut == "time" or (some.complete and count > 0)
    assert perf_counter() - started < 10
    with pytest.raises(LogicError, match="negative"):
        getattr(e, kind)(limit=-1)
    with pytest.raises(LogicError, match="seconds"):
        getattr(e, kind)(time_limit=-1.0)


def test_time_limits_of_answers(wide: CompiledModel) -> None:
    e = wide.explain(dict.fromkeys(wide.features, 0))
    for ask in (
        e.count_sufficient_reasons,
        e.count_general_necessary_reasons,
        e.shortest_sufficient_reason,
        e.relevant_features,
    ):
        with pytest.raises(LimitExceeded, match="time limit of 0 s"):
            ask(time_limit=0)
    with pytest.raises(LimitExceeded, match="time limit"):
        e.is_sufficient(e.shortest_sufficient_reason(), time_limit=0)
