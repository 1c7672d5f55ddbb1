"""Questions about a circuit, each a pass over its levels: evaluation, sizes, features, properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId

FeatureSet: TypeAlias = int  # bit i stands for feature i
Rows: TypeAlias = NDArray[np.intp]  # [instance, feature] -> position of the state

# Rows are evaluated so many at a time that the bit vectors of all nodes together stay around this size.
_BITS_AT_ONCE = 1 << 28
# Above this, the feature sets of all nodes together would take too much memory.
_MOST_BITS = 1 << 31


def evaluate(manager: Manager, root: NodeId, positions: Sequence[int]) -> bool:
    """Return the value for one instance, given as state positions."""
    if manager.few_below(root) is None:
        return bool(holding(manager, root, positions)[-1])
    return fold(manager, root, bool, lambda feature, mask: bool(mask >> positions[feature] & 1), all, any)


def holding(manager: Manager, root: NodeId, positions: Sequence[int]) -> NDArray[np.bool_]:
    """Return which nodes hold for an instance, in the order of ``manager.levels(root)``."""
    levels = manager.levels(root)
    values = np.empty(len(levels), dtype=bool)
    literals = manager.literals(root)
    values[: levels.leaves] = [mask >> positions[feature] & 1 for _, feature, mask in literals] or [root]
    levels.fill(values, np.logical_and, np.logical_or)
    return values


def evaluate_rows(manager: Manager, root: NodeId, rows: Rows) -> NDArray[np.bool_]:
    """Return the value for each row, many at once: a node's values are bits of words."""
    if root in (FALSE, TRUE):
        return np.full(len(rows), root == TRUE)
    levels, literals = manager.levels(root), manager.literals(root)
    step = 64 * max(1, _BITS_AT_ONCE // (64 * len(levels)))
    found = [np.zeros(0, dtype=bool)]
    for start in range(0, len(rows), step):
        checkpoint()
        part = rows[start : start + step]
        values = np.zeros((len(levels), -(-len(part) // 64)), dtype=np.uint64)
        where: dict[tuple[int, int], NDArray[np.uint64]] = {}
        for place, (_, feature, mask) in enumerate(literals):
            for state in range(mask.bit_length()):
                if mask >> state & 1:
                    if (feature, state) not in where:
                        where[feature, state] = _words(part[:, feature] == state)
                    values[place] |= where[feature, state]
        levels.fill(values, np.bitwise_and, np.bitwise_or)
        octets = values[-1].view(np.uint8)
        found.append(np.unpackbits(octets, count=len(part), bitorder="little").astype(bool))
    return np.concatenate(found)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return bits as words, with zeros behind the last."""
    words = np.zeros(-(-len(bits) // 64), dtype=np.uint64)
    octets = np.packbits(bits, bitorder="little")
    words.view(np.uint8)[: len(octets)] = octets
    return words


def node_count(manager: Manager, root: NodeId) -> int:
    """Return the number of distinct nodes, literals and constants included."""
    return manager.size(root)


def edge_count(manager: Manager, root: NodeId) -> int:
    """Return the number of edges."""
    few = manager.few_below(root)
    return len(manager.levels(root).children) if few is None else sum(len(below) for _, _, below in few.gates)


def depth(manager: Manager, root: NodeId) -> int:
    """Return the length of the longest path from the root; a literal has depth 0."""
    manager.kind(root)
    return int(manager.store.levels[root])


def features_below(manager: Manager, root: NodeId) -> FeatureSet:
    """Return the features that occur."""
    return sum(1 << feature for feature in {feature for _, feature, _ in manager.literals(root)})


def feature_words(manager: Manager, root: NodeId) -> NDArray[np.uint64]:
    """Return the features below each node as bits of words, in the order of ``manager.levels(root)``."""
    levels = manager.levels(root)
    words = np.zeros((len(levels), -(-len(manager.domain) // 64)), dtype=np.uint64)
    if root not in (FALSE, TRUE):
        features = manager.store.features[levels.nodes[: levels.leaves]]
        words[np.arange(levels.leaves), features // 64] = np.uint64(1) << (features % 64).astype(np.uint64)
    levels.fill(words[:, 0] if words.shape[1] == 1 else words, np.bitwise_or, np.bitwise_or)
    return words


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
    """Compare for each gate of this kind the number of its features with the sum of its children's."""
    few = manager.few_below(root)
    if few is not None or node_count(manager, root) * len(manager.domain) > _MOST_BITS:
        return _is_decomposable_one_by_one(manager, root, kind)
    levels = manager.levels(root)
    words = feature_words(manager, root)
    sizes = np.bitwise_count(words[:, 0]).astype(np.int64)
    for column in words.T[1:]:
        sizes += np.bitwise_count(column)
    for piece in pieces(len(levels) - levels.leaves):
        gates = slice(levels.leaves + piece.start, levels.leaves + piece.stop)
        starts = levels.starts[gates]
        below = levels.children[starts[0] : levels.starts[gates.stop]]
        sums = np.add.reduceat(take(sizes, below), starts - starts[0])
        if ((sums != sizes[gates]) & (levels.kinds[gates] == kind)).any():
            return False
    return True


def _is_decomposable_one_by_one(manager: Manager, root: NodeId, kind: Kind) -> bool:
    """Do the same with sets that are let go after their last use, or None once two parts share a feature."""

    def union(parts: Sequence[FeatureSet | None], split: bool) -> FeatureSet | None:
        seen = 0
        for part in parts:
            if part is None or (split and seen & part):
                return None
            seen |= part
        return seen

    literal: Callable[[int, int], FeatureSet | None] = lambda feature, _: 1 << feature  # noqa: E731
    found = fold(
        manager,
        root,
        lambda _: 0,
        literal,
        lambda parts: union(parts, kind == Kind.AND),
        lambda parts: union(parts, kind == Kind.OR),
        release=True,
    )
    return found is not None


def is_monotone_towards(manager: Manager, root: NodeId, positions: Sequence[int]) -> bool:
    """Return whether every literal holds for the instance: moving towards it never makes the circuit false.

    Such a circuit is *locally fixated* on the instance (Ji and Darwiche 2023).
    """
    return all(mask >> positions[feature] & 1 for _, feature, mask in manager.literals(root))


def is_constant(root: NodeId) -> bool:
    """Return whether the node is true or false (structure only; no reasoning)."""
    return root in (FALSE, TRUE)
