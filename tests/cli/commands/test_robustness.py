"""``bnc2d robustness``: answers, exit codes, pictures, wrong inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, CompiledModel, example
from tests.cli.running import run

SURVEY = ["survey", "--target", "E", "--features", "A,S,O,R,T", "--threshold", "0.4", "--positive", "uni"]
ROWS = "A,S,O,R,T\nyoung,F,self,small,car\nold,M,emp,big,car\n"


def survey() -> CompiledModel:
    features = ["A", "S", "O", "R", "T"]
    return Classifier(example("survey"), "E", features, threshold="0.4", positive="uni").compile()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    survey().save("s.bnc2d")
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    Path("some.csv").write_text(ROWS + "old,,emp,big,car\nodl,M,emp,big,car\n", encoding="utf-8")


def data(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, err = run(capsys, "robustness", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ([], {}),
        (["--towards", "uni"], {"towards": "uni"}),
        (["--distribution", "network"], {"distribution": "network"}),
        (["--marginals", "A=old:1"], {"distribution": {"A": {"old": 1}}}),
        (
            ["--csv", "rows.csv"],
            {
                "distribution": [
                    dict(zip("ASORT", line.split(","), strict=True)) for line in ROWS.splitlines()[1:]
                ]
            },
        ),
    ],
)
def test_what_is_told_is_the_profile(
    words: list[str], asked: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = survey().robustness_profile(**asked)
    found = data(capsys, "s.bnc2d", *words)
    rows = 0 if "--csv" in words else None
    assert found == json.loads(json.dumps({**expected.to_dict(), "errors": rows, "file": None}))
    code, out, err = run(capsys, "robustness", *SURVEY, *words)
    assert (code, err) == (0, "")
    assert out.startswith(f"E: {expected.question}\n")
    for _, one in expected.named():
        assert all(f" {count:,} │" in out for count in one.counts.values())


def test_a_constraint_and_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--given", "not (O=self and S=F)"]
    found = data(capsys, "s.bnc2d", *given, "-o", "far.svg", "--width", "360", "--theme", "dark")
    expected = survey().given(given[1]).robustness_profile()
    assert (found["overall"]["largest"], found["file"], found["given"]) == (4, "far.svg", expected.given)
    assert Path("far.svg").read_text(encoding="utf-8") == expected.figure(width=360, theme="dark").svg()
    code, out, _ = run(capsys, "robustness", "s.bnc2d", *given, "-o", "far.png")
    assert (code, "wrote far.png" in out) == (0, True)


def test_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "robustness", "s.bnc2d", "--csv", "some.csv", "--each", "--json")
    assert code == 3
    assert "some.csv:5: variable 'A' has no state 'odl'" in err
    found = json.loads(out)
    partial = survey().explain({"A": "old", "O": "emp", "R": "big", "T": "car"}).robustness().distance
    assert found["errors"] == 1
    assert found["each"] == [
        {"row": 1, "class": "uni", "distance": 1},
        {"row": 2, "class": "high", "distance": 2},
        {"row": 3, "class": "high", "distance": partial},
    ]
    code, out, _ = run(capsys, "robustness", "s.bnc2d", "--csv", "rows.csv", "--each", "--towards", "uni")
    assert (code, "│   1 │ uni   │       0 │" in out) == (0, True)
    code, _, err = run(capsys, "robustness", "s.bnc2d", "--csv", "some.csv")
    assert (code, "some.csv:4: the feature 'S' is missing" in err) == (3, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "far.dot"], "must end in .svg or .png"),
        (["--each"], "--each needs rows"),
        (["--each", "--csv", "rows.csv", "-o", "far.svg"], "--each draws nothing"),
        (["--each", "--csv", "rows.csv", "--distribution", "network"], "nothing is to be weighed"),
        (["--towards", "unj"], "did you mean 'uni'"),
        (["--time-limit", "0"], "robustness is not known"),
    ],
)
def test_wrong_inputs(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "robustness", "s.bnc2d", *words)
    assert (code, out) == (2, "")
    assert told in err
