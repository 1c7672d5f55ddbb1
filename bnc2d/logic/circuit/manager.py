"""Nodes of multi-valued NNF circuits: integer ids and one unique table.

Encoding. A node is an int. 0 is false, 1 is true. Every other node has a kind and a payload: a literal's
is ``(feature, mask)`` with a mask that is neither empty nor full, an AND's or OR's is the sorted tuple of
its children. A child's id is smaller than its parent's, so ascending ids are a bottom-up order. Equal kind
and payload mean the same id.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from bnc2d.base.arguments import count, instance_of, shown, wrong
from bnc2d.base.checkpoints import checked
from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain, FeatureId, StateMask

NodeId: TypeAlias = int

FALSE: NodeId = 0
TRUE: NodeId = 1


class Kind(IntEnum):
    """What a node is."""

    CONSTANT = 0
    LITERAL = 1
    AND = 2
    OR = 3


_LITERAL, _AND, _OR = int(Kind.LITERAL), int(Kind.AND), int(Kind.OR)
_KIND_BYTES = {int(kind): bytes([kind]) for kind in Kind}
_REMEMBERED_ROOTS = 16


class Program(NamedTuple):
    """A circuit as flat lists, bottom-up: literals (node, feature, mask), gates (node, is OR, children)."""

    literals: list[tuple[int, ...]]
    gates: list[tuple[NodeId, bool, tuple[NodeId, ...]]]


class Manager:
    """Owns the nodes over one domain; nodes are only ever added.

    ``kinds`` and ``payloads`` are open to inner loops of this package; only this class writes them.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = instance_of(Domain, domain, "domain")
        self.kinds = bytearray([Kind.CONSTANT, Kind.CONSTANT])
        self.payloads: list[tuple[int, ...]] = [(), ()]
        self._unique: dict[int, dict[tuple[int, ...], NodeId]] = {_LITERAL: {}, _AND: {}, _OR: {}}
        # Nodes never change, so answers about them stay true.
        self.or_decomposable: dict[NodeId, bool] = {}
        self._reachable: dict[NodeId, list[NodeId]] = {}
        self._programs: dict[NodeId, Program] = {}

    def __len__(self) -> int:
        return len(self.payloads)

    def kind(self, node: NodeId) -> Kind:
        """Return what the node is."""
        try:
            return Kind(self.kinds[node])
        except (IndexError, TypeError):
            raise self._no_node(node) from None

    def children(self, node: NodeId) -> tuple[NodeId, ...]:
        """Return the children of an AND or OR; constants and literals have none."""
        try:
            return self.payloads[node] if self.kinds[node] >= _AND else ()
        except (IndexError, TypeError):
            raise self._no_node(node) from None

    def literal_of(self, node: NodeId) -> tuple[FeatureId, StateMask]:
        """Return feature and mask of a literal."""
        try:
            is_literal = self.kinds[node] == _LITERAL
        except (IndexError, TypeError):
            raise self._no_node(node) from None
        if not is_literal:
            raise LogicError(f"node {node} is not a literal")
        feature, mask = self.payloads[node]
        return feature, mask

    def _no_node(self, node: object) -> LogicError:
        return LogicError(f"the manager has no node {shown(node)}; nodes are 0 to {len(self) - 1}")

    def add_literal(self, feature: FeatureId, mask: StateMask) -> NodeId:
        """Return the node of ``feature ∈ mask``; an empty mask is false, a full one true."""
        try:
            node = self._unique[_LITERAL].get((feature, mask))
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
        return TRUE if mask == full else self._add(_LITERAL, (feature, mask))

    def add_and(self, children: Iterable[NodeId]) -> NodeId:
        """Return the conjunction: constants absorbed, literals of a feature intersected, no child twice."""
        return self._combine(_AND, children)

    def add_or(self, children: Iterable[NodeId]) -> NodeId:
        """Return the disjunction: constants absorbed, literals of a feature united, no child twice."""
        return self._combine(_OR, children)

    def _combine(self, kind: int, children: Iterable[NodeId]) -> NodeId:
        neutral, dominant = (TRUE, FALSE) if kind == _AND else (FALSE, TRUE)
        try:
            kept = set(children)
            payload = tuple(sorted(kept))
            known = self._unique[kind].get(payload)
            if known is not None:
                return known
            literals = [child for child in kept if self.kinds[child] == _LITERAL]
        except (IndexError, TypeError):
            raise wrong("children", children, "nodes of this manager", LogicError) from None
        if dominant in kept:
            return dominant
        kept.discard(neutral)
        if len(literals) > 1:
            masks: dict[FeatureId, StateMask] = {}
            for literal in literals:
                feature, mask = self.payloads[literal]
                if feature in masks:
                    mask = masks[feature] & mask if kind == _AND else masks[feature] | mask
                masks[feature] = mask
            if len(masks) < len(literals):
                kept.difference_update(literals)
                kept.update(self.add_literal(feature, mask) for feature, mask in masks.items())
                if dominant in kept:
                    return dominant
        if len(kept) == 1:
            return kept.pop()
        return self._add(kind, tuple(sorted(kept))) if kept else neutral

    def _add(self, kind: int, payload: tuple[int, ...]) -> NodeId:
        table = self._unique[kind]
        node = table.get(payload)
        if node is None:
            # In this order, so that Ctrl-C in between leaves no number that stands for another node.
            node = len(self.payloads)
            self.kinds[node:] = _KIND_BYTES[kind]
            self.payloads.append(payload)
            table[payload] = node
        return node

    def reachable(self, root: NodeId) -> list[NodeId]:
        """Return the nodes below and including ``root``, children before parents; do not change the list."""
        try:
            known = self._reachable.get(root)
        except TypeError:
            raise self._no_node(root) from None
        if known is not None:
            return known
        self.kind(root)
        kinds, payloads = self.kinds, self.payloads
        seen = {root}
        pending = [root]
        while pending:
            following: list[NodeId] = []
            for node in checked(pending):
                if kinds[node] >= _AND:
                    fresh = [child for child in payloads[node] if child not in seen]
                    seen.update(fresh)
                    following += fresh
            pending = following
        if len(self._reachable) >= _REMEMBERED_ROOTS:
            self._reachable.clear()
        self._reachable[root] = sorted(seen)
        return self._reachable[root]

    def program(self, root: NodeId) -> Program:
        """Return the literals and gates below ``root`` as flat lists, for loops that run often."""
        try:
            known = self._programs.get(root)
        except TypeError:
            raise self._no_node(root) from None
        if known is None:
            nodes = self.reachable(root)
            kinds, payloads = self.kinds, self.payloads
            known = Program(
                [(node, *payloads[node]) for node in nodes if kinds[node] == _LITERAL],
                [(node, kinds[node] == _OR, payloads[node]) for node in nodes if kinds[node] >= _AND],
            )
            if len(self._programs) >= _REMEMBERED_ROOTS:
                self._programs.clear()
            self._programs[root] = known
        return known

    def find(self, is_or: bool, children: list[NodeId]) -> NodeId:
        """Return the OR or AND of one or more children; a known gate costs one look-up."""
        if len(children) == 1:
            return children[0]
        kind = _OR if is_or else _AND
        if len(children) == 2:
            first, second = children
            known = self._unique[kind].get((first, second) if first < second else (second, first))
        else:
            known = self._unique[kind].get(tuple(sorted(children)))
        return self._combine(kind, children) if known is None else known

    def add_gates(
        self,
        images: list[NodeId],
        numbers: list[int],
        is_or: list[bool],
        ends: list[int],
        children: list[int],
    ) -> None:
        """Add many gates, children before parents, and set ``images[number]`` to the node of each.

        The children of a gate are numbers too: those from its predecessor's end to its own. They must be two
        or more different nodes, without constants and without two literals of a feature; this is not checked.
        """
        unique_and, unique_or = self._unique[_AND], self._unique[_OR]
        kinds, payloads = self.kinds, self.payloads
        start, count = 0, len(payloads)
        for number, disjunction, end in zip(numbers, is_or, ends, strict=True):
            if end - start == 2:
                first, second = images[children[start]], images[children[start + 1]]
                payload: tuple[int, ...] = (first, second) if first < second else (second, first)
            else:
                payload = tuple(sorted([images[child] for child in children[start:end]]))
            start = end
            table = unique_or if disjunction else unique_and
            node = table.get(payload)
            if node is None:  # in the order of ``_add``
                node = count
                kinds[count:] = _KIND_BYTES[_OR if disjunction else _AND]
                payloads.append(payload)
                table[payload] = count
                count += 1
            images[number] = node

    def assert_consistent(self) -> None:
        """Check every invariant of the encoding; for tests."""
        known = sum(len(table) for table in self._unique.values())
        assert len(self.kinds) == len(self.payloads) == known + 2  # noqa: S101
        for kind, table in self._unique.items():
            for payload, node in checked(list(table.items())):
                assert (self.kinds[node], self.payloads[node]) == (kind, payload)  # noqa: S101
                if kind == _LITERAL:
                    feature, mask = payload
                    assert 0 < mask < self.domain.full(feature)  # noqa: S101
                    continue
                assert len(payload) >= 2  # noqa: S101
                assert list(payload) == sorted(set(payload))  # noqa: S101
                assert FALSE < TRUE < payload[0]  # noqa: S101
                assert payload[-1] < node  # noqa: S101
                features = [self.payloads[c][0] for c in payload if self.kinds[c] == _LITERAL]
                assert len(features) == len(set(features))  # noqa: S101
