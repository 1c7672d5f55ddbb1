"""The robustness of a classifier as a picture, and as a table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from bnc2d.draw.chart import WIDTH, Chart
from bnc2d.draw.columns import Bar, BarChart, Panel, draw_bar_chart
from bnc2d.draw.html import Cell, table, text
from bnc2d.draw.theme import Theme
from bnc2d.explain.whole.profile.result import (
    BaseProfile,
    ClassRobustness,
    distance_words,
    expected_words,
    lines_of,
    ordered,
    summary,
)

_MOST_PANELS = 13
_MOST_BARS = 20
_LONG = 10**12  # longer numbers are rounded
_WEIGHED = {
    "uniform": "All instances weigh the same.",
    "network": "Instances are weighed by P(x), the network's own distribution.",
    "marginals": "Instances are weighed by independent features with the marginals given.",
    "rows": "Each row weighs the same.",
}


def profile_chart(profile: BaseProfile, width: int, theme: Theme) -> Chart:
    """Return the picture of a profile: bars are shares within a class, as the distribution weighs it."""
    named = profile.named()
    shown = named[:1] + sorted(named[1:], key=lambda one: -one[1].share)[: _MOST_PANELS - 1]
    kept = {name for name, _ in shown}
    panels = [_panel(name, one, profile) for name, one in named if name in kept]
    notes = [f"Bars are shares within a class. {_WEIGHED[profile.distribution]}"]
    if len(shown) < len(named):
        notes.append(f"{len(named) - len(shown)} smaller classes are not shown.")
    if profile.given is not None:
        notes.append(f"Only instances that satisfy {profile.given} count.")
    if profile.cut is not None:
        notes.append(f"Not finished: {profile.cut}.")
    title = f"{profile.target}: how robust are decisions?"
    chart = BarChart(title, profile.question, panels, notes, str(profile))
    return Chart(title, str(profile), width, theme, _draw=partial(draw_bar_chart, chart))


def _panel(name: str, one: ClassRobustness, profile: BaseProfile) -> Panel:
    by_count = profile.distribution in ("uniform", "rows")
    lines = lines_of(one)
    bars = [
        Bar(distance_words(d), _share(share, one), _number(count) if by_count else "", isinstance(d, str))
        for d, count, share in lines[:_MOST_BARS]
    ]
    rest = lines[_MOST_BARS:]
    if rest:
        share = sum((share for *_, share in rest), Fraction(0))
        count = sum(count for _, count, _ in rest)
        bars.append(Bar("further", _share(share, one), _number(count) if by_count else "", True))
    return Panel(name, f"{_number(one.count)} {profile.what}, {summary(one)}", bars)


def _share(share: Fraction, one: ClassRobustness) -> float:
    return float(share / one.share) if one.share else 0.0


def _number(count: int) -> str:
    return f"{count:,}" if count < _LONG else f"{count:.2e}"


def profile_html(profile: BaseProfile) -> str:
    """Return a table by class and distance, above the picture."""
    named = profile.named()
    is_cut = any(one.beyond for _, one in named)
    distances = ordered({distance for _, one in named for distance in one.counts})
    shown = ["never" if distance is None else str(distance) for distance in distances]
    headings = [text(profile.target), profile.what, "expected", *shown, *(["further"] if is_cut else [])]
    rows: list[Sequence[Cell]] = []
    for name, one in named:
        cells: list[Cell] = [text(name), one.count, text(expected_words(one))]
        cells += [one.counts.get(distance, "" if one.beyond else 0) for distance in distances]
        rows.append([*cells, one.beyond] if is_cut else cells)
    cut = "" if profile.cut is None else f"<p>Not finished: {text(profile.cut)}.</p>"
    return table(text(profile.question), headings, rows) + cut + profile_chart(profile, WIDTH, "auto").html()
