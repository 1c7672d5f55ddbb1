"""Exact inference that does not end: what needs it ends at its time limit, and says what is not known."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Explanation, TimeLimitExceeded, Variable
from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.model.decision import DECISION_SECONDS
from bnc2d.model.inference import Joint, JointQuery
from bnc2d.report.records import explanation_summary
from tests.deadlines import assert_in_time

LIMIT = 0.1
INSTANCE = {"A": "0", "B": "0"}


def tied() -> Classifier:
    """Return a classifier of which every decision is a tie, which floats cannot prove."""
    third = [Fraction(1, 3), Fraction(2, 3)]
    y, a, b = (Variable(name, ("0", "1")) for name in "YAB")
    cpts = [CPT(y, (), [Fraction(1, 2)] * 2), CPT(a, (y,), third * 2), CPT(b, (y,), third * 2)]
    return Classifier(BayesianNetwork([y, a, b], cpts), "Y")


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let exact inference have no end from now on."""
    joint = JointQuery.joint

    def exactly_never(self: JointQuery, rows: Rows, exact: bool) -> Joint:
        while exact:
            checkpoint()
        return joint(self, rows, exact)

    return lambda: monkeypatch.setattr(JointQuery, "joint", exactly_never)


@pytest.fixture
def explained(endless: Callable[[], None]) -> Explanation:
    explanation = tied().compile().explain(INSTANCE)
    endless()
    return explanation


def test_data_say_what_is_not_known(explained: Explanation) -> None:
    (data,) = assert_in_time(lambda: explained.to_dict(time_limit=LIMIT), LIMIT)
    assert (data["decision"], data["sufficient_reasons"]) == ("0", [{}])
    assert (data["possible"], data["decided_by"], data["posterior_exact"]) == (None, None, None)
    assert data["posterior"] == {"0": 0.5, "1": 0.5}
    (summary,) = assert_in_time(lambda: explanation_summary(explained, time_limit=LIMIT), LIMIT)
    assert (summary["decided_by"], summary["posterior"]) == (None, {"0": 0.5, "1": 0.5})
    assert explained.possible  # which entries are zero is all it takes


def test_without_a_decision_there_is_no_explanation(endless: Callable[[], None]) -> None:
    classifier = tied()
    endless()
    with pytest.raises(TimeLimitExceeded, match=rf"the decision is not known .* {DECISION_SECONDS:g} s"):
        classifier.explain(INSTANCE, time_limit=0)
    found = assert_in_time(lambda: classifier.explain(INSTANCE, time_limit=LIMIT), DECISION_SECONDS)
    assert not found


def test_a_region_without_a_decision_is_open(endless: Callable[[], None]) -> None:
    classifier = tied()
    assert classifier.decides({}).decision == "0"
    endless()
    (found,) = assert_in_time(lambda: classifier.decides({}, time_limit=LIMIT), DECISION_SECONDS)
    assert (found.status, found.decision, found.settled) == ("open", None, 0.0)
    assert str(found) == "open: the time limit came first"
    assert classifier.decides({}, "0").holds


def test_floats_need_no_exact_inference(endless: Callable[[], None]) -> None:
    endless()
    assert np.allclose(tied().posterior([INSTANCE])[0]["0"], 0.5)
