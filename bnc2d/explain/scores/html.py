"""Scores as a notebook shows them: a table with a bar for each feature, every name escaped.

Bars are shares of the room there is, and have colours that can be read on light and on dark pages.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bnc2d.explain.scores.numbers import Bounds, Score, shown_number

if TYPE_CHECKING:
    from bnc2d.explain.scores.scores import Scores

_MOST_ROWS = 30
_FEW_NOTHING = 5  # features without a score that are shown as the others
_UP, _DOWN = "#4a7fe0", "#d9692a"  # at least 3 to 1 on white and on black
_TABLE = ' style="width:100%;max-width:44em;margin:0;table-layout:fixed;border-collapse:collapse"'
_NAME = ' style="text-align:left;padding:2px 12px 2px 0;overflow-wrap:anywhere;width:36%"'
_NUMBER = (
    ' style="text-align:right;padding:2px 12px 2px 0;font-variant-numeric:tabular-nums;'
    'overflow-wrap:anywhere;width:22%"'
)
_BAR = ' style="text-align:left;padding:2px 0"'
_LEFT = ' style="text-align:left;padding:2px 0"'


def scores_html(scores: Scores) -> str:
    """Return a table of the features, the largest scores first; beyond 30 they are counted."""
    names, rest = first_and_rest(scores, _MOST_ROWS)
    sizes = [float(number) for number in scores.values()]
    sizes += [float(end) for ends in (scores.bounds or {}).values() for end in ends]
    low, high = min([0.0, *sizes]), max([0.0, *sizes])
    lines = [f"<table{_TABLE}>\n"]
    lines.append(
        f'<caption style="text-align:left;font-weight:600;caption-side:top;padding:0 0 4px">'
        f"{_text(scores.title)}</caption>\n"
    )
    for name in names:
        number = scores[name]
        bounds = None if scores.bounds is None else scores.bounds[name]
        shown = f"<td{_NUMBER}>{_minus(shown_number(number))}{_between(bounds)}</td>"
        lines.append(
            f"<tr><td{_NAME}>{_text(name)}</td>{shown}<td{_BAR}>{_bar(number, low, high)}</td></tr>\n"
        )
    notes = [*([rest] if rest else []), *(_minus(note) for note in map(_text, scores.notes()))]
    lines += [f'<tr><td{_LEFT} colspan="3">{note}</td></tr>\n' for note in notes]
    return "".join([*lines, "</table>\n"])


def first_and_rest(scores: Scores, most: int) -> tuple[list[str], str]:
    """Return the first features as ranked, at most so many, and what is said of the others.

    Of many features without a score only their number is told.
    """

    def is_nothing(name: str) -> bool:
        ends = (scores[name], *(() if scores.bounds is None else scores.bounds[name]))
        return all(abs(float(end)) <= scores.error for end in ends)

    names = scores.ranked()
    nothing = {name for name in names if is_nothing(name)}
    if len(nothing) <= _FEW_NOTHING:
        nothing = set()
    some = [name for name in names if name not in nothing]
    said = []
    if len(some) > most:
        size = max(abs(float(scores[name])) for name in some[most:])
        said.append(f"{len(some) - most} more features: none further from 0 than {size:.4g}")
    if nothing:
        said.append(f"{len(nothing)} {'other ' if some else ''}features: 0")
    return some[:most], "; ".join(said)


def _bar(number: Score, low: float, high: float) -> str:
    """Return a bar to the right of zero, or to the left of it where the number is negative."""
    size = float(number)
    if not size:
        return ""
    scale = 100 / (high - low)
    before, long = (min(size, 0.0) - low) * scale, abs(size) * scale
    colour = _UP if size > 0 else _DOWN
    return (
        f'<div style="height:0.8em;margin-left:{before:.1f}%;width:{long:.1f}%;min-width:1px;'
        f'background:{colour};border-radius:2px"></div>'
    )


def _minus(text: str) -> str:
    return text.replace("-", "&minus;")


def _between(bounds: Bounds | None) -> str:
    if bounds is None or bounds[0] == bounds[1]:
        return ""
    return f" <small>[{_minus(f'{float(bounds[0]):.4f}')}, {_minus(f'{float(bounds[1]):.4f}')}]</small>"


def _text(value: str) -> str:
    """Return text for HTML: escaped, without control characters."""
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value))
