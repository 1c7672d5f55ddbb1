"""Feature trees and their widths (step 3 of Zhang and Darwiche 2026).

The f-tree is the part of a jointree that connects the target with the features: rooted at a cluster that
holds the target, with features in leaf nodes only and at most two children a node. Its right spine runs from
the root over right children; left children hang off it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bnc2d.compile.jointree import Cluster, Jointree, Name, NodeIndex

_ROOT_PARENT = -1


@dataclass(frozen=True)
class FeatureNode:
    """A node of an f-tree; ``feature`` is set in leaf nodes only, ``parent`` is -1 at the root."""

    cluster: Cluster
    parent: NodeIndex
    left: NodeIndex | None
    right: NodeIndex | None
    feature: Name | None


@dataclass(frozen=True)
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

    def assert_valid(self, jointree: Jointree, features: Iterable[Name]) -> None:
        """Check everything the definition asks for."""
        wanted = list(features)
        found = [node.feature for node in self.nodes if node.feature is not None]
        assert sorted(found) == sorted(wanted), "each feature in one leaf node"  # noqa: S101
        assert self.target in self.nodes[0].cluster, "the root holds the target"  # noqa: S101
        for index, node in enumerate(self.nodes):
            children = self.children(index)
            assert all(self.nodes[child].parent == index for child in children)  # noqa: S101
            assert node.parent < index, "parents come first"  # noqa: S101
            assert (node.feature is not None) == (not children), "leaf nodes, and only they, have a feature"  # noqa: S101
            assert node.feature is not None or not node.cluster & set(wanted), "a feature in an inner node"  # noqa: S101
            assert any(node.cluster <= cluster for cluster in jointree.clusters), "a foreign cluster"  # noqa: S101
        for name in frozenset().union(*(node.cluster for node in self.nodes)):
            tops = [
                i
                for i, node in enumerate(self.nodes)
                if name in node.cluster and name not in self.separator(i)
            ]
            assert len(tops) == 1, f"{name} is torn apart"  # noqa: S101


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
    """Return the f-tree of least ω^T over all roots; at each node the child with more features goes right."""
    roots = [index for index, cluster in enumerate(jointree.clusters) if target in cluster]
    near = jointree.neighbours()
    trees = [_rooted(jointree, near, root, target, features) for root in roots]
    return min(trees, key=lambda tree: tree.widths(jointree.width).omega_total)


def _rooted(
    jointree: Jointree, near: list[list[NodeIndex]], root: NodeIndex, target: Name, features: Sequence[Name]
) -> FeatureTree:
    wanted = set(features)
    order, above = [root], {root: _ROOT_PARENT}
    for index in order:
        for other in near[index]:
            if other != above[index]:
                above[other] = index
                order.append(other)
    # How many features each subtree holds; a feature counts where its cluster is nearest the root.
    count = dict.fromkeys(order, 0)
    own: dict[NodeIndex, list[Name]] = {index: [] for index in order}
    for index in order:
        shared = frozenset() if index == root else jointree.separator(index, above[index])
        own[index] = sorted((jointree.clusters[index] - shared) & wanted)
        count[index] = len(own[index])
    for index in reversed(order[1:]):
        count[above[index]] += count[index]
    return _Builder(jointree, near, above, own, count, wanted).tree(root, target)


@dataclass(frozen=True)
class _Group:
    """What hangs below an inner node with the cluster of ``index``: features and jointree nodes."""

    index: NodeIndex
    parts: tuple[NodeIndex | Name, ...]


class _Builder:
    """Turns a rooted jointree into an f-tree, top-down."""

    def __init__(
        self,
        jointree: Jointree,
        near: list[list[NodeIndex]],
        above: dict[NodeIndex, NodeIndex],
        own: dict[NodeIndex, list[Name]],
        count: dict[NodeIndex, int],
        features: set[Name],
    ) -> None:
        self._jointree, self._near, self._above = jointree, near, above
        self._own, self._count, self._features = own, count, features

    def tree(self, root: NodeIndex, target: Name) -> FeatureTree:
        clusters: list[Cluster] = []
        parents: list[NodeIndex] = []
        names: list[Name | None] = []
        left: dict[NodeIndex, NodeIndex] = {}
        right: dict[NodeIndex, NodeIndex] = {}
        pending: list[tuple[_Group, NodeIndex, bool]] = [(self._group(root), _ROOT_PARENT, True)]
        while pending:
            group, parent, is_right = pending.pop()
            index = len(clusters)
            (right if is_right else left)[parent] = index
            cluster = self._jointree.clusters[group.index]
            parents.append(parent)
            first = group.parts[0]
            if len(group.parts) == 1 and isinstance(first, str):
                clusters.append(cluster)
                names.append(first)
                continue
            clusters.append(cluster - self._features)
            names.append(None)
            *lefts, last = self._split(group)
            pending += [(part, index, False) for part in lefts]
            pending.append((last, index, True))
        nodes = zip(clusters, parents, range(len(clusters)), names, strict=True)
        return FeatureTree(
            target, tuple(FeatureNode(c, p, left.get(i), right.get(i), n) for c, p, i, n in nodes)
        )

    def _group(self, index: NodeIndex) -> _Group:
        children = [n for n in self._near[index] if n != self._above[index] and self._count[n]]
        return _Group(index, (*self._own[index], *sorted(children, key=lambda child: self._count[child])))

    def _split(self, group: _Group) -> list[_Group]:
        """Return one or two groups; the last, with most features, goes right."""
        if len(group.parts) > 2:
            return [self._alone(group, group.parts[0]), _Group(group.index, group.parts[1:])]
        return [self._alone(group, part) for part in group.parts]

    def _alone(self, group: _Group, part: NodeIndex | Name) -> _Group:
        return _Group(group.index, (part,)) if isinstance(part, str) else self._group(part)
