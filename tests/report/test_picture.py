"""The picture of one decision: what it claims holds by definition, what it writes can be read."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnc2d
from bnc2d.api.explanation import Explanation
from bnc2d.base.budget import Budget
from bnc2d.base.scales import Intervals, States, scale_of
from bnc2d.draw.axis import axis_edges, place_of, tick_labels
from bnc2d.draw.bars import Room, lay_out_segments
from bnc2d.draw.chart import Chart, wrapped
from bnc2d.draw.decision import Decision
from bnc2d.draw.text import text_width
from bnc2d.errors import ArgumentError, FormatError, LogicError, UnknownNameError
from bnc2d.report.picture import percent, picture_of, way_out
from tests.draw.reading import elements, size, text_boxes, texts, titles
from tests.report.people import APPLICANT, CREDIT, HOSTILE, hostile, naive_bayes, some_features

DIAGNOSIS = bnc2d.Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])
PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def shown(explanation: Explanation, **asked: Any) -> Decision:
    """Return what the picture says."""
    return picture_of(explanation, asked.get("reason"), asked.get("towards"), Budget(20.0))


def random_instance(rng: random.Random, classifier: bnc2d.Classifier) -> dict[str, object]:
    """Return an instance in which numbers are numbers."""
    found: dict[str, object] = {}
    for variable in classifier.feature_variables:
        numeric = isinstance(scale_of(variable.states), Intervals)
        found[variable.name] = rng.uniform(-80, 230) if numeric else rng.choice(variable.states)
    return found


def decide_all(classifier: bnc2d.Classifier) -> dict[tuple[int, ...], object]:
    """Return the decision on every instance, by state positions."""
    rows = list(product(*(range(len(variable.states)) for variable in classifier.feature_variables)))
    labels = classifier.labels(np.array(rows)).tolist()
    return {row: classifier.classes[label] for row, label in zip(rows, labels, strict=True)}


@pytest.mark.parametrize("seed", range(8))
def test_what_is_claimed_holds_by_definition(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - reproducible test data
    classes = ("a", "b", "c")[: rng.randint(2, 3)]
    classifier = naive_bayes(seed, some_features(rng, 4), classes, "Y")
    decisions, names = decide_all(classifier), list(classifier.features)
    explainer = classifier.compile() if seed % 2 else classifier
    for _ in range(3):
        explanation = explainer.explain(random_instance(rng, classifier))
        picture, own = shown(explanation), explanation._positions
        bars = {bar.name: bar for bar in picture.bars}
        in_order = [bars[name] for name in names]
        assert tuple(bar.own for bar in in_order) == own
        # Whatever is shaded keeps the decision, and no other reason has fewer features.
        shaded = [
            [s for s in range(len(bar.states)) if not bar.kept or bar.kept >> s & 1] for bar in in_order
        ]
        assert {decisions[row] for row in product(*shaded)} == {explanation.decision}
        needed = [bar for bar in in_order if bar.role == "needed"]
        assert all(bar.kept >> bar.own & 1 for bar in needed)
        assert len(needed) == min(map(len, explanation.sufficient_reasons()))
        assert [bar.role for bar in picture.bars] == ["needed"] * len(needed) + ["free"] * (4 - len(needed))
        # The way out changes the fewest features, and leads where it says.
        changed = [bar for bar in in_order if bar.out]
        distances = [
            sum(map(int.__ne__, row, own)) for row, d in decisions.items() if d != explanation.decision
        ]
        assert len(changed) == min(distances, default=0)
        if not changed:
            assert picture.way_out == "No change leads to another decision."
            continue
        states = [[s for s in range(len(b.states)) if b.out >> s & 1] or [b.own] for b in in_order]
        reached = {decisions[row] for row in product(*states)}
        assert len(reached) == 1
        assert f"Y would be {reached.pop()} if " in picture.way_out
        for bar in changed:
            assert bar.out >> bar.target & 1
            if bar.cuts is not None:  # nothing nearer leads there
                between = range(min(bar.own, bar.target) + 1, max(bar.own, bar.target))
                assert not any(bar.out >> state & 1 for state in between)


def test_the_diagnosis() -> None:
    explanation = DIAGNOSIS.compile().explain(PATIENT)
    chart = explanation.figure()
    assert chart.title == "D is 2"
    assert chart.text == (
        "Probability 70.6 %. It stays 2 as long as 2 features of 3 keep to the shaded part, whatever the "
        "other features are. BP: High; keeps it while High. CT: 1; keeps it while 1. HR: Normal; any "
        "value. D would be 1 if BP were Normal."
    )
    seen = texts(chart.svg())
    for text in (
        "D is 2",
        "Probability 70.6 %",
        "any value",
        "D would be 1 if BP were Normal.",
    ):
        assert text in seen
    assert titles(chart.svg())[0] == chart.title
    described = [element.text for element in elements(chart.svg()) if element.tag.endswith("desc")]
    assert described == [chart.text]


def test_the_reason_that_is_asked_for() -> None:
    explanation = DIAGNOSIS.compile().explain(PATIENT)
    asked = {"BP": ["High", "Low"], "HR": ["Normal", "High"]}
    assert "HR: Normal; keeps it while Normal or High" in explanation.figure(asked).text
    (term,) = (term for term in explanation.general_sufficient_reasons() if "HR" in term)
    assert explanation.figure(term).text == explanation.figure(asked).text
    more = {**asked, "CT": "1"}  # more than is needed is enough, too
    assert "3 features of 3 keep to the shaded part." in explanation.figure(more).text
    with pytest.raises(LogicError, match="BP=High is no sufficient reason: no, this instance"):
        explanation.figure({"BP": "High"})
    with pytest.raises(LogicError, match="does not hold for the instance"):
        explanation.figure({"BP": "Low"})
    with pytest.raises(UnknownNameError, match="unknown feature"):
        explanation.figure({"BB": "Low"})


def test_towards_a_class() -> None:
    explanation = DIAGNOSIS.compile().explain(PATIENT)
    assert "D would be 0 if" in explanation.figure(towards="0").text
    assert explanation.figure(towards="2").text.endswith("It is in class 2 already.")
    with pytest.raises(bnc2d.ClassifierError, match="class"):
        explanation.figure(towards="7")


def test_missing_fixed_and_allowed() -> None:
    model = naive_bayes(5, CREDIT).compile()
    known = {name: value for name, value in APPLICANT.items() if name != "employed"}
    missing = model.explain(known).figure()
    assert "employed: not known." in missing.text
    assert "whatever the other known features are" in missing.text
    assert "?" in texts(missing.svg())
    fixed = shown(model.explain(APPLICANT, fixed=["income"]))
    assert {bar.name: bar.role for bar in fixed.bars}["income"] == "fixed"
    assert "with income as here" in fixed.lead
    allowed = shown(model.explain(APPLICANT, allowed={"age": "up", "housing": ["own"]}))
    barred = {bar.name: bar.barred for bar in allowed.bars}
    assert (barred["age"], barred["housing"]) == (0b00011, 0b1100)
    everything = model.explain(APPLICANT, fixed=model.features).figure().text
    assert "no feature may change" in everything
    assert "No allowed change leads to another decision." in everything


def test_constraints_are_said() -> None:
    model = naive_bayes(5, CREDIT).compile().given("employed=yes -> housing=rent")
    assert "Only instances that satisfy the constraint count" in model.explain(APPLICANT).figure().text


def test_thresholds_ties_and_impossible_instances() -> None:
    found = naive_bayes(5, CREDIT, threshold=0.25).explain(APPLICANT).figure()
    assert "Probability of refused" in found.text
    assert "above the threshold of 25.0 %" in found.text
    even = bnc2d.Variable("Y", ("no", "yes")), bnc2d.Variable("X", ("0", "1"))
    for column, words in (([0.5, 0.5], "equally probable"), ([1, 0], "This instance is impossible")):
        cpts = [bnc2d.CPT(even[0], (), [0.5, 0.5]), bnc2d.CPT(even[1], (even[0],), [*column, *column])]
        clf = bnc2d.Classifier(bnc2d.BayesianNetwork(even, cpts), "Y", ["X"], ties="none")
        chart = clf.explain({"X": "1"}).figure()
        assert chart.title == "Y is undecided (a tie)"
        assert words in chart.text
        assert "Nothing is needed for it" in chart.text


@pytest.mark.parametrize("compiled", [True, False])
def test_no_time(compiled: bool) -> None:
    classifier = naive_bayes(5, CREDIT)
    explanation = (classifier.compile() if compiled else classifier).explain(APPLICANT)
    text = explanation.figure(time_limit=0).text
    assert "in time" in text or compiled
    assert text.startswith("Probability")
    states = {bar.name: bar for bar in picture_of(explanation, None, None, Budget(0.0)).bars}
    rows = [[s for s in range(len(b.states)) if not b.kept or b.kept >> s & 1] for b in states.values()]
    instances = [
        {name: bar.states[at] for (name, bar), at in zip(states.items(), row, strict=True)}
        for row in product(*rows)
    ]
    found = explanation.classifier.predict(instances)
    assert set(found) == {explanation.decision}


def test_numbers_move_as_little_as_they_can() -> None:
    found = 0
    for seed in (2, 4, 5, 8, 9):
        explanation = naive_bayes(seed, CREDIT).compile().explain(APPLICANT)
        way = way_out(explanation, None, None)
        if list(way.states) != [0]:
            continue
        found += 1
        alone = [s for s in range(5) if way.states[0] >> s & 1]
        assert way.nearest[0] == min(alone, key=lambda state: (abs(state - 2), state))
        row = explanation.instance
        for state, name in enumerate(CREDIT["age"]):
            other = explanation.classifier.predict({**row, "age": name})
            assert (other == way.decision) == (state in alone)
    assert found > 1


def test_many_features_are_folded() -> None:
    features = {f"symptom {number}": ("absent", "present") for number in range(60)}
    classifier = naive_bayes(11, features, ("healthy", "ill"), "state")
    explanation = classifier.explain(dict.fromkeys(features, "absent"))
    picture = shown(explanation)
    others = 60 - len(picture.bars)
    assert picture.folded == f"{others} other features: any value"
    assert len(picture.names) == others
    assert picture.folded in texts(explanation.figure().svg())
    part = dict.fromkeys(list(features)[:50], "absent")
    assert "; 10 features: not known" in shown(classifier.explain(part)).folded


def readable(chart: Chart, width: int) -> None:
    """Check that text is large enough, inside the picture, and that none stands over another."""
    svg = chart.svg(width)
    wide, high = size(svg)
    assert wide == width
    boxes = text_boxes(svg)
    for text, left, top, right, bottom, font in boxes:
        assert font >= 11, text
        assert left >= 0 and right <= wide + 0.5 and top >= 0 and bottom <= high, text  # noqa: PT018
    for one, other in combinations(boxes, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)


@pytest.mark.parametrize("seed", range(4))
def test_it_can_be_read_at_every_width(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - reproducible test data
    features = some_features(rng, 7)
    features["country"] = [f"country number {at}" for at in range(40 if seed % 2 else 9)]
    features["hours"] = States(Intervals([0, 1, 1.5, 40, 41, 42, 1e6], unit="hours a week"))
    classifier = naive_bayes(seed, features)
    chart = classifier.explain(random_instance(rng, classifier)).figure()
    for width in (240, 360, 519, 520, 680, 1200):
        readable(chart, width)


def test_hostile_names() -> None:
    classifier, instance = hostile()
    chart = classifier.explain(instance).figure()
    for width in (240, 680):
        svg = chart.svg(width)
        tags = {element.tag.rpartition("}")[2] for element in elements(svg)}
        assert tags <= {"svg", "title", "desc", "style", "g", "text", "rect", "path", "circle"}
        assert "\u202e" not in svg
        readable(chart, width)
    assert any(HOSTILE in title for title in titles(chart.svg()))
    assert any("W" * 200 in title for title in titles(chart.svg()))
    assert "<script" not in chart.html()


def test_what_is_written(tmp_path: Path) -> None:
    chart = DIAGNOSIS.explain(PATIENT).figure()
    assert chart.save(tmp_path / "a.svg") == len((tmp_path / "a.svg").read_bytes())
    pytest.importorskip("resvg_py")
    chart.save(tmp_path / "a.png", width=360, theme="dark")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FormatError, match=r"must end in \.svg or \.png"):
        chart.save(tmp_path / "a.dot")
    for bad in ({"width": 100}, {"width": "wide"}, {"theme": "blue"}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            chart.svg(**bad)


def test_themes() -> None:
    chart = DIAGNOSIS.explain(PATIENT).figure()
    auto, light, dark = (chart.svg(theme=theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme:dark" in auto
    assert "<style" not in light + dark
    assert 'fill="#ffffff"' in light
    assert 'fill="#ffffff"' not in dark
    assert chart.html().count("<svg") == 2
    assert DIAGNOSIS.explain(PATIENT).figure(width=360).html().count("<svg") == 1


def test_percent() -> None:
    found = [percent(p) for p in (0.0, 1.0, 0.9996, 0.99949, 0.6225, 0.09996, 0.05, 3e-7, 3e-10)]
    assert found == [
        "0 %",
        "100 %",
        "> 99.9 %",
        "99.9 %",
        "62.3 %",
        "10.0 %",
        "5.00 %",
        "0.0000300 %",
        "3.00e-8 %",
    ]


def test_axes_are_to_scale_where_they_can_be() -> None:
    edges, to_scale = axis_edges([0, 10, 30], 100, 400)
    assert to_scale
    assert edges[0] == 100
    assert edges[-1] == 500
    assert (edges[3] - edges[2]) == pytest.approx(2 * (edges[2] - edges[1]))
    assert place_of(20, 2, [0, 10, 30], edges) == pytest.approx((edges[2] + edges[3]) / 2)
    outside = [place_of(value, 3, [0, 10, 30], edges) for value in (30, 31, 50, 1e9)]
    assert outside == sorted(outside)
    assert edges[3] <= outside[0] < outside[-1] < edges[4]
    assert not axis_edges([0, 1, 1e6], 100, 400)[1]
    assert tick_labels(["1", "1"], [0, 50, 51, 100], set(), Room(0, 100, 0)) == [(0, 50)]


@pytest.mark.parametrize("count", [2, 5, 12, 40, 200])
def test_segments_fill_their_room(count: int) -> None:
    states = [f"{'long ' * (at % 4)}state {at}" for at in range(count)]
    found = lay_out_segments(states, count - 1, 0, (1 << count) - 2, 330)
    for one in found:
        assert one.left >= 0
        assert one.left + one.width <= 330 + 1e-6
        assert text_width(one.text, 12) <= one.width
    lines: Mapping[int, list[Any]] = {line: [] for line in range(found[-1].line + 1)}
    for one in found:
        lines[one.line].append(one)
    assert len(lines) <= 3
    for line in lines.values():
        assert all(a.left + a.width <= b.left + 1e-6 for a, b in pairwise(line))
    by_state = {one.state for one in found}
    assert {0, count - 1} <= by_state
    hidden = count - len(by_state - {-1})
    assert (-1 in by_state) == (hidden > 0)
    if hidden:
        assert found[-1].text.startswith(f"+{hidden} more")


def test_wrapping() -> None:
    assert wrapped("a " * 100, 50, most=2)[-1].endswith("…")
    assert all(text_width(line) <= 60 for line in wrapped("W" * 50 + " and on", 60))
