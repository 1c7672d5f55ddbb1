"""Circuits as pictures: SVG without a background, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any
from xml.sax.saxutils import escape

from bnc2d.errors import LogicError, MissingExtraError
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import depth, edge_count, node_count
from bnc2d.logic.pictures.dot import firing, to_dot
from bnc2d.logic.pictures.labels import FONT_SIZE
from bnc2d.logic.pictures.layout import GATE_SIZE, Box, Segment, is_drawable, lay_out
from bnc2d.logic.pictures.summary import summary_svg

# Boxes are opaque, so their text reads on any page; edges are a grey that shows on white and on black.
_EDGE = "#8c96a3"
_ACCENT = "#e8590c"
_FILLS = {Kind.CONSTANT: "#5b6472", Kind.LITERAL: "#f6f8fa", Kind.AND: "#4c5fd5", Kind.OR: "#0b8276"}
_ACCENT_LITERAL = "#ffe8d6"
_QUIET = "#9aa3ae"
_SIGNS = {Kind.AND: "M-5 4.5L0 -5L5 4.5", Kind.OR: "M-5 -4.5L0 5L5 -4.5"}
_NAMES = {Kind.AND: "∧ (and)", Kind.OR: "∨ (or)"}


def to_svg(
    manager: Manager, root: NodeId, *, highlight: Sequence[int] | None = None, engine: str = "builtin"
) -> str:
    """Return the circuit as an SVG document; above 500 nodes (or a tangle of edges) a summary.

    Nodes that are true for the instance ``highlight`` (state positions) are drawn in an accent colour, and so
    are the edges between them. A literal with parents in several rows is drawn once below each of these rows.
    ``engine="graphviz"`` leaves the layout to the optional pygraphviz.
    """
    if engine not in ("builtin", "graphviz"):
        raise LogicError(f"engine must be 'builtin' or 'graphviz', not {engine!r}")
    true = firing(manager, root, highlight)
    if not is_drawable(manager, root):
        return summary_svg(manager, root, None if highlight is None else true)
    if engine == "graphviz":
        return _graphviz(to_dot(manager, root, highlight=highlight))
    drawing = lay_out(manager, root, true)
    lit = highlight is not None
    sizes = (node_count(manager, root), edge_count(manager, root), depth(manager, root))
    about = "Circuit with {} nodes, {} edges, depth {}".format(*sizes)
    width, height = number(drawing.width), number(drawing.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="max-width:100%;height:auto">\n<title>{about}</title>\n',
        f'<g fill="none" stroke="{_EDGE}" stroke-width="1.3">\n',
        *map(_edge, sorted(drawing.segments, key=lambda segment: segment.fires)),
        f'</g>\n<g font-family="Helvetica,Arial,\'DejaVu Sans\',sans-serif" font-size="{FONT_SIZE}" '
        'text-anchor="middle">\n',
        *(_box(box, lit, box.node in true) for box in drawing.boxes),
        "</g>\n</svg>\n",
    ]
    return "".join(parts)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _edge(segment: Segment) -> str:
    accent = f' stroke="{_ACCENT}" stroke-width="2.2"' if segment.fires else ""
    # Upright inside the rows, so that an edge passes labels at the distance its way point keeps.
    top, bottom = number(segment.y1 + GATE_SIZE / 2), number(segment.y2 - GATE_SIZE / 2)
    middle = number((segment.y1 + segment.y2) / 2)
    x1, x2 = number(segment.x1), number(segment.x2)
    curve = f"V{bottom}" if x1 == x2 else f"V{top}C{x1} {middle} {x2} {middle} {x2} {bottom}"
    return f'<path d="M{x1} {number(segment.y1)}{curve}V{number(segment.y2)}"{accent}/>\n'


def _box(box: Box, lit: bool, true: bool) -> str:
    title = f"<title>{escape(_NAMES.get(box.kind, box.title))}</title>"
    group = f'<g transform="translate({number(box.x)} {number(box.y)})">{title}'
    if box.kind == Kind.LITERAL:
        fill, stroke, ink = _FILLS[box.kind], _EDGE, "#1f2328"
        if lit:
            fill, stroke, ink = (_ACCENT_LITERAL, _ACCENT, ink) if true else (fill, "#c3c9d1", "#6b7480")
        size = f'width="{number(box.width)}" height="{number(box.height)}" rx="8"'
        shape = f'<rect x="{number(-box.width / 2)}" y="{number(-box.height / 2)}" {size} '
        shape += f'fill="{fill}" stroke="{stroke}"/>'
        return f'{group}{shape}<text y="4.5" fill="{ink}">{escape(box.label)}</text></g>\n'
    fill = _FILLS[box.kind] if not lit else _ACCENT if true else _QUIET
    shape = f'<circle r="{number(GATE_SIZE / 2)}" fill="{fill}"/>'
    if box.kind == Kind.CONSTANT:
        return f'{group}{shape}<text y="4.5" fill="#fff">{box.label}</text></g>\n'
    sign = f'<path d="{_SIGNS[box.kind]}" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" '
    return f'{group}{shape}{sign}stroke-linejoin="round"/></g>\n'


def _graphviz(text: str) -> str:
    try:
        pygraphviz: Any = import_module("pygraphviz")
    except ImportError:
        raise MissingExtraError("pygraphviz", "graphviz") from None
    drawn = pygraphviz.AGraph(string=text).draw(format="svg", prog="dot")
    return drawn.decode("utf-8") if isinstance(drawn, bytes) else str(drawn)
