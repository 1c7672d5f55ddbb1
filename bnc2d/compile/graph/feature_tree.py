"""Feature trees and their widths (step 3 of Zhang and Darwiche 2026).

The f-tree is the part of a jointree that connects the target with the features: rooted at a cluster that
holds the target, with features in leaf nodes only and at most two children a node. Its right spine runs from
the root over right children; left children hang off it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.base.records import record
from bnc2d.compile.graph.jointree import Cluster, Jointree, Name, NodeIndex, downwards
from bnc2d.compile.graph.pruning import Prepared

_ROOT_PARENT = -1
# Tables of left children are in memory as a whole, so their widths count this much more than the spine's.
TABLES = 2
# Batch size: nodes that are looked at between two checkpoints.
_MANY = 32


@record
class FeatureNode:
    """A node of an f-tree; ``feature`` is set in leaf nodes only, ``parent`` is -1 at the root."""

    cluster: Cluster
    parent: NodeIndex
    left: NodeIndex | None
    right: NodeIndex | None
    feature: Name | None


@record
class FeatureTree:
    """The nodes of an f-tree, parents before children; node 0 is the root."""

    target: Name
    nodes: tuple[FeatureNode, ...]

    def spine(self) -> list[NodeIndex]:
        """Return the right spine: the root, its right child, the right child of that, and so on."""
        path: list[NodeIndex] = []
        node: NodeIndex | None = 0
        while node is not None:
            path.append(node)
            node = self.nodes[node].right
        return path

    def children(self, node: NodeIndex) -> list[NodeIndex]:
        """Return the left and the right child, where there are."""
        return [child for child in (self.nodes[node].left, self.nodes[node].right) if child is not None]

    def separator(self, node: NodeIndex) -> Cluster:
        """Return what a node shares with its parent; nothing at the root."""
        parent = self.nodes[node].parent
        return (
            frozenset() if parent == _ROOT_PARENT else self.nodes[node].cluster & self.nodes[parent].cluster
        )

    def is_feature_splitting(self, node: NodeIndex) -> bool:
        """Return whether the separator above the node holds neither the target nor a feature."""
        features = {leaf.feature for leaf in self.nodes if leaf.feature is not None}
        separator = self.separator(node)
        return node != 0 and self.target not in separator and not separator & features

    def features_below(self) -> list[tuple[Name, ...]]:
        """Return for each node the features at or below it (the paper's V), left before right."""
        below: list[tuple[Name, ...]] = [()] * len(self.nodes)
        for index in reversed(range(len(self.nodes))):
            node = self.nodes[index]
            own = () if node.feature is None else (node.feature,)
            below[index] = own + tuple(name for child in self.children(index) for name in below[child])
        return below

    def widths(self, omega: int) -> Widths:
        """Return the widths of a compilation that walks this tree, given the jointree's width."""
        below = [int(node.feature is not None) for node in self.nodes]
        deepest = [len(node.cluster) - 1 for node in self.nodes]
        for index in reversed(range(1, len(self.nodes))):
            parent = self.nodes[index].parent
            below[parent] += below[index]
            deepest[parent] = max(deepest[parent], deepest[index])
        spine = self.spine()
        right = max(below[0] - below[index] + len(self.nodes[index].cluster) for index in spine)
        lefts = [child for index in spine if (child := self.nodes[index].left) is not None]
        left = max((below[child] + deepest[child] for child in lefts), default=0)
        return Widths(omega, right, left)


@dataclass(frozen=True)
class Widths:
    """ω of the jointree, ω^R over the spine, ω^L over its left children, and their maximum ω^T."""

    omega: int
    omega_right: int
    omega_left: int

    @property
    def omega_total(self) -> int:
        """The width of the compilation, ω^T."""
        return max(self.omega, self.omega_right, self.omega_left)


def build_feature_tree(jointree: Jointree, target: Name, features: Sequence[Name]) -> FeatureTree:
    """Return an f-tree of small ω^T: the narrowest over all roots and all right spines from there.

    What counts is ω^R, and for every left child the features below it and the largest cluster at or below its
    parent, plus ``TABLES``. Left children are whole branches of the jointree. Of spines that are as good, the
    one with more features on its right is taken at each node.
    """
    roots = [index for index, cluster in enumerate(jointree.clusters) if target in cluster]
    near = jointree.neighbours()
    branches = [_rooted(jointree, near, root, set(features)) for root in roots]
    return _tree(jointree, target, frozenset(features), min(branches, key=lambda branch: branch.spine))


def widths_of(prepared: Prepared, jointree: Jointree) -> Widths:
    """Return the widths of a compilation by the f-tree of a jointree."""
    return build_feature_tree(jointree, prepared.target, prepared.features).widths(jointree.width)


@record
class _Branch:
    """A ``feature`` in the cluster ``index``, or that cluster with ``branches`` below, the last going right.

    It has ``count`` features; ``depth`` is the width of its f-tree, ``spine`` what the best spine through it
    costs from here on (see ``build_feature_tree``).
    """

    index: NodeIndex
    feature: Name | None
    branches: tuple[_Branch, ...]
    count: int
    depth: int
    spine: int


def _rooted(jointree: Jointree, near: list[list[NodeIndex]], root: NodeIndex, features: set[Name]) -> _Branch:
    """Return the jointree below a root, without what leads to no feature."""
    order, above = downwards(near, root)
    found: dict[NodeIndex, _Branch] = {}
    for index in checked(order[::-1], _MANY):
        cluster = jointree.clusters[index]
        size = len(cluster)
        # A feature counts where its cluster is nearest the root.
        shared = frozenset() if index == root else jointree.separator(index, above[index])
        branches = [
            _Branch(index, name, (), 1, size - 1, len(features) - 1 + size)
            for name in sorted((cluster - shared) & features)
        ]
        branches += [found[other] for other in near[index] if other in found]
        if len(branches) == 1 and branches[0].index == index:
            found[index] = branches[0]
        elif branches:
            found[index] = _joined(index, len(cluster - features), branches, len(features))
    return found[root]


def _joined(index: NodeIndex, size: int, branches: list[_Branch], features: int) -> _Branch:
    """Return a cluster with branches below; copies of it take a left branch each, those with fewer first."""
    branches = sorted(branches, key=lambda branch: branch.count)

    def spine(right: _Branch) -> int:
        lefts = [branch for branch in branches if branch is not right]
        last = right.count + (lefts[-1].count if lefts else 0)  # features below the last copy, the widest
        tables = (max(left.depth + 1, size) + left.count + TABLES for left in lefts)
        return max(features - last + size, right.spine, *tables)

    best = min(checked(branches[::-1], _MANY), key=spine)
    ordered = (*(branch for branch in branches if branch is not best), best)
    depth = max(size - 1, *(branch.depth for branch in branches))
    return _Branch(index, None, ordered, sum(branch.count for branch in branches), depth, spine(best))


def _tree(jointree: Jointree, target: Name, features: Cluster, root: _Branch) -> FeatureTree:
    """Return the f-tree: a cluster with more than two branches below becomes a chain of copies."""
    nodes: list[tuple[Cluster, NodeIndex, Name | None]] = []
    left: dict[NodeIndex, NodeIndex] = {}
    right: dict[NodeIndex, NodeIndex] = {}
    # A branch, how many of the branches below it have a node by now, and where the branch hangs.
    pending: list[tuple[_Branch, int, NodeIndex, bool]] = [(root, 0, _ROOT_PARENT, True)]
    while pending:
        branch, done, parent, is_right = pending.pop()
        checkpoint()
        index = len(nodes)
        (right if is_right else left)[parent] = index
        cluster = jointree.clusters[branch.index]
        nodes.append((cluster if branch.feature else cluster - features, parent, branch.feature))
        rest = branch.branches[done:]
        if len(rest) > 1:
            pending.append((rest[0], 0, index, False))
        if len(rest) > 2:
            pending.append((branch, done + 1, index, True))
        elif rest:
            pending.append((rest[-1], 0, index, True))
    return FeatureTree(
        target, tuple(FeatureNode(c, p, left.get(i), right.get(i), f) for i, (c, p, f) in enumerate(nodes))
    )
