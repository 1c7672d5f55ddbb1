"""Scores as a notebook shows them: a table with a bar for each feature, every name escaped."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnc2d.explain.scores.scores import Bounds, Score, Scores

_MOST_ROWS = 40
_WIDTH = 200  # pixels of the longest bar
_UP, _DOWN = "#2a78d6", "#c2543a"  # readable on light and on dark pages
_CELL = ' style="text-align:left;padding:1px 12px 1px 0"'
_NUMBER = ' style="text-align:right;padding:1px 12px 1px 0;font-variant-numeric:tabular-nums"'


def scores_html(scores: Scores) -> str:
    """Return a table of the features, the largest scores first; those beyond 40 are counted."""
    names = scores.ranked()
    sizes = [float(number) for number in scores.values()]
    low, high = min(0.0, *sizes, 0.0), max(0.0, *sizes, 0.0)
    lines = ["<table>\n"]
    lines.append(
        f'<caption style="text-align:left;font-weight:600;caption-side:top">{_text(scores.title)}</caption>\n'
    )
    for name in names[:_MOST_ROWS]:
        number = scores[name]
        bounds = None if scores.bounds is None else scores.bounds[name]
        shown = f"<td{_NUMBER}>{_shown(number)}{_between(bounds)}</td>"
        lines.append(
            f"<tr><td{_CELL}>{_text(name)}</td>{shown}<td{_CELL}>{_bar(number, low, high)}</td></tr>\n"
        )
    if len(names) > _MOST_ROWS:
        lines.append(f'<tr><td{_CELL} colspan="3">and {len(names) - _MOST_ROWS} more</td></tr>\n')
    if scores.kind == "shapley" and scores.baseline is not None and scores.value is not None:
        sums = f"{_shown(scores.total)} = {_shown(scores.value)} &minus; {_shown(scores.baseline)}"
        lines.append(
            f'<tr><td{_CELL}>sum</td><td{_CELL} colspan="2">{sums} with all features drawn</td></tr>\n'
        )
    return "".join([*lines, "</table>\n"])


def _bar(number: Score, low: float, high: float) -> str:
    """Return a bar to the right of zero, or to the left of it where the number is negative."""
    size = float(number)
    if not size:
        return ""
    scale = _WIDTH / (high - low)
    before = (min(size, 0.0) - low) * scale
    colour = _UP if size > 0 else _DOWN
    return (
        f'<span style="display:inline-block;height:0.8em;margin-left:{before:.1f}px;'
        f'width:{abs(size) * scale:.1f}px;background:{colour};border-radius:2px"></span>'
    )


def _shown(number: Score) -> str:
    short = isinstance(number, Fraction) and number.denominator < 10_000 and abs(number.numerator) < 10_000
    return (str(number) if short else f"{float(number):.4f}").replace("-", "&minus;")


def _between(bounds: Bounds | None) -> str:
    if bounds is None or bounds[0] == bounds[1]:
        return ""
    return f" <small>[{float(bounds[0]):.4f}, {float(bounds[1]):.4f}]</small>"


def _text(value: str) -> str:
    """Return text for HTML: escaped, without control characters."""
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value))
