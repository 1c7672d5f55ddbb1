"""Scores as pictures and as tables of notebooks."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

import bnc2d
from bnc2d.explain.scores.html import first_and_rest
from bnc2d.explain.scores.scores import Scores

NAMES = ["<b>&", "a_very_long_name_of_a_feature_that_goes_on_and_on_for_ever", "\u202eturned", "plain"]


def some(numbers: dict[str, Fraction | float], **more: object) -> Scores:
    return Scores("shapley", "Y", "yes", numbers, of="decision", distribution="uniform", **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def mixed() -> Scores:
    numbers = [Fraction(1, 2), Fraction(-1, 4), Fraction(1, 8), Fraction(0)]
    return some(dict(zip(NAMES, numbers, strict=True)), baseline=Fraction(5, 8), value=Fraction(1), error=0.0)


@pytest.mark.parametrize("width", [240, 360, 680])
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_bars_lie_inside_and_to_the_right_side_of_zero(mixed: Scores, width: int, theme: str) -> None:
    chart = bnc2d.score_chart(mixed, width=width, theme=theme)  # type: ignore[arg-type]
    svg = chart.svg()
    root = ET.fromstring(svg)  # noqa: S314 - our own
    bars = [
        (float(box.get("x", 0)), float(box.get("width", 0)))
        for box in root.iter("{http://www.w3.org/2000/svg}rect")
        if box.get("rx") == "2"
    ]
    (up, long), (down, half), (_, short) = bars
    assert up == pytest.approx(down + half, abs=0.11)
    assert [half / long, short / long] == pytest.approx([1 / 2, 1 / 4], rel=0.02)
    assert up + long <= width
    assert down > 0
    assert "<b>" not in svg
    assert "\u202e" not in svg
    assert "−1/4" in svg
    assert width < 300 or "Sum 3/8 = 1 − 5/8, with all features drawn." in svg
    assert chart.title == "Y = yes: Shapley values"
    assert "1/8" in chart.text


def test_many_features_are_folded() -> None:
    numbers: dict[str, Fraction | float] = {f"x{n}": (-1) ** n * 0.9**n for n in range(50)}
    numbers |= {f"z{n}": 0.0 for n in range(10)}
    scores = some(numbers, error=1e-15)
    names, rest = first_and_rest(scores, 30)
    assert names == [f"x{n}" for n in range(30)]
    assert rest == f"20 more features: none further from 0 than {0.9**30:.4g}; 10 other features: 0"
    for text in (bnc2d.score_chart(scores).svg(), scores._repr_html_()):
        assert "20 more features" in text
        assert "x29" in text
        assert ">x30<" not in text
    few = some({"a": 0.0, "b": 1.0})
    assert first_and_rest(few, 30) == (["b", "a"], "")
    assert first_and_rest(some({f"z{n}": 0.0 for n in range(9)}), 30) == ([], "9 features: 0")


def test_bounds_are_lines() -> None:
    half = Fraction(1, 2)
    scores = Scores("occurrence", "Y", None, {"a": half}, {"a": (Fraction(0), Fraction(1))})
    svg = bnc2d.score_chart(scores).svg()
    assert svg.count("<path") == 2
    assert "Between the bounds" in svg
    assert "[0.0000, 1.0000]" in scores._repr_html_()


def test_a_table_takes_the_room_there_is(mixed: Scores) -> None:
    html = mixed._repr_html_()
    assert "px;width" not in html
    widths = [(float(a), float(b)) for a, b in re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", html)]
    assert widths == [(33.3, 66.7), (0.0, 33.3), (33.3, 16.7)]
    assert "&lt;b&gt;&amp;" in html
    assert "\u202e" not in html


def test_what_is_refused(mixed: Scores) -> None:
    with pytest.raises(bnc2d.ArgumentError, match=r"scores must be what e\.scores"):
        bnc2d.score_chart({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(bnc2d.ArgumentError, match="width"):
        bnc2d.score_chart(mixed, width=3)
    with pytest.raises(bnc2d.ArgumentError, match="theme"):
        bnc2d.score_chart(mixed, theme="blue")  # type: ignore[arg-type]
