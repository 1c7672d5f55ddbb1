"""What is shown in place of a picture that would be a tangle: figures and bar charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from bnc2d.draw import palette
from bnc2d.draw.svg import document
from bnc2d.draw.text import clean, shorten

_WIDTH, _LEFT, _GAP, _PANEL = 760, 20, 40, 340
_BAR, _STEP = 14, 22
_MAX_BARS = 16
# Text takes the page's colour; only a document of its own (":root") chooses one.
_STYLE = "svg:root{color:#1f2328}@media(prefers-color-scheme:dark){svg:root{color:#e6edf3}}"

Entry = tuple[str, str]  # of a legend: the colour and the name, in the plural, of what is counted
Counts = Sequence[int] | npt.NDArray[np.int64] | npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bar:
    """A bar with its label, its tooltip and its coloured lengths, one after the other."""

    label: str
    title: str
    shares: Sequence[tuple[str, int]]


def histogram(word: str, values: Counts, legend: Sequence[Entry], groups: Counts | None = None) -> list[Bar]:
    """Return how many things have which value, a few values in a bar; ``groups`` are places in the legend."""
    numbers, group_ids = np.asarray(values), 0 if groups is None else np.asarray(groups)
    low, high = int(numbers.min()), int(numbers.max())
    step, width = high // _MAX_BARS + 1, len(legend)
    counted = np.bincount(numbers // step * width + group_ids, minlength=(high // step + 1) * width)
    counts = counted.reshape(-1, width).tolist()
    bars = []
    for bar in range(low // step, len(counts)):
        first, last = bar * step, min(bar * step + step - 1, high)
        name = f"{first:,}" if first == last else f"{first:,}–{last:,}"
        found = list(zip(legend, counts[bar], strict=True))
        tooltip = ", ".join(f"{count:,} {plural}" for (_, plural), count in found if count) or "none"
        bars.append(Bar(name, f"{word} {name}: {tooltip}", [(colour, count) for (colour, _), count in found]))
    return bars


def ranking(counts: Mapping[str, int], unit: str) -> list[Bar]:
    """Return the largest counts; those that come first in the mapping first, where they are equal."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    shown = ranked if len(ranked) <= _MAX_BARS else ranked[: _MAX_BARS - 1]
    bars = [
        Bar(shorten(clean(name), 100), f"{clean(name)}: {count:,} {unit}", [(palette.OCHRE, count)])
        for name, count in shown
    ]
    if len(shown) < len(ranked):
        rest = ranked[len(shown) :]
        bars.append(Bar(f"and {len(rest):,} more", f"{sum(count for _, count in rest):,} {unit}", []))
    return bars


def summary_page(
    title: str,
    figures: Sequence[str],
    properties: Sequence[str],
    legend: Sequence[Entry],
    panels: Sequence[tuple[str, Sequence[Bar]]],
) -> str:
    """Return an SVG document: a line of figures, one of properties, colours with labels, two bar charts."""
    parts = [
        _text(_LEFT, 34, " · ".join(figures), 'font-size="18" font-weight="600"'),
        _text(_LEFT, 60, " · ".join(properties), 'opacity="0.75"'),
    ]
    x = _LEFT
    for colour, label in legend:
        parts.append(f'<rect x="{x}" y="74" width="12" height="12" rx="3" fill="{colour}"/>\n')
        parts.append(_text(x + 18, 85, label))
        x += 18 + 9 * len(label) + 16
    for position, (heading, bars) in enumerate(panels):
        parts += _panel(_LEFT + position * (_PANEL + _GAP), heading, bars)
    height = 136 + _STEP * max(len(bars) for _, bars in panels)
    return document(title, _WIDTH, height, "".join(parts), style=_STYLE, text=' fill="currentColor"')


def _panel(x: int, heading: str, bars: Sequence[Bar]) -> list[str]:
    label_width, value_width = 120, 60
    totals = [sum(length for _, length in bar.shares) for bar in bars]
    scale = (_PANEL - label_width - value_width) / (max(totals, default=0) or 1)
    parts = [_text(x, 118, heading, 'font-weight="600"')]
    for row, (bar, total) in enumerate(zip(bars, totals, strict=True)):
        y = 130 + _STEP * row
        parts.append(f"<g><title>{escape(bar.title)}</title>")
        parts.append(_text(x + label_width - 8, y + 11.5, bar.label, 'text-anchor="end"'))
        start = float(x + label_width)
        for colour, length in bar.shares:
            if length:
                size = f'width="{max(scale * length, 0.5):.1f}" height="{_BAR}"'
                parts.append(f'<rect x="{start:.1f}" y="{y}" {size} fill="{colour}"/>\n')
                start += scale * length
        if bar.shares:
            parts.append(_text(start + 6, y + 11.5, f"{total:,}", 'opacity="0.75"'))
        parts.append("</g>\n")
    return parts


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    space = " " if attributes else ""
    return f'<text x="{x:g}" y="{y:g}"{space}{attributes}>{escape(text)}</text>\n'
