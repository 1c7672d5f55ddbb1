"""Bars by distance, one panel for each group: side by side where there is room, else one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnc2d.draw.chart import Sheet
from bnc2d.draw.heat_map import share_text
from bnc2d.draw.text import clean, shorten, text_width
from bnc2d.draw.theme import Theme

_WIDE = 520.0  # from here on panels stand side by side
_LINE, _BAR = 21.0, 14.0
_SMALL = 12.0
_BETWEEN = 26.0


@dataclass(frozen=True)
class Bar:
    """A bar: what it is about, how long it is (from 0 to 1), how many, and whether it is a rest."""

    label: str
    share: float
    count: str
    is_rest: bool = False


@dataclass(frozen=True)
class Panel:
    """Bars below a heading and a line of words."""

    heading: str
    lead: str
    bars: Sequence[Bar]


@dataclass(frozen=True)
class BarChart:
    """Panels of bars, all on one scale, the first about all, with what they show in words."""

    title: str
    lead: str
    panels: Sequence[Panel]
    notes: Sequence[str]
    text: str


def draw_bar_chart(chart: BarChart, width: float, theme: Theme) -> str:
    """Return the panels as an SVG document."""
    sheet = Sheet(width, theme)
    sheet.y -= 4
    sheet.paragraph(chart.title, size=18, bold=True, lines=3)
    sheet.paragraph(chart.lead, colour="soft", lines=4)
    lines: list[Sequence[Panel]] = [[panel] for panel in chart.panels]
    if width >= _WIDE:  # the first one, which is about all, keeps the whole width
        rest = chart.panels[1:]
        lines = [chart.panels[:1], *(rest[start : start + 2] for start in range(0, len(rest), 2))]
    bars = [bar for panel in chart.panels for bar in panel.bars]
    wide = [max((text_width(word, _SMALL) for word in words), default=0.0) for words in _columns(bars)]
    for line in lines:
        sheet.y += 14
        top, bottom = sheet.y, sheet.y
        across = 1 if line is lines[0] or width < _WIDE else 2
        room = (sheet.inner - _BETWEEN * (across - 1)) / across
        for place, panel in enumerate(line):
            sheet.y = top
            _draw_panel(sheet, panel, sheet.margin + place * (room + _BETWEEN), room, wide)
            bottom = max(bottom, sheet.y)
        sheet.y = bottom
    sheet.y += 8
    for note in chart.notes:
        sheet.paragraph(note, size=_SMALL, colour="soft")
    return sheet.document(chart.title, chart.text)


def _columns(bars: Sequence[Bar]) -> list[list[str]]:
    """Return the words beside the bars: what they are about, how many, which share."""
    return [
        [bar.label for bar in bars],
        [bar.count for bar in bars],
        [share_text(bar.share) for bar in bars],
    ]


def _draw_panel(sheet: Sheet, panel: Panel, left: float, room: float, wide: Sequence[float]) -> None:
    """Draw a panel into a room; ``wide`` are the widths of the words beside the bars."""
    sheet.y += 14
    shown = shorten(clean(panel.heading), room / 1.08, 14)
    sheet.text(left, sheet.y, shown, size=14, bold=True, title=panel.heading)
    sheet.y += 17
    shown = shorten(clean(panel.lead), room, _SMALL)
    sheet.text(left, sheet.y, shown, size=_SMALL, colour="soft", title=panel.lead)
    sheet.y += 7
    names, numbers, shares = min(wide[0], room * 0.38), wide[1] + (8 if wide[1] else 0), wide[2] + 8
    start = left + names + 8
    most = max(room - names - 8 - numbers - shares, 20.0)
    for bar in panel.bars:
        middle = sheet.y + _LINE / 2
        share = share_text(bar.share)
        sheet.open(f"{bar.label}: {bar.count}{', ' if bar.count else ''}{share}")
        label = shorten(clean(bar.label), names + 2, _SMALL)
        sheet.text(left, middle + 4.2, label, size=_SMALL)
        sheet.box(start, middle - _BAR / 2, most, _BAR, fill="track", look=' rx="2"')
        if bar.share > 0:
            long = max(bar.share * most, 1.5)
            look = ' rx="2"' + (' stroke-dasharray="4 2.5"' if bar.is_rest else "")
            fill, stroke = ("keep", "kept") if bar.is_rest else ("heat", "none")
            sheet.box(start, middle - _BAR / 2, long, _BAR, fill=fill, stroke=stroke, look=look)
        if bar.count:
            right = left + room - shares
            sheet.text(right, middle + 4.2, bar.count, size=_SMALL, anchor="end")
        sheet.text(left + room, middle + 4.2, share, size=_SMALL, anchor="end")
        sheet.close()
        sheet.y += _LINE
