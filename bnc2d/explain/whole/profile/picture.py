"""The robustness of a classifier as a picture."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from bnc2d.draw.chart import Chart
from bnc2d.draw.columns import Bar, BarChart, Panel, draw_bar_chart
from bnc2d.draw.theme import Theme
from bnc2d.explain.whole.profile.result import (
    ClassRobustness,
    RobustnessProfile,
    distance_words,
    lines_of,
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


def profile_chart(profile: RobustnessProfile, width: int, theme: Theme) -> Chart:
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


def _panel(name: str, one: ClassRobustness, profile: RobustnessProfile) -> Panel:
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
