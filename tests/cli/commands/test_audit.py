"""``bnc2d audit``: exit codes, files, what is printed and what is not told of the machine."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bnc2d import Classifier, example, write_network
from tests.auditing.by_definition import tampered
from tests.cli.running import run

ROWS = "name,BP,CT,HR,Sex\na,High,1,Normal,m\nb,Hihg,0,Low,f\nc,Low,,Low,f\nd,Low,0\ne,Low,0,Low,\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    model.save("d.bnc2d")
    tampered(model, Random(1)).save("bad.bnc2d")  # noqa: S311 - reproducible
    write_network(example("diagnosis"), "d.bif")
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    Path("rules.txt").write_text("if BP=Normal and HR=Low then class=0\n", encoding="utf-8")
    return tmp_path


def data(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code, out, _ = run(capsys, "audit", *words, "--json")
    return code, json.loads(out)


def test_a_sound_model_and_what_it_leaves_behind(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    words = ["audit", str(folder / "d.bnc2d"), "--network", str(folder / "d.bif"), "--rules", "rules.txt"]
    words += [
        "-o",
        str(folder / "a.html"),
        "--json",
        "a.json",
        "--monotone",
        "CT, HR=up",
        "--given",
        "BP!=Low",
    ]
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert out.splitlines()[-3:-2] == ["Passed: all 18 checks."]
    found = json.loads(Path("a.json").read_text(encoding="utf-8"))
    page = Path("a.html").read_text(encoding="utf-8")
    assert found["date"] == "1970-01-02"
    assert [one["file"] for one in found["files"]] == ["d.bnc2d", "d.bif", "rules.txt"]
    assert str(folder) not in json.dumps(found) + page
    assert found["command"].startswith("bnc2d audit d.bnc2d --network d.bif --rules rules.txt -o a.html")
    assert "'BP!=Low'" in found["command"]
    assert found["model"]["allowed_instances"] == 12
    assert found["model"]["network_sha256"] == found["model"]["brought_network_sha256"]


def test_rows_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = data(capsys, "d.bnc2d", "--csv", "rows.csv", "--protected", "CT,Sex", "--towards", "2")
    assert code == 1
    checks = {check["name"]: check for check in found["checks"]}
    read = checks["rows: read"]
    assert (read["facts"]["wrong_rows"], read["facts"]["missing_rows"]) == ([2, 4], [3])
    assert [row["line"] for row in read["tables"][0]["rows"]] == [3, 5]
    assert "3 cells, but 5 columns" in read["tables"][0]["rows"][1]["what is wrong"]
    by_sex = {row["group"]: row["rows"] for row in checks["rows: decisions"]["tables"][2]["rows"]}
    assert by_sex == {"Sex=m": 1, "Sex=f": 1, "(unknown)": 1}
    assert checks["protected: CT"]["verdict"] == "failed"
    assert len(checks["protected: CT"]["witness"]) == 2


def test_tampering_has_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "audit", "bad.bnc2d", "--network", "diagnosis")
    assert code == 1
    assert "FAIL network: decisions proved: no: 1 instance of 18 (5.56 %) is decided otherwise" in out
    code, out, _ = run(capsys, "audit", "d.bnc2d", "--time-limit", "0")
    assert code == 1
    assert "open" in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["missing.bnc2d"], "missing.bnc2d: cannot read"),
        (["d.bif"], "d.bif: "),
        (["d.bnc2d", "--network", "missing.bif"], "missing.bif: cannot read"),
        (["d.bnc2d", "--network", "diagnosys"], "did you mean 'diagnosis'?"),
        (["d.bnc2d", "--csv", "missing.csv"], "missing.csv: cannot read"),
        (["d.bnc2d", "--csv", "rules.txt"], "rules.txt:1: no column 'BP'"),
        (["d.bnc2d", "--csv", "empty.csv"], "empty.csv: no instance in the file"),
        (["d.bnc2d", "--rules", "rows.csv"], "rows.csv: line 1"),
        (["d.bnc2d", "--rules", "none.txt"], "none.txt: there is no rule"),
        (["d.bnc2d", "--protected", "ct"], "did you mean 'CT'?"),
        (["d.bnc2d", "--monotone", "BP=sideways"], "NAME, NAME=up or NAME=down, not 'BP=sideways'"),
        (["d.bnc2d", "--monotone", ","], "--monotone names no feature"),
        (["d.bnc2d", "--towards", "7"], "no class '7'"),
        (["d.bnc2d", "--given", "BP=Hihg"], "did you mean 'High'?"),
        (["d.bnc2d", "--date", "today"], "'today'"),
        (
            ["d.bnc2d", "--csv", "rows.csv", "-o", "rows.csv"],
            "rows.csv is audited, so it is not written over",
        ),
        (["d.bnc2d", "--json", "./d.bnc2d"], "./d.bnc2d is audited"),
        (["damaged.bnc2d"], "damaged.bnc2d: "),
    ],
)
def test_wrong_input_is_one_line(
    words: list[str], error: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    Path("empty.csv").write_text("BP,CT,HR\n", encoding="utf-8")
    Path("none.txt").write_text("# nothing\n", encoding="utf-8")
    content = (folder / "d.bnc2d").read_bytes()
    Path("damaged.bnc2d").write_bytes(content[:-9] + b"x" + content[-8:])
    code, out, err = run(capsys, "audit", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("bnc2d: error: ")
    assert error in err
    assert (folder / "rows.csv").read_text(encoding="utf-8") == ROWS
