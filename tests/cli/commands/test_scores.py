"""``bnc2d scores``: numbers of features, on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from bnc2d import Classifier, example
from tests.cli.running import run
from tests.explain.test_batch import majority

PATIENT = ["BP=High", "CT=1", "HR=Normal"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save("d.bnc2d")
    Path("p.csv").write_text("BP,CT,HR\nHigh,1,Normal\nLow,0,High\nNormal,1,\nLow,2,High\n", encoding="utf-8")
    Path("good.csv").write_text("BP,CT,HR\nHigh,1,Normal\nLow,0,High\n", encoding="utf-8")


def test_one_instance(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "scores", "d.bnc2d", *PATIENT)
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["BP", "19/54"]
    code, out, _ = run(
        capsys, "scores", "d.bnc2d", *PATIENT, "--fixed", "BP", "--kind", "occurrence", "--json"
    )
    assert json.loads(out)["scores"]["BP"] == 0
    code, out, _ = run(capsys, "scores", "d.bnc2d", *PATIENT, "--towards", "2", "--of", "posterior", "--json")
    assert json.loads(out)["of"] == "posterior"
    code, out, _ = run(capsys, "scores", "d.bnc2d", *PATIENT, "--marginals", "BP=High:1", "--json")
    found = json.loads(out)
    assert (found["distribution"], found["scores"]["BP"]) == ("marginals", 0)


@pytest.mark.parametrize("route", ["compiled", "network"])
def test_a_table(capsys: pytest.CaptureFixture[str], route: str) -> None:
    source = ["d.bnc2d"] if route == "compiled" else ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]
    words = ["--csv", "p.csv", "--drawn-from", "good.csv", "--format", "csv", "--route", route]
    code, out, errors = run(capsys, "scores", *source, *words)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 3
    assert "has no state '2'" in errors
    assert [row["decision"] for row in rows] == ["2", "2", "1", ""]
    assert rows[2]["score(HR)"] == ""
    assert float(rows[0]["score(BP)"]) + float(rows[0]["score(CT)"]) == pytest.approx(float(rows[0]["total"]))


def test_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, told in (
        (["--marginals", "BP=High:1", "--drawn-from", "good.csv"], "only one of these at a time"),
        (["--drawn-from", "p.csv"], "p.csv:5: "),
        (["--kind", "occurrence", "--towards", "0"], "towards is for kind='shapley'"),
        (["--given", "BP=High"], "no product of independent features"),
    ):
        code, _, errors = run(capsys, "scores", "d.bnc2d", *PATIENT, *words)
        assert code == 2
        assert told in errors


@pytest.mark.parametrize("route", ["compiled", "network"])
def test_scores_beside_explanations(capsys: pytest.CaptureFixture[str], route: str) -> None:
    source = ["d.bnc2d"] if route == "compiled" else ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]
    words = [*source, "--scores", "shapley,responsibility", "--route", route]
    code, out, _ = run(capsys, "explain", *words, *PATIENT)
    assert code == 0
    assert "How much does each feature count? (shapley)\nD = 2: Shapley values" in out
    assert "  • BP     19/54  █" in out
    assert out.index("(shapley)") < out.index("(responsibility)")
    code, out, _ = run(capsys, "explain", *words, "--csv", "p.csv", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 3
    assert float(rows[0]["shapley(BP)"]) == pytest.approx(19 / 54)
    assert [row["responsibility(CT)"] for row in rows[:2]] == ["0.5", "0.0"]
    assert [row["shapley(HR)"] for row in rows[2:]] == ["", ""]  # missing, and an error
    code, out, _ = run(capsys, "explain", *words, "--csv", "good.csv", "--format", "jsonl", "--exact")
    first, second = [json.loads(line) for line in out.splitlines()]
    assert first["scores"]["shapley"]["scores_exact"] == {"BP": "19/54", "CT": "5/108", "HR": "11/108"}
    assert second["scores"]["responsibility"]["scores"]["CT"] == 0
    code, out, _ = run(
        capsys, "explain", *words, *PATIENT, "--marginals", "BP=High:1", "--fixed", "CT", "--json"
    )
    scores = json.loads(out)["scores"]
    assert (scores["shapley"]["distribution"], scores["shapley"]["scores"]["CT"]) == ("marginals", 0)
    code, _, errors = run(capsys, "explain", *source, *PATIENT, "--scores", "shaply")
    assert code == 2
    assert "--scores: unknown kind 'shaply'; did you mean 'shapley'?" in errors


def test_scores_that_need_a_compiled_model(capsys: pytest.CaptureFixture[str]) -> None:
    """A vote of 17 has more instances than can be listed; its reasons are found all the same."""
    from bnc2d import write_network

    write_network(majority(17).classifier.network, "vote.bif")
    words = ["vote.bif", "--target", "Y", "--route", "network", *(f"X{n}=1" for n in range(17))]
    code, _, errors = run(capsys, "explain", *words, "--scores", "banzhaf", "--limit", "1")
    assert code == 2
    assert (
        "'banzhaf' of more than 65536 instances needs a compiled model; --route compiled makes one" in errors
    )
    code, out, _ = run(
        capsys, "explain", *words, "--scores", "responsibility", "--limit", "1", "--time-limit", "0.1"
    )
    assert code == 0
    assert "(responsibility)" in out
