"""What the paper's algorithm needs of each node on the right spine, computed once for all classes.

For a node ``q`` with parent ``p``, left child ``l`` and right child ``r`` (Zhang and Darwiche 2026):

- ``φ_cq`` is the message from child ``c`` without evidence, ``φ_q`` the potential of ``q`` times the messages
  of its children;
- ``pr_l = P(v_l | S_ql) = E_l / φ_lq``, where ``E_l`` is the message with the features below ``l`` kept, for
  all their instances ``v_l`` at once;
- ``M`` goes down the spine: ``P(Y, u, v_l, S_qr) = project(M · φ_q · pr_l, S_qr ∪ Y)``, and
  ``M_qr`` is that divided by ``φ_rq``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from bnc2d.base.arrays import Rows, contiguous
from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.graph.feature_tree import FeatureTree, build_feature_tree
from bnc2d.compile.graph.jointree import Name, NodeIndex, build_jointree
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.paper.decide_negative import Flags
from bnc2d.compile.paper.potential import ONE, SMALLEST, Array, Potential, eliminate, product
from bnc2d.model.classifier import BaseClassifier


@dataclass(frozen=True)
class SpineNode:
    """One step down the spine; the last one (a leaf node) takes the states of its own feature as ``v_l``.

    ``M`` is an array ``[u, class, separator state]``; classes have one entry where nothing depends on them.
    """

    features: tuple[int, ...]  # left features, as positions in the classifier
    cardinalities: tuple[int, ...]  # of these features
    states: Rows  # [v_l, left feature]
    is_last: bool
    splits_features: bool  # the edge to the right child has neither target nor feature in its separator
    roundings: int  # of P(Y, u, v_l, S_qr)
    trusted: bool
    incoming: tuple[int, ...]  # cardinalities of the separator above, in the order of M
    kept: tuple[int, ...]  # axes of it that go on to the separator below
    gone: tuple[int, ...]  # axes of it that are summed out
    table: Array  # φ_q · pr_l as [class, kept, gone, v_l · new separator variables]
    right_message: Array  # φ_rq as [class, separator state]

    def extend(self, factor: Array) -> Array:
        """Return ``project(M · φ_q · pr_l, S_qr ∪ Y)`` as ``[u, v_l, class, separator state]``."""
        count, classes = factor.shape[:2]
        shaped = factor.reshape(count, classes, *self.incoming)
        turned = shaped.transpose(1, *(2 + a for a in self.kept), 0, *(2 + a for a in self.gone))
        both = prod(self.incoming[axis] for axis in self.kept)
        grown = np.matmul(turned.reshape(classes, both, count, -1), self.table)
        classes = len(grown)
        extended: Array = (
            grown.reshape(classes, both, count, len(self.states), -1)
            .transpose(2, 3, 0, 1, 4)
            .reshape(count, len(self.states), classes, -1)
        )
        return extended

    def extend_support(self, allowed: Array) -> Array:
        """Return which states of ``S_qr`` each ``v_l`` leaves possible, as 0/1, from those of ``S_pq``."""
        return (self.extend(allowed) > 0).astype(np.float64)

    def divide(self, joint: Array) -> tuple[Array, Flags]:
        """Return ``joint / φ_rq`` (0/0 is 0), and for each row whether float64 loses nothing with it.

        Rows are scaled by powers of two to a largest entry near 1: a common factor of all classes and
        separator states changes no decision. What is then too small to be multiplied safely is flagged.
        """
        message = np.broadcast_to(self.right_message, joint.shape)
        factor = np.divide(joint, message, out=np.zeros_like(joint), where=message > 0)
        largest: Array = factor.max(axis=(1, 2))
        least: Array = factor.min(axis=(1, 2), where=factor > 0, initial=np.inf)
        scaled: Array = np.ldexp(factor, -np.frexp(largest)[1][:, None, None])
        return scaled, least >= SMALLEST * largest


def build_spine(classifier: BaseClassifier, seed: int) -> list[SpineNode]:
    """Prepare the network, build its jointree and f-tree, pass messages, and return the spine's nodes."""
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, seed)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    return _Messages(prepared, tree).spine()


