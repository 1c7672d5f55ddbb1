"""Jointrees by min-fill elimination (step 2 of Zhang and Darwiche 2026)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bnc2d.model.network import BayesianNetwork

Name: TypeAlias = str
NodeIndex: TypeAlias = int  # position of a node in its jointree
Cluster: TypeAlias = frozenset[Name]


@dataclass(frozen=True)
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

    def assert_valid(self, families: Iterable[Iterable[Name]]) -> None:
        """Check that this is a tree, that each family lies in a cluster, and the running intersection."""
        assert len(self.edges) == len(self.clusters) - 1, "a tree has one edge less than nodes"  # noqa: S101
        near = self.neighbours()
        assert len(_component(0, near, range(len(near)))) == len(near), "not connected"  # noqa: S101
        for family in families:
            assert any(cluster.issuperset(family) for cluster in self.clusters), f"no cluster for {family}"  # noqa: S101
        for name in frozenset().union(*self.clusters):
            holders = [node for node, cluster in enumerate(self.clusters) if name in cluster]
            assert len(_component(holders[0], near, holders)) == len(holders), f"{name} is torn apart"  # noqa: S101


def _component(start: NodeIndex, near: list[list[NodeIndex]], allowed: Iterable[NodeIndex]) -> set[NodeIndex]:
    inside = set(allowed)
    found, pending = {start}, [start]
    while pending:
        fresh = inside.intersection(near[pending.pop()]) - found
        found |= fresh
        pending.extend(fresh)
    return found


def moral_graph(network: BayesianNetwork) -> dict[Name, set[Name]]:
    """Return the neighbours of each variable: parents, children, and other parents of its children."""
    graph: dict[Name, set[Name]] = {name: set() for name in network.names}
    for cpt in network.cpts:
        family = [variable.name for variable in cpt.scope]
        for name in family:
            graph[name].update(family)
    for name, near in graph.items():
        near.discard(name)
    return graph


def min_fill_order(graph: Mapping[Name, set[Name]], seed: int = 0) -> list[Name]:
    """Return an elimination order that adds few edges: next comes a variable whose neighbours lack fewest.

    Ties are broken by a seeded generator.
    """
    rng = Random(seed)  # noqa: S311 - ties in a heuristic, not cryptography
    near = {name: set(others) for name, others in graph.items()}

    def fill(name: Name) -> int:
        others = near[name]
        return sum(len(others - near[other]) - 1 for other in others) // 2

    fills = {name: fill(name) for name in near}
    order = []
    while fills:
        least = min(fills.values())
        name = rng.choice([candidate for candidate, count in fills.items() if count == least])
        others = near.pop(name)
        del fills[name]
        order.append(name)
        changed = set(others)
        for other in others:
            near[other].discard(name)
            if not near[other] >= others - {other}:
                near[other] |= others - {other}
                changed |= near[other]  # a new edge may complete the neighbourhood of a common neighbour
        for other in changed & fills.keys():
            fills[other] = fill(other)
    return order


def build_jointree(network: BayesianNetwork, seed: int = 0) -> Jointree:
    """Return the jointree of a min-fill order, with maximal clusters only.

    1. Eliminate: a variable and its neighbours at that moment make a cluster.
    2. Link each cluster to the one of the variable eliminated next among its rest; parts that are not
       connected are linked by empty separators.
    3. Merge a cluster into its link where one contains the other.
    """
    near = {name: set(others) for name, others in moral_graph(network).items()}
    order = min_fill_order(near, seed)
    position = {name: number for number, name in enumerate(order)}
    clusters: list[set[Name]] = []
    for name in order:
        others = near.pop(name)
        clusters.append({name, *others})
        for other in others:
            near[other] |= others - {other}
            near[other].discard(name)
    parents: list[NodeIndex | None] = []
    for number, cluster in enumerate(clusters):
        rest = [position[name] for name in cluster if position[name] > number]
        parents.append(min(rest) if rest else (number + 1 if number + 1 < len(clusters) else None))
    return _merged(clusters, parents)


def _merged(clusters: list[set[Name]], parents: list[NodeIndex | None]) -> Jointree:
    """Merge clusters that contain one another; children come before their parents."""
    alive: dict[NodeIndex, set[Name]] = dict(enumerate(clusters))
    near: dict[NodeIndex, set[NodeIndex]] = {number: set() for number in alive}
    for number, parent in enumerate(parents):
        if parent is not None:
            near[number].add(parent)
            near[parent].add(number)
    for number in range(len(clusters)):
        host = next((other for other in sorted(near[number]) if alive[other] >= alive[number]), None)
        if host is not None:
            for other in near.pop(number):
                near[other].discard(number)
                if other != host:
                    near[other].add(host)
                    near[host].add(other)
            del alive[number]
    index = {number: rank for rank, number in enumerate(alive)}
    edges = sorted((index[a], index[b]) for a in alive for b in near[a] if index[a] < index[b])
    return Jointree(tuple(frozenset(cluster) for cluster in alive.values()), tuple(edges))


def unfold(tree: Jointree, features: frozenset[Name]) -> Jointree:
    """Return the tree with each busy node as a chain of copies, one for each neighbour.

    An edge between two copies splits the neighbours of the node into two groups, so there are more ways to
    cut the tree; without it a naive Bayes network, a star, could only be cut at its tips. Copies leave out
    features, which stay with the original.
    """
    clusters = list(tree.clusters)
    edges: list[tuple[NodeIndex, NodeIndex]] = []
    port: dict[tuple[NodeIndex, NodeIndex], NodeIndex] = {}  # (node, neighbour) -> the copy that links them
    for node, neighbours in enumerate(tree.neighbours()):
        at = node
        for position, other in enumerate(neighbours):
            if position > 0 and len(neighbours) > 2:
                clusters.append(tree.clusters[node] - features)
                edges.append((at, len(clusters) - 1))
                at = len(clusters) - 1
            port[node, other] = at
    edges += [(port[first, second], port[second, first]) for first, second in tree.edges]
    return Jointree(tuple(clusters), tuple(sorted((min(edge), max(edge)) for edge in edges)))
