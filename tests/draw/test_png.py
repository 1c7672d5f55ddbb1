"""PNG: drawn in this process with a font of our own, so that a machine without fonts shows every letter."""

from __future__ import annotations

import struct
import subprocess
import sys
from functools import partial

import pytest
import resvg_py

from bnc2d import Bnc2dError, Classifier, example
from bnc2d.compile.graph.picture import draw_feature_tree
from bnc2d.draw.png import to_png
from bnc2d.logic.circuit.picture import draw_circuit
from bnc2d.model.picture import draw_network
from bnc2d.testing import random_network
from tests.security.hostile import hostile_network

# What bnc2d itself writes, and letters of names in many languages.
LETTERS = "∧∨¬∈{}=,→←↔≤≥≠×·…⊤⊥ω△▽ÀßçéñøšžŁőğİαβλΩДжяії№²½€–“”’"
HOLLOW_BOX = "\U0001031f"  # of a script that few fonts have: drawn as a box


def label(text: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30">'
        f'<g font-family="Helvetica,sans-serif"><text x="5" y="20">{text}</text></g></svg>'
    )


def size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return int(width), int(height)


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a font, and without a program to run."""
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("no_fonts")
def test_every_letter_is_drawn_without_any_font_on_the_machine() -> None:
    pictures = {letter: to_png(label(letter)) for letter in LETTERS}
    assert len(set(pictures.values())) == len(LETTERS)
    assert to_png(label("")) not in pictures.values()
    assert to_png(label(HOLLOW_BOX)) not in pictures.values()
    assert to_png(label(HOLLOW_BOX)) != to_png(label(""))


def test_pictures_are_the_same_with_and_without_fonts(request: pytest.FixtureRequest) -> None:
    classifier = Classifier(example("diagnosis"), "D")
    formula = classifier.compile().formula("2")
    figures = [
        draw_network(example("asia")),
        draw_feature_tree(classifier),
        draw_circuit(formula.manager, formula.root),
    ]
    here = [figure.png() for figure in figures]
    request.getfixturevalue("no_fonts")
    assert [figure.png() for figure in figures] == here


@pytest.mark.usefixtures("no_fonts")
def test_hostile_names() -> None:
    assert draw_network(hostile_network()).png().startswith(b"\x89PNG")


def test_twice_the_size_unless_that_is_too_large() -> None:
    assert size(to_png(label("x"))) == (120, 60)
    width, height = size(draw_network(random_network(1, variables=400, max_parents=1)).png())
    assert width * height < 12.1e6
    assert max(width, height) < 32_767


def test_what_is_no_picture() -> None:
    for svg in ("<svg this is none", "", "&", "<svg><b></svg>"):
        with pytest.raises(Bnc2dError, match="resvg made no picture"):
            to_png(svg)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(Bnc2dError, match="run: pip install resvg-py"):
        to_png(label("x"))
