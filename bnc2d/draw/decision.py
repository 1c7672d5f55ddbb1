"""The picture of one decision: a bar for each feature, the part that keeps the decision shaded.

Each bar shows all values of a feature: numbers on an axis with the cuts between their intervals, other states
side by side. What a reason needs is filled and has a heavy outline, the value is a dot, an arrow leads to
the nearest value that changes the decision. ``report/assets/figure.js`` draws the same on pages: what changes
here changes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bnc2d.draw.axis import draw_axis
from bnc2d.draw.bars import BAR, Room, draw_segments
from bnc2d.draw.chart import Sheet, wrapped
from bnc2d.draw.svg import number
from bnc2d.draw.text import clean, shorten, text_width
from bnc2d.draw.theme import Theme

_WIDE = 520  # from this width on, names stand beside the bars
_NAMES = 190.0
_GAP = 14.0  # between rows
_SMALL = 12.0

# Whether a reason needs the feature, whether it may change at all, whether it is known.
Role: TypeAlias = Literal["needed", "free", "fixed", "missing"]


@dataclass(frozen=True)
class Cuts:
    """Where a numeric axis is cut, the texts of the cuts, and the number that is marked, if it is known."""

    values: Sequence[float]
    texts: Sequence[str]
    value: float | None = None


@dataclass(frozen=True)
class FeatureBar:
    """A feature: what is said of it, its states, and which of them are what, as masks.

    ``own`` is the state of the instance, or -1; ``kept`` are those that the reason has, ``out`` those that
    change the decision, ``target`` the nearest of them, or -1; no change leads to the ``barred`` ones.
    """

    name: str
    said: str
    role: Role
    states: Sequence[str]
    own: int
    kept: int = 0
    out: int = 0
    target: int = -1
    barred: int = 0
    cuts: Cuts | None = None
    value: str = ""


@dataclass(frozen=True)
class Decision:
    """All that the picture says; ``folded`` stands for features that have no bar, ``names`` are theirs."""

    title: str
    chance: str
    lead: str
    bars: Sequence[FeatureBar]
    way_out: str
    notes: Sequence[str] = ()
    folded: str = ""
    names: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Everything in words."""
        said = [f"{bar.name}: {described(bar)}." for bar in self.bars]
        folded = [f"{self.folded}."] if self.folded else []
        found = [self.chance and f"{self.chance}.", self.lead, *said, *folded, self.way_out, *self.notes]
        return " ".join(text for text in found if text)


def described(bar: FeatureBar) -> str:
    """Return what a bar shows, in words."""
    if bar.role == "missing":
        return "not known"
    said = {"needed": f"keeps it while {bar.said}", "free": bar.said, "fixed": "may not change"}[bar.role]
    return f"{bar.value}; {said}"


def draw_decision(decision: Decision, width: float, theme: Theme) -> str:
    """Return the picture as an SVG document."""
    sheet = Sheet(width, theme)
    sheet.y -= 4
    sheet.paragraph(decision.title, size=18, bold=True, lines=3)
    if decision.chance:
        sheet.paragraph(decision.chance, colour="soft", lines=3)
    sheet.y += 6
    sheet.paragraph(decision.lead, lines=6)
    sheet.y += 10
    for bar in decision.bars:
        _row(sheet, bar)
    if decision.folded:
        names = ", ".join(decision.names)
        _folded(sheet, decision.folded, names)
    if decision.way_out:
        _way_out(sheet, decision.way_out, is_arrow=any(bar.target >= 0 for bar in decision.bars))
    for note in decision.notes:
        sheet.y += 4
        sheet.paragraph(note, size=_SMALL, colour="soft")
    _legend(sheet, decision.bars)
    return sheet.document(decision.title, decision.text)


def _row(sheet: Sheet, bar: FeatureBar) -> None:
    is_needed = bar.role == "needed"
    said_colour = "kept" if is_needed else "soft"
    title = f"{bar.name}: {described(bar)}"
    name, said = clean(bar.name), clean(bar.said)
    sheet.open(title)
    if sheet.width >= _WIDE:
        left = sheet.margin + _NAMES
        room = Room(left, sheet.width - sheet.margin - left, sheet.y)
        middle, bottom = _bar(sheet, bar, room)
        shown = shorten(name, (_NAMES - 16) / 1.08)
        sheet.text(sheet.margin, middle - 1, shown, bold=is_needed, colour=_ink(bar))
        lines = wrapped(said, _NAMES - 16, _SMALL, 2 if is_needed else 1)
        for line, text in enumerate(lines):
            sheet.text(sheet.margin, middle + 14 + 14 * line, text, size=_SMALL, colour=said_colour)
        sheet.y = max(bottom, middle + 4 + 14 * len(lines))
    else:
        room_for_name = sheet.inner * 0.5
        shown = shorten(name, room_for_name / 1.08)
        left = text_width(shown) * (1.08 if is_needed else 1.0) + 10
        lines = wrapped(said, sheet.inner - left, _SMALL, 1)
        sheet.text(sheet.margin, sheet.y + 12, shown, bold=is_needed, colour=_ink(bar))
        sheet.text(
            sheet.margin + sheet.inner, sheet.y + 12, lines[0], size=_SMALL, colour=said_colour, anchor="end"
        )
        room = Room(sheet.margin, sheet.inner, sheet.y + 18)
        sheet.y = _bar(sheet, bar, room)[1]
    sheet.close()
    sheet.y += _GAP


