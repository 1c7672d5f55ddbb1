"""What the paper's algorithm needs of each node on the right spine, computed once for all classes.

For a node ``q`` with parent ``p``, left child ``l`` and right child ``r`` (Zhang and Darwiche 2026):

- ``φ_cq`` is the message from child ``c`` without evidence, ``φ_q`` the potential of ``q`` times the messages
  of its children;
- ``pr_l = P(v_l | S_ql) = E_l / φ_lq``, where ``E_l`` is the message with the features below ``l`` kept, for
  all their instances ``v_l`` at once;
- ``M`` goes down the spine: ``P(Y, u, v_l, S_qr) = project(M · φ_q · pr_l, S_qr ∪ Y)``, and
  ``M_qr`` is that divided by ``φ_rq``.

Potentials are what the tables of the network come to in the clusters; all factors stand for their true values
up to a positive factor, which changes no decision.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2, prod

import numpy as np

from bnc2d.base.arrays import Rows, contiguous
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId, mask_of, positions
from bnc2d.base.records import record
from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.jointree import NodeIndex
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.paper.decide_negative import Flags
from bnc2d.errors import LimitExceeded
from bnc2d.model.accounts import Floats, exponents
from bnc2d.model.elimination import eliminate, smallest_first
from bnc2d.model.factors import Factor, multiply_out

# A positive entry of a table that is relied on is at least this large, so that a product of two such entries,
# divided by a third, cannot underflow; and none is above 2 to the power of the second.
SMALLEST = 1e-130
_HIGHEST = 100.0
_MAX_ENTRIES = 1 << 26  # of a table: 512 MiB


@record
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
    table: Floats  # φ_q · pr_l as [class, kept, gone, v_l · new separator variables]
    right_message: Floats  # φ_rq as [class, separator state]

    def extend(self, factor: Floats) -> Floats:
        """Return ``project(M · φ_q · pr_l, S_qr ∪ Y)`` as ``[u, v_l, class, separator state]``."""
        count, classes = factor.shape[:2]
        shaped = factor.reshape(count, classes, *self.incoming)
        turned = shaped.transpose(1, *(2 + a for a in self.kept), 0, *(2 + a for a in self.gone))
        both = prod(self.incoming[axis] for axis in self.kept)
        grown = np.matmul(turned.reshape(classes, both, count, -1), self.table)
        classes = len(grown)
        extended: Floats = (
            grown.reshape(classes, both, count, len(self.states), -1)
            .transpose(2, 3, 0, 1, 4)
            .reshape(count, len(self.states), classes, -1)
        )
        return extended

    def divide(self, joint: Floats) -> tuple[Floats, Flags]:
        """Return ``joint / φ_rq`` (0/0 is 0), and for each row whether float64 loses nothing with it.

        Rows are scaled by powers of two to a largest entry near 1: a common factor of all classes and
        separator states changes no decision. What is then too small to be multiplied safely is flagged.
        """
        message = np.broadcast_to(self.right_message, joint.shape)
        factor = np.divide(joint, message, out=np.zeros_like(joint), where=message > 0)
        largest: Floats = factor.max(axis=(1, 2))
        least: Floats = factor.min(axis=(1, 2), where=factor > 0, initial=np.inf)
        scaled: Floats = np.ldexp(factor, -np.frexp(largest)[1][:, None, None])
        return scaled, least >= SMALLEST * largest


class Spine:
    """Passes messages towards the root of an f-tree, and gives the ``nodes`` of its right spine."""

    def __init__(self, prepared: Prepared, tree: FeatureTree) -> None:
        self._prepared, self._tree = prepared, tree
        self._potentials = potentials_of(prepared, tree)
        self._below = [tuple(prepared.ids[name] for name in names) for names in tree.features_below()]
        self._with_messages: list[Factor] = [*self._potentials]  # φ_q
        self._messages: list[Factor] = [*self._potentials]  # φ_qp
        for node in reversed(range(len(tree.nodes))):
            checkpoint()
            children = [self._messages[child] for child in tree.children(node)]
            self._with_messages[node] = multiply(prepared, [self._potentials[node], *children])
            self._messages[node] = project(prepared, [self._with_messages[node]], self._separator(node))

    def _separator(self, node: NodeIndex | None) -> set[VariableId]:
        return set() if node is None else {self._prepared.ids[name] for name in self._tree.separator(node)}

    def nodes(self) -> list[SpineNode]:
        """Return the nodes from the root down."""
        incoming: tuple[VariableId, ...] = ()
        roundings = 0
        nodes = []
        for index in self._tree.spine():
            checkpoint()
            node, incoming = self._spine_node(index, incoming, roundings)
            # The division by φ_rq on the way down counts as well.
            right = self._tree.nodes[index].right
            roundings = node.roundings + (0 if right is None else self._messages[right].account.roundings + 1)
            nodes.append(node)
        return nodes

    def _spine_node(
        self, index: NodeIndex, incoming: tuple[VariableId, ...], roundings: int
    ) -> tuple[SpineNode, tuple[VariableId, ...]]:
        tree, prepared = self._tree, self._prepared
        target, sizes = prepared.target_id, prepared.sizes
        left, right = tree.nodes[index].left, tree.nodes[index].right
        features = self._below[index] if right is None else () if left is None else self._below[left]
        tables = [self._with_messages[index]]
        if left is not None:
            tables.append(self._instances_below(left).divided_by(self._messages[left]))
        separator = self._separator(right)
        table = project(prepared, tables, {*features, *incoming, *separator, target})
        kept = [variable for variable in incoming if variable in separator]
        gone = [variable for variable in incoming if variable not in separator]
        new = sorted(separator - {*incoming, target}, key=prepared.network.names.__getitem__)
        shape = [prod(sizes[v] for v in variables) for variables in (kept, gone, [*features, *new])]
        message = Factor.one(np.float64) if right is None else self._messages[right]
        dense = self._dense(message, [target, *kept, *new])
        cardinalities = tuple(sizes[variable] for variable in features)
        node = SpineNode(
            features=tuple(prepared.feature_ids.index(variable) for variable in features),
            cardinalities=cardinalities,
            states=np.indices(cardinalities, dtype=np.intp).reshape(len(features), prod(cardinalities)).T,
            is_last=right is None,
            splits_features=right is not None and tree.is_feature_splitting(right),
            roundings=roundings + table.account.roundings + shape[1],
            trusted=_is_moderate(table) and _is_moderate(message),
            incoming=tuple(sizes[variable] for variable in incoming),
            kept=tuple(incoming.index(variable) for variable in kept),
            gone=tuple(incoming.index(variable) for variable in gone),
            table=self._dense(table, [target, *kept, *gone, *features, *new]).reshape(-1, *shape),
            right_message=dense.reshape(len(dense), -1),
        )
        return node, (*kept, *new)

    def _dense(self, table: Factor, scope: list[VariableId]) -> Floats:
        """Return the values over ``scope``, repeated along all missing axes but the first (the target's)."""
        values: Floats = table.over(scope)[0]
        shape = (values.shape[0], *(self._prepared.sizes[variable] for variable in scope[1:]))
        return contiguous(np.broadcast_to(values, shape))

    def _instances_below(self, top: NodeIndex) -> Factor:
        """Return ``E_top``: the message of a left child with the features below it kept."""
        tree = self._tree
        subtree = [top]
        for node in subtree:
            subtree.extend(tree.children(node))
        messages: dict[NodeIndex, Factor] = {}
        for node in reversed(subtree):
            checkpoint()
            children = [messages.pop(child) for child in tree.children(node)]
            kept = {*self._separator(node), *self._below[node]}
            messages[node] = project(self._prepared, [self._potentials[node], *children], kept)
        return messages[top]


def _is_moderate(factor: Factor) -> bool:
    """Return whether entries can be multiplied safely: nothing was lost, none is too small or too large."""
    lowest, highest = exponents(factor.table)
    return factor.account.lost is None and lowest >= log2(SMALLEST) and highest <= _HIGHEST


def potentials_of(prepared: Prepared, tree: FeatureTree) -> list[Factor]:
    """Return the potential of each node; their product, summed out, is ``P(Y, X)``.

    Variables in no cluster of the f-tree are eliminated first. They live in parts of the jointree that hang
    off the f-tree by one separator each, and what elimination leaves of such a part is over variables that
    the part shares with the f-tree: over that separator. So a cluster covers every table that is left.
    """
    clusters = [{prepared.ids[name] for name in node.cluster} for node in tree.nodes]
    outside = set(range(len(prepared.scopes))).difference(*clusters)
    tables = [Factor.of_cpt(cpt, prepared.ids, np.float64) for cpt in prepared.network.cpts]
    joins = smallest_first(prepared.scopes, mask_of(outside), prepared.counts.count)
    left = eliminate(
        tables, prepared.scopes, joins, lambda some, gone: multiply(prepared, some, positions(gone))
    )
    assigned: list[list[Factor]] = [[] for _ in clusters]
    for table in left:
        home = next(node for node, cluster in enumerate(clusters) if cluster.issuperset(table.scope))
        assigned[home].append(table)
    return [multiply(prepared, tables) for tables in assigned]


def project(prepared: Prepared, factors: Sequence[Factor], kept: Collection[VariableId]) -> Factor:
    """Return the product over the variables ``kept``; the others are summed out."""
    return multiply(prepared, factors, {v for factor in factors for v in factor.scope}.difference(kept))


def multiply(prepared: Prepared, factors: Sequence[Factor], summed: Collection[VariableId] = ()) -> Factor:
    """Return the product with some variables summed out; 1 where there is no factor."""
    scope = list(dict.fromkeys(variable for factor in factors for variable in factor.scope))
    size = prod(prepared.sizes[variable] for variable in scope)
    if size > _MAX_ENTRIES:
        shown = ", ".join(prepared.network.names[variable] for variable in scope[:6])
        raise LimitExceeded(
            f"the paper's method needs a table of {size} entries (limit {_MAX_ENTRIES}) "
            f"over {shown}{' …' if len(scope) > 6 else ''}"
        )
    return multiply_out(factors or [Factor.one(np.float64)], summed)
