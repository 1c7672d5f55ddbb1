"""Jointrees by min-fill elimination (step 2 of Zhang and Darwiche 2026)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from bnc2d.base.masks import Mask, mask_of, positions
from bnc2d.base.records import record
from bnc2d.model.min_fill import MinFill, graph_of
from bnc2d.model.network import BayesianNetwork

Name: TypeAlias = str
NodeIndex: TypeAlias = int  # position of a node in its jointree
Cluster: TypeAlias = frozenset[Name]


@record
class Jointree:
    """A tree of clusters; ``edges`` join nodes by position. What two neighbours share is their separator."""

    clusters: tuple[Cluster, ...]
    edges: tuple[tuple[NodeIndex, NodeIndex], ...]

    @property
    def width(self) -> int:
        """The size of the largest cluster, minus one (the paper's ω)."""
        return max(len(cluster) for cluster in self.clusters) - 1

    def separator(self, first: NodeIndex, second: NodeIndex) -> Cluster:
        """Return the variables that two clusters share."""
        return self.clusters[first] & self.clusters[second]

    def neighbours(self) -> list[list[NodeIndex]]:
        """Return for each node the nodes next to it, in ascending order."""
        near: list[list[NodeIndex]] = [[] for _ in self.clusters]
        for first, second in self.edges:
            near[first].append(second)
            near[second].append(first)
        return [sorted(nodes) for nodes in near]


def build_jointree(network: BayesianNetwork, seed: int = 0) -> Jointree:
    """Return the jointree of a min-fill order, with maximal clusters only.

    1. Eliminate: a variable and its neighbours at that moment make a cluster.
    2. Link each cluster to the one of the variable eliminated next among its rest; parts that are not
       connected are linked by empty separators.
    3. Merge a cluster into its link where one contains the other.
    """
    search = MinFill(graph_of(families(network), len(network)))
    search.finish(seed)
    return named_tree(cluster_tree(search), network.names)


def families(network: BayesianNetwork) -> list[Mask]:
    """Return for each table the variables it mentions."""
    index = {name: position for position, name in enumerate(network.names)}
    return [mask_of([index[variable.name] for variable in cpt.scope]) for cpt in network.cpts]


@record
class MaskTree:
    """A jointree on positions of variables: clusters, and the neighbours of each."""

    clusters: list[Mask]
    near: list[list[NodeIndex]]


def cluster_tree(search: MinFill) -> MaskTree:
    """Return the jointree of a finished elimination (steps 2 and 3 of ``build_jointree``)."""
    order, clusters = search.order, search.clusters
    rank = [0] * len(order)
    for number, variable in enumerate(order):
        rank[variable] = number
    last = len(order) - 1
    links = []
    for number, cluster in enumerate(clusters):
        rest = cluster & ~(1 << order[number])
        links.append(min([rank[v] for v in positions(rest)]) if rest else min(number + 1, last))
    # A cluster has a variable that no later one has, so only a link can be contained, in one before it.
    host = list(range(len(order)))
    for number, link in enumerate(links):
        if link != number and host[link] == link and not clusters[link] & ~clusters[number]:
            host[link] = host[number]
    index = {number: position for position, number in enumerate(n for n, h in enumerate(host) if n == h)}
    near: list[list[NodeIndex]] = [[] for _ in index]
    for number, link in enumerate(links):
        if host[number] != host[link]:
            first, second = index[host[number]], index[host[link]]
            near[first].append(second)
            near[second].append(first)
    return MaskTree([clusters[number] for number in index], [sorted(nodes) for nodes in near])


def named_tree(tree: MaskTree, names: Sequence[Name]) -> Jointree:
    """Return the jointree with the names of its variables."""
    clusters = tuple(frozenset([names[v] for v in positions(cluster)]) for cluster in tree.clusters)
    edges = [(node, other) for node, near in enumerate(tree.near) for other in near if node < other]
    return Jointree(clusters, tuple(sorted(edges)))


def downwards(
    near: Sequence[Sequence[NodeIndex]], root: NodeIndex
) -> tuple[list[NodeIndex], list[NodeIndex]]:
    """Return the nodes of a tree, parents first, and the parent of each (-1 at the root)."""
    order, above = [root], [-1] * len(near)
    for index in order:
        for other in near[index]:
            if other != above[index]:
                above[other] = index
                order.append(other)
    return order, above


def chains(near: Sequence[Sequence[NodeIndex]]) -> tuple[list[list[NodeIndex]], list[NodeIndex]]:
    """Unfold a tree: each busy node becomes a chain of copies, one for each neighbour.

    An edge between two copies splits the neighbours of the node into two groups, so there are more ways to
    cut the tree; without it a naive Bayes network, a star, could only be cut at its tips. Returns the
    neighbours in the unfolded tree, and for each of its nodes the one that it copies: itself at its own
    position; further copies come after all nodes.
    """
    unfolded: list[list[NodeIndex]] = [[] for _ in near]
    originals = list(range(len(near)))
    ports: list[dict[NodeIndex, NodeIndex]] = []  # for each neighbour the copy that links to it
    for node, neighbours in enumerate(near):
        at = node
        port = {}
        for position, other in enumerate(neighbours):
            if position > 0 and len(neighbours) > 2:
                copy = len(unfolded)
                unfolded.append([at])
                unfolded[at].append(copy)
                originals.append(node)
                at = copy
            port[other] = at
        ports.append(port)
    for node, port in enumerate(ports):
        for other, at in port.items():
            unfolded[at].append(ports[other][node])
    return unfolded, originals