def _ink(bar: FeatureBar) -> str:
    return "ink" if bar.role == "needed" or bar.target >= 0 else "soft"


def _bar(sheet: Sheet, bar: FeatureBar, room: Room) -> tuple[float, float]:
    """Draw a bar; return where its middle and its bottom are."""
    if bar.role == "missing":
        sheet.box(room.left, room.top, room.width, BAR, stroke="edge", look=' rx="4" stroke-dasharray="4 3"')
        middle = room.top + BAR / 2
        sheet.text(room.left + room.width / 2, middle + 4.5, "?", colour="soft", anchor="middle")
        return middle, room.top + BAR
    if bar.cuts is not None:
        look = (bar.kept, bar.out, bar.barred)
        cuts = bar.cuts
        return draw_axis(
            sheet, room, cuts.values, cuts.texts, bar.states, bar.own, look, bar.target, bar.value, cuts.value
        )
    return draw_segments(sheet, room, bar.states, bar.own, bar.kept, bar.out, bar.target, bar.barred)


def _folded(sheet: Sheet, text: str, names: str) -> None:
    sheet.open(names)
    sheet.box(sheet.margin, sheet.y, sheet.inner, 26, fill="track", look=' rx="4"')
    shown = shorten(clean(text), sheet.inner - 20)
    sheet.text(sheet.margin + 10, sheet.y + 17.5, shown, colour="soft")
    sheet.close()
    sheet.y += 26 + _GAP


def _way_out(sheet: Sheet, text: str, *, is_arrow: bool) -> None:
    """Draw the sentence on the nearest way out, after an arrow where there is one."""
    left = sheet.margin + (38.0 if is_arrow else 0.0)
    lines = wrapped(clean(text), sheet.width - sheet.margin - left, most=6)
    if is_arrow:
        _arrow(sheet, sheet.margin, sheet.y + 9)
    for line in lines:
        sheet.y += 17.5
        cut = text if line.endswith("…") else ""
        sheet.text(left, sheet.y - 4, line, title=cut)
    sheet.y += 4


def _arrow(sheet: Sheet, left: float, y: float) -> None:
    sheet.path(f"M{number(left)} {number(y)}h20", stroke="out", look=' stroke-width="2"')
    sheet.path(f"M{number(left + 28)} {number(y)}l-9 -4.5v9z", fill="out")


def _legend(sheet: Sheet, bars: Sequence[FeatureBar]) -> None:
    """Draw what the signs mean, those that occur."""
    entries: list[tuple[str, str]] = []
    if any(bar.kept for bar in bars):
        entries.append(("keep", "keeps the decision"))
    if any(bar.own >= 0 for bar in bars):
        entries.append(("dot", "the value here"))
    if any(bar.target >= 0 for bar in bars):
        entries.append(("out", "nearest way out"))
    if any(bar.role == "free" for bar in bars):
        entries.append(("free", "any value will do"))
    if any(bar.barred for bar in bars):
        entries.append(("barred", "not allowed"))
    x, size = sheet.margin, 11.0
    sheet.y += 6
    for sign, text in entries:
        room = 26 + text_width(text, size) + 16
        if x > sheet.margin and x + room > sheet.width - sheet.margin:
            x, sheet.y = sheet.margin, sheet.y + 19
        _sign(sheet, sign, x, sheet.y + 2)
        sheet.text(x + 24, sheet.y + 11.5, text, size=size, colour="soft")
        x += room
    sheet.y += 14 if entries else 0


def _sign(sheet: Sheet, sign: str, x: float, y: float) -> None:
    if sign == "dot":
        sheet.dot(x + 9, y + 6, 5)
    elif sign == "out":
        sheet.path(f"M{number(x)} {number(y + 6)}h10", stroke="out", look=' stroke-width="2"')
        sheet.path(f"M{number(x + 18)} {number(y + 6)}l-9 -4.5v9z", fill="out")
    else:
        fill, stroke = {"keep": ("keep", "kept"), "free": ("track", "edge"), "barred": ("none", "edge")}[sign]
        look = ' rx="3" stroke-width="2"' if sign == "keep" else ' rx="3"'
        look += ' stroke-dasharray="2 3"' if sign == "barred" else ""
        sheet.box(x, y, 18, 12, fill=fill, stroke=stroke, look=look)
