"""``bnc2d draw``: what is written, what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bnc2d import Classifier, example, write_network
from bnc2d.testing import random_network
from tests.cli.running import run

INSTANCE = ("BP=High", "CT=1", "HR=Normal")


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "d.bnc2d"
    Classifier(example("diagnosis"), "D").compile().save(path)
    return str(path)


def check_svg(path: str) -> str:
    svg = Path(path).read_text(encoding="utf-8")
    ElementTree.fromstring(svg)  # noqa: S314 - our own output
    return svg


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("diagnosis",), ">BP<"),
        (("diagnosis", "--target", "D"), ">target<"),
        (("diagnosis", "--target", "D", "--features", "CT,HR"), "does not matter"),
        (("diagnosis", "--what", "jointree"), ">separator<"),
        (("diagnosis", "--what", "jointree", "--target", "D"), "cluster with the target"),
        (("diagnosis", "--what", "ftree", "--target", "D"), "feature-splitting edge"),
        (("diagnosis", "--what", "circuit", "--target", "D", "--class", "2"), "BP∈{Low,High}"),
        (("asia", "--what", "circuit", "--target", "lung", "--threshold=0.9"), "xray"),
    ],
)
def test_networks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], shown: str
) -> None:
    path = str(tmp_path / "out.svg")
    code, out, _ = run(capsys, "draw", *words, "-o", path)
    assert code == 0
    assert out.endswith(f"wrote {path}\n")
    assert shown in check_svg(path)


@pytest.mark.parametrize("what", ["network", "jointree", "ftree"])
def test_structures_of_a_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str, what: str
) -> None:
    path = str(tmp_path / "out.svg")
    code, out, _ = run(capsys, "draw", model, "--what", what, "-o", path, "--json")
    assert code == 0
    facts = json.loads(out)
    assert {key: facts[key] for key in ("file", "format", "what", "summary")} == {
        "file": path,
        "format": "svg",
        "what": what,
        "summary": False,
    }
    assert facts["bytes"] == Path(path).stat().st_size
    assert facts["nodes"] == {"network": 6, "jointree": 4, "ftree": 6}[what]
    check_svg(path)


def test_circuits_of_a_model(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str) -> None:
    path = str(tmp_path / "out.svg")
    code, out, _ = run(capsys, "draw", model, "--instance", *INSTANCE, "-o", path)
    assert (code, out.splitlines()[0]) == (0, "circuit of D=2: 7 nodes, 7 edges")
    assert "#e8590c" in check_svg(path)
    code, out, _ = run(capsys, "draw", model, "--class", "0", "--negated", "-o", path)
    assert code == 0
    assert out.startswith("circuit of D≠0: ")
    assert "#e8590c" not in check_svg(path)
    dot = str(tmp_path / "out.dot")
    code, _, _ = run(capsys, "draw", model, "-o", dot, *INSTANCE)
    assert code == 0
    assert "#e8590c" in Path(dot).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "x.pdf"), "must end in .svg, .png or .dot"),
        (("-o", "x.svg"), "say which to draw with --class: '0', '1', '2'"),
        (("-o", "x.svg", "--class", "3"), "no class '3'"),
        (("-o", "x.svg", "--instance", "BP=High"), "CT"),
        (("-o", "x.svg", "--instance", "BP"), "NAME=STATE"),
        (("-o", "x.svg", "--target", "D"), "compiled already"),
        (("-o", "x.svg", "--what", "ftree", "--class", "2"), "--class is for --what circuit"),
        (("-o", "x.svg", "--what", "network", "--negated"), "--negated is for --what circuit"),
        (("-o", "x.svg", "--what", "network", "--instance", "BP=High"), "an instance is for --what circuit"),
        (("-o", "no/such/folder/x.svg", "--class", "2"), "cannot write"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    model: str,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, error = run(capsys, "draw", model, *words)
    assert (code, out) == (2, "")
    assert message in error
    assert error.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_network_needs_a_target_for_some(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "out.svg")
    for words in (("--what", "ftree"), ("--what", "circuit"), ("--features", "CT")):
        code, _, error = run(capsys, "draw", "diagnosis", *words, "-o", path)
        assert code == 2
        assert "--target NAME" in error


def test_a_large_network_is_summarised(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, path = str(tmp_path / "n.bif"), str(tmp_path / "out.svg")
    write_network(random_network(1, variables=600, max_parents=1), source)
    code, out, _ = run(capsys, "draw", source, "-o", path)
    assert code == 0
    assert "a summary" in out
    assert "Variables by level" in check_svg(path)


def test_png(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "out.png"
    code, _, _ = run(capsys, "draw", "asia", "-o", str(path))
    assert code == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_png_without_the_renderer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    code, _, error = run(capsys, "draw", "asia", "-o", str(tmp_path / "out.png"))
    assert code == 2
    assert "pip install resvg-py" in error
    assert not list(tmp_path.iterdir())


def test_a_decision(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str) -> None:
    path = str(tmp_path / "why.svg")
    code, out, _ = run(capsys, "draw", model, "--decision", *INSTANCE, "-o", path, "--width", "360")
    assert (code, out) == (0, f"D is 2\nwrote {path}\n")
    assert "D would be 1 if BP were Normal." in check_svg(path)
    words = ("diagnosis", "--target", "D", "--route", "network", "--fixed", "BP", "--towards", "0")
    code, out, _ = run(capsys, "draw", *words, "--decision", *INSTANCE, "-o", path, "--json")
    facts = json.loads(out)
    assert (code, facts["what"], facts["bytes"]) == (0, "decision", Path(path).stat().st_size)
    assert "with BP as here" in facts["text"]


def test_a_heat_map(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str) -> None:
    path, rows = str(tmp_path / "rows.svg"), tmp_path / "rows.csv"
    rows.write_text("BP,CT,HR\nHigh,1,Normal\nLow,0,Low\nLow,,High\nbad,0,Low\n", encoding="utf-8")
    code, out, err = run(capsys, "draw", model, "--heat-map", "--csv", str(rows), "-o", path)
    assert (code, out) == (0, f"Features in sufficient reasons\nwrote {path}\n")
    assert "rows.csv:5: variable 'BP' has no state 'bad'" in err
    assert "3 rows, by decision." in " ".join(check_svg(path).split("</text>"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--decision", "BP=High", "-o", "x.dot"), "must end in .svg or .png"),
        (("--decision", "BP=High", "--csv", "x", "-o", "x.svg"), "--csv is for --heat-map"),
        (("--decision", "BP=High", "--heat-map", "-o", "x.svg"), "ask for one"),
        (("--decision", "BP=High", "--class", "1", "-o", "x.svg"), "--class does not go with --decision"),
        (("--heat-map", "-o", "x.svg"), "needs rows: --csv FILE"),
        (("--towards", "1", "-o", "x.svg"), "--towards is for --decision"),
        (("--width", "400", "-o", "x.svg"), "--width is for --decision or --heat-map"),
        (("--decision", "BP=Hih", "-o", "x.svg"), "did you mean 'High'"),
    ],
)
def test_charts_that_are_refused(
    capsys: pytest.CaptureFixture[str], model: str, words: tuple[str, ...], message: str
) -> None:
    code, _, err = run(capsys, "draw", model, *words)
    assert code == 2
    assert message in err
