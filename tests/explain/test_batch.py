"""Many explanations at once: those of single ones, in order, on any executor."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import (
    CPT,
    BayesianNetwork,
    Classifier,
    ClassifierError,
    CompiledModel,
    UnknownNameError,
    Variable,
    example,
)
from bnc2d.explain import batch
from bnc2d.explain import spread as spreading
from bnc2d.explain.batch import KINDS, Row
from bnc2d.explain.routes import DiagramRoute
from bnc2d.testing import random_instance, random_noisy_or
from tests.brute_force.decisions import Known, known_models
from tests.cases import cases
from tests.deadlines import assert_in_time
from tests.executors import EXECUTORS, MakeExecutor

PATIENTS = [
    {"BP": bp, "CT": ct, "HR": hr}
    for bp in ("Low", "Normal", "High")
    for ct in ("0", "1")
    for hr in ("Low", "Normal", "High")
]


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def explained_alone(model: CompiledModel, instance: dict[str, str], limit: int | None) -> Row:
    explanation = model.explain(instance)
    lists = {kind: getattr(explanation, f"{kind}_reasons")(limit=limit) for kind in KINDS}
    reasons: Any = {kind: tuple(found) for kind, found in lists.items()}
    cut: Any = {kind: found.cut for kind, found in lists.items()}
    basis = explanation.basis
    return Row(instance, explanation.decision, basis.possible, basis.decided_by, reasons, cut)


@given(known_models(), st.data())
@settings(max_examples=cases(22, 40), deadline=None)
def test_the_same_as_one_by_one(case: Known, data: st.DataObject) -> None:
    instances = [case.instance(case.draw_row(data)) for _ in range(data.draw(st.integers(0, 6), "rows"))]
    limit = data.draw(st.sampled_from([0, 1, 5, None]), "limit")
    rows = case.model.explain_many(instances, kinds=tuple(KINDS), limit=limit)
    assert rows == [explained_alone(case.model, instance, limit) for instance in instances]
    for row in rows:
        event("in no class" if row.decision is None else "in a class")
        assert row.decision == case.decisions[case.row(row.instance)]


def majority(size: int) -> CompiledModel:
    """A naive Bayes whose features all say the same: the binomially many reasons of a vote."""
    target = Variable("Y", ("0", "1"))
    few, many = Fraction(3, 10), Fraction(7, 10)
    features = [Variable(f"X{number}", ("0", "1")) for number in range(size)]
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    cpts += [CPT(feature, (target,), [many, few, few, many]) for feature in features]
    model: CompiledModel = Classifier(BayesianNetwork([target, *features], cpts), "Y").compile()
    return model


@pytest.mark.filterwarnings("ignore")  # of what the libraries do at their start and end
@pytest.mark.parametrize("make", EXECUTORS)
def test_the_result_does_not_depend_on_the_executor(
    make: MakeExecutor, diagnosis: CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = majority(24)
    unanimous = [dict.fromkeys(many.features, state) for state in ("0", "1")]
    instances = unanimous + many.sample("0", size=4) + many.sample("1", size=4)
    listed = many.explain(instances[0]).sufficient_reasons(limit=5)
    assert len(list(listed)) == 5
    assert not listed.ordered  # so many that they come as they are found
    monkeypatch.setattr(spreading, "_MOST_AT_ONCE", 3)
    alone = [
        diagnosis.explain_many(PATIENTS, kinds=tuple(KINDS), limit=None),
        many.explain_many(instances, chunk_size=3),
    ]
    assert [row.instance for row in alone[0]] == PATIENTS
    assert any(row.cut["sufficient"] == "limit" for row in alone[1])
    with make() as executor:
        spread = [
            diagnosis.explain_many(PATIENTS, executor, kinds=tuple(KINDS), limit=None, chunk_size=4),
            many.explain_many(instances, executor),
        ]
    assert spread == alone


def test_a_data_frame_gives_a_data_frame(diagnosis: CompiledModel) -> None:
    import pandas as pd

    frame = pd.DataFrame(PATIENTS[-2:] + PATIENTS[-2:-1], index=["a", "b", "c"])
    frame["name"] = "not a feature"
    answer = diagnosis.explain_many(frame, limit=1)
    assert answer.index.tolist() == ["a", "b", "c"]
    assert answer.columns.tolist() == ["decision", "possible", "decided_by", "sufficient", "necessary", "cut"]
    row: Any = answer.loc
    assert row["a"].tolist() == [
        "2",
        True,
        "posterior",
        "BP=High ∧ CT",
        "BP=High",
        "sufficient, necessary",
    ]
    assert row["c"].tolist() == row["a"].tolist()
    whole = diagnosis.explain_many(frame, limit=None)
    assert whole.loc["a", "sufficient"] == "BP=High ∧ CT; BP=High ∧ HR=Normal"
    assert whole["cut"].tolist() == ["", "", ""]
    assert diagnosis.explain_many(frame.iloc[:0]).empty


def test_other_forms(diagnosis: CompiledModel) -> None:
    rows = np.array([[2, 1, 1], [0, 0, 0]])
    assert [row.decision for row in diagnosis.explain_many(rows)] == ["2", "0"]
    assert diagnosis.explain_many(PATIENTS[0]) == diagnosis.explain_many(PATIENTS[:1])
    assert diagnosis.explain_many([]) == []


def test_progress_and_time_limit(diagnosis: CompiledModel) -> None:
    seen: list[tuple[str, float]] = []
    diagnosis.explain_many(PATIENTS, progress=lambda phase, done: seen.append((phase, done)), chunk_size=6)
    assert seen == [("explain", 6 / 18), ("explain", 12 / 18), ("explain", 1.0)]
    (row,) = diagnosis.explain_many(PATIENTS[:1], time_limit=0.0)
    assert row.cut == {"sufficient": "time", "necessary": "time"}
    e = diagnosis.explain(PATIENTS[0])
    assert [len(reasons) for reasons in row.reasons.values()] == [1, 1]
    assert set(row.reasons["sufficient"]) <= set(e.sufficient_reasons())
    assert set(row.reasons["necessary"]) <= set(e.necessary_reasons())


@pytest.fixture(scope="module")
def large() -> CompiledModel:
    """A model whose rows take a tenth of a second each to explain."""
    findings = random_noisy_or(3, 24)
    names = [name for name in findings.names if name.startswith("X")]
    model: CompiledModel = Classifier(findings, "Y", names).compile()
    return model


def test_one_time_limit_for_all_rows(large: CompiledModel) -> None:
    rows = [random_instance(large.classifier, seed) for seed in range(20)]
    (answers,) = assert_in_time(lambda: large.explain_many(rows, limit=2, time_limit=1.5), 1.5)
    assert any("time" in row.cut.values() for row in answers)
    assert all(all(row.reasons.values()) for row in answers)
    distances = [large.explain(row).robustness().distance for row in rows]
    assert [len(row.reasons["necessary"][0]) for row in answers] == distances


class IdleExecutor(Executor):
    """Takes everything and answers nothing, or with an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.futures: list[Future[Any]] = []
        self._error = error

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self._error is not None:
            future.set_exception(self._error)
        self.futures.append(future)
        return future


