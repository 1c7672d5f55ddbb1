"""Numbers as a bar in their unit: an axis with the cuts between intervals as ticks, and pointed open ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bnc2d.draw.bars import Room
from bnc2d.draw.chart import Sheet
from bnc2d.draw.svg import number
from bnc2d.draw.text import clean, shorten, text_width

_ABOVE = 17.0  # for the value
_HEIGHT = 18.0
_BELOW = 15.0  # for the ticks
_TIP = 8.0
_LEAST = 7.0  # the width of an interval
_SIZE = 11.0
_VALUE_SIZE = 12.0
_NO_SCALE = "not to scale"


def axis_edges(values: Sequence[float], left: float, width: float) -> tuple[list[float], bool]:
    """Return where the intervals between cuts begin and end, and whether those within are to scale.

    The open intervals at the ends have a width of their own. Where some interval would be too thin to see,
    all are equally wide.
    """
    if not values:
        return [left, left + width], True
    end = min(0.18 * width, 70.0) if len(values) > 1 else width / 2
    inner, span = width - 2 * end, values[-1] - values[0]
    shares = [(high - low) / span if span else 0.0 for low, high in pairwise(values)]
    to_scale = all(share * inner >= _LEAST for share in shares)
    if not to_scale:
        end = width / (len(values) + 1) if width / (len(values) + 1) < end else end
        shares = [1 / len(shares)] * len(shares)
        inner = width - 2 * end
    found = [left, left + end]
    for share in shares:
        found.append(found[-1] + share * inner)
    return [*found, left + width], to_scale


def place_of(value: float | None, own: int, values: Sequence[float], edges: Sequence[float]) -> float:
    """Return where a number of an interval stands; without one the middle of the interval.

    In an open end, which has no scale, a number further out stands further out.
    """
    low, high = edges[own], edges[own + 1]
    if value is None or not values:
        return (low + high) / 2
    span = (values[-1] - values[0]) or abs(values[0]) or 1.0
    if own == 0 or own == len(values):
        out = (values[0] - value if own == 0 else value - values[-1]) / span
        share = 0.08 + 0.72 * out / (out + 0.5) if out > 0 else 0.0
        return high - share * (high - low) if own == 0 else low + share * (high - low)
    below, above = values[own - 1], values[own]
    return low + (high - low) * ((value - below) / (above - below) if above > below else 0.5)


def draw_axis(
    sheet: Sheet,
    room: Room,
    values: Sequence[float],
    texts: Sequence[str],
    states: Sequence[str],
    own: int,
    masks: tuple[int, int, int],
    target: int,
    value_text: str,
    value: float | None,
) -> tuple[float, float]:
    """Draw the axis; return where its middle and its bottom are.

    ``masks`` are those of the kept, the out and the barred states.
    """
    kept, out, barred = masks
    edges, to_scale = axis_edges(values, room.left, room.width)
    top = room.top + _ABOVE
    middle, bottom = top + _HEIGHT / 2, top + _HEIGHT
    last = len(values)
    sheet.path(_tag(edges, 0, last, top), fill="track", stroke="edge")
    for first, end in runs(barred, last):
        sheet.path(_tag(edges, first, end, top), fill="ground", stroke="edge", look=' stroke-dasharray="2 3"')
    for first, end in runs(kept, last):
        sheet.path(_tag(edges, first, end, top), fill="keep")
    ticks = "".join(f"M{number(x)} {number(top + 1)}V{number(bottom + 3)}" for x in edges[1:-1])
    if ticks:
        sheet.path(ticks, stroke="edge")
    for first, end in runs(kept, last):
        sheet.path(_tag(edges, first, end, top), stroke="kept", look=' stroke-width="2"')
    for first, end in runs(out, last):
        look = ' stroke-width="1.6" stroke-dasharray="4 2.5"'
        sheet.path(_tag(edges, first, end, top, 3.0), stroke="out", look=look)
    for state, (low, high) in enumerate(pairwise(edges)):
        title = states[state]
        sheet.open(title)
        sheet.box(low, top, high - low, _HEIGHT, look=' fill-opacity="0"', fill="track")
        sheet.close()
    x = place_of(value, own, values, edges)
    if target >= 0:
        _arrow(sheet, x, edges, own, target, middle)
    sheet.dot(x, middle)
    shown = shorten(clean(value_text), room.width / 1.08, _VALUE_SIZE)
    half = text_width(shown, _VALUE_SIZE) * 1.08 / 2
    centre = min(max(x, room.left + half), room.left + room.width - half)
    sheet.text(centre, top - 5, shown, size=_VALUE_SIZE, bold=True, anchor="middle", title=value_text)
    ends = {cut for mask in (kept, out) for run in runs(mask, last) for cut in (run[0] - 1, run[1])}
    for cut, place in tick_labels(texts, edges, ends, room):
        sheet.text(place, bottom + 14, texts[cut], size=_SIZE, colour="soft", anchor="middle")
    right = room.left + room.width
    if not to_scale and centre + half + 8 < right - text_width(_NO_SCALE, _SIZE):
        sheet.text(right, top - 5, _NO_SCALE, size=_SIZE, colour="soft", anchor="end")
    return middle, bottom + _BELOW


def tick_labels(
    texts: Sequence[str], edges: Sequence[float], wanted: set[int], room: Room
) -> list[tuple[int, float]]:
    """Return the cuts that are labelled, with the centres of their texts, none over another.

    The ``wanted`` ones come first, then as many of the others as fit.
    """
    found: list[tuple[int, float]] = []
    taken: list[tuple[float, float]] = []
    order = [cut for cut in range(len(texts)) if cut in wanted]
    order += [cut for cut in range(len(texts)) if cut not in wanted]
    for cut in order:
        if cut and texts[cut] == texts[cut - 1] and any(other == cut - 1 for other, _ in found):
            continue  # the two sides of one number
        half = text_width(texts[cut], _SIZE) / 2 + 3
        centre = min(max(edges[cut + 1], room.left + half), room.left + room.width - half)
        if all(centre + half <= low or centre - half >= high for low, high in taken):
            taken.append((centre - half, centre + half))
            found.append((cut, centre))
    return found


def runs(mask: int, last: int) -> list[tuple[int, int]]:
    """Return the runs of neighbouring states in a mask, each by its first and last.

    >>> runs(0b1011, 3)
    [(0, 1), (3, 3)]
    """
    found: list[tuple[int, int]] = []
    for state in range(last + 1):
        if mask >> state & 1:
            if found and found[-1][1] == state - 1:
                found[-1] = (found[-1][0], state)
            else:
                found.append((state, state))
    return found


def _tag(edges: Sequence[float], first: int, last: int, top: float, inset: float = 0.0) -> str:
    """Return the outline from one interval to another; open ends are pointed."""
    left, right = edges[first] + inset, edges[last + 1] - inset
    high, low, middle = top + inset, top + _HEIGHT - inset, top + _HEIGHT / 2
    starts, ends = first == 0, last == len(edges) - 2
    path = f"M{number(left + (_TIP if starts else 0))} {number(high)}H{number(right - (_TIP if ends else 0))}"
    path += (
        f"L{number(right)} {number(middle)}L{number(right - _TIP)} {number(low)}"
        if ends
        else f"V{number(low)}"
    )
    path += f"H{number(left + (_TIP if starts else 0))}"
    return path + (f"L{number(left)} {number(middle)}" if starts else "") + "Z"


def _arrow(sheet: Sheet, x: float, edges: Sequence[float], own: int, target: int, y: float) -> None:
    """Draw an arrow from the value along the axis, just into the interval it leads to."""
    low, high = edges[target], edges[target + 1]
    inside = min(14.0, (high - low) / 2 + 4.5)
    end, back = (low + inside, -1) if target > own else (high - inside, 1)
    sheet.path(f"M{number(x)} {number(y)}H{number(end + 7 * back)}", stroke="out", look=' stroke-width="2"')
    sheet.path(f"M{number(end)} {number(y)}l{9 * back} -4.5v9z", fill="out")
