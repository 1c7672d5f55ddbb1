"""The command line on tables of data: training, raw rows, one row by its number, and tables that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d.cli.shared.training import read_bins, read_frame
from tests.cli.running import run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table of patients with numbers, labels, empty cells and a column without a name."""
    chance = np.random.default_rng(1)
    age = chance.integers(18, 90, 200)
    frame = pd.DataFrame({"age": age, "bmi": chance.normal(26, 4, 200).round(1)})
    frame["smoker"] = chance.choice(["yes", "no", "NA"], 200)
    frame["ill"] = np.where(
        age + 30 * (frame["smoker"] == "yes") + chance.normal(0, 9, 200) > 70, "ill", "well"
    )
    frame.loc[::7, "bmi"] = np.nan
    frame.loc[3::7, "smoker"] = np.nan
    frame.to_csv(tmp_path / "patients.csv")
    return tmp_path / "patients.csv"


def test_one_row_of_a_table_is_explained_in_its_units(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "explain", str(table), "--target", "ill", "--row", "17")
    assert code == 0
    clf = bnc2d.from_data(read_frame(str(table), 10**6), target="ill")
    row = read_frame(str(table), 10**6).iloc[17]
    assert f"Decision: ill is {clf.predict(row)}." in out
    assert f"age is {row['age']}" in out
    assert "age ≥" in out or "age <" in out
    assert str(clf.training) in err
    assert "held out" in err
    assert "--row 17 is line 19 of" in err
    code, out, _ = run(capsys, "explain", str(table), "--target", "ill", "--row", "17", "--json")
    assert json.loads(out)["decision"] == clf.predict(row)


