"""Exact model counts, as Python integers."""

from __future__ import annotations

from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import FeatureSet, features_below, is_and_decomposable
from bnc2d.logic.circuit.transforms import condition, negate
from bnc2d.logic.convert.sat import overlapping_on_sight
from bnc2d.logic.domain import Domain

# How many distinct sub-circuits one level of the diagram may have before counting gives up.
_MAX_WIDTH = 200_000


def model_count(manager: Manager, root: NodeId) -> int:
    """Return the number of instances that satisfy the circuit.

    Linear where the circuit, or its negation, is AND-decomposable and its ORs are deterministic on sight
    (every decision diagram is); otherwise by expanding feature after feature and merging equal
    sub-circuits, which can take exponential space and then raises ``LimitExceeded``.
    """
    if _countable(manager, root):
        return _count_decomposable(manager, root)
    complement = negate(manager, root)
    if _countable(manager, complement):
        return manager.domain.instance_count - _count_decomposable(manager, complement)
    return _count_by_levels(manager, root)


def _countable(manager: Manager, root: NodeId) -> bool:
    return is_and_decomposable(manager, root) and not overlapping_on_sight(manager, root)


def _count_decomposable(manager: Manager, root: NodeId) -> int:
    """Count bottom-up: products at ANDs, sums at ORs, each part times the states of features it lacks."""
    below = features_below(manager, root)
    weight = _Weights(manager.domain)
    counts: dict[NodeId, int] = {}
    for node, features in below.items():
        kind = manager.kind(node)
        if kind == Kind.LITERAL:
            counts[node] = manager.literal_of(node)[1].bit_count()
        elif kind == Kind.CONSTANT:
            counts[node] = int(node == TRUE)
        elif kind == Kind.AND:
            product = 1
            for child in manager.children(node):
                product *= counts[child]
            counts[node] = product
        else:
            children = manager.children(node)
            counts[node] = sum(counts[child] * weight.of(features & ~below[child]) for child in children)
    everything = (1 << len(manager.domain)) - 1
    return counts[root] * weight.of(everything & ~below[root])


class _Weights:
    """The number of instances of a set of features, remembered."""

    def __init__(self, domain: Domain) -> None:
        self._cardinalities = domain.cardinalities
        self._known: dict[FeatureSet, int] = {0: 1}

    def of(self, features: FeatureSet) -> int:
        if features not in self._known:
            product = 1
            for feature, size in enumerate(self._cardinalities):
                if features >> feature & 1:
                    product *= size
            self._known[features] = product
        return self._known[features]


def _count_by_levels(manager: Manager, root: NodeId) -> int:
    """Count top-down: fix one feature a level, merge equal sub-circuits, carry how often each is reached."""
    work = Manager(manager.domain)
    level = {rewrite(manager, root, work.add_literal, into=work): 1}
    for feature, size in enumerate(manager.domain.cardinalities):
        following: dict[NodeId, int] = {}
        for node, ways in level.items():
            if node == TRUE or not features_below(work, node)[node] >> feature & 1:
                following[node] = following.get(node, 0) + ways * size
                continue
            for state in range(size):
                fixed = condition(work, node, {feature: 1 << state})
                following[fixed] = following.get(fixed, 0) + ways
        following.pop(0, None)
        if len(following) > _MAX_WIDTH:
            raise LimitExceeded(
                f"counting needs more than {_MAX_WIDTH} sub-circuits after {feature + 1} features; "
                "try to_sdd().count()"
            )
        level = following
    return level.get(TRUE, 0)
