"""What decisions rest on, against the joint table of the whole network."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import CPT, Basis, BayesianNetwork, Classifier, Variable
from bnc2d.base.arrays import Rows
from bnc2d.base.readers.instances import all_rows
from bnc2d.model import inference
from bnc2d.model.inference import Joint, JointQuery
from tests.brute_force.decisions import joint_of_instances
from tests.cases import cases
from tests.strategies import classifiers


def by_definition(classifier: Classifier, joint: dict[str, Fraction]) -> Basis:
    total = sum(joint.values())
    if total == 0:
        rule = "tie rule" if classifier.threshold is None else "threshold rule"
        return Basis(False, rule, tuple(range(len(joint))))  # type: ignore[arg-type]
    if classifier.threshold is not None:
        assert classifier.positive is not None
        hit = joint[classifier.positive] / total == classifier.threshold
        return Basis(True, "threshold rule" if hit else "posterior")
    best = [state for state, weight in enumerate(joint.values()) if weight == max(joint.values())]
    return Basis(True, "tie rule", tuple(best)) if len(best) > 1 else Basis(True, "posterior")


@given(classifiers(), st.sampled_from([0.0, inference._MUCH_WORK]))
@settings(max_examples=cases(44, 300))
def test_bases_are_those_of_the_joint_table(classifier: Classifier, much_work: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            inference, "_MUCH_WORK", much_work
        )  # from there on, only possible rows are asked exactly
        check_bases(classifier)


def check_bases(classifier: Classifier) -> None:
    joints = joint_of_instances(classifier)
    expected = [by_definition(classifier, joint) for joint in joints.values()]
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert classifier.bases(rows) == expected
    instances = [dict(zip(classifier.features, states, strict=True)) for states in joints]
    assert classifier.is_possible(instances) == [basis.possible for basis in expected]
    assert classifier.is_possible(instances[0]) is expected[0].possible
    for instance, joint in zip(instances[-3:], [*joints.values()][-3:], strict=True):
        total = sum(joint.values())
        for _ in range(2):  # the second time it is known
            posterior = classifier.posterior(instance)
            assert {name: share * total for name, share in posterior.items()} == joint
    for basis in expected:
        event(f"{basis.possible}, {basis.decided_by}")


def test_what_took_long_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision, what it rests on and the posterior took nine seconds each on link."""
    monkeypatch.setattr(inference, "_MUCH_WORK", 0.0)
    asked: list[list[int]] = []
    joint = JointQuery._joint

    def counted(self: JointQuery, rows: Rows, dtype: Any) -> Joint:
        asked.extend(rows.tolist() if dtype.hasobject else [])
        return joint(self, rows, dtype)

    monkeypatch.setattr(JointQuery, "_joint", counted)
    y, x = Variable("Y", ("0", "1")), Variable("X", ("0", "1", "2"))
    cpts = [CPT(y, (), [Fraction(1, 2)] * 2), CPT(x, (y,), [Fraction(1, 2), Fraction(1, 2), 0] * 2)]
    classifier = Classifier(BayesianNetwork([y, x], cpts), "Y")
    for state in (0, 1, 2):
        rows = np.array([[state]])
        assert classifier.labels(rows).tolist() == [0]
        assert [basis.tied for basis in classifier.bases(rows)] == [(0, 1)]
        possible = Fraction(1, 2) if state < 2 else Fraction(0)
        assert set(classifier.posterior({"X": state}).values()) == {possible}
    assert asked == [[0], [1]]


def tiny(exponent: int) -> Classifier:
    """Two classes whose joints with X=0 differ from each other and from zero by less than any float."""
    y, x = Variable("Y", ("0", "1")), Variable("X", ("0", "1"))
    small = Fraction(1, 10**exponent)
    cpts = [
        CPT(y, (), [Fraction(1, 2)] * 2),
        CPT(x, (y,), [small, 1 - small, small + small**2, 1 - small - small**2]),
    ]
    return Classifier(BayesianNetwork([y, x], cpts), "Y")


def test_what_floats_cannot_hold_is_neither_impossible_nor_tied() -> None:
    for exponent in (10, 200, 400, 2000):
        assert tiny(exponent).bases(np.array([[0], [1]])) == [Basis(True, "posterior")] * 2


def test_a_threshold_hit_exactly() -> None:
    y, x = Variable("Y", ("0", "1")), Variable("X", ("0", "1"))
    third = Fraction(1, 3)
    cpts = [CPT(y, (), [third, 2 * third]), CPT(x, (y,), [third, 2 * third, third, 2 * third])]
    network = BayesianNetwork([y, x], cpts)
    rows = np.array([[0], [1]])
    hit = Classifier(network, "Y", threshold=2 * third)
    assert hit.bases(rows) == [Basis(True, "threshold rule")] * 2
    missed = Classifier(network, "Y", threshold=2 * third + Fraction(1, 10**40))
    assert missed.bases(rows) == [Basis(True, "posterior")] * 2
    frame = pd.DataFrame({"X": ["1", "0"]}, index=["a", "b"])
    assert hit.is_possible(frame).to_dict() == {"a": True, "b": True}