def test_a_saved_model_takes_raw_rows(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = str(table.parent / "patients.bnc2d")
    words = ("--target", "ill", "--structure", "tan", "--bins", "age=30,50,70; bmi=2", "-o", saved)
    code, _, err = run(capsys, "compile", str(table), *words)
    assert code == 0
    assert "tree-augmented naive Bayes" in err
    model, frame = bnc2d.load(saved), read_frame(str(table), 10**6)
    code, out, _ = run(capsys, "predict", saved, "--rows", str(table), "--format", "jsonl")
    assert code == 0
    decided = [json.loads(line)["decision"] for line in out.splitlines()]
    assert decided == model.predict(frame).tolist()
    code, out, _ = run(capsys, "predict", saved, "--rows", str(table), "--row", "0", "--json")
    assert json.loads(out)["decision"] == decided[0]
    code, out, _ = run(capsys, "explain", saved, "age=31.5", "bmi=26", "smoker=no", "--json")
    assert code == 0
    assert json.loads(out)["instance"] == {"age": "[30, 50)", "bmi": frame_state(model, 26), "smoker": "no"}
    code, out, _ = run(capsys, "info", saved)
    assert "30, 50, 70" in out
    assert "held out" in out
    code, out, _ = run(capsys, "info", saved, "--json")
    facts = json.loads(out)
    assert [cut for cut, _ in facts["units"]["age"]["cuts"]] == [30, 50, 70]
    assert facts["training"]["structure"] == "tan"
    rule = "if age >= 70 and smoker = yes then class = ill"
    assert run(capsys, "check", saved, "--rule", rule)[0] == (0 if model.check(rule).holds else 1)


def test_other_commands_take_raw_rows_as_well(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, rows = str(table.parent / "patients.bnc2d"), str(table)
    assert run(capsys, "compile", rows, "--target", "ill", "--bins", "3", "-o", saved)[0] == 0
    page = table.parent / "page.html"
    assert run(capsys, "explore", saved, "--csv", rows, "-o", str(page))[0] == 0
    assert page.stat().st_size > 10_000
    code, out, _ = run(capsys, "nearest", saved, "--csv", rows, "--row", "17", "--json")
    assert code == 0
    found = json.loads(out)
    model, frame = bnc2d.load(saved), read_frame(rows, 10**6)
    assert found["decision"] == model.predict(frame.iloc[17])
    assert found["instance"] == dict(model.explain(frame.iloc[17]).instance)
    code, out, _ = run(capsys, "share", saved, "--csv", rows, "--json")
    assert code == 0


def frame_state(model: bnc2d.CompiledModel, bmi: float) -> str:
    bins = model.classifier.network.variable("bmi")
    return bins.states[bins.index(bmi)]


def test_empty_cells_are_the_state_that_they_were_in_training(
    table: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    saved = str(tmp_path / "model.bnc2d")
    assert run(capsys, "compile", str(table), "--target", "ill", "-o", saved)[0] == 0
    rows = tmp_path / "rows.csv"
    rows.write_text("age,bmi,smoker\n40,,\n40,NA,?\n40,nan,NA\n,25,yes\nold,25,yes\n")
    code, out, err = run(capsys, "explain", saved, "--rows", str(rows), "--format", "jsonl", "--limit", "1")
    assert code == 3
    assert "'old' is no value of 'age': expected a number" in err
    found = [json.loads(line) for line in out.splitlines()]
    assert [one.get("instance", {}).get("bmi") for one in found[:3]] == ["missing"] * 3
    # In a column of labels, NA is a label as in training, and only an empty cell or ? is missing.
    assert [one["instance"]["smoker"] for one in found[:3]] == ["missing", "missing", "NA"]
    assert found[3]["missing"] == ["age"]  # no age was missing in training, so it is unknown


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", (), "the file is empty"),
        ("a,y\n", (), "no rows"),
        ("a,y\n1,p\n2\n", (), "data.csv:3: 1 cells, but 2 columns"),
        ("a,y\n1,p\n'2,\"n\n", (), "not CSV"),
        ("a,a,y\n1,2,p\n", (), "more than one column 'a'"),
        ("a;y\n1;p\n", (), "no column 'y'"),
        ("a,z\n1,p\n", (), "no column 'y'"),
        ("a,y\n1,p\n2,p\n", (), "only the class 'p'"),
        ("a,y\n1,p\n1,n\n", (), "no column can be a feature: 'a' has one value only"),
        ("a,y\ninf,p\n1,n\n", (), "column 'a' holds inf"),
        ("a,y\n1,p\n2,n\n", ("--row", "2"), "has 2 rows, so --row is a number from 0 to 1, not 2"),
        ("a,y\n1,p\n2,n\n", ("--bins", "many"), "bins must be"),
        ("a,y\n1,p\n2,n\n", ("--bins", "a=1,x"), "the cuts of 'a' must be numbers"),
        ("a,y\n1,p\n2,n\n", ("--bins", "b=2"), "no feature str 'b'"),
        ("a,y\n1,p\n2,n\n", ("--features", "b"), "no column 'b'"),
    ],
)
def test_a_table_that_is_none_is_one_line(
    text: str, words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    row = () if "--row" in words else ("--row", "0")
    code, out, err = run(capsys, "explain", str(path), "--target", "y", *row, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_options_that_do_not_go_together(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (("explain", str(table), "--row", "0"), "is a table: --target COLUMN must say what to decide"),
        (("explain", str(table), "--target", "ill"), "an instance is missing: NAME=STATE words, --row N"),
        (("explain", str(table), "--target", "ill", "--row", "0", "age=3"), "one of these at a time"),
        (("explain", "diagnosis", "--target", "D", "--row", "0", "CT=1"), "--row is a row of --csv FILE"),
        (("explain", "diagnosis", "--target", "D", "--bins", "3", "CT=1"), "is no table of data"),
        (("compile", "diagnosis", "--target", "D", "--structure", "tan", "-o", "x"), "is no table of data"),
        (("explain", "none.csv", "--target", "D", "--row", "0"), "none.csv: cannot read"),
    ):
        code, _, err = run(capsys, *words)
        assert code == 2
        assert message in err
    with pytest.raises(SystemExit):
        run(capsys, "explain", str(table), "--target", "ill", "--row", "-1")
    assert "is no number of a row; these are counted from 0" in capsys.readouterr().err


def test_bins_on_the_command_line() -> None:
    columns = ["age", "a=b", "x"]
    assert read_bins("4", columns) == 4
    assert read_bins("auto", columns) == "auto"
    assert read_bins("age=18,65; a=b=3 ;x=labels;", columns) == {"age": [18, 65], "a=b": 3, "x": "labels"}
    with pytest.raises(bnc2d.ArgumentError, match="apart by semicolons"):
        read_bins("age=", columns)


def test_cells_are_numbers_where_all_of_them_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("whole,real,word,gaps,big,,mixed\n1,1.5,a,?,99999999999999999999,7,1\n2,-2e3,,NA,1,8,x\n")
    frame = read_frame(str(path), 10**6)
    assert list(frame.columns) == ["whole", "real", "word", "gaps", "big", "mixed"]
    assert frame["whole"].tolist() == [1, 2]
    assert frame["real"].tolist() == [1.5, -2000.0]
    assert frame["word"].isna().tolist() == [False, True]
    assert frame["gaps"].tolist()[1] == "NA"
    assert frame["big"].tolist() == [99999999999999999999, 1]
    assert frame["mixed"].tolist() == ["1", "x"]
