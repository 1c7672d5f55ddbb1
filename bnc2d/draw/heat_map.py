"""A heat map of features against rows: names stay horizontal, rows are columns, grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.draw.chart import Sheet, wrapped
from bnc2d.draw.svg import number
from bnc2d.draw.text import clean, shorten, text_width
from bnc2d.draw.theme import Theme

_WIDE = 520
_LINE = 22.0  # from one feature to the next
_BETWEEN = 8.0  # groups
_LEAST_COLUMN = 5.0
_MOST_COLUMN = 26.0
_LEVELS = 20  # of shade
_SMALL = 12.0


@dataclass(frozen=True)
class Group:
    """Rows of one decision: a name, and for each row (in order) the shades of the features, from 0 to 1."""

    name: str
    shades: NDArray[np.float64]


@dataclass(frozen=True)
class HeatMap:
    """Features with the share that they have overall, and groups of rows; ``folded`` are the others."""

    title: str
    lead: str
    features: Sequence[str]
    shares: Sequence[float]
    tooltips: Sequence[str]
    groups: Sequence[Group]
    folded: str = ""
    names: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Everything in words."""
        found = [self.lead, *(f"{tip}." for tip in self.tooltips), self.folded and f"{self.folded}."]
        return " ".join(text for text in [*found, *self.notes] if text)


def bands(groups: Sequence[Group], most: int) -> list[NDArray[np.float64]]:
    """Return the columns of each group: its rows, or means of neighbouring rows where all are too many.

    Groups have columns in proportion to their rows, at least one.
    """
    sizes = [len(group.shades) for group in groups]
    total, spare = sum(sizes), max(most - len(groups), 0)
    found = []
    for group, size in zip(groups, sizes, strict=True):
        count = size if total <= most else min(size, 1 + spare * size // total)
        edges = np.linspace(0, size, count + 1).astype(np.intp)
        sums = np.add.reduceat(group.shades, edges[:-1], axis=0)
        found.append(sums / np.diff(edges)[:, None])
    return found


def draw_heat_map(chart: HeatMap, width: float, theme: Theme) -> str:
    """Return the heat map as an SVG document."""
    sheet = Sheet(width, theme)
    sheet.y -= 4
    sheet.paragraph(chart.title, size=18, bold=True, lines=3)
    sheet.paragraph(chart.lead, colour="soft", lines=5)
    sheet.y += 10
    names, scale = (170.0, 96.0) if width >= _WIDE else (round(sheet.inner * 0.36), 44.0)
    left = sheet.margin + names
    room = sheet.inner - names - scale - 10
    gaps = _BETWEEN * (len(chart.groups) - 1)
    columns = bands(chart.groups, max(int((room - gaps) / _LEAST_COLUMN), len(chart.groups)))
    count = sum(len(group) for group in columns)
    step = min((room - gaps) / count, _MOST_COLUMN) if count else 0.0
    starts, x = [], left
    for group in columns:
        starts.append(x)
        x += step * len(group) + _BETWEEN
    _group_names(sheet, chart.groups, columns, starts, step)
    for feature, name in enumerate(chart.features):
        sheet.open(chart.tooltips[feature])
        sheet.text(sheet.margin, sheet.y + 15, shorten(clean(name), names - 12))
        for group, start in zip(columns, starts, strict=True):
            _cells(sheet, group[:, feature], start, step)
        _share(sheet, chart.shares[feature], scale)
        sheet.close()
        sheet.y += _LINE
    if chart.folded:
        sheet.open(", ".join(chart.names))
        for line in wrapped(clean(chart.folded), sheet.inner, _SMALL, 3):
            sheet.y += 17
            sheet.text(sheet.margin, sheet.y, line, size=_SMALL, colour="soft")
        sheet.close()
    sheet.y += 8
    total = sum(len(group.shades) for group in chart.groups)
    if total > count:
        sheet.paragraph(f"A column is the mean of {_about(total / count)} rows.", size=_SMALL, colour="soft")
    for note in chart.notes:
        sheet.paragraph(note, size=_SMALL, colour="soft")
    _legend(sheet)
    return sheet.document(chart.title, chart.text)


def _group_names(
    sheet: Sheet,
    groups: Sequence[Group],
    columns: Sequence[NDArray[np.float64]],
    starts: Sequence[float],
    step: float,
) -> None:
    """Write the names of the groups above their columns: on lines of their own where they are narrow."""
    right = sheet.width - sheet.margin
    labels = [f"{group.name} ({len(group.shades):,})" for group in groups]
    ends = [*(start - _BETWEEN for start in starts[1:]), right]
    fits = all(
        start + text_width(label, _SMALL) * 1.08 <= end
        for start, end, label in zip(starts, ends, labels, strict=True)
    )
    if fits or len(groups) == 1:
        sheet.y += 14
        for start, end, label in zip(starts, ends, labels, strict=True):
            shown = shorten(clean(label), (end - start) / 1.08, _SMALL)
            sheet.text(start, sheet.y, shown, size=_SMALL, bold=True, title=label)
    else:  # a line each, with a stem down to the columns
        top = sheet.y
        for line, (start, label) in enumerate(zip(starts, labels, strict=True)):
            y = top + 14 + 16 * line
            turned = start + text_width(label, _SMALL) * 1.08 > right
            shown = shorten(clean(label), (start - sheet.margin if turned else right - start) / 1.08, _SMALL)
            sheet.text(
                start + (step if turned else 0.0),
                y,
                shown,
                size=_SMALL,
                bold=True,
                anchor="end" if turned else "start",
                title=label,
            )
        bottom = top + 14 + 16 * (len(labels) - 1)
        stems = "".join(
            f"M{number(start + 1)} {number(top + 18 + 16 * line)}V{number(bottom + 5)}"
            for line, start in enumerate(starts[:-1])
        )
        sheet.path(stems, stroke="edge")
        sheet.y = bottom
    sheet.y += 6
    for start, group in zip(starts, columns, strict=True):
        sheet.box(start, sheet.y - 2, max(step * len(group), 1.0), 2, fill="ink")


def _cells(sheet: Sheet, shades: NDArray[np.float64], start: float, step: float) -> None:
    """Draw the cells of a feature in a group: the ground, then one path for each shade."""
    height = _LINE - 3
    sheet.box(start, sheet.y, step * len(shades), height, fill="track")
    levels = np.ceil(shades * _LEVELS - 1e-9).astype(int)  # what is there is seen
    ends = np.flatnonzero(np.diff(levels)) + 1
    paths: dict[int, str] = {}
    for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(levels)], strict=True):
        level = int(levels[first])
        if level:
            x, wide = number(start + step * first), number(step * (last - first))
            cell = f"M{x} {number(sheet.y)}h{wide}v{number(height)}h-{wide}z"
            paths[level] = paths.get(level, "") + cell
    for level, path in paths.items():
        sheet.path(path, fill="heat", look=f' fill-opacity="{level / _LEVELS:g}"')


