"""Names from a file stay text: in pages, pictures and DOT, in notebooks, and on a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.parsers import expat

import pytest

from bnc2d import Classifier, CompiledModel, read_network, write_network
from tests.cli.running import run, sent_to
from tests.security.hostile import HOSTILE, STEERING, hostile_network, instance

NET = hostile_network()
TARGET = NET.names[0]
WORDS = [f"{name}={state}" for name, state in instance(NET).items()]
# Line ends are ours; everything else that is not printable could steer a terminal.
CONTROL = re.compile(r"[^\n\x20-\x7e\xa0-\u200d\u2010-\u2027\u2030-\U0010ffff]")
# What rich itself writes on a terminal: styles, the cursor of the spinner, an erased line.
STYLES = re.compile(r"\x1b\[(\d+(;\d+)*m|\?25[lh]|\d?[AK])|\r")
DOT_TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|-[->]|[\w.]+|[{}\[\]=;,]|//[^\n]*\n', re.DOTALL)


@pytest.fixture(scope="module")
def model() -> CompiledModel:
    compiled: CompiledModel = Classifier(NET, TARGET).compile()
    return compiled


@pytest.fixture
def files(tmp_path: Path, model: CompiledModel, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_network(NET, tmp_path / "h.net")
    assert read_network(tmp_path / "h.net") == NET
    model.save(tmp_path / "h.bnc2d")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[list[str]]:
    return [
        ["info", "h.net", "--variables"],
        ["predict", "h.net", "--target", TARGET, *WORDS],
        ["explain", "h.bnc2d", *WORDS],
        ["explain", "h.bnc2d", *WORDS, "--all"],
        ["predict", "h.net", "--target", TARGET, *WORDS[1:]],
        ["explain", "h.bnc2d", *WORDS[1:]],
        ["compile", "h.net", "--target", TARGET, "-o", "out.bnc2d"],
        ["verify", "h.bnc2d"],
        ["draw", "h.net", "-o", "out.svg"],
        ["explore", "h.bnc2d", "-o", "out.html"],
    ]


def test_output_in_a_pipe(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in commands():
        code, out, err = run(capsys, *words)
        assert code == 0, err
        assert CONTROL.findall(out + err) == [], words


def test_rules(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rules are words of strangers too; witnesses name features and states."""
    rules = ["false", "class changes by at most one step", f"true # {STEERING}", "true;\x0c\u2028true"]
    words = [word for rule in rules for word in ("--rule", rule)]
    code, out, err = run(capsys, "check", "h.bnc2d", *words)
    assert (code, err) == (1, "")
    assert out.count("refuted") == 5
    assert "alert(1)" in out
    assert CONTROL.findall(out) == []
    (files / "rules.txt").write_text(f"true\nclass = '{STEERING.rstrip()}'\n", encoding="utf-8")
    for last in (["rules.txt"], ["--rule", f"class does not depend on '{STEERING.rstrip()}'"]):
        code, out, err = run(capsys, "check", "h.bnc2d", *last)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "column" in err
        assert CONTROL.findall(err) == []


def test_errors(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["info", f"no{HOSTILE}.bif"],
        ["predict", "h.net", "--target", "x" + HOSTILE],
        ["predict", "h.net", "--target", TARGET, "x" + WORDS[0], *WORDS[1:]],
        ["explain", "h.bnc2d", WORDS[0], WORDS[1] + HOSTILE],
        ["explain", "h.bnc2d", *WORDS, "--towards", "d" + HOSTILE],
        ["draw", "h.bnc2d", "-o", "out.svg"],
    ):
        code, out, err = run(capsys, *words)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert CONTROL.findall(err) == [], words


def test_output_on_a_terminal(files: Path) -> None:
    """Beside the styles of rich itself, nothing reaches the terminal that is not text."""
    for words in commands()[:6]:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
        process = subprocess.Popen(
            [sys.executable, "-m", "bnc2d", *words], stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        shown = sent_to(ours)
        assert process.wait(60) == 0
        text = STYLES.sub("", shown.decode())
        assert "alert(1)" in text or words[0] == "verify"  # which names no names
        assert CONTROL.findall(text) == [], words


class _Page(HTMLParser):
    """Counts elements and keeps the names of all attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def assert_harmless(text: str, scripts: int) -> None:
    page = _Page(text)
    assert page.tags.count("script") == scripts
    assert "img" not in page.tags
    assert not {name for name in page.attributes if name.startswith("on")}


def test_pages(files: Path, model: CompiledModel, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explore", "h.bnc2d", "-o", "h.html")[0] == 0
    assert_harmless((files / "h.html").read_text(encoding="utf-8"), scripts=2)  # the data and the program
    explanation = model.explain(instance(NET))
    term = next(iter(explanation.sufficient_reasons()))
    for shown in (model, explanation, model.verify(), term):
        assert_harmless(shown._repr_html_(), scripts=0)


def svg_elements(text: str) -> set[str]:
    """Return the tags and attributes of a well-formed document."""
    found: set[str] = set()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: found.update([tag, *attributes])
    parser.Parse(text.encode(), True)
    return found


CIRCUIT = ["--what=circuit", "--class", NET.variables[0].states[1]]


@pytest.mark.parametrize("options", [[], ["--what=jointree"], ["--what=ftree"], CIRCUIT])
def test_pictures(options: list[str], files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["draw", "h.net", "--target", TARGET, *options, "-o"]
    for name in ("h.svg", "h.dot"):
        code, out, err = run(capsys, *words, name)
        assert (code, err) == (0, "")
        assert CONTROL.findall(out) == []
    found = svg_elements((files / "h.svg").read_text(encoding="utf-8"))
    assert not found & {"script", "img", "onerror", "foreignObject", "href"}
    dot = (files / "h.dot").read_text(encoding="utf-8")
    assert "<script>" in dot
    at = 0
    while at < len(dot):  # a name that left its quotes would be no token
        token = DOT_TOKEN.match(dot, at)
        assert token is not None, dot[at : at + 40]
        assert "script" not in token[0] or token[0].startswith('"')
        at = token.end()
