"""Shares under distributions of the instances, against enumeration."""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, LimitExceeded
from bnc2d.errors import (
    ArgumentError,
    Bnc2dError,
    Bnc2dWarning,
    ClassifierError,
    LogicError,
    UnknownNameError,
)
from bnc2d.testing import random_naive_bayes
from tests.compile.shares.by_definition import (
    Definition,
    Shares,
    as_positions,
    random_forbidden,
    random_marginals,
    random_rows,
)
from tests.hard_classifiers import mixed_classifier

MODEL = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()


def check_model(seed: int) -> Counter[str]:
    """Compare all shares of one random model, with and without a constraint; return what was seen."""
    rng = Random(f"shares {seed}")  # noqa: S311 - reproducible test data
    classifier = mixed_classifier(seed, 300)
    whole = classifier.compile()
    seen = Counter({"threshold": classifier.threshold is not None, "classes": len(whole.classes) > 2})
    for forbidden in ([], random_forbidden(classifier, rng)):
        truth = Definition(classifier, forbidden)
        try:
            model: CompiledModel = whole.given(forbidden) if forbidden else whole
        except LogicError:
            assert not truth.allowed, seed
            continue
        marginals, rows = random_marginals(classifier, rng), random_rows(classifier, rng)
        by_network = truth.shares(truth.by_network())
        asked: list[tuple[str, Any, Shares | None]] = [
            ("uniform", None, truth.shares(dict.fromkeys(truth.joints, Fraction(1)))),
            ("network", "network", by_network),
            ("marginals", marginals, truth.shares(truth.by_marginals(marginals))),
            ("rows", rows, truth.of_rows(rows)),
        ]
        if all(len(row) == len(classifier.features) for row in rows):
            asked.append(("rows", as_positions(classifier, rows), truth.of_rows(rows)))
        else:
            seen["partial"] += 1
        for name, distribution, expected in asked:
            seen[name] += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Bnc2dWarning)
                if expected is None:
                    with pytest.raises(ClassifierError, match=r"probability 0|violate the constraint"):
                        model.shares(distribution)
                    seen["nothing"] += 1
                    continue
                found = model.weigh(distribution)
                assert found.distribution == name
                assert sum(found.shares.values()) == 1
                assert {name: share for name, share in found.shares.items() if share} == expected, (
                    seed,
                    name,
                )
                assert model.share(model.classes[0], distribution) == expected.get(model.classes[0], 0)
                if None in expected:
                    seen["no class"] += 1
                    assert model.share(None, distribution) == expected[None]
        if forbidden and by_network is not None:
            possible = sum(truth.by_network()[states] for states in truth.allowed)
            assert model.weigh("network").allowed == possible
            seen["impossible"] += possible < sum(1 for _ in truth.allowed)
    return seen


def test_shares_are_those_of_the_definition() -> None:
    seen: Counter[str] = Counter()
    for seed in range(25):
        seen += check_model(seed)
    kinds = ("network", "marginals", "rows", "partial", "nothing", "no class", "threshold", "classes")
    assert all(seen[kind] >= 3 for kind in kinds), seen


def test_forms_of_rows_and_marginals() -> None:
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}, {"BP": "Normal", "CT": "0", "HR": "Low"}]
    frame = pd.DataFrame([*rows, rows[0]])
    expected = {"0": Fraction(1, 3), "1": Fraction(0), "2": Fraction(2, 3)}
    assert MODEL.shares(frame) == MODEL.shares([*rows, rows[0]]) == expected
    assert MODEL.shares(np.array([[2, 1, 1], [1, 0, 0], [2, 1, 1]])) == expected
    assert MODEL.share("2", frame) == Fraction(2, 3)
    assert MODEL.shares("uniform") == MODEL.shares() == MODEL.shares({})
    marginals: dict[str, Any] = {
        "BP": frame["BP"].value_counts(normalize=True),
        "CT": {True: 0.25, 0: "0.75"},
    }
    third, quarter = {"High": Fraction(2, 3), "Normal": Fraction(1, 3)}, {"1": 0.25, "0": 0.75}
    found = MODEL.shares(marginals)
    exact = MODEL.shares({"BP": third, "CT": quarter})
    assert all(abs(found[name] - exact[name]) < 1e-12 for name in MODEL.classes)


