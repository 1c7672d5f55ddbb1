"""Partial instances: in every form, decided by what is known, against plain sums of joint probabilities."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bnc2d import BayesianNetwork, Classifier, UnknownNameError, Variable, example
from bnc2d.base.readers.instances import encode_partial, encode_partial_one
from bnc2d.base.readers.missing import MISSING, is_missing
from bnc2d.errors import InstanceError
from bnc2d.model.cpt import CPT
from bnc2d.model.decision import Basis
from bnc2d.model.partial import groups_of, over, partial_bases, partial_labels
from tests.explain.missing.completions import some_completions
from tests.hard_classifiers import mixed_classifier

KNOWN = {"BP": "High", "HR": "Low"}
UNKNOWN: list[Any] = [None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT, "?"]


def diagnosis() -> Classifier:
    return Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])


def odd_states() -> Classifier:
    """Return a classifier with states called as unknown values are."""
    y = Variable("Y", ("no", "yes"))
    x = Variable("X", ("?", "None", "nan", "<NA>"))
    cpts = [
        CPT(y, (), ["0.6", "0.4"]),
        CPT(x, (y,), ["0.7", "0.1", "0.1", "0.1", "0.1", "0.3", "0.3", "0.3"]),
    ]
    return Classifier(BayesianNetwork([y, x], cpts), "Y", ["X"])


def test_decisions_and_posteriors_are_those_of_sums_of_joints() -> None:
    for seed in range(500, 520):
        case = some_completions(mixed_classifier(seed, 100), seed)
        clf, joint = case.classifier, case.joint(case.known)
        total = sum(joint.values())
        assert clf.predict(case.known) == case.decision(case.known)
        assert clf.posterior(case.known) == {name: value / (total or 1) for name, value in joint.items()}
        assert clf.is_possible(case.known) == (total > 0)
        floats = clf.posterior([case.known])[0]
        assert floats == pytest.approx({name: float(value / (total or 1)) for name, value in joint.items()})


def test_rows_that_lack_different_features_are_decided_as_one_by_one() -> None:
    clf = diagnosis()
    model = clf.compile()
    full = {"BP": "High", "CT": "1", "HR": "Low"}
    rows: list[dict[str, Any]] = [
        full,
        {},
        KNOWN,
        {**full, "BP": None},
        {"CT": 0},
        full,
        {"HR": "High"},
        KNOWN,
    ]
    one_by_one = [clf.predict(row) for row in rows]
    assert len(set(one_by_one)) == 3
    frame = pd.DataFrame(rows, columns=["BP", "CT", "HR"])
    for asked in (clf, model):
        assert asked.predict(rows) == one_by_one
        assert asked.predict(frame).tolist() == one_by_one
        assert [asked.predict(row) for _, row in frame.iterrows()] == one_by_one
    exact = clf.posterior(rows, exact=True)
    assert exact == [clf.posterior(row) for row in rows]
    assert clf.posterior(frame, exact=True).to_numpy().tolist() == [list(row.values()) for row in exact]
    assert clf.is_possible(rows) == [True] * len(rows)
    encoded = encode_partial(clf.feature_variables, rows)
    assert partial_labels(clf, encoded.rows).tolist() == [clf.label(name) for name in one_by_one]
    assert partial_bases(clf, encoded.rows) == [Basis(True, "posterior")] * len(rows)


def test_groups_hold_each_row_once() -> None:
    rows = np.random.default_rng(0).integers(-1, 3, size=(500, 4))
    seen = []
    for places, known, some in groups_of(rows):
        assert (some != MISSING).all()
        assert (rows[places][:, list(known)] == some).all()
        assert (np.delete(rows[places], known, axis=1) == MISSING).all()
        seen += places.tolist()
    assert sorted(seen) == list(range(500))
    (only,) = groups_of(np.zeros((3, 2), dtype=int))
    assert only.known == (0, 1)


@pytest.mark.parametrize("value", UNKNOWN, ids=repr)
def test_unknown_values(value: Any) -> None:
    clf = diagnosis()
    wanted = clf.posterior(KNOWN)
    partial = {**KNOWN, "CT": value}
    assert is_missing(value)
    assert encode_partial_one(clf.feature_variables, partial) == [2, MISSING, 0]
    assert clf.posterior(partial) == wanted
    assert clf.posterior(pd.Series(partial, dtype=object)) == wanted
    assert clf.posterior([partial, KNOWN], exact=True) == [wanted, wanted]
    frame = pd.DataFrame({"BP": ["High"], "CT": pd.Series([value], dtype=object), "HR": ["Low"]})
    assert clf.posterior(frame, exact=True).iloc[0].to_dict() == wanted


def test_a_state_may_be_called_so() -> None:
    clf = odd_states()
    states = [clf.posterior({"X": state}) for state in ("?", "None", "nan", "<NA>")]
    assert states[0] != states[1]
    for value, wanted in [("?", 0), (None, 1), (math.nan, 2), (pd.NA, 3)]:
        assert clf.posterior({"X": value}) == states[wanted]
    prior = clf.posterior({})  # what is left out is missing, whatever states are called
    assert prior not in states
    assert clf.posterior({"X": pd.NaT}) == prior


def test_a_column_of_numbers_with_gaps_is_read() -> None:
    clf = diagnosis()
    frame = pd.DataFrame({"BP": ["High", "Low"], "CT": [1.0, math.nan], "HR": ["Low", None]})
    assert clf.predict(frame).tolist() == [
        clf.predict({"BP": "High", "CT": 1, "HR": "Low"}),
        clf.predict({"BP": "Low"}),
    ]


@pytest.mark.parametrize(
    ("instance", "error", "words"),
    [
        ({"Bp": "High"}, UnknownNameError, "'Bp' is not a feature of this classifier; did you mean 'BP'"),
        ({**KNOWN, "X": None}, UnknownNameError, "'X' is not a feature"),
        ([KNOWN, {"hr": "Low"}], UnknownNameError, "instance 1: 'hr' is not a feature .* did you mean 'HR'"),
        (pd.Series(KNOWN), InstanceError, "sets no state for 'CT'; '.' or None says that it is unknown"),
        ([pd.Series(KNOWN)], InstanceError, "instance 0: .*sets no state for 'CT'"),
        (
            pd.DataFrame([{**KNOWN, "Ct": 1}]),
            InstanceError,
            "no column .* 'CT'; did you mean 'Ct'.* None says",
        ),
        ({**KNOWN, "CT": "??"}, UnknownNameError, "'CT' has no state '..'"),
        ({**KNOWN, "CT": ""}, UnknownNameError, "'CT' has no state ''"),
        (np.array([2, -1, 0]), InstanceError, "-1 is no position of a state of 'CT'"),
        (np.array([2.0, math.nan, 0.0]), InstanceError, "not float64"),
    ],
)
def test_what_is_still_an_error(instance: Any, error: type[Exception], words: str) -> None:
    for ask in (diagnosis().predict, diagnosis().compile().predict, diagnosis().is_possible):
        with pytest.raises(error, match=words):
            ask(instance)


def test_questions_about_complete_instances_stay_so() -> None:
    model = diagnosis().compile()
    questions: list[Any] = [model.nearest, lambda x: model.is_biased("BP", x), model.formula("2").evaluate]
    for ask in questions:
        with pytest.raises(InstanceError, match="sets no state for 'CT'"):
            ask(KNOWN)
        with pytest.raises(UnknownNameError, match="'CT' has no state"):
            ask({**KNOWN, "CT": None})


def test_smaller_classifiers_are_kept_and_bounded() -> None:
    clf = diagnosis()
    assert over(clf, [0, 1, 2]) is clf
    assert over(clf, [0, 2]) is over(clf, [0, 2])
    assert over(clf, [0, 2]).features == ("BP", "HR")
    assert type(over(clf, [])) is Classifier
    many = mixed_classifier(3, 500)
    for number in range(200):
        over(many, [at for at in range(len(many.features)) if number >> at & 1])
    assert len(many.__dict__["_smaller"]) <= 64
    assert "_smaller" not in many.__getstate__()
