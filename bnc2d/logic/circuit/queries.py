"""Questions about a circuit, each a fold: evaluation, sizes, features, properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.circuit.fold import fold, fold_all
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId

FeatureSet: TypeAlias = int  # bit i stands for feature i
Rows: TypeAlias = NDArray[np.intp]  # [instance, feature] -> position of the state

# Rows are evaluated so many at a time that the bit vectors of all nodes together stay around this size.
_BITS_AT_ONCE = 1 << 28


def evaluate(manager: Manager, root: NodeId, positions: Sequence[int]) -> bool:
    """Return the value for one instance, given as state positions."""
    return fold(manager, root, bool, lambda feature, mask: bool(mask >> positions[feature] & 1), all, any)


def evaluate_rows(manager: Manager, root: NodeId, rows: Rows) -> NDArray[np.bool_]:
    """Return the value for each row, many at once: a node's values are the bits of one Python integer."""
    nodes = len(manager.reachable(root))
    step = max(64, _BITS_AT_ONCE // nodes)
    parts = [
        _evaluate_chunk(manager, root, rows[start : start + step]) for start in range(0, len(rows), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)


def _evaluate_chunk(manager: Manager, root: NodeId, rows: Rows) -> NDArray[np.bool_]:
    count = len(rows)
    everything = (1 << count) - 1
    where: dict[tuple[int, int], int] = {}
    for feature, size in enumerate(manager.domain.cardinalities):
        for state in range(size):
            packed = np.packbits(rows[:, feature] == state, bitorder="little")
            where[feature, state] = int.from_bytes(packed.tobytes(), "little")

    def literal(feature: int, mask: int) -> int:
        states = [state for state in range(mask.bit_length()) if mask >> state & 1]
        return reduce(or_, (where[feature, state] for state in states))

    bits = fold(
        manager,
        root,
        lambda value: everything if value else 0,
        literal,
        lambda values: reduce(and_, values),
        lambda values: reduce(or_, values),
        release=True,
    )
    packed = np.frombuffer(bits.to_bytes((count + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").astype(bool)


def node_count(manager: Manager, root: NodeId) -> int:
    """Return the number of distinct nodes, literals and constants included."""
    return len(manager.reachable(root))


def edge_count(manager: Manager, root: NodeId) -> int:
    """Return the number of edges."""
    return sum(len(manager.children(node)) for node in manager.reachable(root))


def depth(manager: Manager, root: NodeId) -> int:
    """Return the length of the longest path from the root; a literal has depth 0."""
    deepest: Callable[[Sequence[int]], int] = lambda values: 1 + max(values)  # noqa: E731
    return fold(manager, root, lambda _: 0, lambda *_: 0, deepest, deepest)


def features_below(manager: Manager, root: NodeId) -> dict[NodeId, FeatureSet]:
    """Return the features that occur below each node."""
    union: Callable[[Sequence[int]], int] = lambda values: reduce(or_, values)  # noqa: E731
    return fold_all(manager, root, lambda _: 0, lambda feature, _: 1 << feature, union, union)


def is_or_decomposable(manager: Manager, root: NodeId) -> bool:
    """Return whether no two disjuncts of an OR share a feature."""
    known = manager.or_decomposable
    if root not in known:
        known[root] = _is_decomposable(manager, root, Kind.OR)
    return known[root]


def is_and_decomposable(manager: Manager, root: NodeId) -> bool:
    """Return whether no two conjuncts of an AND share a feature."""
    return _is_decomposable(manager, root, Kind.AND)


def _is_decomposable(manager: Manager, root: NodeId, kind: Kind) -> bool:
    """Fold the features below a node, or None once two parts of a node of this kind share one."""

    def split(parts: Sequence[FeatureSet | None]) -> FeatureSet | None:
        seen = 0
        for part in parts:
            if part is None or seen & part:
                return None
            seen |= part
        return seen

    def shared(parts: Sequence[FeatureSet | None]) -> FeatureSet | None:
        seen = 0
        for part in parts:
            if part is None:
                return None
            seen |= part
        return seen

    conjunction, disjunction = (split, shared) if kind == Kind.AND else (shared, split)
    empty: Callable[[bool], FeatureSet | None] = lambda _: 0  # noqa: E731
    literal: Callable[[int, int], FeatureSet | None] = lambda feature, _: 1 << feature  # noqa: E731
    return fold(manager, root, empty, literal, conjunction, disjunction, release=True) is not None


def is_monotone_towards(manager: Manager, root: NodeId, positions: Sequence[int]) -> bool:
    """Return whether every literal holds for the instance: moving towards it never makes the circuit false.

    Such a circuit is *locally fixated* on the instance (Ji and Darwiche 2023).
    """
    nodes = (node for node in manager.reachable(root) if manager.kind(node) == Kind.LITERAL)
    return all(mask >> positions[feature] & 1 for feature, mask in map(manager.literal_of, nodes))


def is_constant(root: NodeId) -> bool:
    """Return whether the node is true or false (structure only; no reasoning)."""
    return root in (FALSE, TRUE)
