"""Posteriors and decisions against the joint table of the whole network."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings

import bnc2d
from bnc2d import CPT, BayesianNetwork, Bnc2dError, Classifier, LimitExceeded, Variable
from bnc2d.base.readers.instances import all_rows, encode
from bnc2d.model import accounts, inference
from bnc2d.testing import random_classifier
from bnc2d.verify.oracle import decide
from tests.brute_force.decisions import joint_of_instances
from tests.cases import cases
from tests.strategies import classifiers

DIAGNOSIS = {"BP": "High", "CT": "1", "HR": "Normal"}


@given(classifiers())
@settings(max_examples=cases(66, 400))
def test_posteriors_and_decisions_are_those_of_the_joint_table(classifier: Classifier) -> None:
    joints = joint_of_instances(classifier)
    instances = [dict(zip(classifier.features, states, strict=True)) for states in joints]
    decisions = [decide(classifier, joint) for joint in joints.values()]
    assert classifier.predict(instances) == decisions
    for joint, floats in zip(joints.values(), classifier.posterior(instances), strict=True):
        total = sum(joint.values()) or Fraction(1)
        exact = {state: p / total for state, p in joint.items()}
        assert floats == pytest.approx({state: float(p) for state, p in exact.items()}, rel=1e-12)
        event(f"impossible: {not any(joint.values())}")
    one = instances[len(instances) // 2]
    joint = joints[tuple(one.values())]
    total = sum(joint.values()) or Fraction(1)
    assert classifier.posterior(one) == {state: p / total for state, p in joint.items()}
    assert classifier.predict(one) == decisions[len(instances) // 2]
    assert classifier.count_impossible() == sum(not any(joint.values()) for joint in joints.values())
    event(f"in no class: {None in decisions}")
    event(f"threshold: {classifier.threshold is not None}")


@given(classifiers())
@settings(max_examples=cases(16, 100))
def test_every_form_of_instances_gives_the_same_answers(classifier: Classifier) -> None:
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    names = [
        [v.states[code] for v, code in zip(classifier.feature_variables, row, strict=True)] for row in rows
    ]
    frame = pd.DataFrame(names, columns=list(classifier.features), index=[f"r{i}" for i in range(len(rows))])
    frame["unrelated"] = 1
    dicts = [dict(zip(classifier.features, row, strict=True)) for row in names]
    decisions, posteriors = classifier.predict(rows), classifier.posterior(rows)
    assert decisions.tolist() == classifier.predict(dicts)
    series = classifier.predict(frame)
    assert series.tolist() == decisions.tolist()
    assert series.index.equals(frame.index)
    assert series.name == classifier.target
    assert np.array_equal(classifier.posterior(frame).to_numpy(), posteriors)
    assert [list(answer.values()) for answer in classifier.posterior(dicts)] == posteriors.tolist()
    one_by_one = [classifier.posterior(instance) for instance in dicts]
    assert classifier.posterior(dicts, exact=True) == one_by_one
    exact = [list(answer.values()) for answer in one_by_one]
    assert classifier.posterior(rows, exact=True).tolist() == exact
    assert classifier.posterior(frame, exact=True).to_numpy().tolist() == exact
    floats = classifier.posterior(dicts[0], exact=False)
    assert floats == pytest.approx({state: float(p) for state, p in one_by_one[0].items()}, rel=1e-12)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_splitting_rows_changes_nothing(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    classifier = random_classifier(7, variables=9, features=4, zero_share=0.0, deterministic_share=0.0)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    expected = classifier.posterior(rows)
    query = inference.JointQuery(classifier.network, classifier.target, classifier.features)
    monkeypatch.setattr(query, "_rows_at_once", lambda *_: limit)
    values = query.joint(rows, exact=False).values
    assert values / values.sum(axis=1, keepdims=True) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("lowest", [-12, -4, -1])
@pytest.mark.parametrize("seed", range(40))
def test_a_narrow_float_range_costs_time_not_correctness(
    monkeypatch: pytest.MonkeyPatch, seed: int, lowest: int
) -> None:
    """With a pretended underflow limit every guard fires: rescaling, watching, the exact path."""
    classifier = random_classifier(seed, variables=6, features=4, ties="none", digits=1 + seed % 3)
    expected = {states: decide(classifier, joint) for states, joint in joint_of_instances(classifier).items()}
    monkeypatch.setattr(accounts, "LOWEST_EXPONENT", lowest)
    instances = [dict(zip(classifier.features, states, strict=True)) for states in expected]
    assert classifier.predict(instances) == list(expected.values())


def naive_bayes(rates: list[Fraction], prior: Fraction) -> BayesianNetwork:
    """Return naive Bayes with a binary feature a rate: P(F=1 | C=0) = rate, P(F=1 | C=1) = 1 - rate."""
    target = Variable("C", ("0", "1"))
    nodes, cpts = [target], [CPT(target, (), [1 - prior, prior])]
    for number, rate in enumerate(rates):
        nodes.append(Variable(f"F{number}", ("0", "1")))
        cpts.append(CPT(nodes[-1], (target,), [1 - rate, rate, rate, 1 - rate]))
    return BayesianNetwork(nodes, cpts)


def test_exact_ties_are_seen_and_near_ties_are_not_confused() -> None:
    """float64 cannot tell these apart: the product of the odds is 1, or differs from 1 by 1e-30."""
    third, tiny = Fraction(1, 3), Fraction(1, 10**30)
    instance = {"F0": "1", "F1": "0"}
    tied = Classifier(naive_bayes([third, third], Fraction(1, 2)), "C")
    assert tied.predict(instance) == "0"
    assert Classifier(tied.network, "C", ties="none").predict(instance) is None
    for sign, winner in ((1, "1"), (-1, "0")):
        near = naive_bayes([third, third], Fraction(1, 2) + sign * tiny)
        assert Classifier(near, "C", ties="none").predict(instance) == winner
        assert Classifier(near, "C", ties="none").predict([instance] * 3) == [winner] * 3


def test_threshold_exactly_hit_is_not_exceeded() -> None:
    net = naive_bayes([Fraction(1, 10)], Fraction(1, 2))
    assert Classifier(net, "C", threshold=0.1).predict({"F0": "0"}) == "0"
    assert Classifier(net, "C", threshold="0.0999999999999999999999").predict({"F0": "0"}) == "1"
    assert Classifier(net, "C", threshold=0.9, positive="0").predict({"F0": "0"}) == "1"
    assert (
        Classifier(net, "C", threshold=Fraction(9, 10) - Fraction(1, 10**40), positive="0").predict(
            {"F0": "0"}
        )
        == "0"
    )


@pytest.mark.parametrize("count", [40, 400])
def test_underflow_is_noticed(count: int) -> None:
    """Probabilities around 1e-12000: float64 has only zeros, the exact path has the answer."""
    net = naive_bayes([Fraction(1, 10**30)] * count, Fraction(1, 2))
    classifier = Classifier(net, "C")
    row = np.array([[0, 1] * (count // 2)])
    assert classifier.posterior(row).tolist() == [[0.5, 0.5]]
    assert classifier.predict(row).tolist() == ["0"]
    row[0, 0] = 1  # a majority of ones speaks for class 1
    assert classifier.predict(row).tolist() == ["1"]
    row[0, :2] = 0
    assert classifier.predict(row).tolist() == ["0"]
    assert classifier.predict(1 - row).tolist() == ["1"]


def test_entries_below_the_range_of_floats() -> None:
    net = naive_bayes([Fraction(1, 10**400)], Fraction(1, 2))
    classifier = Classifier(net, "C", threshold=Fraction(1, 10**401))
    assert classifier.predict(np.array([[0]])).tolist() == ["1"]
    assert classifier.count_impossible() == 0


def test_evidence_apart_from_the_target_still_makes_instances_impossible() -> None:
    """P(Z=1) = 0 and Z is independent of the target: with Z=1 nothing is possible."""
    target, other = Variable("T", ("a", "b")), Variable("Z", ("0", "1"))
    net = BayesianNetwork(
        [target, other],
        [CPT(target, (), [Fraction(1, 4), Fraction(3, 4)]), CPT(other, (), [Fraction(1), Fraction(0)])],
    )
    classifier = Classifier(net, "T", ["Z"])
    assert classifier.posterior({"Z": 0}) == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert classifier.posterior({"Z": 1}) == {"a": 0, "b": 0}
    assert classifier.predict([{"Z": 0}, {"Z": 1}]) == ["b", "a"]
    assert Classifier(net, "T", ["Z"], ties="none").predict({"Z": 1}) is None
    assert classifier.count_impossible() == 1
    assert Classifier(net, "T", ["Z"], threshold=0.5, positive="a").predict({"Z": 1}) == "b"


def test_too_wide_a_network_is_refused_not_tried() -> None:
    """Every pair of 34 hidden causes has a common effect: eliminating any cause joins all others."""
    half = [Fraction(1, 2)] * 2
    causes = [Variable(f"H{number}", ("0", "1")) for number in range(34)]
    effects = [(Variable(f"F{a}-{b}", ("0", "1")), causes[a], causes[b]) for b in range(34) for a in range(b)]
    cpts = [CPT(cause, (), half) for cause in causes]
    cpts += [CPT(effect, parents, half * 4) for effect, *parents in effects]
    classifier = Classifier(BayesianNetwork([*causes, *(effect for effect, *_ in effects)], cpts), "H0")
    instance = dict.fromkeys(classifier.features, "0")
    with pytest.raises(LimitExceeded, match=r"^inference needs a table of 2\^3\d entries"):
        classifier.predict(instance)
    with pytest.raises(LimitExceeded, match=r"^exact inference needs a table of 2\^3\d entries"):
        classifier.posterior(instance)
    with pytest.raises(LimitExceeded, match="more than the limit of 4194304"):
        classifier.count_impossible()


def diagnosis(**options: Any) -> Classifier:
    return Classifier(bnc2d.example("diagnosis"), options.pop("target", "D"), **options)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: diagnosis(target="d"), "unknown variable 'd'; did you mean 'D'"),
        (lambda: diagnosis(features=["BP", "H"]), "unknown variable 'H'; did you mean 'HR'"),
        (lambda: diagnosis(features=["BP", "D"]), "the target 'D' is among the features"),
        (lambda: diagnosis(features=[]), "list of features is empty"),
        (lambda: diagnosis(features=["BP", "BP"]), "'BP' is listed twice"),
        (lambda: diagnosis(features="BP"), "must be a list of names"),
        (lambda: diagnosis(threshold=0.5), "threshold needs a target with two states, this one has 3"),
        (lambda: diagnosis(target="CT", features=["BP"], threshold=1), "strictly between 0 and 1, not at 1"),
        (lambda: diagnosis(target="CT", features=["BP"], threshold="0.0"), "strictly between 0 and 1"),
        (
            lambda: diagnosis(target="CT", features=["BP"], threshold="high"),
            "must be a number between 0 and 1",
        ),
        (lambda: diagnosis(target="CT", features=["BP"], threshold=float("nan")), "must be a number"),
        (
            lambda: diagnosis(target="CT", features=["BP"], threshold=0.5, positive="2"),
            "not a state of the target 'CT'",
        ),
        (lambda: diagnosis(positive="2"), "needs a target with two states"),
        (lambda: diagnosis(ties="highest"), "ties must be 'lowest' or 'none'"),
        (lambda: Classifier("diagnosis.bif", "D"), "expected a BayesianNetwork, not str"),  # type: ignore[arg-type]
        (lambda: Classifier(naive_bayes([], Fraction(1, 2)), "C"), "no leaf besides the target"),
    ],
)
def test_classifiers_that_are_none(make: Callable[[], object], words: str) -> None:
    with pytest.raises(Bnc2dError, match=words):
        make()


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        ({"BP": "High", "CT": 1, "hr": "Low"}, "'hr' is not a feature of this classifier; did you mean 'HR'"),
        ({**DIAGNOSIS, "X": 1}, "'X' is not a feature of this classifier"),
        ({**DIAGNOSIS, "BP": "Hihg"}, "'BP' has no state 'Hihg'; did you mean 'High'"),
        ({**DIAGNOSIS, "CT": ""}, "'CT' has no state ''"),
        ([DIAGNOSIS, {**DIAGNOSIS, "BP": "x"}], "instance 1: variable 'BP' has no state 'x'"),
        ([DIAGNOSIS, "BP=High"], "instance 1 is not a mapping"),
        ("BP=High", "mapping from feature to state, not str"),
        (7, "mapping from feature to state, not int"),
        (np.zeros((1, 2), dtype=int), r"integer array of shape \(instances, 3\)"),
        (np.zeros((1, 3)), "not float64"),
        (np.array([[0, 0, 0], [0, 2, 0]]), "row 1: 2 is no position of a state of 'CT'"),
        (np.array([[-1, 0, 0]]), "row 0: -1"),
        (
            pd.DataFrame([DIAGNOSIS]).drop(columns="HR"),
            "no column for the feature 'HR'.* a column of '.' or None",
        ),
        (pd.DataFrame([DIAGNOSIS, {**DIAGNOSIS, "HR": "??"}]), "row 1: variable 'HR' has no state"),
        (pd.DataFrame([DIAGNOSIS, {**DIAGNOSIS, "HR": ["Low"]}]), "row 1: variable 'HR' has no state"),
        (pd.DataFrame([[*DIAGNOSIS.values(), "Low"]], columns=[*DIAGNOSIS, "HR"]), "than one column 'HR'"),
        ({**DIAGNOSIS, "BP": ["High"]}, "'BP' has no state"),
    ],
)
def test_instances_that_are_none(instances: Any, words: str) -> None:
    for question in (diagnosis().predict, diagnosis().posterior):
        with pytest.raises(Bnc2dError, match=words):
            question(instances)


def test_no_rows_give_no_answers() -> None:
    classifier = diagnosis()
    assert classifier.predict([]) == []
    for exact in (None, False, True):
        assert classifier.posterior(np.zeros((0, 3), dtype=int), exact=exact).shape == (0, 3)


def test_values_of_different_types_are_read_apart() -> None:
    """True is the second state here, while 1 and "1" are the first."""
    flag = (Variable("F", ("1", "True")),)
    values = [True, 1, "1", 1.0, np.True_, np.int64(1), "True"]
    assert encode(flag, [{"F": value} for value in values]).rows[:, 0].tolist() == [1, 0, 0, 0, 1, 0, 1]
    frame = pd.DataFrame({"F": pd.Series(values, dtype=object)})
    assert encode(flag, frame).rows[:, 0].tolist() == [1, 0, 0, 0, 1, 0, 1]


def test_defaults() -> None:
    classifier = diagnosis()
    assert classifier.features == ("BP", "CT", "HR")
    assert classifier.classes == ("0", "1", "2")
    assert (classifier.threshold, classifier.positive, classifier.ties) == (None, None, "lowest")
    assert classifier.instance_count == 18
    assert diagnosis(target="CT", features=["X"]).positive == "1"
    assert repr(classifier) == "<Classifier of D (argmax), 3 features>"
    assert encode(classifier.feature_variables, {"HR": "Low", "BP": "Low", "CT": True}).rows.tolist() == [
        [0, 1, 0]
    ]
