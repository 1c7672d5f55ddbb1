"""Circuits as pictures: rows from the root down, and what is true for an instance set off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from itertools import groupby
from typing import Any

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.draw import dot, palette
from bnc2d.draw.figure import Figure
from bnc2d.draw.graph import PLAIN_LINE, Box, Edge, Graph, LineStyle, Picture, Style
from bnc2d.draw.layered import MAX_BOXES, is_drawable, lay_out
from bnc2d.draw.rows import longest_paths
from bnc2d.draw.summary import histogram, ranking, summary_page
from bnc2d.draw.text import MAX_WIDTH, Label, clean, shorten, text_width
from bnc2d.errors import LogicError, MissingExtraError
from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import (
    depth,
    edge_count,
    holding,
    is_and_decomposable,
    is_or_decomposable,
    node_count,
)
from bnc2d.logic.domain import Domain, FeatureId, StateMask

_STYLES = {
    Kind.CONSTANT: Style("#5b6472", ink=palette.WHITE, is_round=True),
    Kind.LITERAL: Style(radius=8.0),
    Kind.AND: Style(palette.BLUE, ink=palette.WHITE, is_round=True, sign="M-5 4.5L0 -5L5 4.5"),
    Kind.OR: Style(palette.GREEN, ink=palette.WHITE, is_round=True, sign="M-5 -4.5L0 5L5 -4.5"),
}
_FIRING = LineStyle(palette.ORANGE, 2.2)
# By ``Kind``.
_KINDS = [("", "constants"), (palette.OCHRE, "literals"), (palette.BLUE, "AND"), (palette.GREEN, "OR")]
# Decomposability needs a bit for each node and feature; beyond this many it is not worth the memory.
_MAX_BITS = 1 << 31


def draw_circuit(manager: Manager, root: NodeId, highlight: Sequence[int] | None = None) -> Figure:
    """Return the picture of a circuit; above 500 nodes (or a tangle of edges) a summary.

    Nodes that are true for the instance ``highlight`` (state positions) are drawn in an accent colour, and so
    are the edges between them. A literal with parents in several rows is drawn once below each of these rows.
    The picture depends on nothing but the circuit: not on other nodes of the manager.
    """
    true = _true_nodes(manager, root, highlight)
    nodes = node_count(manager, root)
    graph = cache(partial(circuit_graph, manager, root, true))
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


def canonical_order(manager: Manager, root: NodeId) -> list[NodeId]:
    """Return the nodes below ``root``, parents before children, in an order of the circuit's own.

    Literals are ordered by feature and mask, gates by level, kind and children.
    """
    levels = manager.levels(root)
    literals = sorted(manager.literals(root), key=lambda literal: literal[1:])
    rank = {node: number for number, (node, _, _) in enumerate(literals)} or {root: 0}
    heights = dict(zip(levels.nodes.tolist(), (levels.keys >> 34).tolist(), strict=True))
    for _, level in groupby(levels.gates, key=lambda gate: heights[gate[0]]):
        gates = sorted((is_or, sorted(map(rank.__getitem__, below)), node) for node, is_or, below in level)
        rank |= {node: number for number, (_, _, node) in enumerate(gates, len(rank))}
    return list(rank)[::-1]


def circuit_graph(manager: Manager, root: NodeId, true: set[NodeId] | None = None) -> Graph:
    """Return the circuit as boxes, in their canonical order, and edges; nodes in ``true`` are set off."""
    nodes = canonical_order(manager, root)
    place = {node: position for position, node in enumerate(nodes)}
    boxes = []
    edges = []
    for position, node in enumerate(nodes):
        kind = manager.kind(node)
        style = _STYLES[kind] if true is None else _marked(_STYLES[kind], node in true)
        boxes.append(Box(_label(manager, node, kind), style))
        for child in sorted(manager.children(node), key=place.__getitem__, reverse=True):
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
    return set(manager.levels(root).nodes[holding(manager, root, positions)].tolist())


def _marked(style: Style, is_true: bool) -> Style:
    if style.is_round:
        return replace(style, fill=palette.ORANGE if is_true else "#9aa3ae")
    if is_true:
        return replace(style, fill=palette.PALE_ORANGE, stroke=palette.ORANGE)
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
    scale = scale_of(domain.states[feature])
    if isinstance(scale, Intervals):
        return shorten(clean(scale.symbols(head, mask)))
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
    levels = manager.levels(root)
    depths = np.zeros(len(levels), dtype=np.int64)
    for step in reversed(levels.steps):
        checkpoint()
        np.maximum.at(depths, step.children, np.repeat(depths[step.first : step.last] + 1, step.arities))
    times = np.bincount(levels.children, minlength=len(levels)).tolist()
    uses = dict.fromkeys(manager.domain.names, 0)
    for (_, feature, _), count in zip(manager.literals(root), times, strict=False):
        uses[manager.domain.names[feature]] += count
    used = {name: count for name, count in uses.items() if count}
    figures = [
        f"{len(levels):,} nodes",
        f"{len(levels.children):,} edges",
        f"depth {levels.depth:,}",
        f"{len(used):,} of {len(manager.domain):,} features",
    ]
    properties = ["decomposability not checked"]
    if len(levels) * len(manager.domain) <= _MAX_BITS:
        checks = {"OR": is_or_decomposable(manager, root), "AND": is_and_decomposable(manager, root)}
        properties = [f"{name}-decomposable: {'yes' if holds else 'no'}" for name, holds in checks.items()]
    if true is not None:
        properties.append(f"{len(true):,} nodes true for the instance, the root {root in true}".lower())
    counts = np.bincount(levels.kinds, minlength=len(_KINDS)).tolist()
    legend = [(_KINDS[kind][0], f"{counts[kind]:,} {_KINDS[kind][1]}") for kind in (2, 3, 1)]
    panels = [
        ("Nodes by level, root first", histogram("level", depths, _KINDS, levels.kinds)),
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
