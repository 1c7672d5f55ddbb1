"""``bnc2d check``: exit codes, tables, JSON, and files that are no rules."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from bnc2d import Classifier, example, write_network
from bnc2d.testing import random_naive_bayes
from tests.cli.running import run

MODEL = ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]
PROVED = "if BP=Normal and HR=Low then class=0"
BROKEN = "if BP=High then class in {1, 2}"
PAIR = "class does not depend on CT"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save("d.bnc2d")
    Path("good.txt").write_text(f"\ufeff# rules\n\n{PROVED}  # yes\n", encoding="utf-8")
    Path("bad.txt").write_text(f"{PROVED}\n{BROKEN}\r\n{PAIR}\n", encoding="utf-8")


@pytest.mark.parametrize("route", ["auto", "compiled", "network"])
@pytest.mark.parametrize("model", [["d.bnc2d"], MODEL], ids=["model", "network"])
def test_exit_codes(model: list[str], route: str, capsys: pytest.CaptureFixture[str]) -> None:
    where = [*model, "--route", route]
    code, out, err = run(capsys, "check", *where, "good.txt")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "1 proved"
    code, out, err = run(capsys, "check", *where, "bad.txt")
    assert (code, err) == (1, "")
    assert out.splitlines()[-1] == "1 proved, 2 refuted"
    assert f"line 2 is refuted: {BROKEN}\n" in out
    assert f"line 3 is refuted: {PAIR}\n" in out
    assert " P(2)=" in out
    code, out, err = run(capsys, "check", *where, "bad.txt", "--time-limit", "0")
    assert (code, err) == (2, "")
    assert out.splitlines()[-1] == "3 open"
    assert "the time limit came first" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", "d.bnc2d", "bad.txt", "--json")
    assert (code, err) == (1, "")
    found = json.loads(out)
    assert (found["status"], found["target"], found["towards"]) == ("refuted", "D", None)
    assert [(rule["line"], rule["status"]) for rule in found["rules"]] == [
        (1, "proved"),
        (2, "refuted"),
        (3, "refuted"),
    ]
    assert found["rules"][0]["witness"] == []
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    for rule in found["rules"]:
        for one in rule["witness"]:
            assert one["decision"] == classifier.predict(one["instance"])
            exact = classifier.posterior(one["instance"])
            assert one["posterior"] == {name: float(share) for name, share in exact.items()}
    code, out, _ = run(capsys, "check", *MODEL, "--json", "--towards", "2", "--rule", "BP=High and CT=1")
    found = json.loads(out)
    assert (code, found["status"], found["towards"]) == (0, "proved", "2")
    assert found["rules"][0]["line"] is None
    code, out, _ = run(capsys, "check", "d.bnc2d", "bad.txt", "--json", "--time-limit", "0")
    assert (code, json.loads(out)["status"]) == (2, "open")
    assert json.loads(out)["rules"][0]["reason"] == "the time limit came first"


def test_rules_as_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "d.bnc2d", "--rule", PROVED, "--rule", f"{PAIR}; {PROVED}")
    assert code == 1
    assert f"rule 2 is refuted: {PAIR}\n" in out
    assert out.splitlines()[-1] == "2 proved, 1 refuted"


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in ((PROVED, 0), (BROKEN, 1), ("", 2), ("# nothing", 2), ("BP=", 2)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code, _, err = run(capsys, "check", "d.bnc2d", "-")
        assert code == expected
        assert (code == 2) is err.startswith("bnc2d: error: standard input")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "rules.txt: the file is empty"),
        (b"# nothing\n ; \n", "rules.txt: there is no rule"),
        (
            b"true\nif BP=Hgh then class=2",
            "rules.txt: line 2, column 7: found 'Hgh', expected a state of 'BP'",
        ),
        (
            b"true\n\nclass does not depend on XX",
            "rules.txt: line 3, column 26: found 'XX', expected a feature",
        ),
        (b"true\n\xff", "byte 0xff is not UTF-8"),
        (b"true\n" * (1 << 18), "rules.txt: "),
        (b"BP=Low and", "line 1, column 11: found the end of the text"),
    ],
)
def test_files_that_are_no_rules(content: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.txt").write_bytes(content)
    for model in (["d.bnc2d"], [*MODEL, "--route", "network"]):
        code, out, err = run(capsys, "check", *model, "rules.txt")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["d.bnc2d"], "the rules are missing: a file of rules, or --rule TEXT"),
        (["d.bnc2d", "good.txt", "--rule", "true"], "only one of these at a time"),
        (["d.bnc2d", "good.txt", "bad.txt"], "only one of these at a time"),
        (["d.bnc2d", "nowhere.txt"], "nowhere.txt: cannot read"),
        (["d.bnc2d", "good.txt", "--towards", "7"], "has no class '7'"),
        (
            ["d.bnc2d", "good.txt", "--towards", "2"],
            "good.txt: line 3, column 30: found 'class', expected feat",
        ),
        (["d.bnc2d", "--rule", "true", "--rule", "BP"], "--rule 2: line 1, column 1: found 'BP' alone"),
        (["d.bnc2d", "--rule", " "], "--rule: there is no rule"),
        (["d.bnc2d", "good.txt", "--target", "D"], "is compiled already, so --target does not apply"),
        (["diagnosis", "good.txt"], "--target NAME must say what to decide"),
    ],
)
def test_wrong_words(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_words_before_and_after_options(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["d.bnc2d", "--json", "good.txt"], ["--json", "d.bnc2d", "good.txt"]):
        assert run(capsys, "check", *words)[0] == 0
    with pytest.raises(SystemExit) as stop:
        run(capsys, "check", "d.bnc2d", "good.txt", "--nonsense")
    assert stop.value.code == 2


def test_a_network_that_does_not_compile(capsys: pytest.CaptureFixture[str]) -> None:
    write_network(random_naive_bayes(1, 60), "large.bif")
    rules = ["--rule", "if X0=0 then class=0", "--rule", "class changes by at most one step"]
    code, out, err = run(capsys, "check", "large.bif", "--target", "Y", *rules)
    assert code == 1
    assert err.startswith("bnc2d: note: compiling would take far longer")
    assert out.splitlines()[-1] == "1 proved, 1 refuted"


@pytest.mark.parametrize("route", ["compiled", "network"])
def test_under_a_constraint(route: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", "diagnosis", "--target", "D", "--features", "BP,CT,HR", "--route", route]
    rule = ["--rule", "if BP=High then class=2", "--json"]
    assert run(capsys, *words, *rule)[0] == 1
    assert run(capsys, *words, *rule, "--given", "CT")[0] == 0
    code, out, err = run(capsys, *words, *rule, "--given", "possible")
    if route == "compiled":
        assert code == 1
    else:
        assert (code, out) == (2, "")
        assert err.startswith("bnc2d: error: the network itself checks rules under a text only")
