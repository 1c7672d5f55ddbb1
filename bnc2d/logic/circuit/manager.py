"""Nodes of multi-valued NNF circuits: integer ids and one unique table.

Encoding. A node is an int. 0 is false, 1 is true. Every other node is a literal, which is a feature with a
mask that is neither empty nor full, or an AND or OR of two or more children. A child's id is smaller than its
parent's, so ascending ids are a bottom-up order. Equal kind and children (or feature and mask) mean the same
id. Nodes are rows of columns (``store.py``); only literals, of which there are few, have entries in dicts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import IntEnum
from itertools import pairwise
from operator import index
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, repeated, take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import sorted_distinct
from bnc2d.base.readers.arguments import count, instance_of, shown, wrong
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.invariants import assert_consistent
from bnc2d.logic.circuit.levels import Levels
from bnc2d.logic.circuit.simplify import Simplified
from bnc2d.logic.circuit.store import NodeStore
from bnc2d.logic.domain import Domain, FeatureId, StateMask

NodeId: TypeAlias = int
Literal: TypeAlias = tuple[NodeId, FeatureId, StateMask]
Gate: TypeAlias = tuple[NodeId, bool, list[NodeId]]  # is it an OR; children
Known = TypeVar("Known")

FALSE: NodeId = 0
TRUE: NodeId = 1


class Kind(IntEnum):
    """What a node is."""

    CONSTANT = 0
    LITERAL = 1
    AND = 2
    OR = 3


_LITERAL, _AND, _OR = int(Kind.LITERAL), int(Kind.AND), int(Kind.OR)
_REMEMBERED_ROOTS = 16
# Gates that are added faster one by one than together: of a level, and of many.
_FEW, _FEW_GATES = 40, 80
# Children of gates of several levels that are added together.
_TOGETHER = 1 << 14
# Levels that are added one at a time after one on which gates had to be simplified.
_ALONE = 8
# Gates that are remembered beside the table, which is slower where they are asked for one by one.
_MOST_RECENT = 1 << 13
# Nodes of a circuit that is walked faster one by one.
_FEW_NODES = 100


class Nodes(NamedTuple):
    """A circuit as lists: nodes, literals and gates, each in ascending order."""

    ids: list[NodeId]
    literals: list[Literal]
    gates: list[Gate]


class Manager:
    """Owns the nodes over one domain; nodes are only ever added.

    ``store`` is open to inner loops of this package; only this class changes it.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = instance_of(Domain, domain, "domain")
        self.store = NodeStore()
        self._masks: dict[NodeId, StateMask] = {}
        self._literals: dict[tuple[FeatureId, StateMask], NodeId] = {}
        # Nodes never change, so answers about them stay true.
        self.or_decomposable: dict[NodeId, bool] = {}
        self._levels: dict[NodeId, Levels] = {}
        self._few: dict[NodeId, Nodes | None] = {}
        self._sizes: dict[NodeId, int] = {}
        self._recent: dict[tuple[int, ...], NodeId] = {}  # by kind and children

    def __len__(self) -> int:
        return self.store.count

    def kind(self, node: NodeId) -> Kind:
        """Return what the node is."""
        return Kind(self.store.kind_of[self._checked(node)])

    def children(self, node: NodeId) -> tuple[NodeId, ...]:
        """Return the children of an AND or OR; constants and literals have none."""
        return tuple(self.store.children_of(self._checked(node)))

    def literal_of(self, node: NodeId) -> tuple[FeatureId, StateMask]:
        """Return feature and mask of a literal."""
        known = self._checked(node)
        if self.store.kind_of[known] != _LITERAL:
            raise LogicError(f"node {known} is not a literal")
        return self.store.feature_of[known], self._masks[known]

    def _checked(self, node: NodeId) -> NodeId:
        try:
            number = index(node)
            if 0 <= number < self.store.count:
                return number
        except TypeError:
            pass
        raise LogicError(f"the manager has no node {shown(node)}; nodes are 0 to {len(self) - 1}")

    def add_literal(self, feature: FeatureId, mask: StateMask) -> NodeId:
        """Return the node of ``feature ∈ mask``; an empty mask is false, a full one true."""
        try:
            node = self._literals.get((feature, mask))
        except TypeError:  # what no dict can hold is refused below
            node = None
        if node is not None:
            return node
        feature = count(feature, "feature", most=len(self.domain) - 1, error=LogicError)
        full = self.domain.full(feature)
        mask = count(mask, "mask", error=LogicError)
        if mask > full:
            raise LogicError(f"mask {shown(mask)} has states that {self.domain.names[feature]!r} has not")
        if mask == 0:
            return FALSE
        if mask == full:
            return TRUE
        if len(self._masks) != len(self._literals):  # Ctrl-C came in between the next lines once
            literals = [node for node in self._masks if self.is_literal(node)]
            self._masks = {node: self._masks[node] for node in literals}
            self._literals = {(self.store.feature_of[node], self._masks[node]): node for node in literals}
            return self.add_literal(feature, mask)
        self._masks[self.store.count] = mask
        node = self._literals[feature, mask] = self.store.add_literal(feature, mask)
        return node

    def add_and(self, children: Iterable[NodeId]) -> NodeId:
        """Return the conjunction: constants absorbed, literals of a feature intersected, no child twice."""
        return self._combine(_AND, children)

    def add_or(self, children: Iterable[NodeId]) -> NodeId:
        """Return the disjunction: constants absorbed, literals of a feature united, no child twice."""
        return self._combine(_OR, children)

    def is_literal(self, node: NodeId) -> bool:
        """Return whether there is a node of this id, and it is a literal."""
        number = count(node, "node", error=LogicError)
        return number < self.store.count and bool(self.store.kind_of[number] == _LITERAL)

    def _combine(self, kind: int, children: Iterable[NodeId]) -> NodeId:
        store = self.store
        try:
            ascending = sorted(set(children))
            several = len(ascending) > 1
            if several:
                known, value, slot = store.find(kind, ascending)
                if known >= 0:  # no gate has anything to simplify
                    return known
            if ascending and not 0 <= ascending[0] <= ascending[-1] < store.count:
                raise IndexError
            feature_of = store.feature_of
            literals = [child for child in ascending if feature_of[child] >= 0]
        except (IndexError, TypeError, ValueError):
            raise wrong("children", children, "nodes of this manager", LogicError) from None
        merging = len(literals) > 1 and len({feature_of[literal] for literal in literals}) < len(literals)
        if several and not merging and ascending[0] > TRUE:
            return store.add(kind, ascending, value, slot)
        return self._simplified(kind, ascending, literals if merging else [])

    def add_one(self, kind: int, children: list[NodeId]) -> NodeId:
        """Return the gate of nodes that are known to be nodes; gates asked for lately are remembered."""
        key = (kind, *children)
        node = self._recent.get(key)
        if node is None:
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            node = self._recent[key] = self._combine(kind, children)
        return node

    def _simplified(self, kind: int, ascending: list[NodeId], literals: list[NodeId]) -> NodeId:
        """Return the gate of different children, of which some literals have features in common."""
        neutral, dominant = (TRUE, FALSE) if kind == _AND else (FALSE, TRUE)
        if dominant in ascending[:2]:
            return dominant
        kept = set(ascending)
        if literals:
            masks: dict[FeatureId, StateMask] = {}
            for literal in literals:
                feature, mask = self.store.feature_of[literal], self._masks[literal]
                if feature in masks:
                    mask = masks[feature] & mask if kind == _AND else masks[feature] | mask
                masks[feature] = mask
            kept.difference_update(literals)
            kept.update([self.add_literal(feature, mask) for feature, mask in masks.items()])
        if dominant in kept:
            return dominant
        kept.discard(neutral)
        if len(kept) > 1:
            return self.store.find_or_add(kind, sorted(kept))
        return kept.pop() if kept else neutral

    def add_gates(
        self, is_or: NDArray[np.bool_], arities: Numbers, children: Numbers, *, simplify: bool = True
    ) -> Numbers:
        """Add many gates whose children are nodes already; return their ids.

        The children of a gate follow those of the gate before it. The result is that of ``add_or`` or
        ``add_and`` for each gate in turn. Without ``simplify``, the children of a gate must be two or more
        different nodes, no constants and no two literals of a feature; this is not checked.
        """
        if len(children) and not 0 <= int(children.min()) <= int(children.max()) < self.store.count:
            raise LogicError(f"a child is no node of the manager; nodes are 0 to {len(self) - 1}")
        return self.add_level(is_or + np.uint8(_AND), arities, children, simplify=simplify)

    def add_levels(
        self,
        ids: Numbers,
        kinds: NDArray[np.uint8],
        starts: Numbers,
        children: Numbers,
        ends_of_levels: Iterable[int],
        *,
        simplify: bool,
    ) -> None:
        """Add many gates, level by level, and set their ids, which are the last of ``ids``.

        The children of each gate, from its start to that of the next, are places in ``ids``, on earlier
        levels or before all gates. ``simplify`` as for ``add_gates``; children are not checked.
        """
        shift = len(ids) - len(kinds)
        if len(kinds) <= _FEW_GATES:
            nodes, below = ids[:shift].tolist(), children.tolist()
            for kind, (begin, end) in zip(kinds.tolist(), pairwise(starts.tolist()), strict=True):
                nodes.append(self.add_one(kind, [nodes[child] for child in below[begin:end]]))
            ids[shift:] = nodes[shift:]
            return
        if kernels.loops is not None and not simplify:
            self.store.add_in_turn(ids, kinds, starts, children)
            return
        ends_of_levels = list(ends_of_levels)
        level = alone = 0  # levels before that one are added one at a time
        while level < len(ends_of_levels):
            checkpoint()
            begin = ends_of_levels[level - 1] if level else 0
            most = int(np.searchsorted(starts, starts[begin] + _TOGETHER, side="right")) - 1
            last = level + 1 if level < alone else max(level + 1, bisect_right(ends_of_levels, most))
            ends = [end - begin for end in ends_of_levels[level:last]]
            gates = slice(begin, begin + ends[-1])
            places = slice(shift + gates.start, shift + gates.stop)
            arities = starts[begin + 1 : gates.stop + 1] - starts[gates]
            if last > level + 1:
                ids[places] = np.arange(self.store.count, self.store.count + ends[-1])
            below = take(ids, children[starts[begin] : starts[gates.stop]])
            if last == level + 1:
                ids[places] = self.add_level(kinds[gates], arities, below, simplify=simplify)
                level = last
                continue
            if simplify:
                del ends[bisect_right(ends, self._first_to_simplify(arities, below)) :]
            added = self.store.add_levels(kinds[gates], arities, below, ends)
            ids[places][: len(added)] = added
            level += bisect_right(ends, len(added))
            alone = level + _ALONE if level < last else alone

    def _first_to_simplify(self, arities: Numbers, children: Numbers) -> int:
        """Return the first gate with a constant, two literals of a feature or one child; or their number."""
        known = (children < self.store.count).nonzero()[0]
        below = children[known]
        features = self.store.features[below]
        leaves = (features >= 0).nonzero()[0]
        owners = repeated(arities)[known]
        keys = (owners[leaves] << 32) | features[leaves]
        keys.sort()
        clashes = keys[1:][keys[1:] == keys[:-1]] >> 32
        found = (clashes, owners[below <= TRUE], (arities < 2).nonzero()[0])
        return min([int(gates[0]) for gates in found if len(gates)], default=len(arities))

    def add_level(
        self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers, *, simplify: bool
    ) -> Numbers:
        """Add many gates of given kinds, as ``add_gates`` does, but without a check of the children."""
        if len(arities) <= _FEW:
            ids, start, below = [], 0, children.tolist()
            for kind, arity in zip(kinds.tolist(), arities.tolist(), strict=True):
                ids.append(self.add_one(kind, below[start : start + arity]))
                start += arity
            return np.array(ids, dtype=np.int64)
        if not simplify:
            return self.store.find_or_add_many(kinds, arities, children)
        simple = Simplified(kinds > _AND, arities, children, self.store.features, self._merge)
        if len(simple.rest) == len(arities):
            return self.store.find_or_add_many(kinds, simple.arities, simple.children)
        if len(simple.rest):
            rest = self.store.find_or_add_many(kinds[simple.rest], simple.arities, simple.children)
            simple.ids[simple.rest] = rest
        return simple.ids

    def _merge(self, is_or: bool, first: NodeId, second: NodeId) -> NodeId:
        """Return the literal, or constant, of two literals of a feature."""
        one, other = self._masks[first], self._masks[second]
        return self.add_literal(self.store.feature_of[first], one | other if is_or else one & other)

    def levels(self, root: NodeId) -> Levels:
        """Return the circuit below ``root``, level by level; do not change it."""
        root = self._checked(root)
        known = self._levels.get(root)
        return _remember(self._levels, root, Levels(self.store, [root])) if known is None else known

    def few_below(self, root: NodeId) -> Nodes | None:
        """Return the circuit below ``root`` as lists where it is small, so that arrays do not pay."""
        root = self._checked(root)
        if root in self._few:
            return self._few[root]
        children_of, kind_of, feature_of = self.store.children_of, self.store.kind_of, self.store.feature_of
        seen = {root}
        pending = [root]
        gates = []
        while pending:
            node = pending.pop()
            if kind_of[node] >= _AND:
                children = children_of(node)
                gates.append((node, kind_of[node] == _OR, children))
                fresh = [child for child in children if child not in seen]
                seen.update(fresh)
                pending += fresh
                if len(seen) > _FEW_NODES:
                    return _remember(self._few, root, None)
        ids = sorted(seen)
        literals = [(node, feature_of[node], self._masks[node]) for node in ids if feature_of[node] >= 0]
        return _remember(self._few, root, Nodes(ids, literals, sorted(gates)))

    def size(self, root: NodeId) -> int:
        """Return the number of nodes below and including ``root``."""
        root = self._checked(root)
        if root in self._sizes:
            return self._sizes[root]
        few = self.few_below(root)
        return len(self.levels(root)) if few is None else len(few.ids)

    def remember_below(self, root: NodeId, nodes: Numbers) -> None:
        """Remember how many nodes are below ``root``: those given, each once, but for the constants."""
        below = np.zeros(self.store.count, dtype=bool)
        below[nodes] = True
        below[: TRUE + 1] = [root == FALSE, root == TRUE]
        _remember(self._sizes, root, int(np.count_nonzero(below)))

    def reachable(self, root: NodeId) -> list[NodeId]:
        """Return the nodes below and including ``root``, children before parents; do not change the list."""
        few = self.few_below(root)
        return self.levels(root).ascending if few is None else few.ids

    def literals(self, root: NodeId) -> list[Literal]:
        """Return the literals below ``root`` in ascending order: node, feature and mask."""
        few = self.few_below(root)
        if few is not None:
            return few.literals
        levels = self.levels(root)
        feature_of, masks = self.store.feature_of, self._masks
        return [(node, feature_of[node], masks[node]) for node in levels.nodes[: levels.leaves].tolist()]

    def gates(self, root: NodeId) -> list[Gate]:
        """Return the gates below ``root``, children before parents: node, whether it is an OR, children."""
        few = self.few_below(root)
        return self.levels(root).gates if few is None else few.gates

    def assert_consistent(self) -> None:
        """Check every invariant of the encoding; for tests."""
        assert_consistent(self.store)
        store = self.store
        literals = np.flatnonzero(store.kinds[: store.count] == _LITERAL).tolist()
        assert sorted(self._literals.values()) == literals  # noqa: S101
        for (feature, mask), node in self._literals.items():
            assert (feature, mask) == (store.feature_of[node], self._masks[node])  # noqa: S101
            assert 0 < mask < self.domain.full(feature)  # noqa: S101
        starts = store.starts[: store.count + 1]
        owners, features = repeated(np.diff(starts)), store.features[store.children[: starts[-1]]]
        keys = (owners << 32 | features)[features >= 0]
        assert len(sorted_distinct(keys)) == len(keys)  # noqa: S101


def _remember(memory: dict[NodeId, Known], root: NodeId, found: Known) -> Known:
    """Keep what was found about a root, and of others not too much."""
    if len(memory) >= _REMEMBERED_ROOTS:
        memory.clear()
    memory[root] = found
    return found
