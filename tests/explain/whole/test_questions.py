"""Shares, draws and nearest instances against all instances."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, ClassifierError, CompiledModel, InstanceError, UnknownNameError, example
from bnc2d.testing import random_naive_bayes
from tests.brute_force.decisions import Known, known, known_models
from tests.cases import cases

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


@given(known_models())
@settings(max_examples=cases(22, 40), deadline=None)
def test_shares(case: Known) -> None:
    model = case.model
    counts = Counter(case.decisions.values())
    shares = model.shares()
    assert sum(shares.values()) == 1
    assert (None in shares) == (model.classifier.rule.leaves_ties)
    for name, share in shares.items():
        assert share == Fraction(counts[name], len(case.decisions)) == model.share(name)


@given(known_models(), st.data())
@settings(max_examples=cases(22, 40), deadline=None)
def test_sample(case: Known, data: st.DataObject) -> None:
    model = case.model
    name = data.draw(st.sampled_from(list(model.shares())), "class")
    members = {row for row, decision in case.decisions.items() if decision == name}
    if not members:
        event("empty class")
        with pytest.raises(ClassifierError, match="no instance is in"):
            model.sample(name)
        return
    drawn = model.sample(name, seed=1, size=20)
    assert {case.row(instance) for instance in drawn} <= members
    assert drawn == model.sample(name, seed=1, size=20)
    assert model.sample(name, seed=1) == drawn[0]


def test_draws_are_uniform(diagnosis: CompiledModel) -> None:
    drawn = Counter(tuple(instance.values()) for instance in diagnosis.sample("2", seed=3, size=9000))
    assert len(drawn) == 9
    assert all(880 < times < 1120 for times in drawn.values())  # four standard deviations


def test_many_features_need_large_numbers() -> None:
    from bnc2d.compile.model import Stats
    from bnc2d.compile.result import feature_domain
    from bnc2d.logic.diagram.diagram import DiagramBuilder

    network = random_naive_bayes(1, 70)
    builder = DiagramBuilder(2)
    children = builder.add_level(np.array([[0, 1]]))
    for _ in range(69):
        children = builder.add_level(np.array([[0, int(children[0])]]))
    diagram = builder.finish(feature_domain(Classifier(network, "Y")), range(70), int(children[0]))
    model = CompiledModel(Classifier(network, "Y"), diagram, Stats("by hand", {}))
    assert model.share("1") == Fraction(1, 2**70)
    assert set(model.sample("1").values()) == {"1"}
    assert model.predict(model.sample("0")) == "0"
    assert model.nearest(dict.fromkeys(model.features, "0")).distance == 70
    assert model.is_biased(["X3", "X60"]).count == 4


@given(known_models(), st.data())
@settings(max_examples=cases(16, 100), deadline=None)
def test_nearest(case: Known, data: st.DataObject) -> None:
    model = case.model
    row = case.draw_row(data)
    towards = data.draw(st.none() | st.sampled_from(model.classes), "towards")
    fixed = data.draw(st.sets(st.sampled_from(model.features)), "fixed")
    weighed = data.draw(st.sets(st.sampled_from(model.features)), "weighed")
    numbers: st.SearchStrategy[int | float | str] = st.sampled_from([0, 2, 0.1, "0.25"])
    weights = {name: data.draw(numbers) for name in sorted(weighed)}
    costs = [Fraction(str(weights.get(name, 1))) for name in model.features]

    def allowed(other: tuple[int, ...]) -> bool:
        decision = case.decisions[other]
        right = decision != case.decisions[row] if towards is None else decision == towards
        kept = (a == b for a, b, name in zip(row, other, model.features, strict=True) if name in fixed)
        return right and all(kept)

    def distance(other: tuple[int, ...]) -> Fraction:
        changed = (cost for a, b, cost in zip(row, other, costs, strict=True) if a != b)
        return sum(changed, Fraction(0))

    found = model.nearest(case.instance(row), towards, fixed=fixed, weights=weights or None)
    distances = [distance(other) for other in case.decisions if allowed(other)]
    event("found" if distances else "none")
    assert bool(found) == bool(distances)
    if not found:
        assert (found.instance, found.distance, found.changes) == (None, None, {})
        assert str(found) == "no allowed change leads there"
        return
    assert found.instance is not None
    other = case.row(found.instance)
    assert allowed(other)
    assert found.distance == distance(other) == min(distances)
    assert found.decision == case.decisions[other] == model.predict(found.instance)
    assert len(found.changes) == sum(a != b for a, b in zip(row, other, strict=True))
    if towards == case.decisions[row] is not None:
        assert found.instance == case.instance(row)


def test_nearest_reads_well(diagnosis: CompiledModel) -> None:
    assert str(diagnosis.nearest(PATIENT)) == "BP: High → Normal gives 1"
    assert str(diagnosis.nearest(PATIENT, "2")) == "no change gives 2"
    assert str(diagnosis.nearest(PATIENT, fixed="BP")) == "CT: 1 → 0, HR: Normal → Low gives 0"
    assert diagnosis.nearest(PATIENT, weights={"BP": 5}).distance == 2


def test_a_constant_classifier_has_no_other_decision() -> None:
    network = example("diagnosis")
    case = known(Classifier(network, "X", ["D"], threshold="0.999999", positive="1"))
    assert set(case.decisions.values()) == {"0"}
    assert not case.model.nearest({"D": "1"})
    assert case.model.share("0") == 1
    with pytest.raises(ClassifierError, match="no instance is in class '1' of 'X'"):
        case.model.sample("1")


def test_errors_name_the_nearest(diagnosis: CompiledModel) -> None:
    with pytest.raises(ClassifierError, match="no class '3'; valid: '0', '1', '2'"):
        diagnosis.share("3")
    with pytest.raises(ClassifierError, match="has no class None"):
        diagnosis.sample(None)
    with pytest.raises(ClassifierError, match="size must not be negative"):
        diagnosis.sample("1", size=-1)
    with pytest.raises(UnknownNameError, match="did you mean 'BP'"):
        diagnosis.nearest(PATIENT, fixed=["bp"])
    with pytest.raises(UnknownNameError, match="did you mean 'HR'"):
        diagnosis.nearest(PATIENT, weights={"Hr": 2})
    with pytest.raises(ClassifierError, match="weight of 'HR' must be a number"):
        diagnosis.nearest(PATIENT, weights={"HR": float("nan")})
    with pytest.raises(ClassifierError, match="must not be negative"):
        diagnosis.nearest(PATIENT, weights={"HR": -1})
    with pytest.raises(UnknownNameError, match="did you mean 'High'"):
        diagnosis.nearest({**PATIENT, "BP": "high"})
    with pytest.raises(InstanceError, match="one instance"):
        diagnosis.nearest([PATIENT])  # type: ignore[call-overload]
