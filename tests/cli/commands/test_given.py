"""``--given``: constraints on the command line, in words, from a file, and kept in the model's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnc2d import Classifier, example
from tests.cli.running import run

NETWORK = ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]
PATIENT = ["BP=High", "CT=1", "HR=Normal"]
GIVEN = "HR=Normal -> BP!=Normal"
OUTSIDE = ["BP=Normal", "CT=1", "HR=Normal"]
VIOLATES = "bnc2d: error: the instance violates the constraint, which says that it cannot be\n"


def expected() -> str:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().given(GIVEN)
    return model.explain(dict(word.split("=") for word in PATIENT)).to_text() + "\n"


@pytest.fixture
def compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "given.bnc2d")
    code, out, err = run(capsys, "compile", *NETWORK, "--given", GIVEN, "-o", path)
    assert (code, err) == (0, "")
    assert "2: 9 of 16 instances" in out
    assert "16 of 18 instances count" in out
    return path


def test_a_network_and_a_file_explain_alike(compiled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explain", *NETWORK, "--given", GIVEN, *PATIENT) == (0, expected(), "")
    assert run(capsys, "explain", compiled, *PATIENT) == (0, expected(), "")


def test_by_the_network_too(compiled: str, capsys: pytest.CaptureFixture[str]) -> None:
    sources = ([*NETWORK, "--given", GIVEN], [compiled])
    for source in sources:
        code, out, err = run(capsys, "explain", *source, "--route", "network", "--json", *PATIENT)
        assert (code, err) == (0, "")
        found = json.loads(out)
        assert found["given"] == "BP∈{Low,High} ∨ HR∈{Low,High}"
        assert {"HR": ["Normal"]} in found["sufficient_reasons"]
        assert run(capsys, "explain", *source, "--route", "network", *OUTSIDE) == (2, "", VIOLATES)


def test_constraints_add_up(compiled: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", compiled, "--given", "CT", "--json", *PATIENT)
    assert code == 0
    assert json.loads(out)["sufficient_reasons"] == [{"BP": ["High"]}, {"HR": ["Normal"]}]
    assert run(capsys, "explain", compiled, "--given", "not CT", *PATIENT) == (2, "", VIOLATES)


def test_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(f"# what cannot be\n{GIVEN}\n")
    assert run(capsys, "explain", *NETWORK, "--given", f"@{path}", *PATIENT) == (0, expected(), "")
    path.write_text("HR=Normal ->\nBP!=")
    code, out, err = run(capsys, "explain", *NETWORK, "--given", f"@{path}", *PATIENT)
    assert (code, out) == (2, "")
    assert f"{path}: line 2, column 5" in err
    code, _, err = run(capsys, "predict", *NETWORK, "--given", f"@{path}.not", *PATIENT)
    assert code == 2
    assert "cannot read" in err


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("kept", [False, True])
def test_rows_that_cannot_be_have_an_error(
    command: str, kept: bool, compiled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("BP,CT,HR\nHigh,1,Normal\nNormal,1,Normal\nLow,0,Low\n")
    source = [compiled] if kept else [*NETWORK, "--given", GIVEN]
    code, out, err = run(capsys, command, *source, "--csv", str(table), "--json")
    assert code == 3
    rows = json.loads(out)
    assert ["error" in row for row in rows] == [False, True, False]
    assert "violates the constraint" in rows[1]["error"]
    assert f"{table}:3: the instance violates" in err
    assert run(capsys, command, *source, *OUTSIDE) == (2, "", VIOLATES)


def test_verify_and_info_know_of_it(compiled: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", compiled, "--json")
    assert code == 0
    names = {check["name"] for check in json.loads(out)["checks"]}
    assert {"oracle", "constraint: implied", "constraint: counts"} <= names
    code, out, _ = run(capsys, "info", compiled, "--json")
    assert json.loads(out)["given"] == "BP∈{Low,High} ∨ HR∈{Low,High}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("BPP=Low", "--given: line 1, column 1: found 'BPP', expected a feature; did you mean 'BP'?"),
        ("BP=Low and BP=High", "--given: no instance satisfies the constraint"),
    ],
)
def test_a_wrong_constraint_is_one_line(text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["explain"], ["predict"], ["explain", "--route", "network"]):
        code, out, err = run(capsys, *command, *NETWORK, "--given", text, *PATIENT)
        assert (code, out) == (2, "")
        assert err.startswith(f"bnc2d: error: {words}"), err
        assert err.count("\n") == 1
