"""Pictures of networks, jointrees, f-trees and circuits, as SVG, PNG or Graphviz text.

Up to 500 nodes everything is drawn; larger things are summarised. None of the forms needs another program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bnc2d.base.atomic import atomic_write
from bnc2d.compile.graph.feature_tree import build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare
from bnc2d.errors import FormatError
from bnc2d.logic.nnf import NNF
from bnc2d.logic.pictures.dot import to_dot
from bnc2d.logic.pictures.labels import clean
from bnc2d.logic.pictures.layout import MAX_NODES, MAX_WAY_POINTS, is_drawable
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork
from bnc2d.report.pictures_dot import Link, graph_dot
from bnc2d.report.pictures_network import network_looks, network_picture, way_points
from bnc2d.report.pictures_png import to_png
from bnc2d.report.pictures_summary import network_summary, tree_summary
from bnc2d.report.pictures_svg import Picture, one_line, to_svg
from bnc2d.report.trees import TreeNode, lay_out_tree
from bnc2d.report.trees_pictures import Legend, feature_tree_nodes, jointree_nodes

FORMATS = (".svg", ".png", ".dot")


@dataclass(frozen=True)
class Figure:
    """Something to draw: how large it is, whether it is only summarised, and its picture in several forms."""

    title: str
    nodes: int
    edges: int
    is_summary: bool
    svg: Callable[[], str]
    dot: Callable[[], str]

    def png(self) -> bytes:
        """Return the picture as PNG on white."""
        return to_png(self.svg())

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write a ``.svg``, ``.png`` or ``.dot`` file, whole or not at all; return its size in bytes."""
        suffix = Path(path).suffix.lower()
        if suffix not in FORMATS:
            raise FormatError(
                f"a picture's name must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}", os.fspath(path)
            )
        if suffix == ".png":
            data = self.png()
        else:
            data = (self.svg() if suffix == ".svg" else self.dot()).encode("utf-8")
        atomic_write(path, data)
        return len(data)

    def _repr_svg_(self) -> str:
        return self.svg()


def draw_network(network: BayesianNetwork, classifier: BaseClassifier | None = None) -> Figure:
    """Return the picture of a network; with a classifier, its target and features are marked."""
    looks = network_looks(network, classifier)
    large = len(network) > MAX_NODES or way_points(network) > MAX_WAY_POINTS

    def svg() -> str:
        if large:
            return network_summary(network, looks, classifier is not None)
        return to_svg(network_picture(network, classifier))

    def dot() -> str:
        nodes = [(one_line(name), look) for name, look in zip(network.names, looks, strict=True)]
        links = [Link(network.index(parent), network.index(child)) for parent, child in network.edges]
        return graph_dot(nodes, links, directed=True)

    title = f"network {network.name}".strip()
    return Figure(title, len(network), len(network.edges), large, svg, dot)


def draw_jointree(source: BayesianNetwork | BaseClassifier, seed: int = 0) -> Figure:
    """Return the picture of a min-fill jointree, of a network or of what a classifier needs of it."""
    if isinstance(source, BaseClassifier):
        prepared = prepare(source)
        network, target = prepared.network, prepared.target
    else:
        network, target = source, None
    tree = build_jointree(network, seed)
    nodes, legend = jointree_nodes(tree, network.names, target)
    title = f"Jointree with {len(nodes)} clusters, width {tree.width}"
    return _tree_figure(title, nodes, legend, mirrored=False)


def draw_feature_tree(classifier: BaseClassifier, seed: int = 0) -> Figure:
    """Return the picture of the f-tree that the paper's method would walk."""
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, seed)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    nodes, legend = feature_tree_nodes(tree, prepared.network.names)
    widths = tree.widths(jointree.width)
    title = (
        f"F-tree of {tree.target} with {len(nodes)} nodes, {len(prepared.features)} features, "
        f"{len(tree.spine())} nodes on the right spine, ω^T = {widths.omega_total}"
    )
    return _tree_figure(title, nodes, legend, mirrored=True)


def draw_circuit(formula: NNF, instance: Mapping[str, object] | None = None) -> Figure:
    """Return the picture of a circuit; with an instance, the part that is true for it stands out."""
    manager, root = formula.manager, formula.root
    positions = None if instance is None else formula.domain.encode(instance)
    return Figure(
        "circuit",
        formula.node_count,
        formula.edge_count,
        not is_drawable(manager, root),
        lambda: formula.to_svg(highlight=instance),
        lambda: to_dot(manager, root, highlight=positions),
    )


def _tree_figure(title: str, nodes: list[TreeNode], legend: Legend, *, mirrored: bool) -> Figure:
    large = len(nodes) > MAX_NODES
    links = [
        Link(position, child, nodes[child].separator, nodes[child].edge_look)
        for position, node in enumerate(nodes)
        for child in reversed(node.children)
    ]

    def svg() -> str:
        if large:
            return _summary(title, nodes)
        drawing = lay_out_tree(nodes, mirrored=mirrored)
        picture = Picture(
            title, drawing.boxes, drawing.edges, drawing.width, drawing.height, legend.boxes, legend.edges
        )
        return to_svg(picture)

    def dot() -> str:
        return graph_dot([(node.label, node.look) for node in nodes], links, directed=False)

    return Figure(title, len(nodes), len(links), large, svg, dot)


def _summary(title: str, nodes: list[TreeNode]) -> str:
    depths = [0] * len(nodes)
    for position, node in enumerate(nodes):
        for child in node.children:
            depths[child] = depths[position] + 1
    separators = [node.separator_size for node in nodes[1:]]
    splitting = sum(node.separator_look == "splitting" for node in nodes)
    notes = [clean(title.partition(" with ")[0])]
    if splitting:
        notes.append(f"{splitting:,} feature-splitting edges")
        notes.append(f"{sum(node.look in ('spine', 'last') for node in nodes):,} nodes on the right spine")
    return tree_summary(title, [node.size for node in nodes], separators, depths, notes)
