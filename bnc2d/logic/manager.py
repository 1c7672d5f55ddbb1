"""Nodes of multi-valued NNF circuits: integer ids and one unique table.

Encoding. A node is an int. 0 is false, 1 is true. Every other node has a kind and a payload: a literal's
is ``(feature, mask)`` with a mask that is neither empty nor full, an AND's or OR's is the sorted tuple of
its children. A child's id is smaller than its parent's, so ascending ids are a bottom-up order. Equal kind
and payload mean the same id.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeAlias

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


class Manager:
    """Owns the nodes over one domain; nodes are only ever added."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        # Read these in inner loops; only this class writes them.
        self.kinds = bytearray([Kind.CONSTANT, Kind.CONSTANT])
        self.payloads: list[tuple[int, ...]] = [(), ()]
        self.or_decomposable: dict[NodeId, bool] = {}  # answers given before; nodes never change
        self._unique: dict[tuple[Kind, tuple[int, ...]], NodeId] = {}

    def __len__(self) -> int:
        return len(self.payloads)

    def kind(self, node: NodeId) -> Kind:
        """Return what the node is."""
        return Kind(self.kinds[node])

    def children(self, node: NodeId) -> tuple[NodeId, ...]:
        """Return the children of an AND or OR; constants and literals have none."""
        return self.payloads[node] if self.kinds[node] >= Kind.AND else ()

    def literal_of(self, node: NodeId) -> tuple[FeatureId, StateMask]:
        """Return feature and mask of a literal."""
        if self.kinds[node] != Kind.LITERAL:
            raise LogicError(f"node {node} is not a literal")
        feature, mask = self.payloads[node]
        return feature, mask

    def add_literal(self, feature: FeatureId, mask: StateMask) -> NodeId:
        """Return the node of ``feature ∈ mask``; an empty mask is false, a full one true."""
        full = self.domain.full(feature)
        if not 0 <= mask <= full:
            raise LogicError(f"mask {mask:#b} has states that {self.domain.names[feature]!r} has not")
        if mask == 0:
            return FALSE
        return TRUE if mask == full else self._add(Kind.LITERAL, (feature, mask))

    def add_and(self, children: Iterable[NodeId]) -> NodeId:
        """Return the conjunction: constants absorbed, literals of a feature intersected, no child twice."""
        return self._combine(Kind.AND, children)

    def add_or(self, children: Iterable[NodeId]) -> NodeId:
        """Return the disjunction: constants absorbed, literals of a feature united, no child twice."""
        return self._combine(Kind.OR, children)

    def _combine(self, kind: Kind, children: Iterable[NodeId]) -> NodeId:
        neutral, dominant = (TRUE, FALSE) if kind == Kind.AND else (FALSE, TRUE)
        kept = set(children)
        kept.discard(neutral)
        if dominant in kept:
            return dominant
        literals = [child for child in kept if self.kinds[child] == Kind.LITERAL]
        if len(literals) > 1:
            masks: dict[FeatureId, StateMask] = {}
            for literal in literals:
                feature, mask = self.payloads[literal]
                if feature in masks:
                    mask = masks[feature] & mask if kind == Kind.AND else masks[feature] | mask
                masks[feature] = mask
            if len(masks) < len(literals):
                kept.difference_update(literals)
                kept.update(self.add_literal(feature, mask) for feature, mask in masks.items())
                if dominant in kept:
                    return dominant
        if len(kept) == 1:
            return kept.pop()
        return self._add(kind, tuple(sorted(kept))) if kept else neutral

    def _add(self, kind: Kind, payload: tuple[int, ...]) -> NodeId:
        key = (kind, payload)
        node = self._unique.get(key)
        if node is None:
            node = self._unique[key] = len(self.payloads)
            self.kinds.append(kind)
            self.payloads.append(payload)
        return node

    def reachable(self, root: NodeId) -> list[NodeId]:
        """Return the nodes below and including ``root``, children before parents."""
        seen = {root}
        pending = [root]
        while pending:
            node = pending.pop()
            if self.kinds[node] >= Kind.AND:
                fresh = [child for child in self.payloads[node] if child not in seen]
                seen.update(fresh)
                pending.extend(fresh)
        return sorted(seen)

    def assert_consistent(self) -> None:
        """Check every invariant of the encoding; for tests."""
        assert len(self.kinds) == len(self.payloads) == len(self._unique) + 2  # noqa: S101
        for (kind, payload), node in self._unique.items():
            assert (self.kinds[node], self.payloads[node]) == (kind, payload)  # noqa: S101
            if kind == Kind.LITERAL:
                feature, mask = payload
                assert 0 < mask < self.domain.full(feature)  # noqa: S101
            else:
                assert len(payload) >= 2  # noqa: S101
                assert list(payload) == sorted(set(payload))  # noqa: S101
                assert FALSE < TRUE < payload[0]  # noqa: S101
                assert payload[-1] < node  # noqa: S101
                features = [self.payloads[c][0] for c in payload if self.kinds[c] == Kind.LITERAL]
                assert len(features) == len(set(features))  # noqa: S101
