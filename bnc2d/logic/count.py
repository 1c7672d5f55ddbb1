"""Exact model counts, as Python integers."""

from __future__ import annotations

from bnc2d.errors import LimitExceeded
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.fold import fold_all, rewrite
from bnc2d.logic.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.queries import FeatureSet, features_below, is_and_decomposable
from bnc2d.logic.transforms import condition, negate

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
    return is_and_decomposable(manager, root) and is_deterministic_on_sight(manager, root)


def is_deterministic_on_sight(manager: Manager, root: NodeId) -> bool:
    """Return whether any two disjuncts of an OR force one feature into disjoint states (sufficient only)."""
    forced = forced_masks(manager, root)
    for node in forced:
        if manager.kind(node) == Kind.OR:
            children = manager.children(node)
            for position, child in enumerate(children):
                if not all(contradict(forced[child], forced[other]) for other in children[:position]):
                    return False
    return True


def contradict(left: dict[FeatureId, StateMask], right: dict[FeatureId, StateMask]) -> bool:
    """Return whether some feature is forced into disjoint states."""
    return any(feature in right and not mask & right[feature] for feature, mask in left.items())


def forced_masks(manager: Manager, root: NodeId) -> dict[NodeId, dict[FeatureId, StateMask]]:
    """Return for each node states that all its models have, read off literals: an outer bound."""

    def conjunction(parts: list[dict[FeatureId, StateMask]]) -> dict[FeatureId, StateMask]:
        forced: dict[FeatureId, StateMask] = {}
        for part in parts:
            for feature, mask in part.items():
                forced[feature] = forced.get(feature, -1) & mask
        return forced

    def disjunction(parts: list[dict[FeatureId, StateMask]]) -> dict[FeatureId, StateMask]:
        common = set(parts[0]).intersection(*parts[1:])
        forced = {}
        for feature in common:
            mask = 0
            for part in parts:
                mask |= part[feature]
            if mask != manager.domain.full(feature):
                forced[feature] = mask
        return forced

    return fold_all(
        manager,
        root,
        lambda _: {},
        lambda feature, mask: {feature: mask},
        lambda parts: conjunction(list(parts)),
        lambda parts: disjunction(list(parts)),
    )


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