def test_what_an_executor_does_not_answer_in_time(diagnosis: CompiledModel) -> None:
    executor = IdleExecutor()
    answers = diagnosis.explain_many(PATIENTS, executor, time_limit=0.3, chunk_size=6)
    assert [future.cancelled() for future in executor.futures] == [True] * 3
    assert all(all(row.reasons.values()) for row in answers)
    assert {ended for row in answers for ended in row.cut.values()} == {"time"}
    with pytest.raises(TimeoutError, match="of the worker"):
        diagnosis.explain_many(PATIENTS, IdleExecutor(TimeoutError("of the worker")), time_limit=60)


def test_rows_that_come_too_late_are_left_without(diagnosis: CompiledModel) -> None:
    late = batch._Work(DiagramRoute(diagnosis.diagram), ("sufficient",), 5, 0.0)  # a deadline long ago
    assert late.at_least(0, [0, 0, 0]) == [([], "time")]


class FailingExecutor(Executor):
    """Fails at the second chunk; the third must be given up."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, task: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if len(self.futures) == 0:
            future.set_result(task(*arguments, **options))
        elif len(self.futures) == 1:
            future.set_exception(OSError("the worker is gone"))
        self.futures.append(future)
        return future


def test_an_error_gives_up_the_rest(diagnosis: CompiledModel) -> None:
    executor = FailingExecutor()
    with pytest.raises(OSError, match="the worker is gone"):
        diagnosis.explain_many(PATIENTS, executor, chunk_size=6)
    assert [future.cancelled() for future in executor.futures] == [False, False, True]


def test_errors(diagnosis: CompiledModel) -> None:
    with pytest.raises(
        ClassifierError, match="unknown kind of reasons or scores 'suficient'; did you mean 'sufficient'"
    ):
        diagnosis.explain_many(PATIENTS, kinds=["suficient"])  # type: ignore[list-item]
    with pytest.raises(ClassifierError, match="kinds must be a list"):
        diagnosis.explain_many(PATIENTS, kinds="sufficient")  # type: ignore[arg-type]
    with pytest.raises(ClassifierError, match="chunk_size must be at least 1"):
        diagnosis.explain_many(PATIENTS, chunk_size=0)
    with pytest.raises(UnknownNameError, match=r"instance 1: .* did you mean 'High'"):
        diagnosis.explain_many([PATIENTS[0], {**PATIENTS[1], "BP": "high"}])
    with pytest.raises(UnknownNameError, match=r"'Hr' is not a feature .* did you mean 'HR'"):
        diagnosis.explain_many([{"BP": "Low", "CT": "0", "Hr": "Low"}])
