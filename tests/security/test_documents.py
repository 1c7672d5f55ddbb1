"""Documents that expand and tables that are wide are refused or read in time, with the reason in one line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bnc2d import UnsupportedError, read_network
from tests.cli.running import run

PATIENCE = 20.0  # seconds, for a loaded machine; none of these takes one
ROOTS = {"x.xml": "BIF", "x.xmlbif": "BIF", "x.xdsl": "smile"}


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize(
    ("declared", "used", "entity"),
    [
        ("".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30)), "&l29;", "l1"),
        (f'<!ENTITY a "{"a" * 100_000}">', "&a;" * 10_000, "a"),
        ('<!ENTITY f SYSTEM "file:///etc/hostname">', "&f;", "f"),
        ('<!ENTITY % p SYSTEM "http://localhost:1/x.dtd"> %p;', "", "p"),
    ],
    ids=["billion laughs", "quadratic", "file", "parameter"],
)
def test_entities_are_refused_where_they_are_declared(
    name: str, declared: str, used: str, entity: str, tmp_path: Path
) -> None:
    root = ROOTS[name]
    path = tmp_path / name
    path.write_text(f"<!DOCTYPE {root} [{declared}]><{root}>{used}</{root}>", encoding="utf-8")
    started = time.monotonic()
    with pytest.raises(UnsupportedError, match=f"declares the entity '{entity}'; entities are not supported"):
        read_network(path)
    assert time.monotonic() - started < PATIENCE


def test_a_document_type_elsewhere_is_not_fetched(tmp_path: Path) -> None:
    """Reading would fail, or hang, if anything tried to open the address."""
    text = """<!DOCTYPE BIF SYSTEM "http://localhost:1/x.dtd"><BIF><NETWORK><NAME>n</NAME>
        <VARIABLE><NAME>A</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>
        <DEFINITION><FOR>A</FOR><TABLE>0.5 0.5</TABLE></DEFINITION></NETWORK></BIF>"""
    (tmp_path / "x.xml").write_text(text, encoding="utf-8")
    assert read_network(tmp_path / "x.xml").names == ("A",)


@pytest.mark.parametrize("twice", [False, True])
def test_a_wide_table_of_instances_takes_no_quadratic_time(
    twice: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*(f"c{i}" for i in range(200_000)), "BP", "CT", "HR", *(["c7"] if twice else [])]
    row = ",".join(["x"] * 200_000 + ["High", "1", "Normal"] + ["x"] * twice)
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + row + "\n", encoding="utf-8")
    started = time.monotonic()
    words = ["predict", "diagnosis", "--target=D", "--features=BP,CT,HR"]
    code, out, err = run(capsys, *words, "--csv", str(tmp_path / "wide.csv"))
    assert time.monotonic() - started < PATIENCE
    if twice:
        assert (code, out) == (2, "")
        assert err.endswith("wide.csv:1: more than one column 'c7'\n")
    else:
        assert (code, err) == (0, "")
        assert "wide.csv:2: D = 2" in out


def test_json_nested_without_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep.json").write_text("[" * 1_000_000, encoding="utf-8")
    words = ["predict", "diagnosis", "--target=D", "--instance", str(tmp_path / "deep.json")]
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "deep.json: not JSON" in err
