"""Networks as pictures: causes above effects, the target and the features marked."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from bnc2d.draw import palette
from bnc2d.draw.figure import Figure
from bnc2d.draw.graph import Box, Edge, Graph, LineStyle, Picture, Style
from bnc2d.draw.layered import is_drawable, lay_out
from bnc2d.draw.rows import choose_rows, longest_paths
from bnc2d.draw.summary import histogram, ranking, summary_page
from bnc2d.draw.text import one_line

if TYPE_CHECKING:  # a network asks for its picture
    from bnc2d.model.classifier import BaseClassifier
    from bnc2d.model.network import BayesianNetwork

TARGET_STYLE = Style(palette.BLUE, "#26338f", 1.5, palette.WHITE, 2.0, inner=palette.WHITE)
FEATURE_STYLE = Style(palette.PALE_GREEN, palette.GREEN, 1.8, radius=99.0)
# What a variable is to a classifier: its style, its meaning, the colour and the plural in a summary.
_ROLES = (
    (TARGET_STYLE, "target", palette.BLUE, "target"),
    (FEATURE_STYLE, "feature", palette.GREEN, "features"),
    (Style(), "other variable", palette.GREY, "others"),
    (
        Style(palette.WHITE, ink=palette.DARK_GREY, dash="4 3"),
        "does not matter for the target",
        palette.LIGHT_GREY,
        "that do not matter",
    ),
)
_TARGET, _FEATURE, _OTHER, _DROPPED = range(4)
# Where there are many edges, those of one parent share a colour: middle tones, for light and dark pages.
_MANY_EDGES = 25
_COLOURS = (palette.GREY, "#5b8bc9", "#b5835a", "#6fa06a", "#a678b4", "#c07d8b", "#5aa5a5", "#a39a4f")


def draw_network(source: BayesianNetwork | BaseClassifier) -> Figure:
    """Return the picture of a network, or of a classifier's, with its target and features marked."""
    network = source if isinstance(source, BayesianNetwork) else source.network
    graph = network_graph(source)
    is_small = is_drawable(graph, longest_paths(graph.parents), "start")
    summary = None if is_small else partial(_summary, source)
    title = f"network {network.name}".strip()
    return Figure(title, len(network), len(network.edges), lambda: graph, lay_out_network, summary)


def network_graph(source: BayesianNetwork | BaseClassifier) -> Graph:
    """Return the variables in file order as boxes, with an edge from each parent to each child."""
    network, roles = _roles(source)
    boxes = [Box(one_line(name), _ROLES[role][0]) for name, role in zip(network.names, roles, strict=True)]
    titles = [box.label.title for box in boxes]
    colours = _COLOURS if len(network.edges) > _MANY_EDGES else _COLOURS[:1]
    lines = [LineStyle(colour) for colour in colours]
    pairs = sorted((network.index(parent), network.index(child)) for parent, child in network.edges)
    edges = [
        Edge(parent, child, lines[parent % len(lines)], f"{titles[parent]} → {titles[child]}")
        for parent, child in pairs
    ]
    about = f"{network.name or 'Network'}: {len(network)} variables, {len(edges)} edges"
    legend: list[tuple[Style, str]] = []
    if not isinstance(source, BayesianNetwork):
        about += f", target {source.target}, {len(source.features)} features"
        legend = [_ROLES[role][:2] for role in sorted(set(roles))]
    return Graph(about, boxes, edges, is_directed=True, arrows=True, legend=legend)


def lay_out_network(graph: Graph) -> Picture:
    """Return the drawing; edges of one parent share their way, so that a line comes from one variable."""
    return lay_out(graph, choose_rows(graph), "start")


def _roles(source: BayesianNetwork | BaseClassifier) -> tuple[BayesianNetwork, list[int]]:
    """Return the network and what each variable is to the classifier, as a position in ``_ROLES``."""
    if isinstance(source, BayesianNetwork):
        return source, [_OTHER] * len(source)
    network = source.network
    role = dict.fromkeys(network.names, _DROPPED)
    role |= dict.fromkeys(network.ancestors([source.target, *source.features]), _OTHER)
    role |= dict.fromkeys(source.features, _FEATURE)
    role[source.target] = _TARGET
    return network, [role[name] for name in network.names]


def _summary(source: BayesianNetwork | BaseClassifier) -> str:
    """Return the variables by level, and those with most neighbours."""
    network, roles = _roles(source)
    parents = [[network.index(parent) for parent in cpt.parents] for cpt in network.cpts]
    levels = longest_paths(parents)
    states = [len(variable) for variable in network.variables]
    figures = [
        f"{len(network):,} variables",
        f"{len(network.edges):,} edges",
        f"depth {max(levels):,}",
        f"{max(map(len, parents)):,} parents at most",
    ]
    properties = [
        f"{len(network.roots):,} roots",
        f"{len(network.leaves):,} leaves",
        f"{min(states)} to {max(states)} states",
    ]
    kinds = [role[2:] for role in _ROLES]
    legend = [(colour, f"{roles.count(role):,} {text}") for role, (colour, text) in enumerate(kinds)]
    shown = sorted(set(roles)) if isinstance(source, BaseClassifier) else []
    near = Counter(name for edge in network.edges for name in edge)
    neighbours = {name: near[name] for name in network.names if near[name]}
    panels = [
        ("Variables by level, roots first", histogram("level", levels, kinds, roles)),
        ("Variables by neighbours", ranking(neighbours, "neighbours")),
    ]
    title = f"{network.name or 'Network'}: {', '.join(figures[:3])}"
    return summary_page(title, figures, properties, [legend[role] for role in shown], panels)
