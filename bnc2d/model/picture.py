"""Networks as pictures: causes above effects, the target and the features marked."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from bnc2d.draw import palette
from bnc2d.draw.fan import hub_of, lay_out_fan
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


def draw_network(network: BayesianNetwork, classifier: BaseClassifier | None = None) -> Figure:
    """Return the picture of a network, with the target and the features of a classifier marked."""
    graph = network_graph(network, classifier)
    is_small = is_drawable(graph, longest_paths(graph.parents), "start")
    summary = None if is_small else partial(_summary, network, classifier)
    title = f"network {network.name}".strip()
    return Figure(title, len(network), len(network.edges), lambda: graph, lay_out_network, summary)


def network_graph(network: BayesianNetwork, classifier: BaseClassifier | None = None) -> Graph:
    """Return the variables in file order as boxes, with an edge from each parent to each child."""
    roles = _roles(network, classifier)
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
    if classifier is not None:
        about += f", target {classifier.target}, {len(classifier.features)} features"
        legend = [_ROLES[role][:2] for role in sorted(set(roles))]
    return Graph(about, boxes, edges, is_directed=True, arrows=True, legend=legend)


def lay_out_network(graph: Graph) -> Picture:
    """Return the drawing: a fan where one variable is the parent of all others, else rows.

    In rows, edges of one parent share their way, so that a line comes from one variable.
    """
    hub = hub_of(graph)
    if hub is not None:
        return lay_out_fan(graph, hub)
    return lay_out(graph, choose_rows(graph), "start")


def _roles(network: BayesianNetwork, classifier: BaseClassifier | None) -> list[int]:
    """Return what each variable is to the classifier, as a position in ``_ROLES``."""
    if classifier is None:
        return [_OTHER] * len(network)
    role = dict.fromkeys(network.names, _DROPPED)
    role |= dict.fromkeys(network.ancestors([classifier.target, *classifier.features]), _OTHER)
    role |= dict.fromkeys(classifier.features, _FEATURE)
    role[classifier.target] = _TARGET
    return [role[name] for name in network.names]


def _summary(network: BayesianNetwork, classifier: BaseClassifier | None) -> str:
    """Return the variables by level, and those with most neighbours."""
    roles = _roles(network, classifier)
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
    shown = sorted(set(roles)) if classifier is not None else []
    near = Counter(name for edge in network.edges for name in edge)
    neighbours = {name: near[name] for name in network.names if near[name]}
    panels = [
        ("Variables by level, roots first", histogram("level", levels, kinds, roles)),
        ("Variables by neighbours", ranking(neighbours, "neighbours")),
    ]
    title = f"{network.name or 'Network'}: {', '.join(figures[:3])}"
    return summary_page(title, figures, properties, [legend[role] for role in shown], panels)
