"""``bnc2d compile``, ``verify`` and ``bench`` on small problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, example, load, write_network
from bnc2d.cli.main import main
from bnc2d.logic.nnf import NNF
from tests.cli.running import run

KEYS = {
    "problem",
    "method",
    "threshold",
    "status",
    "seconds",
    "phases",
    "nodes",
    "edges",
    "models",
    "omega",
    "omega_T",
    "peak_mib",
}


def test_compile_then_verify(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "d.bnc2d")
    code, out, _ = run(capsys, "compile", "diagnosis", "--target", "D", "-o", path)
    assert code == 0
    assert "2: 9 of 18 instances" in out
    code, out, _ = run(capsys, "verify", path)
    assert code == 0
    assert out.endswith("verified\n")
    assert "all 18 instances" in out
    code, out, _ = run(capsys, "verify", path, "--json")
    assert json.loads(out)["passed"] is True
    code, out, _ = run(
        capsys, "compile", "asia", "--target=lung", "--threshold=0.3", "--positive=yes", "-o", path, "--json"
    )
    facts = json.loads(out)
    assert set(facts["classes"]) == {"yes", "no"}
    assert load(path).classifier.threshold is not None


def test_threads_are_as_many_as_cores(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless one says how many; and the other methods have one."""
    asked: list[int] = []
    compile_one = Classifier.compile

    def noted(self: Classifier, **options: Any) -> Any:
        asked.append(options["jobs"])
        return compile_one(self, **options)

    monkeypatch.setattr(Classifier, "compile", noted)
    monkeypatch.setattr("bnc2d.cli.commands.compile.usable_cores", lambda: 3)
    words = ["compile", "asia", "--target", "lung", "-o", str(tmp_path / "m")]
    for more in ([], ["--jobs", "1"], ["--jobs", "2"], ["--method", "paper"]):
        assert run(capsys, *words, *more)[0] == 0
    assert asked == [3, 1, 2, 1]


def test_compile_by_the_papers_method(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "d.bnc2d")
    words = ["compile", "diagnosis", "--target", "D", "--method", "paper", "-o", path]
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["stats"]["method"] == "paper"
    assert {name: size["models"] for name, size in facts["classes"].items()} == {"0": 6, "1": 3, "2": 9}
    code, out, _ = run(capsys, "verify", path)
    assert code == 0
    assert "the method 'fast' agrees on 3 classes" in out
    code, out, _ = run(capsys, *words, "--early", "rays", "--json")
    assert (code, json.loads(out)["classes"]["2"]["models"]) == (0, 9)
    code, _, error = run(capsys, "compile", "diagnosis", "--target", "D", "--early", "rays", "-o", path)
    assert code == 2
    assert "early='rays' is for the paper's method" in error
    with pytest.raises(SystemExit) as stop:
        main(["compile", "diagnosis", "--target", "D", "--method", "slow", "-o", path])
    assert stop.value.code == 2
    assert "choose from" in capsys.readouterr().err


def test_a_corrupted_model_exits_with_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "d.bnc2d"
    model = Classifier(example("diagnosis"), "D").compile(method="paper")  # whose formulas are in the file
    model.formulas[2, False] = NNF.literal(model.manager, "BP", "Low")
    model.save(path)
    code, out, _ = run(capsys, "verify", str(path))
    assert code == 1
    assert "FAIL oracle" in out
    assert " at BP=" in out
    assert out.endswith("NOT verified\n")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["bench", "--suite", ".", "--time-limit", "-3"], "'-3' is no number from 0 on"),
        (["bench", "--suite", ".", "--jobs", "0"], "'0' is no number from 1 on"),
        (["experiments", "--suite", ".", "-o", "x", "--jobs", "2.5"], "'2.5' is no number from 1 on"),
        (["verify", "x.bnc2d", "--time-limit", "nan"], "'nan' is no number from 0 on"),
        (["explain", "x.bnc2d", "A=1", "--time-limit", "nan"], "'nan' is no number from 0 on"),
        (["compile", "asia", "--target", "lung", "-o", "x", "--memory-limit", "inf"], "'inf' is no number"),
        (["verify", "x.bnc2d", "--memory-limit", "-1"], "'-1' is no number from 0 on"),
    ],
)
def test_limits_that_are_none(capsys: pytest.CaptureFixture[str], words: list[str], problem: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert problem in capsys.readouterr().err


def test_a_check_that_does_not_finish_is_no_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "d.bnc2d")
    Classifier(example("diagnosis"), "D").compile().save(path)
    code, out, _ = run(capsys, "verify", path, "--time-limit", "0")
    assert code == 2
    assert "FAIL" not in out
    assert "open second method" in out
    assert "open oracle" in out
    assert "no fault found, but" in out
    code, out, _ = run(capsys, "verify", path, "--time-limit", "0", "--json")
    assert code == 2
    found = json.loads(out)
    assert not found["passed"]
    assert not found["failed"]


