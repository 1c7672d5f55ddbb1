"""Checkers: what makes a tree a jointree, and what makes one an f-tree."""

from __future__ import annotations

from collections.abc import Iterable

from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.jointree import Jointree, Name, NodeIndex


def assert_jointree(tree: Jointree, families: Iterable[Iterable[Name]]) -> None:
    """Check that this is a tree, that each family lies in a cluster, and the running intersection."""
    assert len(tree.edges) == len(tree.clusters) - 1, "a tree has one edge less than nodes"
    near = tree.neighbours()
    assert len(_component(0, near, range(len(near)))) == len(near), "not connected"
    for family in families:
        assert any(cluster.issuperset(family) for cluster in tree.clusters), f"no cluster for {family}"
    for name in frozenset().union(*tree.clusters):
        holders = [node for node, cluster in enumerate(tree.clusters) if name in cluster]
        assert len(_component(holders[0], near, holders)) == len(holders), f"{name} is torn apart"


def assert_feature_tree(tree: FeatureTree, jointree: Jointree, features: Iterable[Name]) -> None:
    """Check everything the definition asks for."""
    wanted = list(features)
    found = [node.feature for node in tree.nodes if node.feature is not None]
    assert sorted(found) == sorted(wanted), "each feature in one leaf node"
    assert tree.target in tree.nodes[0].cluster, "the root holds the target"
    for index, node in enumerate(tree.nodes):
        children = tree.children(index)
        assert all(tree.nodes[child].parent == index for child in children)
        assert node.parent < index, "parents come first"
        assert (node.feature is not None) == (not children), "leaf nodes, and only they, have a feature"
        assert node.feature is not None or not node.cluster & set(wanted), "a feature in an inner node"
        assert any(node.cluster <= cluster for cluster in jointree.clusters), "a foreign cluster"
    for name in frozenset().union(*(node.cluster for node in tree.nodes)):
        tops = [
            i for i, node in enumerate(tree.nodes) if name in node.cluster and name not in tree.separator(i)
        ]
        assert len(tops) == 1, f"{name} is torn apart"


def _component(start: NodeIndex, near: list[list[NodeIndex]], allowed: Iterable[NodeIndex]) -> set[NodeIndex]:
    inside = set(allowed)
    found, pending = {start}, [start]
    while pending:
        fresh = inside.intersection(near[pending.pop()]) - found
        found |= fresh
        pending.extend(fresh)
    return found
