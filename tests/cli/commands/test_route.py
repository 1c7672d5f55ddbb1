"""``bnc2d explain --route``: the compiled way where it ends in time, else the network, and it says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bnc2d
from bnc2d import Classifier, LimitExceeded, TimeLimitExceeded, example, write_network
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.cli.shared import models
from bnc2d.compile import estimate
from bnc2d.compile.estimate import expected_seconds
from bnc2d.testing import random_instance, random_naive_bayes, random_noisy_or, random_tan
from tests.cli.running import run
from tests.explain.test_batch import majority

PATIENT = ["BP=High", "CT=1", "HR=Normal"]
WORDS = ["explain", "diagnosis", "--target", "D", "--features", "BP,CT,HR", *PATIENT]
NOTE = "so the network itself answers; --route compiled compiles whatever it takes"


@pytest.fixture
def no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(Classifier, "compile", refuse)


def test_auto_compiles_what_is_quick(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *WORDS, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["complete_reason"] == "BP=High ∧ (CT ∨ HR=Normal)"
    assert run(capsys, *WORDS, "--json", "--route", "compiled") == (0, out, "")


@pytest.mark.usefixtures("no_compiling")
def test_the_network_explains_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *WORDS, "--json", "--route", "network")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["complete_reason"] is None
    assert found["proved_minimal"]
    assert {"BP": ["High"], "CT": ["1"]} in found["sufficient_reasons"]
    explanation = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).explain(
        dict(word.split("=") for word in PATIENT)
    )
    code, out, err = run(capsys, *WORDS, "--route", "network")
    assert (code, out, err) == (0, explanation.to_text() + "\n", "")
    code, out, err = run(capsys, *WORDS, "--route", "network", "--format", "csv")
    assert code == 0
    assert out.splitlines()[0].endswith(",cut,unproved,error")


def test_a_compiled_file_has_its_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "d.bnc2d")
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save(file)
    monkeypatch.setattr(CompiledModel, "explain", None)
    code, out, err = run(capsys, "explain", file, *PATIENT, "--route", "network")
    assert (code, err) == (0, "")
    assert "BP=High ∧ CT" in out


@pytest.mark.usefixtures("no_compiling")
@pytest.mark.parametrize(
    "network", [random_naive_bayes(1, 60), random_tan(1, 60, states=3, classes=3)], ids=["NB", "TAN"]
)
def test_where_compiling_cannot_end_it_is_not_tried(
    network: bnc2d.BayesianNetwork, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "large.bif"
    write_network(network, file)
    classifier = Classifier(network, "Y", features="all")
    words = [f"{name}={state}" for name, state in random_instance(classifier, 1).items()]
    asked = ["explain", str(file), "--target", "Y", "--features", "all", *words]
    code, out, err = run(capsys, *asked, "--time-limit", "1")
    assert code == 0
    assert err == f"bnc2d: note: compiling would take far longer than 20 s, {NOTE}\n"
    assert out.startswith("Decision: Y is ")
    code, out, err = run(capsys, *asked, "--json", "--limit", "1", "--time-limit", "0.5")
    found = json.loads(out)
    assert (
        classifier.explain(found["instance"]).is_sufficient(
            {name: states[0] for name, states in found["sufficient_reason"].items()}
        )
        or found["unproved"]
    )
    code, out, err = run(capsys, *asked, "--json", "--formulas")
    assert (code, out) == (2, "")
    assert err.endswith("error: --formulas needs a compiled model; --route compiled makes one\n")


def test_where_compiling_does_not_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "AUTO_SECONDS", 0.0)
    code, out, err = run(capsys, *WORDS)
    assert code == 0
    why = "there is no plan to compile within the time limit of 0 s"
    assert err == f"bnc2d: note: compiling did not end ({why}), {NOTE}\n"
    assert out.startswith("Decision: D is 2.\n")
    monkeypatch.undo()

    def too_large(*_: object, **__: object) -> None:
        raise LimitExceeded("it needs 5 MiB, more than the limit of 4 MiB; raise memory_limit")

    monkeypatch.setattr(Classifier, "compile", too_large)
    _, _, err = run(capsys, *WORDS)
    assert (
        err == f"bnc2d: note: compiling did not end (it needs 5 MiB, more than the limit of 4 MiB), {NOTE}\n"
    )
    code, out, err = run(capsys, *WORDS, "--route", "compiled")
    assert (code, out) == (2, "")


def test_who_gives_up_names_the_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    classifier = Classifier(random_naive_bayes(1, 60), "Y")
    way_out = r"; without compiling: classifier\.explain\(instance\), or bnc2d explain --route network$"
    with pytest.raises(TimeLimitExceeded, match=way_out):
        classifier.compile(time_limit=0.1)
    with pytest.raises(LimitExceeded, match=way_out):
        classifier.compile(memory_limit=2**20)
    file = tmp_path / "large.bif"
    write_network(classifier.network, file)
    target = str(tmp_path / "out.bnc2d")
    code, out, err = run(capsys, "compile", str(file), "--target", "Y", "-o", target, "--time-limit", "0.1")
    assert (code, out) == (2, "")
    assert "bnc2d explain --route network" in err
    assert err.count("\n") == 1


def test_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [Classifier(random_naive_bayes(1, 30), "Y"), majority(60).classifier]
    quick.append(Classifier(random_tan(1, 24), "Y", features="all"))
    assert max(map(expected_seconds, quick)) < 20
    noisy = random_noisy_or(1, 60)
    findings = [name for name in noisy.names if name.startswith("X")]
    slow = [
        Classifier(random_naive_bayes(1, 60, states=states, classes=classes), "Y")
        for states in (2, 50)
        for classes in (2, 5)
    ]
    slow += [Classifier(random_tan(1, 60), "Y", features="all"), Classifier(noisy, "Y", findings)]
    assert min(map(expected_seconds, slow)) > 1000
    monkeypatch.setattr(estimate, "default_memory", lambda: 1)
    assert expected_seconds(quick[-1]) == float("inf")
