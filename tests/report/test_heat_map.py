"""The heat map of reasons: shares by definition, small files for many rows, readable at every width."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d.draw.heat_map import Group, bands, share_text
from bnc2d.errors import ArgumentError
from bnc2d.report.heat_map import _chart, _lines
from tests.draw.reading import elements, size, text_boxes, texts
from tests.report.people import HOSTILE, hostile, naive_bayes

FEATURES = {"a": ("0", "1"), "b=c": ("x", "y", "z"), "d e": ("no", "yes"), "f": ("low", "high")}
MODEL = naive_bayes(3, FEATURES).compile()
FRAME = pd.DataFrame(
    [[a, b, d, f] for a in "01" for b in "xyz" for d in ("no", "yes") for f in ("low", "high")],
    columns=list(FEATURES),
)
ROWS = MODEL.explain_many(FRAME.to_dict("records"), kinds=["sufficient", "general_necessary"])


def test_shares_are_those_of_the_reasons() -> None:
    lines, kind = _lines(ROWS, None, None)
    chart = _chart(list(FEATURES), lines, len(lines), kind)
    expected = Counter[str]()
    for row in ROWS:
        for reason in row.reasons["sufficient"]:
            for name in reason.features:
                expected[name] += 1 / len(row.reasons["sufficient"])  # type: ignore[assignment]
    found = dict(zip(chart.features, chart.shares, strict=True))
    assert found == pytest.approx({name: total / len(ROWS) for name, total in expected.items()})
    assert list(chart.shares) == sorted(chart.shares, reverse=True)
    counts = Counter(str(row.decision) for row in ROWS)
    assert {group.name: len(group.shades) for group in chart.groups} == counts
    together = np.concatenate([group.shades for group in chart.groups])
    assert together.mean(axis=0) == pytest.approx(chart.shares)


@pytest.mark.parametrize("kind", ["sufficient", "general_necessary"])
def test_frames_say_the_same_as_rows(kind: Any) -> None:
    frame = MODEL.explain_many(FRAME, kinds=["sufficient", "general_necessary"])
    whole = bnc2d.heat_map(ROWS, kind, features=MODEL.features)
    assert bnc2d.heat_map(frame, kind, features=MODEL.features).text == whole.text
    plain = naive_bayes(3, {name.replace("=", ""): states for name, states in FEATURES.items()}).compile()
    named = plain.explain_many(FRAME.rename(columns={"b=c": "bc"}), kinds=[kind])
    found, told = (set(text.rstrip(".").split(". ")) for text in (bnc2d.heat_map(named).text, whole.text))
    assert found == {sentence.replace("b=c", "bc") for sentence in told}


def test_what_cannot_be_drawn() -> None:
    frame = MODEL.explain_many(FRAME)
    for rows, options, words in (
        (7, {}, "rows must be what explain_many"),
        ([7], {}, "a row must be a Row"),
        ([], {}, "the rows have no reasons"),
        (ROWS, {"kind": "necessary"}, "no reasons of the kind 'necessary'; the rows have: sufficient"),
        (FRAME, {}, "the rows have no reasons"),
        (frame.drop(columns="decision"), {}, "no column 'decision'"),
        (frame, {"features": ["a", "f"]}, "unknown feature"),
        (ROWS, {"features": 7}, "features must be"),
        (ROWS, {"width": 10}, "width must be"),
    ):
        with pytest.raises(ArgumentError, match=words):
            bnc2d.heat_map(rows, **options)  # type: ignore[arg-type]
    cut = [replace(row, reasons={"sufficient": ()}, cut={"sufficient": "time"}) for row in ROWS]
    with pytest.raises(ArgumentError, match="nothing to draw"):
        bnc2d.heat_map(cut)
    found = bnc2d.heat_map([*ROWS, *cut], "sufficient")
    assert f"{len(cut)} rows without a reason in time are left out." in found.text


def test_many_rows_make_small_files() -> None:
    chart = bnc2d.heat_map(ROWS * 420)
    assert len(chart.svg()) < 40_000
    seen = " ".join(texts(chart.svg()))
    assert "10,080 rows, by decision." in seen
    assert "A column is the mean of about " in seen


def test_bands_are_means() -> None:
    rng = np.random.default_rng(1)
    groups = [Group("a", rng.random((700, 3))), Group("b", rng.random((299, 3))), Group("c", np.ones((1, 3)))]
    found = bands(groups, 50)
    assert sum(map(len, found)) <= 50
    assert [len(band) for band in found][2] == 1
    for group, band in zip(groups, found, strict=True):
        assert band.mean(axis=0) == pytest.approx(group.shades.mean(axis=0), abs=0.05)
    assert [len(band) for band in bands(groups, 1000)] == [700, 299, 1]
    assert share_text(0.995) == "> 99 %"


def test_many_classes_and_features_are_folded() -> None:
    features = {f"x{number}": ("0", "1") for number in range(40)}
    classifier = naive_bayes(4, features, [f"class {at}" for at in range(20)], "Y")
    rng = np.random.default_rng(2)
    rows = classifier.explain_many(rng.integers(0, 2, (40, 40)), kinds=["sufficient"], limit=1)
    chart = bnc2d.heat_map(rows)
    assert "more features, each in at most" in chart.text
    if len({row.decision for row in rows}) > 12:
        assert "other classes" in " ".join(texts(chart.svg()))
    for width in (240, 360, 680):
        wide, high = size(chart.svg(width))
        for text, left, top, right, bottom, font in text_boxes(chart.svg(width)):
            assert font >= 11
            assert left >= 0 and right <= wide + 0.5 and top >= 0 and bottom <= high, text  # noqa: PT018


def test_hostile_names() -> None:
    classifier, instance = hostile()
    chart = bnc2d.heat_map(classifier.explain_many([instance]))
    tags = {element.tag.rpartition("}")[2] for element in elements(chart.svg())}
    assert tags <= {"svg", "title", "desc", "style", "g", "text", "rect", "path"}
    assert HOSTILE in chart.text
