"""Bars to both sides of zero: features with a number each; long names take two lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnc2d.draw.chart import Sheet, wrapped
from bnc2d.draw.svg import number
from bnc2d.draw.text import FONT_SIZE, clean, text_width
from bnc2d.draw.theme import Theme

_WIDE = 520
_BAR, _LINE, _GAP = 14.0, 15.0, 8.0  # heights of a bar, of a line of a name, and between features
_SMALL = 12.0


@dataclass(frozen=True)
class ScoreBar:
    """A feature: its number, how it is written, and between which numbers it lies where it is not known."""

    name: str
    size: float
    shown: str
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class ScoreBars:
    """Bars with what they are, what is not drawn, and everything in words."""

    title: str
    lead: str
    bars: Sequence[ScoreBar]
    notes: Sequence[str]
    text: str


def draw_score_bars(chart: ScoreBars, width: float, theme: Theme) -> str:
    """Return the bars as an SVG document."""
    sheet = Sheet(width, theme)
    sheet.y -= 4
    sheet.paragraph(chart.title, size=18, bold=True, lines=3)
    sheet.paragraph(chart.lead, colour="soft", lines=8)
    sheet.y += 12
    shown = max((text_width(bar.shown) for bar in chart.bars), default=0.0)
    names = 190.0 if width >= _WIDE else round(sheet.inner * 0.38)
    left = sheet.margin + names + shown + 12
    room = max(sheet.width - sheet.margin - left, 40.0)
    ends = [0.0, *(end for bar in chart.bars for end in (bar.size, *(bar.bounds or ())))]
    low, high = min(ends), max(ends)
    scale = room / (high - low or 1.0)
    zero, top = left - low * scale, sheet.y
    for bar in chart.bars:
        _draw_bar(sheet, bar, names, left - 12, zero, scale)
    if low < 0 and chart.bars:
        sheet.path(f"M{number(zero)} {number(top - 3)}V{number(sheet.y - _GAP + 3)}", stroke="soft")
    sheet.y += 4
    for note in chart.notes:
        sheet.paragraph(note, size=_SMALL, colour="soft")
    return sheet.document(chart.title, chart.text)


def _draw_bar(sheet: Sheet, bar: ScoreBar, names: float, right: float, zero: float, scale: float) -> None:
    """Draw a feature: its name, its number that ends at the right, its bar, and a line over its bounds."""
    lines = wrapped(clean(bar.name), names - 12, FONT_SIZE, 2)
    high = max(_BAR, _LINE * len(lines))
    middle = sheet.y + high / 2
    sheet.open(f"{bar.name}: {bar.shown}")
    for place, line in enumerate(lines):
        y = middle + 4.5 + _LINE * (place - (len(lines) - 1) / 2)
        sheet.text(sheet.margin, y, line)
    sheet.text(right, middle + 4.5, bar.shown, anchor="end")
    long = abs(bar.size) * scale
    if bar.size:
        start = zero + min(bar.size, 0.0) * scale
        fill = "heat" if bar.size > 0 else "out"
        sheet.box(start, middle - _BAR / 2, max(long, 1.0), _BAR, fill=fill, look=' rx="2"')
    if bar.bounds is not None and bar.bounds[0] != bar.bounds[1]:
        first, last = (zero + end * scale for end in bar.bounds)
        ticks = "".join(f"M{number(x)} {number(middle - 4)}v8" for x in (first, last))
        line = f"M{number(first)} {number(middle)}H{number(last)}{ticks}"
        sheet.path(line, stroke="ground", look=' stroke-width="3.5"')  # so that it is seen on a bar
        sheet.path(line, stroke="ink")
    sheet.close()
    sheet.y += high + _GAP
