"""``bnc2d count``: counts of models and circuits, weights from a file, wrong inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnc2d import Classifier, StateNumbers, example
from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    model.save("d.bnc2d")
    model.formula("2").save("two.nnf")
    Path("w.json").write_text('{"BP": {"Low": 0.1, "High": 2}, "CT": {"0": -1}}')


def test_counts(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "count", "d.bnc2d")
    assert (code, err) == (0, "")
    assert [line.split()[1::2] for line in out.splitlines()[4:7]] == [["0", "6"], ["1", "3"], ["2", "9"]]
    found = json.loads(run(capsys, "count", "d.bnc2d", "--json", "--class", "2", "--given", "BP != Low")[1])
    assert found["given"] == "BP∈{Normal,High}"
    assert found["counts"] == [{"class": "2", "count": 5.0, "count_exact": "5"}]
    assert json.loads(run(capsys, "count", "two.nnf", "--json")[1])["counts"][0]["count_exact"] == "9"


def test_weights_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    weights: StateNumbers = {"BP": {"Low": "0.1", "High": 2}, "CT": {"0": -1}}
    found = json.loads(run(capsys, "count", "d.bnc2d", "--weights", "w.json", "--json")[1])
    assert found["weighted"]
    assert [one["count_exact"] for one in found["counts"]] == [
        str(model.count(name, weights)) for name in model.classes
    ]
    circuit = json.loads(run(capsys, "count", "two.nnf", "--weights", "w.json", "--json")[1])
    assert circuit["counts"][0]["count_exact"] == str(model.count("2", weights))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["two.nnf", "--target", "D"], "two.nnf is a circuit, so --target does not apply"),
        (["two.nnf", "--class", "2"], "two.nnf is a circuit, so --class does not apply"),
        (["d.bnc2d", "--deterministic"], "--deterministic is for circuits"),
        (["d.bnc2d", "--class", "3"], "has no class '3'"),
        (["d.bnc2d", "--weights", "two.nnf"], "two.nnf:1: not JSON"),
        (["d.bnc2d", "--weights", "list.json"], "list.json: expected numbers by feature and state"),
        (["d.bnc2d", "--weights", "wrong.json"], "unknown feature 'PB'; valid: 'BP'"),
        (["d.bnc2d", "--time-limit", "0"], "nothing is counted within the time limit of 0 s"),
    ],
)
def test_wrong_inputs(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("list.json").write_text("[1]")
    Path("wrong.json").write_text('{"PB": {"Low": 1}}')
    code, out, err = run(capsys, "count", *words)
    assert (code, out) == (2, "")
    assert message in err
