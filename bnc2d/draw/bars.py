"""States side by side, as segments of a bar, on as many lines as they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnc2d.draw.chart import Sheet
from bnc2d.draw.svg import number
from bnc2d.draw.text import clean, shorten, text_width

BAR = 24.0  # the height of a line of segments
GUTTER = 15.0  # room above a line for an arrow
_BETWEEN = 4.0  # lines
_LEAST, _MOST, _MOST_OWN = 28.0, 130.0, 200.0  # the width of a segment
_MOST_LINES = 3
_PADDING, _DOT = 8.0, 13.0
_SIZE = 12.0


@dataclass(frozen=True)
class Room:
    """Where a bar is drawn."""

    left: float
    width: float
    top: float


@dataclass(frozen=True)
class Segment:
    """A state, or, with ``state`` -1, those that are not shown; by its line, left end and width."""

    state: int
    text: str
    title: str
    line: int
    left: float
    width: float


def lay_out_segments(states: Sequence[str], own: int, target: int, kept: int, width: float) -> list[Segment]:
    """Return the segments of a bar, from left to right and line by line.

    They have equal widths on one line if their texts fit, else as much as their texts take. States that do
    not fit on a few lines are counted in a last segment; those of the instance and of its way out are shown.
    """
    texts = [clean(state) for state in states]
    wanted = [_wanted(text, width, state == own, state == target) for state, text in enumerate(texts)]
    shown = list(range(len(texts)))
    if len(texts) * max(wanted) <= width:
        return _placed([(shown, [width / len(texts)] * len(texts))], states, texts, own, None)
    lines = _lines(shown, wanted, width)
    hidden: list[int] = []
    if len(lines) > _MOST_LINES:
        rest = f"+{len(texts)} more, {len(texts)} shaded"
        last = min(text_width(rest, _SIZE) + 2 * _PADDING, width)
        first = [state for state in (own, target) if state >= 0]
        order = first + [state for state in shown if state not in first]
        while len(_lines(sorted(order), wanted, width, last)) > _MOST_LINES and len(order) > len(first):
            hidden.append(order.pop())
        lines = _lines(sorted(order), wanted, width, last)
    more = None
    if hidden:
        shaded = sum(kept >> state & 1 for state in hidden)
        more = f"+{len(hidden)} more" + (f", {shaded} shaded" if 0 < shaded < len(hidden) else "")
    filled = []
    for line in lines:
        widths = [wanted[state] for state in line]
        if line is not lines[-1] or (len(lines) == 1 and not hidden):
            widths = [wide * width / sum(widths) for wide in widths]
        filled.append((line, widths))
    return _placed(filled, states, texts, own, more, sorted(hidden), width)


def _wanted(text: str, width: float, is_own: bool, is_target: bool) -> float:
    """Return the width that a state takes; those that matter most may be wider."""
    wide = text_width(text, _SIZE) * (1.08 if is_own else 1.0) + 2 * _PADDING
    most = _MOST_OWN if is_own or is_target else _MOST
    return min(min(max(wide, _LEAST), most) + (_DOT if is_own else 0.0), width)


def _lines(
    states: Sequence[int], wanted: Sequence[float], width: float, last: float = 0.0
) -> list[list[int]]:
    """Return states in lines; the last line has room for what stands for the others."""
    lines: list[list[int]] = [[]]
    used = 0.0
    for at, state in enumerate(states):
        wide = min(wanted[state], width)
        if lines[-1] and used + wide > width:
            lines.append([])
            used = 0.0
        lines[-1].append(state)
        used += wide
        if last and at == len(states) - 1 and used + last > width:
            lines.append([])
    return lines


def _placed(
    lines: Sequence[tuple[Sequence[int], Sequence[float]]],
    states: Sequence[str],
    texts: Sequence[str],
    own: int,
    more: str | None,
    hidden: Sequence[int] = (),
    width: float = 0.0,
) -> list[Segment]:
    found = []
    left = 0.0
    for number_of, (line, widths) in enumerate(lines):
        left = 0.0
        for state, wide in zip(line, widths, strict=True):
            room = wide - 2 * _PADDING + 6 - (_DOT if state == own else 0.0)
            text = shorten(texts[state], room / (1.08 if state == own else 1.0), _SIZE)
            found.append(Segment(state, text, states[state], number_of, left, wide))
            left += wide
    if more is not None:
        wide = min(text_width(more, _SIZE) + 2 * _PADDING, width)
        title = ", ".join(states[state] for state in hidden)
        found.append(Segment(-1, more, title, len(lines) - 1, left, wide))
    return found


def draw_segments(
    sheet: Sheet,
    room: Room,
    states: Sequence[str],
    own: int,
    kept: int,
    out: int,
    target: int,
    barred: int,
) -> tuple[float, float]:
    """Draw the states; return where the middle of the first line is, and the bottom of the last."""
    segments = lay_out_segments(states, own, target, kept, room.width)
    gutter = GUTTER if target >= 0 else 0.0
    step = BAR + max(_BETWEEN, gutter)
    hidden = (1 << len(states)) - 1 & ~sum(1 << one.state for one in segments if one.state >= 0)
    tops = [room.top + gutter + step * line for line in range(segments[-1].line + 1)]
    marked: list[tuple[int, Segment, float]] = []
    for one in segments:
        mask = 1 << one.state if one.state >= 0 else hidden
        rank = 2 if mask & kept == mask else 1 if mask & out else 0
        marked.append((rank, one, tops[one.line]))
    for rank, one, top in sorted(marked, key=lambda found: found[0]):  # heavy outlines over light ones
        is_barred = one.state >= 0 and barred >> one.state & 1
        look = ' rx="3"' + (' stroke-width="2"' if rank == 2 else "")
        if rank == 1:
            look += ' stroke-width="1.6" stroke-dasharray="4 2.5"'
        elif is_barred:
            look += ' stroke-dasharray="2 3"'
        fill = "keep" if rank == 2 else "none" if is_barred else "track"
        stroke = ("edge", "out", "kept")[rank]
        sheet.open(one.title)
        sheet.box(room.left + one.left + 1, top, one.width - 2, BAR, fill=fill, stroke=stroke, look=look)
        is_own = one.state >= 0 and one.state == own
        middle = room.left + one.left + one.width / 2
        y = top + BAR / 2
        if is_own:
            text_room = text_width(one.text, _SIZE) * 1.08
            sheet.dot(middle - text_room / 2 - 3, y)
            middle += _DOT / 2
        light = rank == 0 and not is_own
        sheet.text(
            middle,
            y + 4.2,
            one.text,
            size=_SIZE,
            bold=is_own,
            colour="soft" if light else "ink",
            anchor="middle",
        )
        sheet.close()
    by_state = {one.state: one for one in segments}
    if target >= 0:
        start, end = by_state[own], by_state[target]
        _arrow(sheet, room, start, end, tops)
    return tops[0] + BAR / 2, tops[-1] + BAR


def _arrow(sheet: Sheet, room: Room, start: Segment, end: Segment, tops: Sequence[float]) -> None:
    """Draw an arrow through the room above lines, never across a text."""
    x1, x2 = (room.left + one.left + one.width / 2 for one in (start, end))
    lane = tops[end.line] - GUTTER + 5
    if end.line <= start.line:
        path = f"M{number(x1)} {number(tops[start.line])}"
        if end.line < start.line:
            aside = room.left - 4
            path += f"V{number(tops[start.line] - GUTTER + 5)}H{number(aside)}"
    else:
        bottom = tops[start.line] + BAR
        path = f"M{number(x1)} {number(bottom)}"
        if end.line > start.line + 1:
            path += f"V{number(bottom + GUTTER - 5)}H{number(room.left - 4)}"
    path += f"V{number(lane)}H{number(x2)}V{number(tops[end.line] - 6)}"
    sheet.path(path, stroke="out", look=' stroke-width="2" stroke-linejoin="round"')
    sheet.path(f"M{number(x2)} {number(tops[end.line] + 1)}l-4.5 -8.5h9z", fill="out")