def test_any_memory_limit_is_understood(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "d.bnc2d")
    for size in ("1e308", "12345678901234567890", "0.5"):
        words = ["diagnosis", "--target", "D", "-o", path, "--memory-limit", size]
        code, _, err = run(capsys, "compile", *words)
        assert (code, "error" in err) == (0, False)
        code, out, _ = run(capsys, "verify", path, "--memory-limit", size)
        assert (code, out.splitlines()[-1]) == (0, "verified")
    code, out, _ = run(capsys, "verify", path, "--memory-limit", "1e-9")
    assert code == 2
    assert "open second method" in out
    assert "more than the limit of 1 bytes" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compile", "diagnosis", "--target", "D", "-o", "no/such/folder/d.bnc2d"], "cannot write"),
        (["compile", "diagnosis", "--target", "Q", "-o", "d.bnc2d"], "unknown variable 'Q'"),
        (
            ["compile", "diagnosis", "--target", "D", "-o", "d.bnc2d", "--time-limit", "0"],
            "time limit of 0 s",
        ),
        (
            ["compile", "diagnosis", "--target", "D", "-o", "d.bnc2d", "--memory-limit", "1e-9"],
            "memory_limit",
        ),
        (["verify", "nowhere.bnc2d"], "cannot read"),
        (["bench", "--suite", "."], "no folder 'problems'"),
    ],
)
def test_errors(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def suite(folder: Path) -> Path:
    for part in ("networks", "problems"):
        (folder / part).mkdir()
    write_network(example("asia"), folder / "networks" / "asia.bif")
    problems = {
        "asia-lung": {
            "network": "asia.bif",
            "target": "lung",
            "threshold": 0.2,
            "features": ["xray", "dysp"],
        },
        "asia-bronc": {
            "network": "asia.bif",
            "target": "bronc",
            "threshold": 0.4,
            "features": ["dysp", "smoke"],
        },
        "broken": {"network": "asia.bif", "target": "nobody", "threshold": 0.4, "features": ["dysp"]},
        "other": {"network": "missing.bif", "target": "x", "threshold": 0.4, "features": ["y"]},
    }
    for name, problem in problems.items():
        (folder / "problems" / f"{name}.json").write_text(json.dumps(problem), encoding="utf-8")
    return folder


def test_bench_writes_a_line_a_problem_and_resumes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, log = suite(tmp_path), tmp_path / "runs.jsonl"
    words = ["bench", "--suite", str(folder), "--threshold", "both", "--jobs", "2", "--json", str(log)]
    code, out, _ = run(capsys, *words, "--filter", "asia-*")
    assert code == 0
    assert "4 of 4 solved" in out
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert all(set(record) >= KEYS and record["status"] == "ok" for record in records)
    assert {(r["problem"], r["threshold"]) for r in records} == {
        ("asia-lung", 0.2),
        ("asia-lung", 0.5),
        ("asia-bronc", 0.4),
        ("asia-bronc", 0.5),
    }
    network = example("asia")
    for record in records:
        problem = json.loads((folder / "problems" / f"{record['problem']}.json").read_text(encoding="utf-8"))
        model = Classifier(network, problem["target"], problem["features"], record["threshold"]).compile()
        assert record["models"] == model.count("no")  # asia lists yes first, so no is positive

    log.write_text(
        "\n".join(log.read_text(encoding="utf-8").splitlines()[:2]) + '\n{"problem": "asia', encoding="utf-8"
    )
    code, out, _ = run(capsys, *words)
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(records) == 8
    assert "4 of 8 solved" in out
    assert {r["problem"] for r in records if r["status"] == "error"} == {"broken", "other"}
    assert all(r["message"] for r in records if r["status"] == "error")


def test_bench_keeps_methods_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, log = suite(tmp_path), tmp_path / "runs.jsonl"
    words = ["bench", "--suite", str(folder), "--filter", "asia-*", "--json", str(log)]
    for method, lines in (("fast", 2), ("paper", 4), ("paper", 4)):
        code, out, _ = run(capsys, *words, "--method", method)
        assert code == 0
        assert "2 of 2 solved" in out
        records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert len(records) == lines
    assert [record["method"] for record in records] == ["fast", "fast", "paper", "paper"]
    assert [record["models"] for record in records[:2]] == [record["models"] for record in records[2:]]


def test_bench_touches_no_line_that_it_did_not_cut(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, log = suite(tmp_path), tmp_path / "runs.jsonl"
    log.write_text('a remark\n{"problem": 7}\nhalf a li', encoding="utf-8")
    code, _, _ = run(capsys, "bench", "--suite", str(folder), "--filter", "nothing", "--json", str(log))
    assert code == 0
    assert log.read_text(encoding="utf-8") == 'a remark\n{"problem": 7}\n'
    for place in (folder, folder / "no" / "such" / "folder.jsonl"):
        code, _, err = run(capsys, "bench", "--suite", str(folder), "--json", str(place))
        assert code == 2
        assert err.startswith("bnc2d: error: ")
        assert "cannot" in err


def test_bench_prints_lines_without_a_file_and_keeps_limits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = suite(tmp_path)
    words = ["bench", "--suite", str(folder), "--filter", "asia-lung", "--time-limit", "0"]
    _, out, _ = run(capsys, *words)
    assert json.loads(out)["status"] == "timeout"
