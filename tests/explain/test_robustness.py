"""The distance to the nearest other decision, against all instances."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings

from bnc2d import Classifier, ClassifierError, Robustness, example
from tests.brute_force.reasons import Truth, truths
from tests.cases import cases


def distance(truth: Truth, allowed: set[str | None]) -> int | None:
    return min(
        (sum(a != b for a, b in zip(s, truth.own, strict=True)) for s in truth.inside(allowed)), default=None
    )


def check(truth: Truth, found: Robustness, allowed: set[str | None]) -> None:
    assert found.distance == distance(truth, allowed)
    if found.distance is None:
        assert found == Robustness(None)
        return
    assert found.witness is not None
    changed = {name for name in found.witness if found.witness[name] != truth.instance[name]}
    assert len(changed) == found.distance
    assert not changed & {truth.model.features[f] for f in truth.fixed}
    assert found.decision == truth.decide(found.witness)
    assert found.decision in allowed


@settings(max_examples=cases(14, 60))
@given(truth=truths())
def test_the_nearest_other_decision(truth: Truth) -> None:
    e = truth.explanation
    found = e.robustness()
    event(f"distance: {found.distance}")
    check(truth, found, {*truth.model.classes, None} - {truth.decision})
    for name in truth.model.classes:
        check(truth, e.robustness(towards=name), {name})


def test_the_diagnosis_example() -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    patient = {"BP": "High", "CT": "1", "HR": "Normal"}
    e = model.explain(patient)
    assert e.robustness() == Robustness(1, {**patient, "BP": "Normal"}, "1")
    assert e.robustness("0").distance == 2
    assert e.robustness("2") == Robustness(0, patient, "2")
    assert model.explain(patient, fixed=["BP"]).robustness() == Robustness(
        2, {"BP": "High", "CT": "0", "HR": "Low"}, "0"
    )
    assert model.explain(patient, fixed=["BP"]).robustness("1") == Robustness(None)
    with pytest.raises(ClassifierError, match="no class '3'"):
        e.robustness("3")
