"""agreement: rows that two models decide differently are counted, each with its reason and exact margin."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB

import bnc2d
from bnc2d import CPT, ArgumentError, BayesianNetwork, Bnc2dError, Classifier, Variable

CLASS = Variable("class", ("no", "yes"))
# P(yes | x): 1/2 for a, 1/2 + 1e-12 for b, 0.9 for c; d never occurs.
TINY = Fraction(1, 10**12)
ODDS = [
    (Fraction(1), Fraction(1)),
    (1 - 2 * TINY, 1 + 2 * TINY),
    (Fraction(1, 5), Fraction(9, 5)),
    (Fraction(0),) * 2,
]


def classifier(**rule: Any) -> Classifier:
    x = Variable("x", ("a", "b", "c", "d"))
    totals = [sum(odds[label] for odds in ODDS) for label in (0, 1)]
    entries = [odds[label] / totals[label] for label in (0, 1) for odds in ODDS]
    prior = [total / sum(totals) for total in totals]
    cpts = [CPT(CLASS, (), prior), CPT(x, (CLASS,), entries)]
    return Classifier(BayesianNetwork([CLASS, x], cpts), "class", ["x"], **rule)


ROWS = pd.DataFrame({"x": ["a", "b", "c", "d", "a"]})


def test_each_difference_has_its_reason_and_margin() -> None:
    clf = classifier()
    assert clf.predict(ROWS).tolist() == ["no", "yes", "yes", "no", "no"]
    found = bnc2d.agreement(clf, ["yes", "no", "no", "yes", "no"], ROWS)
    assert (found.rows, found.equal, found.holds) == (5, 1, False)
    assert [(one.row, one.why, one.margin) for one in found.differences] == [
        (0, "tie", 0),
        (1, "rounding", 2 * TINY),
        (2, "unexplained", Fraction(4, 5)),
        (3, "impossible", 0),
    ]
    assert found.counts == {"tie": 1, "rounding": 1, "impossible": 1, "not a number": 0, "unexplained": 1}
    assert found.witness == {"x": "c"}
    assert str(found).splitlines()[:2] == [
        "1 of 5 rows are decided alike; 1 differ by a tie; 1 differ by rounding; "
        "1 differ on rows of probability 0; 1 differ for no such reason",
        "  row 2: yes, the source says no (unexplained, exact margin 0.8)",
    ]
    assert not bnc2d.agreement(clf, ["no", "no", "yes", "no", "no"], ROWS, tolerance=1e-15)
    assert bnc2d.agreement(clf, ["no", "no", "yes", "no", "no"], ROWS, tolerance=1e-9)


def test_the_margin_of_a_threshold_is_the_distance_from_it() -> None:
    found = bnc2d.agreement(classifier(threshold="0.9"), ["no", "no", "yes", "no", "yes"], ROWS)
    assert [(one.row, one.why, one.margin) for one in found.differences] == [
        (2, "tie", 0),
        (4, "unexplained", Fraction(2, 5)),
    ]


def test_rows_in_no_class() -> None:
    found = bnc2d.agreement(classifier(ties="none"), ["no", None, "yes", None, None], ROWS)
    assert [(one.row, one.decision, one.source, one.why) for one in found.differences] == [
        (0, None, "no", "tie"),
        (1, "yes", None, "rounding"),
    ]


def test_sources_of_every_kind_and_instances_in_every_form() -> None:
    clf = classifier()
    model = clf.compile()
    codes = np.array([[0], [1], [2]])
    for one in (clf, model):
        assert bnc2d.agreement(one, model, ROWS).equal == 5
        assert bnc2d.agreement(one, lambda rows: ["no"] * len(rows), ROWS).counts["unexplained"] == 1
        assert bnc2d.agreement(one, clf, codes).rows == 3
        assert bnc2d.agreement(one, "yes", {"x": "c"})
        assert bnc2d.agreement(
            one, lambda wide: ["no", "yes", "yes"][: len(wide)], np.ones((3, 7)), rows=codes
        )
        assert bnc2d.agreement(one, ["?", "yes", "yes"], codes).differences[0].why == "unexplained"


def test_exact_ties_that_float_logarithms_break() -> None:
    """scikit-learn's sums of logarithms prefer the second class at a tie of 3/4 * 2/6 and 2/4 * 3/6."""
    differ = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        codes, classes = rng.integers(0, 3, (12, 4)), np.arange(12) % 2
        bayes = CategoricalNB(min_categories=3).fit(codes, classes)
        every = np.array(np.meshgrid(*[range(3)] * 4)).T.reshape(-1, 4)
        found = bnc2d.agreement(bnc2d.from_sklearn(bayes), bayes, every)
        assert found, str(found)
        assert {one.why for one in found.differences} <= {"tie"}
        assert all(one.decision == 0 and one.margin == 0 for one in found.differences)
        differ += len(found.differences)
    assert differ > 0


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_a_source_without_a_number() -> None:
    rows = [[1, 1], [1, 1], [0, 1], [0, 0], [1, 0], [1, 0], [1, 0], [1, 1]]
    bayes = BernoulliNB(alpha=0).fit(rows, [0, 0, 0, 0, 1, 1, 1, 1])
    found = bnc2d.agreement(bnc2d.from_sklearn(bayes), bayes, np.array([[1, 1]]))
    assert [(one.why, one.margin) for one in found.differences] == [("not a number", Fraction(1, 5))]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("x", [], ROWS), ArgumentError, "classifier must be a Classifier or a compiled model, not str 'x'"),
        ((classifier(), ["no"], ROWS), ArgumentError, "decided 1 instances, but there are 5"),
        (
            (classifier(), 3, ROWS),
            ArgumentError,
            "source must be an object with predict, a function, or a list",
        ),
        ((classifier(), ["no"] * 5, 3), Bnc2dError, "an instance is a mapping"),
    ],
)
def test_what_cannot_be_compared(arguments: Any, error: type[Bnc2dError], words: str) -> None:
    with pytest.raises(error, match=words):
        bnc2d.agreement(*arguments)
    with pytest.raises(ArgumentError, match="tolerance must be a number"):
        bnc2d.agreement(classifier(), ["no"] * 5, ROWS, tolerance="much")