def test_what_is_known_of_a_row_may_tie_where_no_instance_does() -> None:
    y, x = bnc2d.Variable("Y", ("a", "b")), bnc2d.Variable("X", ("0", "1"))
    cpts = [bnc2d.CPT(y, (), ["0.5"] * 2), bnc2d.CPT(x, (y,), ["0.2", "0.8", "0.8", "0.2"])]
    model = Classifier(bnc2d.BayesianNetwork([y, x], cpts), "Y", ties="none").compile()
    assert model.shares([{}, {"X": "1"}]) == {"a": Fraction(1, 2), "b": 0, None: Fraction(1, 2)}
    assert model.share(None, [{}, {"X": "1"}]) == Fraction(1, 2)
    assert model.share(None, "network") == 0


def test_rows_that_violate_the_constraint_do_not_count() -> None:
    given = MODEL.given("BP != Low")
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}, {"BP": "Low"}, {"CT": "1"}]
    with pytest.warns(Bnc2dWarning, match="1 of 3 rows violate the constraint and do not count") as caught:
        found = given.shares(rows)
    assert caught[0].filename == __file__
    assert sum(found.values()) == 1
    with pytest.warns(Bnc2dWarning):
        weighed = given.weigh(rows)
    assert (weighed.rows, weighed.violating, weighed.allowed) == (2, 1, Fraction(2, 3))
    with pytest.raises(ClassifierError, match="all 1 rows of the distribution violate the constraint"):
        given.shares([{"BP": "Low"}])
    with pytest.raises(
        ClassifierError,
        match="the constraint has probability 0 by these marginals, so that no instance counts",
    ):
        given.shares({"BP": {"Low": 1}})


@pytest.mark.parametrize(
    ("distribution", "error", "words"),
    [
        (
            "netwrok",
            ArgumentError,
            "distribution must be 'uniform', 'network', a mapping .* not str 'netwrok'",
        ),
        (3, ArgumentError, "not int 3"),
        ([], ClassifierError, "has no rows"),
        (np.array([2, 1, 1]), ArgumentError, "this is one instance"),
        (pd.Series({"BP": "High"}), ArgumentError, "not Series"),
        ({"BP": "High"}, ArgumentError, "distribution of 'BP' must be a mapping from state to probability"),
        (
            {"bp": {"High": 1}},
            UnknownNameError,
            "'bp' is not a feature of this classifier; did you mean 'BP'",
        ),
        ({"BP": {"Hihg": 1}}, UnknownNameError, "no state 'Hihg'; did you mean 'High'"),
        ({"BP": {"High": 0.5}}, ArgumentError, "distribution of 'BP' sums to 0.5, not 1; divide by the sum"),
        ({"BP": {"High": -0.5, "Low": 1.5}}, ArgumentError, "'High' has float -0.5, which is negative"),
        ({"BP": {"High": "x", "Low": 1}}, ArgumentError, "the probability of 'High': 'x' is not"),
        ({"CT": {1: 0.5, "1": 0.5}}, ArgumentError, "'1' and '1' are the same state"),
        ([{"BP": "High", "XX": 1}], UnknownNameError, "instance 0: 'XX' is not a feature"),
        (pd.DataFrame({"BP": ["High"]}), Bnc2dError, "no column for the feature 'CT'"),
    ],
)
def test_what_is_no_distribution(distribution: Any, error: type[Bnc2dError], words: str) -> None:
    with pytest.raises(error, match=words):
        MODEL.shares(distribution)


def test_large_models_are_weighed_without_listing_instances() -> None:
    net = random_naive_bayes(3, 18, 3)
    model = Classifier(net, net.names[0]).compile()  # 387 million instances
    shares = model.shares("network")
    assert sum(shares.values()) == 1
    assert all(share > Fraction(1, 10) for share in shares.values())
    with pytest.raises(LimitExceeded, match="the shares are not known within the time limit of 0 s"):
        model.shares("network", time_limit=0)


def test_tables_that_would_be_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnc2d.compile.shares.masses._MOST_ENTRIES", 4)
    with pytest.raises(
        LimitExceeded, match=r"a table of 2\^\d+ entries \(limit 2\^2\); choose fewer features"
    ):
        MODEL.shares("network")
