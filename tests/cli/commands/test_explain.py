"""``bnc2d explain``: from words, CSV and JSON, in words and as data, with errors that help."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bnc2d import Classifier, Explanation, example
from bnc2d.cli.commands.explain import show
from bnc2d.cli.main import main
from bnc2d.cli.shared.printing import working
from bnc2d.explain.text import tell
from tests.cli.running import run

PATIENT = ["BP=High", "CT=1", "HR=Normal"]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a compiled model in the current folder, which is the test's own."""
    monkeypatch.chdir(tmp_path)
    Classifier(example("diagnosis"), "D").compile().save("d.bnc2d")
    return "d.bnc2d"


def patient(fixed: Sequence[str] = ()) -> Explanation:
    instance = dict(word.split("=") for word in PATIENT)
    explanation: Explanation = Classifier(example("diagnosis"), "D").compile().explain(instance, fixed)
    return explanation


def facts(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, err = run(capsys, "explain", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_words_are_those_of_to_text(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "explain", model, *PATIENT)
    assert (code, err) == (0, "")
    assert out == patient().to_text() + "\n"
    _, out, _ = run(capsys, "explain", model, *PATIENT, "--all", "--towards", "0", "--fixed", "CT")
    assert out == patient(fixed=["CT"]).to_text(all=True, towards="0") + "\n"


def test_json_has_everything(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, model, *PATIENT)
    assert (found["decision"], found["target"], found["fixed"]) == ("2", "D", [])
    assert found["complete_reason"] == "BP=High ∧ (CT ∨ HR=Normal)"
    assert found["sufficient_reasons"] == [
        {"BP": ["High"], "CT": ["1"]},
        {"BP": ["High"], "HR": ["Normal"]},
    ]
    assert found["necessary_reasons"] == [{"BP": ["High"]}, {"CT": ["1"], "HR": ["Normal"]}]
    assert {"BP": ["Low", "High"], "HR": ["Normal", "High"]} in found["general_sufficient_reasons"]
    assert found["general_necessary_reasons"][0] == {"BP": ["Low", "High"]}
    nearest = {"distance": 1, "witness": {"BP": "Normal", "CT": "1", "HR": "Normal"}, "decision": "1"}
    nearest["possible"] = True
    assert found["contrastive"]["1"] == {
        "reasons": [{"BP": ["Low", "High"]}],
        "message": None,
        "cut": None,
        "nearest": nearest,
    }
    assert found["contrastive"]["0"]["nearest"]["distance"] == 2
    assert found["robustness"]["distance"] == 1
    assert set(found["cut"].values()) == {None}
    assert found["complete"]
    assert (found["possible"], found["decided_by"]) == (True, "posterior")
    assert found["posterior_exact"]["2"] == "33022/46757"
    assert found["posterior"]["2"] == 33022 / 46757
    assert found["sufficient_reason"] == found["sufficient_reasons"][0]


def test_json_keeps_to_its_options(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, model, *PATIENT, "--towards", "0", "--fixed", "BP", "--limit", "1")
    assert list(found["contrastive"]) == ["0"]
    assert found["fixed"] == ["BP"]
    assert found["cut"]["sufficient_reasons"] == "limit"
    assert found["robustness"] == {
        "distance": 2,
        "witness": {"BP": "High", "CT": "0", "HR": "Low"},
        "decision": "0",
        "possible": True,
    }
    found = facts(capsys, model, *PATIENT, "--fixed", "BP,CT,HR")
    assert found["contrastive"]["0"]["message"] == "no instance with BP, CT, HR as here is in class 0"
    assert found["robustness"] == {"distance": None, "witness": None, "decision": None, "possible": None}
    found = facts(capsys, model, *PATIENT, "--time-limit", "0")
    assert set(found["cut"].values()) == {"time"}
    assert not found["complete"]
    assert found["sufficient_reasons"] == [found["sufficient_reason"]]
    assert patient().is_sufficient(found["sufficient_reason"])


def test_a_network_is_compiled_first(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "diagnosis", "--target", "D", "BP=Low", "--features", "BP,HR", "HR=Low")
    assert found["instance"] == {"BP": "Low", "HR": "Low"}
    rule = ["--target=lung", "--features=smoke,xray", "--threshold=0.5", "--positive=yes"]
    assert facts(capsys, "asia", *rule, "smoke=yes", "xray=yes")["decision"] == "yes"


def test_many_instances(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.csv").write_text('\ufeffD,BP, CT,HR\n1,High,1,Normal\n\n2,Low,0,"Low"\n', encoding="utf-8")
    rows = [{"BP": "High", "CT": 1, "HR": "Normal"}, {"BP": "Low", "CT": False, "HR": "Low"}]
    Path("p.json").write_text(json.dumps(rows), encoding="utf-8")
    Path("one.json").write_text(json.dumps(rows[1]), encoding="utf-8")
    for command in ("explain", "predict"):
        for source in (["--csv", "p.csv"], ["--instance", "p.json"]):
            _, out, _ = run(capsys, command, model, *source, "--json")
            assert [found["decision"] for found in json.loads(out)] == ["2", "0"]
        _, out, _ = run(capsys, command, model, "--instance", "one.json", "--json")
        assert json.loads(out)["decision"] == "0"
    _, out, _ = run(capsys, "explain", model, "--csv", "p.csv")
    assert out.startswith("--- p.csv:2\nDecision: D is 2.\n")
    assert "\n\n--- p.csv:4\nDecision: D is 0.\n" in out
    _, out, _ = run(capsys, "predict", model, "--csv", "p.csv")
    assert out.startswith("p.csv:2: D = 2\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["d.bnc2d", "BP=high", "CT=1", "HR=Low"], "'BP' has no state 'high'; did you mean 'High'?"),
        (
            ["d.bnc2d", "BPP=High", "CT=1", "HR=Low"],
            "'BPP' is not a feature of this classifier; did you mean 'BP'?",
        ),
        (["d.bnc2d", *PATIENT, "X=1"], "'X' is not a feature of this classifier"),
        (["d.bnc2d", "BP", "CT=1", "HR=Low"], "'BP' is not of the form NAME=STATE"),
        (["d.bnc2d"], "an instance is missing: NAME=STATE words, --csv FILE"),
        (["d.bnc2d", *PATIENT, "--csv", "p.csv"], "one of these at a time"),
        (["d.bnc2d", *PATIENT, "--fixed", "bp"], "unknown feature 'bp'; did you mean 'BP'?"),
        (["d.bnc2d", *PATIENT, "--towards", "3"], "has no class '3'"),
        (["d.bnc2d", *PATIENT, "--target", "D"], "compiled already, so --target does not apply"),
        (["d.bnc2d", *PATIENT, "--limit", "-1"], "limit must not be negative"),
        (["nowhere.bnc2d", *PATIENT], "cannot read"),
        (["diagnosis", *PATIENT], "--target NAME must say what to decide"),
        (["d.bnc2d", "--csv", "nowhere.csv"], "cannot read"),
        (["d.bnc2d", "--instance", "nowhere.json"], "cannot read"),
    ],
)
def test_errors_are_one_line(
    words: list[str], message: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "explain", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"BP,CT,Hr\nHigh,1,Low\n", "f:1: no column 'HR'; did you mean 'Hr'?"),
        (b"BP;CT;HR\nHigh;1;Low\n", "f:1: no column 'BP'; cells are separated by commas"),
        (b"BP,BP,HR\nHigh,1,Low\n", "f:1: more than one column 'BP'"),
        (b"BP,CT,HR\n", "no instance in the file"),
        (b"", "no instance in the file"),
        (b"BP,CT,HR,\xff\nLow,1,Low,1\n", "f:1: byte 0xff is not UTF-8"),
        (b'"BP,CT,HR\nHigh,1,Low\n', "f:1: not CSV"),
        ("BP,CT,HR\nHigh,1,Low\n".encode("utf-16"), "f:1: byte 0xff is not UTF-8"),
        (bytes(range(256)) * 9, "f:"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table(
    text: bytes, message: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("f").write_bytes(text)
    for command in ("explain", "predict"):
        for data in ((), ("--json",)):
            code, out, err = run(capsys, command, model, "--csv", "f", *data)
            assert (code, out) == (2, "")
            assert message in err
            assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "f:1: not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no instance in the file"),
        ("3", "an instance is an object from feature to state, not int"),
        ('{"BP": "High", "CT": "", "HR": "Low"}', "f: variable 'CT' has no state ''"),
        ('{"BP": "High", "CT": [1], "HR": "Low"}', "f: variable 'CT' has no state"),
    ],
    ids=range(6),
)
def test_json_errors(text: str, message: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("f").write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "explain", model, "--instance", "f")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_unknown_options_are_named(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["explain", model, *PATIENT, "--towrds", "0"])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert "unrecognized arguments: --towrds" in error
    assert error.endswith("see bnc2d explain --help\n")
    with pytest.raises(SystemExit):
        main(["verify", model, "BP=High"])


def test_a_terminal_gets_tables_and_a_pipe_no_escape_codes(model: str) -> None:
    command = [sys.executable, "-m", "bnc2d", "explain", model, *PATIENT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr
    explanation = patient()
    page = StringIO()
    console = Console(file=page, force_terminal=True, width=120, color_system="standard")
    show(console, *tell(explanation))
    assert "\x1b[" in page.getvalue()
    for part in ("BP∈{Low,High} ∧ HR∈{Normal,High}", "BP were Normal and CT were 0", "and 1 more"):
        assert part in page.getvalue()


def test_a_narrow_terminal_loses_nothing() -> None:
    explanation, page = patient(), StringIO()
    show(Console(file=page, force_terminal=True, width=30), *tell(explanation))
    assert "…" not in page.getvalue()


def test_a_sign_of_life_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with working("verifying") as now:
        now("still verifying")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with working("verifying") as now:
        now("still\x1b verifying")
    assert "verifying" in capsys.readouterr().err


def test_probable_reasons_in_words_as_data_and_in_cells(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "d.bnc2d")
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save(path)
    words = ["explain", path, "BP=High", "CT=1", "HR=Normal", "--probable", "0.8"]
    _, out, _ = run(capsys, *words, "--distribution", "network")
    assert out.endswith(
        "What keeps D 2 with probability 80 % or more? (probable reasons)\n"
        "Each line alone, other features being drawn by the network's own distribution:\n"
        "  • BP is High: 84.42 %    BP=High\n"
    )
    _, out, _ = run(capsys, *words, "--marginals", "BP=High:0.5,Low:0.5", "--json")
    found = json.loads(out)["probable"]
    assert (found["wanted"], found["distribution"], found["cut"]) == (0.8, "marginals", None)
    assert found["reasons"][0] == {
        "reason": {"BP": ["High"]},
        "probability": 5 / 6,
        "probability_exact": "5/6",
        "proved_minimal": True,
        "proved_shortest": True,
    }
    _, out, _ = run(capsys, *words, "--format", "csv")
    assert out.splitlines()[1].endswith(",BP=High,0.8333333333333334,")
    _, out, _ = run(capsys, *words, "--fixed", "BP", "--marginals", "BP=Low:1")
    assert "has probability 0 by these marginals" in out
    for options, error in (
        (["--probable", "80"], "d must be a probability from 0 to 1"),
        (["--distribution", "uniform"], "--probable 0.95"),
        (["--probable", "0.8", "--distribution", "uniform", "--marginals", "BP=Low:1"], "only one of these"),
    ):
        code, _, said = run(capsys, "explain", path, "BP=High", "CT=1", "HR=Normal", *options)
        assert code == 2
        assert error in said
