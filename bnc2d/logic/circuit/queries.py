"""Questions about a circuit, each a pass over its levels: evaluation, sizes, features, properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.levels import Levels
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId

FeatureSet: TypeAlias = int  # bit i stands for feature i
Rows: TypeAlias = NDArray[np.intp]  # [instance, feature] -> position of the state

# Rows are evaluated so many at a time that the bit vectors of all nodes together stay around this size.
_BITS_AT_ONCE = 1 << 28
# Passes over all levels that take longer, for each node, than looking at the nodes one by one.
_LONG = 8


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


def feature_words(manager: Manager, root: NodeId) -> Iterator[NDArray[np.uint64]]:
    """Yield the features below each node as bits, 64 features at a time.

    Nodes come in the order of ``manager.levels(root)``.
    """
    levels = manager.levels(root)
    features = manager.store.features[levels.nodes[: levels.leaves]]
    for first in range(0, max(1, len(manager.domain)), 64):
        words = np.zeros(len(levels), dtype=np.uint64)
        inside = (features >= first) & (features < first + 64)
        words[: levels.leaves][inside] = np.uint64(1) << (features[inside] - first).astype(np.uint64)
        levels.fill(words, np.bitwise_or, np.bitwise_or)
        yield words


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
    """Compare for each gate of this kind its features, or their number, with the sum over its children."""
    few = manager.few_below(root)
    if few is not None:
        below = {node: 1 << feature for node, feature, _ in few.literals}
        for node, is_or, children in few.gates:
            parts = [below[child] for child in children]
            below[node] = reduce(or_, parts)
            if is_or == (kind == Kind.OR) and sum(parts) != below[node]:
                return False
        return True
    levels = manager.levels(root)
    if len(manager.domain) // 64 * len(levels.steps) > _LONG * len(levels):
        return _is_decomposable_one_by_one(manager, levels, kind)
    sizes = np.zeros(len(levels), dtype=np.int64)
    for words in feature_words(manager, root):
        sizes += np.bitwise_count(words)
    for piece in pieces(len(levels) - levels.leaves):
        gates = slice(levels.leaves + piece.start, levels.leaves + piece.stop)
        starts = levels.starts[gates]
        edges = slice(starts[0], levels.starts[gates.stop])
        sums = np.add.reduceat(take(sizes, levels.children[edges]), starts - starts[0])
        if ((sums != sizes[gates]) & (levels.kinds[gates] == kind)).any():
            return False
    return True


def _is_decomposable_one_by_one(manager: Manager, levels: Levels, kind: Kind) -> bool:
    """Do the same gate by gate, for long chains; features are forgotten once all gates above have them."""
    features = manager.store.features[levels.nodes[: levels.leaves]].tolist()
    waiting = np.bincount(levels.children, minlength=len(levels)).tolist()
    kinds, starts, children = levels.kinds.tolist(), levels.starts.tolist(), levels.children.tolist()
    below: dict[int, int] = {}
    for gate in range(levels.leaves, len(levels)):
        checkpoint()
        own = children[starts[gate] : starts[gate + 1]]
        parts = [
            below[child] if child >= levels.leaves else 1 << features[child] if features[child] >= 0 else 0
            for child in own
        ]
        below[gate] = reduce(or_, parts)
        if kinds[gate] == kind and sum(parts) != below[gate]:
            return False
        for child in own:
            waiting[child] -= 1
            if not waiting[child]:
                below.pop(child, None)
    return True


def is_monotone_towards(manager: Manager, root: NodeId, positions: Sequence[int]) -> bool:
    """Return whether every literal holds for the instance: moving towards it never makes the circuit false.

    Such a circuit is *locally fixated* on the instance (Ji and Darwiche 2023).
    """
    return all(mask >> positions[feature] & 1 for _, feature, mask in manager.literals(root))


def is_constant(root: NodeId) -> bool:
    """Return whether the node is true or false (structure only; no reasoning)."""
    return root in (FALSE, TRUE)
