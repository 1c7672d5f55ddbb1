"""Jointrees and f-trees as pictures, with a separator on every edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from bnc2d.compile.graph.feature_tree import build_feature_tree
from bnc2d.compile.graph.jointree import NodeIndex, build_jointree, downwards
from bnc2d.compile.graph.pruning import prepare
from bnc2d.draw import palette
from bnc2d.draw.figure import Figure
from bnc2d.draw.graph import PLAIN_LINE, Box, Edge, Graph, LineStyle, Style
from bnc2d.draw.layered import MAX_BOXES
from bnc2d.draw.rows import longest_paths
from bnc2d.draw.summary import histogram, summary_page
from bnc2d.draw.text import Label, clean, name_list
from bnc2d.draw.tree import lay_out_tree
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.picture import FEATURE_STYLE

_CLUSTER = Style(radius=5.0)
_HOLDER = Style(palette.PALE_BLUE, palette.BLUE, 1.8, radius=5.0, inner=palette.BLUE)
_SPINE = Style(palette.PALE_BLUE, palette.BLUE, 2.6, radius=5.0)
_LAST = Style(palette.PALE_GREEN, palette.BLUE, 2.6, radius=99.0)
_SEPARATOR = Style(palette.WHITE, palette.GREY, 1.0, radius=0.0)
_SPLITTING = Style(palette.PALE_ORANGE, palette.ORANGE, 1.8, radius=0.0, dash="5 3")
_SPINE_LINE = LineStyle(palette.BLUE, 3.2)
_SPLITTING_LINE = LineStyle(palette.ORANGE, 2.0, "5 3")
_SPLITTING_SPINE_LINE = LineStyle(palette.ORANGE, 3.6, "7 3")


def draw_jointree(source: BayesianNetwork | BaseClassifier, seed: int = 0) -> Figure:
    """Return the picture of a min-fill jointree, of a network or of what a classifier needs of it.

    It hangs from a cluster with the target where there is one, else from its middle.
    """
    target = None
    if isinstance(source, BaseClassifier):
        prepared = prepare(source)
        source, target = prepared.network, prepared.target
    tree = build_jointree(source, seed)
    title = f"Jointree with {len(tree.clusters)} clusters, width {tree.width}"
    rank = {name: position for position, name in enumerate(source.names)}
    near = tree.neighbours()
    root = _middle(near, [i for i, cluster in enumerate(tree.clusters) if target in cluster])
    visited, above = downwards(near, root)
    size = [1] * len(near)
    for index in reversed(visited[1:]):
        size[above[index]] += size[index]
    place = {index: position for position, index in enumerate(visited)}
    clusters = [tree.clusters[index] for index in visited]
    boxes = [Box(name_list(_ranked(c, rank)), _HOLDER if target in c else _CLUSTER) for c in clusters]
    separators = [tree.separator(index, above[index]) for index in visited[1:]]
    edges = [
        _edge(place[above[index]], place[index], boxes, Box(_separator(separator, rank), _SEPARATOR))
        for index, separator in sorted(
            zip(visited[1:], separators, strict=True), key=lambda pair: (-size[pair[0]], pair[0])
        )
    ]
    legend = [(_CLUSTER, "cluster"), (_SEPARATOR, "separator")]
    if target is not None:
        legend.insert(0, (_HOLDER, "cluster with the target"))
    graph = Graph(title, boxes, edges, legend=legend)
    return _figure(graph, list(map(len, clusters)), list(map(len, separators)), ["Jointree"], mirrored=False)


def draw_feature_tree(classifier: BaseClassifier, seed: int = 0) -> Figure:
    """Return the picture of the f-tree that the paper's method would walk.

    The right spine and the feature-splitting edges are set off.
    """
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, seed)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    rank = {name: position for position, name in enumerate(prepared.network.names)}
    spine = set(tree.spine())
    title = (
        f"F-tree of {tree.target} with {len(tree.nodes)} nodes, {len(prepared.features)} features, "
        f"{len(spine)} nodes on the right spine, ω^T = {tree.widths(jointree.width).omega_total}"
    )
    boxes = []
    for index, node in enumerate(tree.nodes):
        names = _ranked(node.cluster, rank)
        if node.feature is None:
            boxes.append(Box(name_list(names), _SPINE if index in spine else _CLUSTER))
        else:  # first, so that it is never among the names left out
            names.remove(node.feature)
            label = name_list([node.feature, *names], prefix=f"leaf of {clean(node.feature)} ")
            boxes.append(Box(label, _LAST if index in spine else FEATURE_STYLE))
    edges = []
    for index, node in enumerate(tree.nodes):
        for child in (node.right, node.left):
            if child is None:
                continue
            style, line = _SEPARATOR, _SPINE_LINE if child in spine else PLAIN_LINE
            if splits := tree.is_feature_splitting(child):
                style, line = _SPLITTING, _SPLITTING_SPINE_LINE if child in spine else _SPLITTING_LINE
            prefix = "feature-splitting separator " if splits else "separator "
            separator = Box(_separator(tree.separator(child), rank, prefix), style)
            edges.append(_edge(index, child, boxes, separator, line))
    splitting = sum(edge.box is not None and edge.box.style == _SPLITTING for edge in edges)
    legend: list[tuple[Style | LineStyle, str]] = [
        (_SPINE, "node on the right spine"),
        (_CLUSTER, "other node"),
        (FEATURE_STYLE, "leaf with a feature"),
        (_SEPARATOR, "separator"),
        (_SPLITTING, "separator of a feature-splitting edge"),
        (_SPINE_LINE, "right spine"),
        (_SPLITTING_LINE, "feature-splitting edge"),
    ]
    present: set[Style | LineStyle] = {_SPINE_LINE, *(box.style for box in boxes)}
    present |= {_SPLITTING, _SPLITTING_LINE} if splitting else set()
    present |= {_SEPARATOR} if splitting < len(edges) else set()
    graph = Graph(title, boxes, edges, legend=[entry for entry in legend if entry[0] in present])
    notes = [f"F-tree of {clean(tree.target)}"]
    if splitting:
        notes += [f"{splitting:,} feature-splitting edges", f"{len(spine):,} nodes on the right spine"]
    sizes = [len(node.cluster) for node in tree.nodes]
    separators = [len(tree.separator(index)) for index in range(1, len(tree.nodes))]
    return _figure(graph, sizes, separators, notes, mirrored=True)


def _figure(
    graph: Graph, sizes: Sequence[int], separators: Sequence[int], notes: Sequence[str], *, mirrored: bool
) -> Figure:
    is_small = len(graph.boxes) <= MAX_BOXES
    return Figure(
        graph.title,
        len(graph.boxes),
        len(graph.edges),
        lambda: graph,
        partial(lay_out_tree, mirrored=mirrored),
        None if is_small else partial(_summary, graph, sizes, separators, notes),
    )


def _summary(graph: Graph, sizes: Sequence[int], separators: Sequence[int], notes: Sequence[str]) -> str:
    """Return the clusters by depth and by size."""
    depths = longest_paths(graph.parents)
    figures = [
        f"{len(sizes):,} clusters",
        f"width {max(sizes) - 1:,}",
        f"depth {max(depths):,}",
        f"separators of {max(separators, default=0):,} at most",
    ]
    panels = [
        ("Clusters by depth, root first", histogram("depth", depths, [(palette.GREY, "clusters")])),
        ("Clusters by number of variables", histogram("variables", sizes, [(palette.OCHRE, "clusters")])),
    ]
    return summary_page(graph.title, figures, notes, [], panels)


def _edge(start: int, end: int, boxes: Sequence[Box], separator: Box, line: LineStyle = PLAIN_LINE) -> Edge:
    title = f"{boxes[start].label.title} — {boxes[end].label.title}"
    return Edge(start, end, line, title, separator)


def _separator(names: Iterable[str], rank: Mapping[str, int], prefix: str = "separator ") -> Label:
    return name_list(_ranked(names, rank), small=True, max_lines=3, prefix=prefix)


def _ranked(names: Iterable[str], rank: Mapping[str, int]) -> list[str]:
    return sorted(names, key=rank.__getitem__)


def _middle(near: Sequence[Sequence[NodeIndex]], allowed: Sequence[NodeIndex]) -> NodeIndex:
    """Return the allowed node (all, if none is named) whose largest branch is smallest."""
    order, above = downwards(near, 0)
    size = [1] * len(near)
    largest = [0] * len(near)
    for index in reversed(order[1:]):
        size[above[index]] += size[index]
        largest[above[index]] = max(largest[above[index]], size[index])
    return min(allowed or order, key=lambda index: (max(largest[index], len(near) - size[index]), index))
