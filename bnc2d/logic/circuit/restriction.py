"""A circuit feature after feature: what is left of it when one more is set to each of its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.domain import FeatureId

Rank: TypeAlias = int  # place of a feature in an order of all


class Restriction:
    """Sets the feature of one rank to each of its states; nodes must not mention features of lower ranks.

    Every node is split once: what it becomes is remembered, and the nodes of its parts are shared.
    """

    def __init__(self, manager: Manager, order: Sequence[FeatureId]) -> None:
        self._manager = manager
        self._rank_of_feature = {feature: rank for rank, feature in enumerate(order)}
        self._sizes = [manager.domain.cardinalities[feature] for feature in order]
        self._lowest: list[Rank] = [len(order)] * 2  # by node; constants mention no feature
        self._known: dict[NodeId, tuple[NodeId, ...]] = {}

    def __call__(self, node: NodeId, rank: Rank) -> tuple[NodeId, ...]:
        """Return the node with the feature set to each state."""
        if self._lowest_rank(node) > rank:
            return (node,) * self._sizes[rank]
        if node not in self._known:
            self._split(node, rank)
        return self._known[node]

    def _split(self, node: NodeId, rank: Rank) -> None:
        """Split what mentions the feature below a node, children before parents."""
        known, lowest, children_of = self._known, self._lowest, self._manager.children
        pending = [node]
        while pending:
            top = pending[-1]
            missing = [child for child in children_of(top) if lowest[child] <= rank and child not in known]
            if missing:
                pending += missing
            else:
                pending.pop()
                known[top] = self._states(top, rank)

    def _states(self, node: NodeId, rank: Rank) -> tuple[NodeId, ...]:
        manager, size = self._manager, self._sizes[rank]
        kind = manager.kind(node)
        if kind == Kind.LITERAL:
            mask = manager.literal_of(node)[1]
            return tuple(mask >> state & 1 for state in range(size))
        combine = manager.add_and if kind == Kind.AND else manager.add_or
        parts = [
            (child,) * size if self._lowest[child] > rank else self._known[child]
            for child in manager.children(node)
        ]
        return tuple(combine(fixed) for fixed in zip(*parts, strict=True))

    def _lowest_rank(self, node: NodeId) -> Rank:
        manager, lowest = self._manager, self._lowest
        for new in range(len(lowest), node + 1):
            if manager.kind(new) == Kind.LITERAL:
                lowest.append(self._rank_of_feature[manager.literal_of(new)[0]])
            else:
                lowest.append(min(lowest[child] for child in manager.children(new)))
        return lowest[node]


def features_as_met(manager: Manager, root: NodeId) -> list[FeatureId]:
    """Return all features: as a depth-first walk meets them, then those that it does not meet.

    In this order circuits that were made from decisions have few restrictions.
    """
    found: dict[FeatureId, None] = {}
    seen = {root}
    pending = [root]
    while pending:
        checkpoint()
        node = pending.pop()
        if manager.kind(node) == Kind.LITERAL:
            found.setdefault(manager.literal_of(node)[0])
        fresh = [child for child in manager.children(node) if child not in seen]
        seen.update(fresh)
        # Literals last, so that they are popped first: a decision's feature comes before those below it.
        pending.extend(sorted(fresh, key=lambda child: manager.kind(child) == Kind.LITERAL))
    return list(dict.fromkeys([*found, *range(len(manager.domain))]))