def _share(sheet: Sheet, share: float, scale: float) -> None:
    right = sheet.width - sheet.margin
    sheet.text(right, sheet.y + 14.5, share_text(share), size=_SMALL, anchor="end")
    if scale > 60:
        room = scale - 48
        left = right - scale
        sheet.box(left, sheet.y + 5, room, 9, fill="track", look=' rx="2"')
        if share > 0:
            sheet.box(left, sheet.y + 5, max(share * room, 1.0), 9, fill="heat", look=' rx="2"')


def share_text(share: float) -> str:
    """Return a share in percent: 0 % and 100 % only where it is so.

    >>> share_text(0), share_text(0.001), share_text(0.424), share_text(0.9999), share_text(1)
    ('0 %', '< 1 %', '42 %', '> 99 %', '100 %')
    """
    if share <= 0 or share >= 1:
        return f"{100 * int(share > 0)} %"
    return "< 1 %" if share < 0.01 else "> 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def _about(rows: float) -> str:
    return f"about {rows:,.0f}" if rows >= 3 else "up to 3"


def _legend(sheet: Sheet) -> None:
    """Draw what shades mean."""
    size, x = 11.0, sheet.margin
    sheet.y += 6
    for share, text in ((0.0, "in none of a row's reasons"), (0.5, "in half"), (1.0, "in all")):
        room = 24 + text_width(text, size) + 16
        if x > sheet.margin and x + room > sheet.width:
            x, sheet.y = sheet.margin, sheet.y + 19
        sheet.box(x, sheet.y + 2, 18, 12, fill="track")
        if share:
            sheet.box(x, sheet.y + 2, 18, 12, fill="heat", look=f' fill-opacity="{share:g}"')
        sheet.text(x + 24, sheet.y + 11.5, text, size=size, colour="soft")
        x += room
    sheet.y += 14
