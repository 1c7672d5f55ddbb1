"""Circuits as pictures: rows from the root down, and what is true for an instance set off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from bnc2d.draw import dot, palette
from bnc2d.draw.figure import Figure
from bnc2d.draw.graph import PLAIN_LINE, Box, Edge, Graph, LineStyle, Picture, Style
from bnc2d.draw.layered import MAX_BOXES, is_drawable, lay_out
from bnc2d.draw.rows import longest_paths
from bnc2d.draw.summary import histogram, ranking, summary_page
from bnc2d.draw.text import MAX_WIDTH, Label, clean, shorten, text_width
from bnc2d.errors import LogicError, MissingExtraError
from bnc2d.logic.circuit.fold import fold_all
from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import depth, edge_count, is_and_decomposable, is_or_decomposable, node_count
from bnc2d.logic.domain import Domain, FeatureId, StateMask

_STYLES = {
    Kind.CONSTANT: Style("#5b6472", ink=palette.WHITE, is_round=True),
    Kind.LITERAL: Style(radius=8.0),
    Kind.AND: Style(palette.BLUE, ink=palette.WHITE, is_round=True, sign="M-5 4.5L0 -5L5 4.5"),
    Kind.OR: Style(palette.GREEN, ink=palette.WHITE, is_round=True, sign="M-5 -4.5L0 5L5 -4.5"),
}
_FIRING = LineStyle(palette.ORANGE, 2.2)
_KINDS = [
    ("", "constants"),
    (palette.OCHRE, "literals"),
    (palette.BLUE, "AND"),
    (palette.GREEN, "OR"),
]  # by ``Kind``
# Decomposability needs a bit for each node and feature; beyond this many it is not worth the memory.
_MAX_BITS = 1 << 31


def draw_circuit(manager: Manager, root: NodeId, highlight: Sequence[int] | None = None) -> Figure:
    """Return the picture of a circuit; above 500 nodes (or a tangle of edges) a summary.

    Nodes that are true for the instance ``highlight`` (state positions) are drawn in an accent colour, and so
    are the edges between them. A literal with parents in several rows is drawn once below each of these rows.
    """
    true = _true_nodes(manager, root, highlight)
    nodes = node_count(manager, root)
    graph = partial(circuit_graph, manager, root, true)
    summary = None if nodes <= MAX_BOXES and _is_drawable(graph()) else partial(_summary, manager, root, true)
    return Figure("circuit", nodes, edge_count(manager, root), graph, lay_out_circuit, summary)


def to_svg(
    manager: Manager, root: NodeId, *, highlight: Sequence[int] | None = None, engine: str = "builtin"
) -> str:
    """Return the SVG of ``draw_circuit``; ``engine="graphviz"`` asks the optional pygraphviz for a layout."""
    if engine not in ("builtin", "graphviz"):
        raise LogicError(f"engine must be 'builtin' or 'graphviz', not {engine!r}")
    figure = draw_circuit(manager, root, highlight)
    return figure.svg() if engine == "builtin" or figure.is_summary else _graphviz(figure.dot())


def to_dot(manager: Manager, root: NodeId, *, highlight: Sequence[int] | None = None) -> str:
    """Return Graphviz text; nodes that are true for the instance ``highlight`` are set off."""
    return dot.to_dot(circuit_graph(manager, root, _true_nodes(manager, root, highlight)))


def nodes_from_root(manager: Manager, root: NodeId) -> list[NodeId]:
    """Return the nodes below ``root``, parents before children; their boxes in a graph have this order."""
    return manager.reachable(root)[::-1]


def circuit_graph(manager: Manager, root: NodeId, true: set[NodeId] | None = None) -> Graph:
    """Return the circuit as boxes and edges; nodes in ``true`` are set off."""
    nodes = nodes_from_root(manager, root)
    place = {node: position for position, node in enumerate(nodes)}
    boxes = []
    edges = []
    for position, node in enumerate(nodes):
        kind = manager.kind(node)
        style = _STYLES[kind]
        if true is not None:
            style = _lit(style) if node in true else _unlit(style)
        boxes.append(Box(_label(manager, node, kind), style))
        for child in manager.children(node):
            fires = true is not None and node in true and child in true
            edges.append(Edge(position, place[child], _FIRING if fires else PLAIN_LINE))
    sizes = f"{len(nodes)} nodes, {len(edges)} edges, depth {depth(manager, root)}"
    return Graph(f"Circuit with {sizes}", boxes, edges, is_directed=True)


def lay_out_circuit(graph: Graph) -> Picture:
    """Return the drawing: edges to one gate share their way, literals are repeated near their parents."""
    return lay_out(graph, longest_paths(graph.parents), "end", repeat_leaves=True)


def _is_drawable(graph: Graph) -> bool:
    return is_drawable(graph, longest_paths(graph.parents), "end", repeat_leaves=True)


def _true_nodes(manager: Manager, root: NodeId, positions: Sequence[int] | None) -> set[NodeId] | None:
    """Return the nodes below ``root`` that are true for an instance, given as state positions."""
    if positions is None:
        return None
    sizes = manager.domain.cardinalities
    if len(positions) != len(sizes) or not all(
        0 <= p < size for p, size in zip(positions, sizes, strict=True)
    ):
        raise LogicError("highlight must give the position of a state for every feature of the domain")
    values = fold_all(manager, root, bool, lambda f, mask: bool(mask >> positions[f] & 1), all, any)
    return {node for node, value in values.items() if value}


def _lit(style: Style) -> Style:
    if style.is_round:
        return replace(style, fill=palette.ORANGE)
    return replace(style, fill=palette.PALE_ORANGE, stroke=palette.ORANGE)


def _unlit(style: Style) -> Style:
    if style.is_round:
        return replace(style, fill="#9aa3ae")
    return replace(style, stroke="#c3c9d1", ink=palette.DARK_GREY)


def _label(manager: Manager, node: NodeId, kind: Kind) -> Label:
    if kind == Kind.LITERAL:
        literal = manager.literal_of(node)
        return Label((_short(manager.domain, *literal),), clean(manager.domain.show_literal(*literal)))
    if kind == Kind.CONSTANT:
        return Label(("⊤",), "true") if node == TRUE else Label(("⊥",), "false")
    return Label(("∧",), "∧ (and)") if kind == Kind.AND else Label(("∨",), "∨ (or)")


def _short(domain: Domain, feature: FeatureId, mask: StateMask) -> str:
    """Return a literal as the paper prints it, long names and long lists of states shortened."""
    full = clean(domain.show_literal(feature, mask))
    if text_width(full) <= MAX_WIDTH:
        return full
    name, states = clean(domain.names[feature]), domain.states_of(feature, mask)
    if full in (name, f"¬{name}"):
        return shorten(full)
    head = shorten(name, 0.55 * MAX_WIDTH)
    if len(states) == 1:
        return shorten(f"{head}={clean(states[0])}")
    shown = f"{head}∈{{"
    room = MAX_WIDTH - text_width(shown + ",…}")
    for state in [shorten(clean(states[0]), room), *states[1:]]:
        longer = f"{shown}{clean(state)},"
        if text_width(longer + "…}") > MAX_WIDTH:
            break
        shown = longer
    else:
        return shown[:-1] + "}"
    return shown + "…}"


def _summary(manager: Manager, root: NodeId, true: set[NodeId] | None) -> str:
    """Return counts, properties, the nodes by level and the features by use."""
    nodes = nodes_from_root(manager, root)
    level = {root: 0}
    uses = [0] * len(manager.domain)
    for node in nodes:
        for child in manager.children(node):
            level[child] = max(level.get(child, 0), level[node] + 1)
            if manager.kind(child) == Kind.LITERAL:
                uses[manager.literal_of(child)[0]] += 1
    used = {name: count for name, count in zip(manager.domain.names, uses, strict=True) if count}
    kinds = [int(manager.kind(node)) for node in nodes]
    figures = [
        f"{len(nodes):,} nodes",
        f"{edge_count(manager, root):,} edges",
        f"depth {max(level.values()):,}",
        f"{len(used):,} of {len(manager.domain):,} features",
    ]
    properties = ["decomposability not checked"]
    if len(nodes) * len(manager.domain) <= _MAX_BITS:
        checks = {"OR": is_or_decomposable(manager, root), "AND": is_and_decomposable(manager, root)}
        properties = [f"{name}-decomposable: {'yes' if holds else 'no'}" for name, holds in checks.items()]
    if true is not None:
        properties.append(f"{len(true):,} nodes true for the instance, the root {root in true}".lower())
    legend = [(_KINDS[kind][0], f"{kinds.count(kind):,} {_KINDS[kind][1]}") for kind in (2, 3, 1)]
    panels = [
        ("Nodes by level, root first", histogram("level", [level[node] for node in nodes], _KINDS, kinds)),
        ("Features by uses of their literals", ranking(used, "uses")),
    ]
    return summary_page(f"Circuit with {', '.join(figures[:3])}", figures, properties, legend, panels)


def _graphviz(text: str) -> str:
    try:
        pygraphviz: Any = import_module("pygraphviz")
    except ImportError:
        raise MissingExtraError("pygraphviz", "graphviz") from None
    drawn = pygraphviz.AGraph(string=text).draw(format="svg", prog="dot")
    return drawn.decode("utf-8") if isinstance(drawn, bytes) else str(drawn)
