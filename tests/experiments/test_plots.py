"""Plots: the same numbers give the same bytes, and no text or number can break them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest

from bnc2d.errors import MissingExtraError
from bnc2d.experiments.report import plots
from bnc2d.experiments.report.plots import Series, Style, plot

STYLES: tuple[Style, ...] = ("line", "points", "step")
PNG = b"\x89PNG\r\n\x1a\n"


def test_pictures_are_deterministic_and_leave_the_settings() -> None:
    before = dict(matplotlib.rcParams)
    series = [Series("fast", [1, 2, 3], [0.1, 1, 10], "step"), Series("paper", [1, 2], [3, 4], "points")]
    first, second = (plot("title", "x", "y", series, log_y=True) for _ in range(2))
    assert first == second
    assert first.png.startswith(PNG)
    assert b"<dc:date>" not in first.svg
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("log", [False, True])
def test_numbers_that_cannot_be_shown_are_left_out(log: bool) -> None:
    x, y = [0, -1, 1, math.nan, 5, 2], [1, 2, 0, 3, math.inf, 4]
    series = [Series(style, x, y, style) for style in STYLES]
    assert plot("", "", "", series, log_x=log, log_y=log).png.startswith(PNG)
    assert plot("", "", "", [Series("empty", [], [])], log_x=log, log_y=log).png.startswith(PNG)


def test_texts_are_shown_as_they_are() -> None:
    text = "_a$ \\frac{ <script>&\0\n漢"
    picture = plot(text, text, text, [Series(text, [1], [1])])
    root = ElementTree.fromstring(picture.svg)  # noqa: S314 - our own
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_more_series_than_colours_or_none() -> None:
    assert plot("", "", "", [Series(str(n), [n], [n]) for n in range(9)]).png.startswith(PNG)
    assert plot("", "", "", []).png.startswith(PNG)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bnc2d\[experiments\]'"):
        plot("", "", "", [])
