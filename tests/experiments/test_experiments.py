"""Whole runs on tiny suites: the report, resuming, other executors, and what must not stop a run."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, ClassifierError, FormatError, example, write_network
from bnc2d.cli.main import main
from bnc2d.experiments.evaluation import Evaluation
from bnc2d.experiments.report import tables
from bnc2d.experiments.report.plots import Picture
from bnc2d.experiments.report.sections import Section, Table
from bnc2d.experiments.report.tables import summary_section, unsolved_section
from bnc2d.experiments.run import MORE_PARTS, run_experiments
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Key
from bnc2d.testing import random_naive_bayes
from tests.cli.running import run
from tests.executors import EXECUTORS, MakeExecutor
from tests.experiments.suites import ASIA, authors_suite, our_suite, write_problem


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the pictures out, where they are not the matter: they take most of the time."""
    monkeypatch.setattr(tables, "plot", _no_plot)


def _no_plot(*_: object, **__: object) -> Picture:
    return Picture(b"svg", b"png")


def journal(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()]


def rows(folder: Path, table: str) -> list[list[str]]:
    return list(csv.reader((folder / "tables" / f"{table}.csv").read_text(encoding="utf-8").splitlines()))


def test_a_whole_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, out = our_suite(tmp_path / "suite"), tmp_path / "out"
    times = tmp_path / "times.tsv"
    times.write_text("asia-lung bal 2.5 7\nasia-bronc bal >100\nunknown bal 3\n", encoding="utf-8")
    words = ["experiments", "--suite", str(suite), "-o", str(out), "--jobs=2", "--reference", str(times)]
    code, printed, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert "Summary" in printed
    assert str(out / "index.html") in printed.replace("\n", "")
    records = journal(out)
    assert {record["status"] for record in records} == {"ok"}
    assert len(records) == 8  # three problems and the table of leaves, by two methods

    assert rows(out, "overview")[1:] == [["Andes", "7", "2", "1", "1"], ["asia", "8", "2", "2", "2"]]
    summary = rows(out, "summary-1")
    assert [row[:4] for row in summary[1:]] == [
        ["fast", "3", "3", "0"],
        ["paper", "3", "3", "0"],
        ["reference", "2", "1", "1"],
    ]
    assert [row[:3] for row in rows(out, "summary-3")[1:]] == [
        ["fast", "paper", "3"],
        ["fast", "reference", "1"],
        ["paper", "reference", "1"],
    ]
    (widths,) = [row for row in rows(out, "widths") if row[0] == "Andes"]
    assert widths[-3:] == ["27.7", "18", "22"]
    leaves = rows(out, "all-leaves-of-andes")
    assert leaves[0][:6] == ["target", "instances", "fast s", "fast nodes", "paper s", "paper nodes"]
    assert leaves[1][:2] == [
        "A",
        str(Classifier(example("running"), "A", threshold=0.5).compile().count("1")),
    ]
    by_paper = next(r for r in records if r["method"] == "paper" and "all leaves" in r["problem"])
    phases = by_paper["phases"]
    assert float(leaves[1][4]) == pytest.approx(
        max(phases["order"] + phases["tables"] + phases["formulas"], 1e-4)
    )
    for name in ("cactus", "size-class", "size-instances"):
        assert (out / "figures" / f"{name}.svg").stat().st_size > 1000
        assert (out / "figures" / f"{name}.png").stat().st_size > 1000
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "(figures/cactus.svg)" in report
    assert "Methods disagree" not in report

    # Again: nothing is run, and the report is the same.
    lines, page = (out / "runs.jsonl").read_bytes(), (out / "index.html").read_bytes()
    code, printed, _ = run(capsys, *words, "--json")
    assert (code, json.loads(printed)["disagreements"]) == (0, 0)
    assert json.loads(printed)["tables"][0][0]["solved"] == 3
    assert (out / "runs.jsonl").read_bytes() == lines
    assert (out / "index.html").read_bytes() == page

    # A wrong count by one method is said aloud.
    monkeypatch.setattr(tables, "plot", _no_plot)
    wrong = next(record for record in records if record["problem"] == "asia-lung")
    wrong["class_models"] = [-1, 5]
    with (out / "runs.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(wrong) + "\n")
    code, printed, _ = run(capsys, *words)
    assert code == 1
    assert "ERROR: the methods disagree on 1 problems" in printed
    assert rows(out, "methods-disagree")[1][0] == "asia-lung"


def test_jobs_of_the_authors_suite(tmp_path: Path) -> None:
    suite = authors_suite(tmp_path)
    jobs = Evaluation(suite, ["fast"], thresholds=["file", "0.5"], leaves_table="Running").jobs()
    assert [job.key for job in jobs] == [
        ("exp1/asia/lung", "file", "fast"),
        ("exp1/asia/lung", "0.5", "fast"),
        ("exp1/running/A", "file", "fast"),
        ("exp1/running/A", "0.5", "fast"),
    ]  # the problem on running has all leaves as features, so its run serves the table of leaves
    jobs = Evaluation(suite, ["fast"], thresholds=["file"], leaves_table="Running").jobs()
    assert [job.key for job in jobs] == [
        ("exp1/asia/lung", "file", "fast"),
        ("exp1/running/A", "file", "fast"),
        ("running, all leaves, A", "0.5", "fast"),
    ]


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("make", EXECUTORS)
def test_any_executor(tmp_path: Path, make: MakeExecutor) -> None:
    suite = our_suite(tmp_path / "suite")
    told: list[tuple[str, float]] = []
    with make() as executor:
        outcome = run_experiments(
            suite,
            tmp_path / "out",
            methods=["fast"],
            pattern="asia-*",
            executor=executor,
            progress=lambda *what: told.append(what),
        )
    assert outcome.disagreements == 0
    assert outcome.sections[0].tables[0].rows[0][:3] == ("fast", 2, 2)
    assert [what.split(":")[0] for what, _ in told] == ["0 of 2", "1 of 2", "2 of 2"]
    assert [done for _, done in told] == [0, 1 / 2, 1]
    assert told[0][0].endswith(" file fast")
    assert told[-1][0] == "2 of 2: writing the report"


@pytest.mark.usefixtures("no_plots")
def test_what_cannot_be_compiled_is_in_the_report(tmp_path: Path) -> None:
    suite, out = our_suite(tmp_path / "suite"), tmp_path / "out"
    name = "bad <img src=x onerror=alert(1)>"
    write_problem(suite, name, ASIA | {"target": "nobody"})
    (suite / "problems" / "bad json.json").write_text("{", encoding="utf-8")
    damaged = suite / "networks" / "damaged.bif"
    text = (suite / "networks" / "asia.bif").read_text(encoding="utf-8")
    damaged.write_text(text.replace("0.01", "0.91", 1), encoding="utf-8")
    write_problem(suite, "bad network", ASIA | {"network": "damaged.bif"})
    options: dict[str, Any] = {"methods": ["fast"], "pattern": "bad*", "jobs": 2}
    outcome = run_experiments(suite, out, **options)
    assert outcome.sections[0].tables[0].rows == (("fast", 3, 0, 0, 0, 3, 0),)
    refused = {row[0]: row[1:3] for row in rows(out, "refused")[1:]}
    assert refused.keys() == {name, "bad json", "bad network"}
    assert refused["bad network"][0] == "damaged.bif"
    assert "sum" in refused["bad network"][1]
    assert "nobody" in refused[name][1]
    assert "<img src=x" not in (out / "index.html").read_text(encoding="utf-8")

    # What failed is tried again, as the file may have been mended, or the repair allowed.
    again = run_experiments(suite, out, normalise=True, **options)
    assert again.sections[0].tables[0].rows == (("fast", 3, 1, 0, 0, 2, 0),)


@pytest.mark.usefixtures("no_plots")
def test_a_larger_time_limit_runs_timeouts_again(tmp_path: Path) -> None:
    suite, out = our_suite(tmp_path / "suite"), tmp_path / "out"
    network = random_naive_bayes(1, 40)
    write_network(network, suite / "networks" / "large.bif")
    features = [name for name in network.names if name != "Y"]
    write_problem(
        suite, "large", {"network": "large.bif", "target": "Y", "threshold": 0.5, "features": features}
    )
    for limit, lines in ((0.2, 1), (0.1, 1), (0.3, 2)):
        outcome = run_experiments(suite, out, methods=["paper"], pattern="large", time_limit=limit)
        assert len(journal(out)) == lines
        assert outcome.sections[0].tables[0].rows == (("paper", 1, 0, 1, 0, 0, 0),)
    assert rows(out, "unsolved")[1][:5] == ["large", "file", "paper", "timeout", "0.3"]


def test_methods_that_are_not_applicable_are_not_failures() -> None:
    fast, other = (Job("a", "file", method, {}) for method in ("fast", "other"))
    records = {
        fast.key: fast.record("ok", seconds=1.0, nodes=3, class_models=[1, 1]),
        other.key: other.record("error", message="not applicable: not binary"),
    }
    summary = summary_section(records, ["fast", "other"])
    assert summary.tables[0].rows[1] == ("other", 1, 0, 0, 0, 0, 1)
    (unsolved,) = unsolved_section(records)
    assert unsolved.tables[0].rows == (("other", 1, "not binary"),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "out"], "nothing to run"),
        (["--suite", "nowhere", "-o", "out"], "no such folder"),
        (["--suite", "suite", "-o", "out", "--filter", "zzz"], "no problem matches 'zzz'"),
        (["--suite", "suite", "-o", "out", "--methods", "fats"], "did you mean 'fast'?"),
        (["--suite", "suite", "-o", "out", "--methods", ","], "name at least one method"),
        (["--suite", "suite", "-o", "out", "--reference", "nowhere"], "cannot read"),
        (
            ["--suite", "suite", "-o", "out", "--leaves-table", "child"],
            "no problem on a network named 'child'",
        ),
        (["--suite", "suite", "-o", "suite/networks/asia.bif"], "cannot make the folder"),
    ],
)
def test_errors_are_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    our_suite(tmp_path / "suite")
    monkeypatch.chdir(tmp_path)
    assert main(["experiments", *words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_errors_of_the_function(tmp_path: Path) -> None:
    suite = our_suite(tmp_path / "suite")
    with pytest.raises(ClassifierError, match="unknown method 'fats'"):
        run_experiments(suite, tmp_path / "out", methods=["fats"])
    with pytest.raises(FormatError, match="no such folder"):
        run_experiments(tmp_path / "nowhere", tmp_path / "out")


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("part", MORE_PARTS)
def test_more_parts(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each further part has ``jobs`` and ``sections``, and needs no suite."""
    source = {"family": "naive-bayes", "features": 3, "states": 2, "classes": 2, "seed": 1}
    first = Job("a job of it", "argmax", "fast", {"synthetic": source})
    second = Job("a job that follows", "argmax", "fast", {"synthetic": source | {"features": 4}})
    module = MORE_PARTS[part]
    assert module.sections({}) == []

    def jobs(methods: Sequence[str], records: Mapping[Key, Record], **options: object) -> list[Job]:
        assert methods == ["fast"]
        assert options == ({"pattern": "*", "wheel": None} if part == "data" else {})
        return [first, second] if first.key in records else [first]

    def sections(records: Mapping[Key, Record]) -> list[Section]:
        one, other = records.values()
        rows = ((one["features"],), (other["features"],))
        return [Section("A part", one["status"], (Table(("features",), rows),))]

    monkeypatch.setattr(module, "jobs", jobs)
    monkeypatch.setattr(module, "sections", sections)
    words = ["experiments", "-o", str(tmp_path), f"--{part}", "--methods", "fast", "--json"]
    code, printed, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert json.loads(printed)["tables"] == [[{"features": 3}, {"features": 4}]]
    assert "<h2>A part</h2>\n<p>ok</p>" in (tmp_path / "index.html").read_text(encoding="utf-8")