def assign(prepared: Prepared, tree: FeatureTree) -> list[Potential]:
    """Return the potential of each node of the f-tree; their product, summed out, is ``P(Y, X)``.

    Variables in no cluster of the f-tree are eliminated first. They live in parts of the jointree that hang
    off the f-tree by one separator each, and what elimination leaves of such a part is over variables that
    the part shares with the f-tree: over that separator. So a cluster covers every table that is left.
    """
    inside = frozenset().union(*(node.cluster for node in tree.nodes))
    outside = [name for name in prepared.network.names if name not in inside]
    tables = eliminate([Potential.of_cpt(cpt) for cpt in prepared.network.cpts], outside)
    assigned: list[list[Potential]] = [[] for _ in tree.nodes]
    for table in tables:
        home = next(i for i, node in enumerate(tree.nodes) if node.cluster.issuperset(table.scope))
        assigned[home].append(table)
    return [product(tables) for tables in assigned]


class _Messages:
    """Messages towards the root of an f-tree, without evidence and with the features kept."""

    def __init__(self, prepared: Prepared, tree: FeatureTree) -> None:
        self._prepared, self._tree = prepared, tree
        self._positions = {name: position for position, name in enumerate(prepared.features)}
        self._below = tree.features_below()
        self._assigned = assign(prepared, tree)
        self._with_messages: list[Potential] = [*self._assigned]  # φ_q
        self._messages: list[Potential] = [*self._assigned]  # φ_qp
        for node in reversed(range(len(tree.nodes))):
            checkpoint()
            children = [self._messages[child] for child in tree.children(node)]
            self._with_messages[node] = product([self._assigned[node], *children])
            self._messages[node] = self._with_messages[node].project(tree.separator(node))

    def spine(self) -> list[SpineNode]:
        incoming: tuple[Name, ...] = ()
        roundings = 0
        nodes = []
        for index in self._tree.spine():
            checkpoint()
            node, incoming = self._spine_node(index, incoming, roundings)
            # The division by φ_rq on the way down counts as well.
            right = self._tree.nodes[index].right
            roundings = node.roundings + (0 if right is None else self._messages[right].roundings + 1)
            nodes.append(node)
        return nodes

    def _spine_node(
        self, index: NodeIndex, incoming: tuple[Name, ...], roundings: int
    ) -> tuple[SpineNode, tuple[Name, ...]]:
        tree, target = self._tree, self._tree.target
        left, right = tree.nodes[index].left, tree.nodes[index].right
        features = self._below[index] if right is None else () if left is None else self._below[left]
        table = self._with_messages[index]
        if left is not None:
            table = table.multiply(self._instances_below(left).divide(self._messages[left]))
        separator = frozenset() if right is None else tree.separator(right)
        table = table.project({*features, *incoming, *separator, target})
        kept = [name for name in incoming if name in separator]
        gone = [name for name in incoming if name not in separator]
        new = sorted(separator - {*incoming, target})
        shape = [self._size(names) for names in (kept, gone, [*features, *new])]
        message = ONE if right is None else self._messages[right]
        cardinalities = tuple(self._size([name]) for name in features)
        node = SpineNode(
            features=tuple(self._positions[name] for name in features),
            cardinalities=cardinalities,
            states=np.indices(cardinalities, dtype=np.intp).reshape(len(features), prod(cardinalities)).T,
            is_last=right is None,
            splits_features=right is not None and tree.is_feature_splitting(right),
            roundings=roundings + table.roundings + shape[1],
            trusted=table.trusted and message.trusted,
            incoming=tuple(self._size([name]) for name in incoming),
            kept=tuple(incoming.index(name) for name in kept),
            gone=tuple(incoming.index(name) for name in gone),
            table=self._dense(table, [target, *kept, *gone, *features, *new]).reshape(-1, *shape),
            right_message=self._dense(message, [target, *kept, *new]).reshape(-1, self._size([*kept, *new])),
        )
        return node, (*kept, *new)

    def _dense(self, table: Potential, scope: list[Name]) -> Array:
        """Return the values over ``scope``, repeated along all missing axes but the first (the target's)."""
        values = table.aligned(scope)
        shape = (values.shape[0], *(self._size([name]) for name in scope[1:]))
        return contiguous(np.broadcast_to(values, shape))

    def _size(self, names: list[Name] | tuple[Name, ...]) -> int:
        return prod(len(self._prepared.network.variable(name)) for name in names)

    def _instances_below(self, top: NodeIndex) -> Potential:
        """Return ``E_top``: the message of a left child with the features below it kept."""
        tree = self._tree
        subtree = [top]
        for node in subtree:
            subtree.extend(tree.children(node))
        messages: dict[NodeIndex, Potential] = {}
        for node in reversed(subtree):
            checkpoint()
            children = [messages.pop(child) for child in tree.children(node)]
            kept = {*tree.separator(node), *self._below[node]}
            messages[node] = product([self._assigned[node], *children]).project(kept)
        return messages[top]
