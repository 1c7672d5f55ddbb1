"""Scores of many rows: those of single ones, by every route, on any executor."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel, Row, Scores
from bnc2d.base.readers.choices import EXPLAIN_KINDS, GAMES, SCORE_KINDS
from bnc2d.testing import random_classifier
from tests.explain.scores.drawn import compare_many

PATIENTS = [{"BP": bp, "CT": ct, "HR": "Normal"} for bp in ("Low", "High", "High") for ct in ("0", "1")]


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    return Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()


def agree(found: Scores, truth: Scores) -> None:
    """Both are of the same question, and the numbers are the same, but for the error that is said."""
    for name in (
        "kind",
        "target",
        "decision",
        "distribution",
        "towards",
        "of",
        "weighted",
        "reasons",
        "complete",
    ):
        assert getattr(found, name) == getattr(truth, name), name
    assert list(found) == list(truth)
    pairs = [(found[name], truth[name]) for name in truth]
    if found.kind in GAMES:
        pairs += [(found.baseline or 0, truth.baseline or 0), (found.value or 0, truth.value or 0)]
    else:
        assert found.exact
    assert all(abs(Fraction(one) - Fraction(other)) <= found.error for one, other in pairs)


@pytest.mark.parametrize("seed", [2, 5, 17, 23, 40])
def test_explain_many_has_the_scores_of_each_row(seed: int) -> None:
    compare_many(seed, 40)


def test_the_result_does_not_depend_on_the_executor(diagnosis: CompiledModel) -> None:
    kinds: list[bnc2d.ExplainKind] = ["sufficient", *SCORE_KINDS]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        for source in (diagnosis, diagnosis.classifier):
            spread = source.explain_many(PATIENTS, executor, kinds=kinds, chunk_size=2)
            fractions = source.scores_many(PATIENTS, "shapley", None, executor, exact=True, chunk_size=1)
            means = source.scores_many(PATIENTS, "banzhaf", None, executor, of="posterior", towards="0")
            alone = source.explain_many(PATIENTS, kinds=kinds)
            for own, row, one, mean in zip(alone, spread, fractions, means, strict=True):
                e = diagnosis.explain(row.instance)
                assert (row.reasons, row.cut, row.decision) == (own.reasons, own.cut, own.decision)
                assert one.exact
                agree(one, e.scores("shapley", exact=True))
                agree(mean, e.scores("banzhaf", of="posterior", towards="0", exact=True))
                for kind in SCORE_KINDS:
                    for scores in (row.scores[kind], own.scores[kind]):
                        agree(scores, e.scores(kind))


def test_data_frames(diagnosis: CompiledModel) -> None:
    frame = pd.DataFrame(PATIENTS, index=list("abcdef"))
    frame.loc["b", "HR"] = None
    answer = diagnosis.explain_many(
        frame, kinds=["shapley", "necessary", "occurrence"], distribution=PATIENTS
    )
    assert answer.columns.tolist() == [
        *("decision", "possible", "decided_by", "shapley(BP)", "shapley(CT)", "shapley(HR)", "necessary"),
        *("occurrence(BP)", "occurrence(CT)", "occurrence(HR)", "missing", "cut"),
    ]
    assert answer.index.tolist() == list("abcdef")
    for kind, distribution in (("shapley", PATIENTS), ("occurrence", None)):
        alone: Any = diagnosis.scores_many(frame, kind, distribution)  # type: ignore[call-overload]
        columns = answer[[f"{kind}({name})" for name in frame]].set_axis(list(frame), axis=1)
        pd.testing.assert_frame_equal(columns, alone)
    assert answer.isna().sum().sum() == 2  # of the missing feature
    assert diagnosis.explain_many(frame.iloc[:0], kinds=["shapley"]).columns.tolist() == [
        *("decision", "possible", "decided_by", "shapley(BP)", "shapley(CT)", "shapley(HR)", "cut"),
    ]


def test_progress(diagnosis: CompiledModel) -> None:
    told: list[tuple[str, float]] = []
    diagnosis.scores_many(PATIENTS, "banzhaf", progress=lambda *now: told.append(now), chunk_size=2)
    assert told == [("score", 0.5), ("score", 1.0)]
    told.clear()
    kinds: list[bnc2d.ExplainKind] = ["necessary", "shapley", "occurrence"]
    diagnosis.explain_many(PATIENTS, kinds=kinds, progress=lambda *now: told.append(now), chunk_size=2)
    assert [name for name, _ in told] == ["explain"] * 6
    assert [done for _, done in told] == pytest.approx([n / 6 for n in range(1, 7)])


@pytest.mark.parametrize("compiled", [True, False])
def test_without_any_time(compiled: bool) -> None:
    """Games are left out, or raise where they are all that is asked for; reasons have bounds."""
    classifier = random_classifier(4, variables=9, features=6, max_states=3)
    source = classifier.compile() if compiled else classifier
    rows = np.zeros((3, 6), dtype=int)
    (row, *_) = source.explain_many(rows, kinds=EXPLAIN_KINDS, time_limit=0)
    assert [row.cut[kind] for kind in GAMES] == ["time", "time"]
    assert list(row.scores) == ["occurrence", "responsibility"]
    truth = source.explain_many(rows, kinds=["occurrence", "responsibility"])[0]
    for kind, scores in row.scores.items():
        assert (row.cut[kind] is None) == scores.complete
        for name, (low, high) in (scores.bounds or {}).items():
            assert low <= truth.scores[kind][name] <= high
    frame = pd.DataFrame([row.instance])
    assert source.explain_many(frame, kinds=["shapley"], time_limit=0).isna().sum().sum() == 6
    with pytest.raises(
        bnc2d.TimeLimitExceeded, match="shapley values are not known within the time limit of 0 s"
    ):
        source.scores_many(rows, "shapley", time_limit=0)
    assert source.scores_many(rows, "occurrence", time_limit=0)[0].keys() == truth.instance.keys()


def test_what_is_refused(diagnosis: CompiledModel) -> None:
    with pytest.raises(
        bnc2d.ClassifierError, match="unknown kind of reasons or scores 'shaply'; did you mean"
    ):
        diagnosis.explain_many(PATIENTS, kinds=["shaply"])  # type: ignore[list-item]
    with pytest.raises(bnc2d.ArgumentError, match="distribution is for the kinds 'shapley' and 'banzhaf'"):
        diagnosis.explain_many(PATIENTS, kinds=["occurrence"], distribution="uniform")
    with pytest.raises(bnc2d.ClassifierError, match=r"model\.unconstrained"):
        diagnosis.given("BP=High").explain_many(PATIENTS[2:], kinds=["shapley"])
    under = diagnosis.given("BP=High").explain_many(PATIENTS[2:], kinds=["occurrence"])
    assert under[0].scores["occurrence"]["BP"] == 0
    by_network = diagnosis.classifier.scores_many(PATIENTS[2:], "occurrence", given="BP=High")
    assert by_network == [row.scores["occurrence"] for row in under]
    big = random_classifier(1, variables=20, features=17, max_states=2)
    row = {f.name: f.states[0] for f in big.feature_variables}
    for ask in (
        lambda: big.scores_many([row], "banzhaf"),
        lambda: big.explain_many([row], kinds=["banzhaf"]),
    ):
        with pytest.raises(
            bnc2d.NotCompiledError, match=r"65536 instances needs a compiled model: use .*compile\(\)"
        ):
            ask()
    with pytest.raises(bnc2d.ArgumentError, match="chunk_size"):
        diagnosis.scores_many(PATIENTS, "shapley", chunk_size=0)
    with pytest.raises(bnc2d.ArgumentError, match="executor"):
        diagnosis.scores_many(PATIENTS, "shapley", None, 7)  # type: ignore[call-overload]


def test_a_row_without_scores_has_none(diagnosis: CompiledModel) -> None:
    (row,) = diagnosis.explain_many(PATIENTS[:1])
    assert isinstance(row, Row)
    assert row.scores == {}
    (scored,) = diagnosis.explain_many(PATIENTS[:1], kinds=["banzhaf"])
    assert (scored.reasons, scored.cut) == ({}, {"banzhaf": None})
