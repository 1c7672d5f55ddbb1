"""``docs/json.md`` names exactly the keys and columns that come out."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, example
from tests.cli.running import run
from tests.docs.test_pages import DOCS

PAGE = (DOCS / "json.md").read_text(encoding="utf-8")


def documented(section: str, table: int = 0) -> list[str]:
    """Return the names in the first column of a table of a section, in order."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    cells = [line.split("|")[1] for line in tables[table].splitlines()[2:]]
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save("d.bnc2d")
    Path("p.csv").write_text("name,BP,CT,HR\na,High,1,Normal\nb,High,2,Low\nc,High,,?\n", encoding="utf-8")


def answers(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, _ = run(capsys, *words, "d.bnc2d", "--csv", "p.csv", "--id", "name", "--json")
    assert code == 3
    return json.loads(out)


def test_keys_of_rows_and_decisions(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, partial = answers(capsys, "predict")
    *place, error = documented("Rows")
    assert list(bad) == [*place, error]
    assert list(partial) == [*place, *documented("Decisions")]
    assert list(good) == list(partial)[:-1]


def test_keys_of_explanations(capsys: pytest.CaptureFixture[str]) -> None:
    good, _, partial = answers(capsys, "explain", "--formulas", "--probable", "0.8", "--scores", "shapley")
    place = documented("Rows")[:-1]
    expected = [*documented("Decisions"), *documented("Explanations")]
    assert sorted(partial) == sorted([*place, *expected])
    assert partial.keys() - good.keys() == {"missing", "if_known"}
    assert list(good["probable"]) == documented("Explanations", 2)
    assert list(good["scores"]["shapley"]) == documented("Scores")
    assert list(partial["if_known"]) == documented("Explanations", 3)
    for contrast in good["contrastive"].values():
        assert list(contrast) == documented("Explanations", 1)
    for formula in good["formulas"].values():
        assert list(formula) == documented("Formulas")
    without, *_ = answers(capsys, "explain")
    assert good.keys() - without.keys() == {"formulas", "probable", "scores"}


def test_keys_of_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "check", "d.bnc2d", "--json", "--rule", "class=2", "--rule", "class does not depend on BP"
    )
    found = json.loads(out)
    assert (code, list(found)) == (1, documented("Rules"))
    assert [len(rule["witness"]) for rule in found["rules"]] == [1, 2]
    for rule in found["rules"]:
        assert list(rule) == documented("Rules", 1)
        for one in rule["witness"]:
            assert [*one, "missing"] == ["instance", *documented("Decisions")]  # nothing is missing here


def test_keys_of_questions(capsys: pytest.CaptureFixture[str]) -> None:
    patient = ["BP=High", "CT=1", "HR=Normal"]
    for section, words, inner in (
        ("Counts", ["count", "d.bnc2d"], "counts"),
        ("Shares", ["share", "d.bnc2d"], "shares"),
        ("Bias", ["bias", "d.bnc2d", "--protected", "BP"], ""),
        ("Monotone decisions", ["monotone", "d.bnc2d"], "features"),
        ("Sensitivity", ["sensitivity", "d.bnc2d", "--entry", "BP=High | X=0, Y=0"], "entries"),
        ("Nearest instances", ["nearest", "d.bnc2d", *patient], "ways"),
        ("Scores", ["scores", "d.bnc2d", *patient], ""),
        ("Comparisons", ["compare", "d.bnc2d", "d.bnc2d"], "table"),
    ):
        found = json.loads(run(capsys, *words, "--json")[1])
        assert list(found) == documented(section)
        for one in found[inner] if inner else ():
            assert list(one) == documented(section, 1)
        pair = found.get("pair") or [one for part in found.get("features", []) for one in part["pair"]]
        assert bool(pair) == (section in ("Bias", "Monotone decisions"))
        for one in pair:
            assert [*one, "missing"] == ["instance", *documented("Decisions")]
    _, out, _ = run(capsys, "nearest", "d.bnc2d", "--csv", "p.csv", "--format", "csv")
    text = PAGE.split("The columns of CSV are those of the nearest way:")[1].split("as\n")[0]
    assert out.splitlines()[0].split(",")[2:-1] == re.findall(r"`([^`]+)`", text)


def test_keys_of_audits(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "audit", "d.bnc2d", "--json", "--protected", "CT", "--time-limit", "0.5")
    found = json.loads(out)
    assert (code, list(found)) == (1, documented("Audits"))
    assert list(found["model"]) == documented("Audits", 1)
    assert all(list(check) == documented("Audits", 2) for check in found["checks"])


def test_columns(capsys: pytest.CaptureFixture[str]) -> None:
    shared, own = documented("CSV"), documented("CSV", 1)
    probabilities = ["P(class)"] * 3 + ["exact P(class)"] * 3
    place = shared[: shared.index("P(class)")]
    kinds = own.index("kind(feature)")
    own[kinds:] = [f"shapley({name})" for name in ("BP", "CT", "HR")]
    asked = ["--probable", "0.8", "--scores", "shapley"]
    for command, more, options in (("predict", [], []), ("explain", own, asked)):
        words = [command, "d.bnc2d", "--csv", "p.csv", "--id", "name", "--format", "csv", "--exact"]
        _, out, _ = run(capsys, *words, *options)
        header = next(csv.reader(io.StringIO(out)))
        shown = [re.sub(r"P\(.\)", "P(class)", name) for name in header]
        assert shown == [*place, *probabilities, *more, "error"]
