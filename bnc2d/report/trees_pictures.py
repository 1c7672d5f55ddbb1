"""Jointrees and f-trees as trees to draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.jointree import Jointree, NodeIndex
from bnc2d.logic.pictures.labels import clean
from bnc2d.report.pictures_svg import EdgeLook, Look, name_list
from bnc2d.report.trees import TreeNode


@dataclass(frozen=True)
class Legend:
    """What boxes and edges mean."""

    boxes: tuple[tuple[Look, str], ...]
    edges: tuple[tuple[EdgeLook, str], ...] = ()


def jointree_nodes(
    tree: Jointree, order: Sequence[str], target: str | None = None
) -> tuple[list[TreeNode], Legend]:
    """Return a jointree to draw; ``order`` lists all variables, as clusters show them.

    It hangs from a cluster with the target where there is one, else from its middle.
    """
    rank = {name: position for position, name in enumerate(order)}
    near = tree.neighbours()
    root = _middle(near, [i for i, cluster in enumerate(tree.clusters) if target in cluster])
    visited, above = _downwards(near, root)
    size = dict.fromkeys(visited, 1)
    for index in reversed(visited[1:]):
        size[above[index]] += size[index]
    position = {index: place for place, index in enumerate(visited)}
    nodes = []
    for index in visited:
        cluster = tree.clusters[index]
        below = sorted((n for n in near[index] if n != above[index]), key=lambda n: (-size[n], n))
        separator = None if index == root else tree.separator(index, above[index])
        look: Look = "holder" if target in cluster else "cluster"
        nodes.append(
            TreeNode(
                name_list(_ranked(cluster, rank)),
                look,
                None
                if separator is None
                else name_list(_ranked(separator, rank), small=True, max_lines=3, prefix="separator "),
                "separator",
                "plain",
                tuple(position[n] for n in below),
                len(cluster),
                0 if separator is None else len(separator),
            )
        )
    legend: list[tuple[Look, str]] = [("cluster", "cluster"), ("separator", "separator")]
    if target is not None:
        legend.insert(0, ("holder", "cluster with the target"))
    return nodes, Legend(tuple(legend))


def feature_tree_nodes(tree: FeatureTree, order: Sequence[str]) -> tuple[list[TreeNode], Legend]:
    """Return an f-tree to draw: the right spine and the feature-splitting edges set off."""
    rank = {name: position for position, name in enumerate(order)}
    spine = set(tree.spine())
    features = {node.feature for node in tree.nodes if node.feature is not None}
    nodes = []
    for index, node in enumerate(tree.nodes):
        separator = tree.separator(index)
        splits = index != 0 and tree.target not in separator and not separator & features
        prefix = "feature-splitting separator " if splits else "separator "
        edge: EdgeLook = "plain"
        if index in spine:
            edge = "spine splitting" if splits else "spine"
        elif splits:
            edge = "splitting"
        look: Look = "spine" if index in spine else "cluster"
        if node.feature is not None:
            look = "last" if index in spine else "feature"
        names = _ranked(node.cluster, rank)
        if node.feature is not None:  # first, so that it is never among the names left out
            names = [node.feature, *(name for name in names if name != node.feature)]
        label = name_list(names, prefix=f"leaf of {clean(node.feature)} " if node.feature else "")
        small = name_list(_ranked(separator, rank), small=True, max_lines=3, prefix=prefix)
        children = tuple(child for child in (node.right, node.left) if child is not None)
        nodes.append(
            TreeNode(
                label,
                look,
                small if index else None,
                "splitting" if splits else "separator",
                edge,
                children,
                len(node.cluster),
                len(separator),
            )
        )
    looks: tuple[tuple[Look, str], ...] = (
        ("spine", "node on the right spine"),
        ("cluster", "other node"),
        ("feature", "leaf with a feature"),
        ("separator", "separator"),
        ("splitting", "separator of a feature-splitting edge"),
    )
    edges: tuple[tuple[EdgeLook, str], ...] = (
        ("spine", "right spine"),
        ("splitting", "feature-splitting edge"),
    )
    present = {look for node in nodes for look in (node.look, node.separator_look)}
    shown = tuple((look, text) for look, text in looks if look in present)
    return nodes, Legend(shown, edges if "splitting" in present else edges[:1])


def _ranked(names: Iterable[str], rank: dict[str, int]) -> list[str]:
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def _downwards(
    near: Sequence[Sequence[NodeIndex]], root: NodeIndex
) -> tuple[list[NodeIndex], list[NodeIndex]]:
    """Return the nodes, parents first, and the parent of each (-1 at the root)."""
    order, above = [root], [-1] * len(near)
    for index in order:
        for other in near[index]:
            if other != above[index]:
                above[other] = index
                order.append(other)
    return order, above


def _middle(near: Sequence[Sequence[NodeIndex]], allowed: Sequence[NodeIndex]) -> NodeIndex:
    """Return the allowed node (all, if none is named) whose largest branch is smallest."""
    order, above = _downwards(near, 0)
    size = [1] * len(near)
    largest = [0] * len(near)
    for index in reversed(order[1:]):
        size[above[index]] += size[index]
        largest[above[index]] = max(largest[above[index]], size[index])
    return min(allowed or order, key=lambda index: (max(largest[index], len(near) - size[index]), index))
