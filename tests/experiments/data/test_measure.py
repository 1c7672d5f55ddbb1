"""Real data from the wheel to the report, on made-up rows: nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnc2d import ClassifierError, Term
from bnc2d.cli.main import main
from bnc2d.experiments import run
from bnc2d.experiments.data import measure, plan
from bnc2d.experiments.data.keel import KeelData, read_keel
from bnc2d.experiments.data.measure import Answer, agreement, check, summary_of
from bnc2d.experiments.data.sets import data_paths
from bnc2d.experiments.data.train import STRUCTURES, Structure, Trained, train
from bnc2d.experiments.report.sections import to_html, to_markdown
from bnc2d.experiments.report.tables import failed_check_section
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Key
from bnc2d.experiments.running.worker import record_of
from tests.experiments.data.wheels import ROWS, make_wheel

by_structure = pytest.mark.parametrize("structure", STRUCTURES)


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeelData:
    return read_keel(data_paths(["iris"], make_wheel(tmp_path, monkeypatch))["iris"])


@by_structure
def test_training(iris: KeelData, structure: Structure) -> None:
    trained = train(iris, structure)
    classifier = trained.classifier
    assert (classifier.target, classifier.classes) == ("class", ("bad", "good"))
    numbers, letters, flags = classifier.feature_variables
    assert (numbers.name, len(numbers.states)) == ("a1", 4)
    assert (letters.states, flags.states) == (("x", "y", "z"), ("0", "1", "missing"))
    assert len(trained.rows) == len(trained.labels) == ROWS // 4
    decided = list(classifier.predict(trained.rows))
    assert decided == trained.source(trained.rows)
    assert np.mean([one == other for one, other in zip(decided, trained.labels, strict=True)]) > 0.7
    parents = {name: len(classifier.network.parents(name)) for name in classifier.features}
    assert max(parents.values()) == (1 if structure == "naive" else 2)
    again = train(iris, structure)
    assert again.classifier.network == classifier.network
    assert again.labels == trained.labels
    assert train(iris, structure, seed=1).labels != trained.labels


def test_intervals_hold_the_numbers_that_they_name(iris: KeelData) -> None:
    trained = train(iris, "naive", bins=3)
    states = trained.classifier.feature_variables[0].states
    low, high = (float(text) for text in states[1].strip("[)").split(", "))
    assert (states[0], states[2]) == (f"< {low:g}", f">= {high:g}")
    numbers = np.array(iris.columns["a1"], dtype=float)
    expected = np.bincount((numbers >= low).astype(int) + (numbers >= high))
    assert all(abs(count - ROWS / 3) <= 4 for count in expected)


def test_what_cannot_be_trained() -> None:
    with pytest.raises(ClassifierError, match="class 'b' has 1 of the rows"):
        train(KeelData({"a": ["x", "y", "x"], "class": ["a", "a", "b"]}, "class"), "naive")
    with pytest.raises(ClassifierError, match="one value only"):
        train(KeelData({"a": ["x"] * 8, "class": ["a", "b"] * 4}, "class"), "naive")


def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float = 30.0) -> dict[Key, Record]:
    made = plan.jobs(["fast"], {}, wheel=make_wheel(tmp_path, monkeypatch))
    assert [job.problem for job in made] == [
        f"data/{name}/{s}" for name in ("iris", "car-good") for s in STRUCTURES
    ]
    assert {job.stages for job in made} == {6}
    limits = {"time_limit": limit}
    return {job.key: record_of(job, limit) | limits | {"source": job.source} for job in made}


def test_from_the_wheel_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "ROWS", 6)
    found = records(tmp_path, monkeypatch)
    for record in found.values():
        data = record["data"]
        assert record["status"] == "ok", record["message"]
        assert (data["rows"], data["held_out"], data["source_differs"]) == (ROWS, ROWS // 4, 0)
        assert data["accuracy"] == data["source_accuracy"]
        assert data["network"]["rows"] == data["compiled"]["rows"] == 6
        assert data["network"]["length"] == data["compiled"]["length"]
        assert data["agreement"] == {"decisions": 6, "shortest": 6, "lists": 6, "differ": 0}
        assert data["checked"]["reasons"] >= 12
        assert data["checked"]["proved_shortest"] == 12
        assert (data["checked"]["wrong"], data["checked"]["completions_differ"]) == (0, 0)
        assert sum(record["class_models"]) == record["instances"]
    # One that was not compiled, and one that failed before anything was measured.
    keys = list(found)
    del found[keys[0]]["data"]["compiled"], found[keys[0]]["data"]["agreement"]
    found[keys[0]] |= {"status": "timeout"}
    found[keys[1]] |= {"status": "error", "data": None, "message": "no <such> thing"}
    assert failed_check_section(found) == []
    totals, failed, accuracy, compiled, explained = plan.sections(found)
    assert [row[:3] for row in totals.tables[0].rows] == [("naive Bayes", 2, 1), ("TAN", 1, 1)]
    assert failed.tables[0].rows == (("data/iris/tan", "error", "no <such> thing"),)
    assert [row[0] for row in accuracy.tables[0].rows] == ["iris", "car-good"]
    assert [row[4] for row in compiled.tables[0].rows] == ["timeout", "ok", "ok"]
    assert len(explained.figures) == 3
    assert "no <such>" not in to_html([totals, failed, accuracy, compiled, explained])
    assert "car-good" in to_markdown([explained])
    assert plan.sections({("suite", "file", "fast"): {"source": {"suite": {}}}}) == []


def in_this_process(jobs: list[Job], time_limit: float, **_: object) -> Iterator[tuple[Job, Record]]:
    yield from ((job, record_of(job, time_limit)) for job in jobs)


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "ROWS", 2)
    monkeypatch.setattr(run, "run_jobs", in_this_process)
    wheel, out = make_wheel(tmp_path, monkeypatch), tmp_path / "out"
    words = ["experiments", "--data", "--methods", "fast", "-o", str(out), "--wheel", str(wheel), "--json"]
    assert main([*words, "--filter", "car*"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["section"], told["disagreements"], told["failed_checks"]) == ("Real data", 0, 0)
    assert [row["data sets"] for row in told["tables"][0]] == [1, 1]
    runs = (out / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["problem"] for line in runs] == [f"data/car-good/{s}" for s in STRUCTURES]
    monkeypatch.setattr(run, "run_jobs", None)  # nothing is left to run
    spoilt = json.loads(runs[0])
    spoilt["data"]["checked"]["wrong"] = 1
    with (out / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(spoilt) + "\n")
    assert main([*words[:-1], "--filter", "car*"]) == 1
    assert "ERROR: explanations of 1 runs are wrong" in capsys.readouterr().out
    assert main([*words, "--filter", "cra*"]) == 2
    assert "no data set matches 'cra*'" in capsys.readouterr().err


def test_a_run_that_is_not_compiled_keeps_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "ROWS", 2)
    job = plan.jobs(["fast"], {}, pattern="car*", wheel=make_wheel(tmp_path, monkeypatch))[0]
    told: list[Record] = []
    record = record_of(job, 30.0, 1, tell=told.append)
    assert (record["status"], record["data"]["network"]["rows"]) == ("memory", 2)
    assert "compiled" not in record["data"]
    assert [(one["status"], one["data"]) for one in told] == [("unfinished", record["data"])]


@pytest.fixture
def answered(iris: KeelData) -> tuple[Trained, list[Answer]]:
    trained = train(iris, "naive")
    answers = [measure._answer(trained.classifier.explain, row, 10.0) for row in trained.rows[:4]]
    return trained, answers


def test_wrong_reasons_are_found(answered: tuple[Trained, list[Answer]]) -> None:
    trained, answers = answered

    def wrong(*some: Answer) -> int:
        return int(check(trained, trained.rows, some, 10.0, 0)["wrong"])

    assert wrong(*answers) == 0
    own = answers[0]
    domain = own.first.domain
    everything = Term.from_masks(
        domain, {at: 1 << state for at, state in enumerate(trained.rows[0].tolist())}
    )
    nothing = Term.from_masks(domain, {})
    assert wrong(replace(own, first=nothing)) == 1  # does not decide
    assert wrong(replace(own, first=everything)) == 1  # is not minimal
    assert wrong(replace(own, shortest=everything)) >= 2  # and not the shortest
    other = next(name for name in trained.classifier.classes if name != own.decision)
    assert wrong(replace(own, decision=other)) == 1


def test_routes_that_differ_are_found(answered: tuple[Trained, list[Answer]]) -> None:
    _, answers = answered
    own = answers[0]
    assert agreement(answers, answers[:3]) == {"decisions": 3, "shortest": 3, "lists": 3, "differ": 0}
    for changes in ({"decision": "?"}, {"shortest": own.reasons[-1]}, {"reasons": ()}):
        changed: Any = replace(own, **changes)
        differ = agreement([own], [changed])["differ"]
        assert differ == (changed != own)
    late = replace(own, shortest=None, complete=False)
    assert agreement([own], [late]) == {"decisions": 1, "shortest": 0, "lists": 0, "differ": 0}
    assert (summary_of([late])["length"], summary_of([late])["complete"]) == (None, 0)


def test_what_fails_is_the_first_thing_said() -> None:
    data = {"agreement": {"differ": 2}, "checked": {"wrong": 0}}
    record = {"problem": "data/iris/tan", "method": "fast", "data": data}
    (section,) = failed_check_section({("data/iris/tan", "argmax", "fast"): record})
    assert section.text.startswith("ERROR")
    assert section.tables[0].rows == (("data/iris/tan", "fast", 2, 0),)
