"""``bnc2d explain --allowed --forbidden --avoid``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnc2d import Classifier, example
from tests.cli.running import run

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
ARGUMENTS = [f"{name}={state}" for name, state in PATIENT.items()]
NETWORK = ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]


@pytest.mark.parametrize("route", ["compiled", "network"])
def test_what_may_change_is_passed_on(capsys: pytest.CaptureFixture[str], route: str) -> None:
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    options = ["--route", route, "--allowed", "BP=Low,Normal; HR=up", "--forbidden", " BP=Normal ; "]
    code, out, _ = run(capsys, "explain", *NETWORK, *options, *ARGUMENTS)
    model = classifier.compile() if route == "compiled" else classifier
    e = model.explain(PATIENT, allowed={"BP": "Low", "HR": "High"})
    assert code == 0
    assert out == e.to_text() + "\n"
    assert "Allowed changes: BP to Low, HR to High." in out
    _, out, _ = run(capsys, "explain", *NETWORK, *options, "--json", *ARGUMENTS)
    assert json.loads(out)["allowed"] == {"BP": ["Low"], "HR": ["High"]}


@pytest.mark.parametrize("route", ["compiled", "network"])
def test_reasons_without_what_is_to_be_avoided_come_first(
    capsys: pytest.CaptureFixture[str], route: str
) -> None:
    given = ["--route", route, "--json", "--avoid", "CT"]
    _, out, _ = run(capsys, "explain", *NETWORK, *given, *ARGUMENTS)
    found = json.loads(out)
    assert found["sufficient_reason"] == {"BP": ["High"], "HR": ["Normal"]}
    assert found["sufficient_reasons"][1] == {"BP": ["High"], "CT": ["1"]}
    _, out, _ = run(capsys, "explain", *NETWORK, "--route", route, "--avoid", "CT", *ARGUMENTS)
    assert "D is 2 because BP is High and HR is Normal" in out


def test_rows_of_a_table_have_boxes_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("BP,CT,HR\nHigh,1,Normal\nLow,1,Normal\n")
    options = ["--csv", str(table), "--allowed", "BP=up", "--format", "jsonl"]
    _, out, _ = run(capsys, "explain", *NETWORK, *options)
    assert [json.loads(line)["allowed"] for line in out.splitlines()] == [{"BP": []}, {}]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--allowed", "bp=Low"], "unknown feature 'bp'; did you mean 'BP'?"),
        (["--allowed", "BP=low"], "variable 'BP' has no state 'low'; did you mean 'Low'?"),
        (["--forbidden", "BP"], "--forbidden takes entries such as A=x,y apart by semicolons, not 'BP'"),
        (["--allowed", "BP=Low; BP=High"], "--allowed has two entries for 'BP'"),
        (["--avoid", "BPP"], "unknown feature 'BPP'; did you mean 'BP'?"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], options: list[str], words: str) -> None:
    code, _, error = run(capsys, "explain", *NETWORK, *options, *ARGUMENTS)
    assert code == 2
    assert words in error
    assert error.count("\n") == 1
