"""The picture of a circuit too large to draw: its figures, its nodes by level, its features by use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from xml.sax.saxutils import escape

from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import is_and_decomposable, is_or_decomposable
from bnc2d.logic.pictures.labels import clean, shorten
from bnc2d.logic.pictures.layout import levels

WIDTH = 760
_LEFT, _GAP, _PANEL = 20, 40, 340
_BAR, _STEP = 14, 22
MAX_BARS = 16
# Decomposability needs a bit for each node and feature; beyond this many it is not worth the memory.
_MAX_BITS = 1 << 31

_COLOURS = {Kind.AND: "#4c5fd5", Kind.OR: "#0b8276", Kind.LITERAL: "#b58a1b"}
_PLURALS = {Kind.AND: "AND", Kind.OR: "OR", Kind.LITERAL: "literals"}
# Text takes the page's colour; only a document of its own (":root") chooses one.
_STYLE = "svg:root{color:#1f2328}@media(prefers-color-scheme:dark){svg:root{color:#e6edf3}}"

Bar = tuple[str, str, list[tuple[str, int]]]  # label, tooltip, coloured lengths


def summary_svg(manager: Manager, root: NodeId, true: Set[NodeId] | None = None) -> str:
    """Return an SVG document of fixed width with counts, properties and two bar charts.

    ``true`` are the nodes that hold for an instance, where one is asked about.
    """
    nodes = manager.reachable(root)
    level = levels(manager, root)
    kinds = Counter(manager.kind(node) for node in nodes)
    edges = sum(len(manager.children(node)) for node in nodes)
    by_level, by_feature = _level_bars(manager, nodes, level), _feature_bars(manager, nodes)
    figures = [
        f"{len(nodes):,} nodes",
        f"{edges:,} edges",
        f"depth {max(level.values()):,}",
        f"{len(_uses(manager, nodes)):,} of {len(manager.domain):,} features",
    ]
    properties = _properties(manager, root, len(nodes))
    if true is not None:
        properties.append(f"{len(true):,} nodes true for the instance, the root {root in true}".lower())
    legend = [(colour, f"{kinds[kind]:,} {_PLURALS[kind]}") for kind, colour in _COLOURS.items()]
    panels = [("Nodes by level, root first", by_level), ("Features by uses of their literals", by_feature)]
    return summary_page(f"Circuit with {', '.join(figures[:3])}", figures, properties, legend, panels)


def summary_page(
    title: str,
    figures: Sequence[str],
    properties: Sequence[str],
    legend: Sequence[tuple[str, str]],
    panels: Sequence[tuple[str, Sequence[Bar]]],
) -> str:
    """Return an SVG document: a line of figures, one of properties, colours with labels, two bar charts."""
    height = 136 + _STEP * max(len(bars) for _, bars in panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" style="max-width:100%;height:auto">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        '<g font-family="Helvetica,Arial,\'DejaVu Sans\',sans-serif" font-size="13" fill="currentColor">\n',
        _text(_LEFT, 34, " · ".join(figures), 'font-size="18" font-weight="600"'),
        _text(_LEFT, 60, " · ".join(properties), 'opacity="0.75"'),
        _legend(legend),
        *(_panel(_LEFT + at * (_PANEL + _GAP), *panel) for at, panel in enumerate(panels)),
        "</g>\n</svg>\n",
    ]
    return "".join(parts)


def _properties(manager: Manager, root: NodeId, nodes: int) -> list[str]:
    if nodes * len(manager.domain) > _MAX_BITS:
        return ["decomposability not checked"]
    checks = {"OR": is_or_decomposable(manager, root), "AND": is_and_decomposable(manager, root)}
    return [f"{name}-decomposable: {'yes' if holds else 'no'}" for name, holds in checks.items()]


def _uses(manager: Manager, nodes: Sequence[NodeId]) -> Counter[int]:
    """Return how many edges lead to literals of each feature."""
    uses: Counter[int] = Counter()
    for node in nodes:
        for child in manager.children(node):
            if manager.kind(child) == Kind.LITERAL:
                uses[manager.literal_of(child)[0]] += 1
    return uses


def _level_bars(manager: Manager, nodes: Sequence[NodeId], level: dict[NodeId, int]) -> list[Bar]:
    depth = max(level.values())
    step = -(-(depth + 1) // MAX_BARS)  # levels in a bar
    counts: list[Counter[Kind]] = [Counter() for _ in range(depth // step + 1)]
    for node in nodes:
        counts[level[node] // step][manager.kind(node)] += 1
    made: list[Bar] = []
    for bar, count in enumerate(counts):
        first, last = bar * step, min(bar * step + step - 1, depth)
        name = f"{first:,}" if first == last else f"{first:,}–{last:,}"
        shares = [(_COLOURS[kind], count[kind]) for kind in _COLOURS]
        tooltip = ", ".join(f"{count[kind]:,} {_PLURALS[kind]}" for kind in _COLOURS)
        made.append((name, f"level {name}: {tooltip}", shares))
    return made


def _feature_bars(manager: Manager, nodes: Sequence[NodeId]) -> list[Bar]:
    uses = sorted(_uses(manager, nodes).items(), key=lambda item: (-item[1], item[0]))
    shown = uses if len(uses) <= MAX_BARS else uses[: MAX_BARS - 1]
    colour = _COLOURS[Kind.LITERAL]
    bars: list[Bar] = []
    for feature, count in shown:
        name = clean(manager.domain.names[feature])
        bars.append((shorten(name, 100), f"{name}: {count:,} uses", [(colour, count)]))
    if len(shown) < len(uses):
        rest = len(uses) - len(shown)
        bars.append((f"and {rest:,} more", f"{sum(c for _, c in uses[len(shown) :]):,} uses", []))
    return bars


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    parts = []
    x = _LEFT
    for colour, label in entries:
        parts.append(f'<rect x="{x}" y="74" width="12" height="12" rx="3" fill="{colour}"/>\n')
        parts.append(_text(x + 18, 85, label))
        x += 18 + 9 * len(label) + 16
    return "".join(parts)


def _panel(x: int, heading: str, bars: Sequence[Bar]) -> str:
    label_width, value_width = 120, 60
    room = _PANEL - label_width - value_width
    longest = max((sum(length for _, length in shares) for _, _, shares in bars), default=0) or 1
    parts = [_text(x, 118, heading, 'font-weight="600"')]
    for row, (label, tooltip, shares) in enumerate(bars):
        y = 130 + _STEP * row
        total = sum(length for _, length in shares)
        parts.append(f"<g><title>{escape(tooltip)}</title>")
        parts.append(_text(x + label_width - 8, y + 11.5, label, 'text-anchor="end"'))
        start = float(x + label_width)
        for colour, length in shares:
            if length:
                width = room * length / longest
                parts.append(
                    f'<rect x="{start:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="{_BAR}" '
                    f'fill="{colour}"/>\n'
                )
                start += width
        if shares:
            parts.append(_text(start + 6, y + 11.5, f"{total:,}", 'opacity="0.75"'))
        parts.append("</g>\n")
    return "".join(parts)


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    space = " " if attributes else ""
    return f'<text x="{x:g}" y="{y:g}"{space}{attributes}>{escape(text)}</text>\n'
