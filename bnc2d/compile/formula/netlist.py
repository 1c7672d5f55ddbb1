"""Circuits on their way to arrays: gates are added in bulk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.circuit.arrays import CircuitArrays, absorb
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind
from bnc2d.logic.domain import Domain

_CONSTANT, _LITERAL, _AND, _OR = (int(kind) for kind in Kind)


class Draft:
    """Collects a circuit bottom-up; numbers 0 and 1 are false and true, every other is added once.

    The children that a gate has in the end, with those of the gates absorbed in it, must be different, and
    no two of them literals of one feature. In blocks they are: each has features that the others have not.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._count = 2
        self._literals: dict[tuple[int, int], int] = {}
        self._ors: dict[tuple[int, int], int] = {}  # the gates that were added one by one
        self._ands: dict[tuple[int, ...], int] = {}
        self._kinds: list[Numbers] = []
        self._arities: list[Numbers] = []
        self._children: list[Numbers] = []
        # Nodes that were added one by one and are not in the arrays yet.
        self._new_kinds: list[int] = [_CONSTANT, _CONSTANT]
        self._new_arities: list[int] = [0, 0]
        self._new_children: list[int] = []

    def add_literal(self, feature: int, mask: int) -> int:
        """Return ``feature ∈ mask``; an empty mask is false, a full one true."""
        node = self._literals.get((feature, mask))
        if node is None:
            if not mask:
                return FALSE
            if mask == self._domain.full(feature):
                return TRUE
            node = self._literals[feature, mask] = self._add(_LITERAL, ())
        return node

    def add_or(self, first: int, second: int) -> int:
        """Return the disjunction of two nodes, of which neither is true."""
        if first == FALSE or second == FALSE:
            return first or second
        key = (first, second)
        node = self._ors.get(key)
        if node is None:
            node = self._ors[key] = self._add(_OR, key)
        return node

    def add_and(self, children: Sequence[int]) -> int:
        """Return the conjunction of one or more nodes, of which none is constant."""
        if len(children) == 1:
            return children[0]
        key = tuple(sorted(children))
        node = self._ands.get(key)
        if node is None:
            node = self._ands[key] = self._add(_AND, key)
        return node

    def _add(self, kind: int, children: Sequence[int]) -> int:
        self._new_kinds.append(kind)
        self._new_arities.append(len(children))
        self._new_children += children
        self._count += 1
        return self._count - 1

    def add_gates(self, kind: Kind, arities: Numbers, children: Numbers) -> Numbers:
        """Add gates of one kind that are not known yet; return their numbers."""
        self._flush()
        self._kinds.append(np.full(len(arities), kind, dtype=np.int64))
        self._arities.append(arities)
        self._children.append(children)
        first = self._count
        self._count += len(arities)
        return np.arange(first, self._count)

    def _flush(self) -> None:
        if self._new_kinds:
            self._kinds.append(np.array(self._new_kinds, dtype=np.int64))
            self._arities.append(np.array(self._new_arities, dtype=np.int64))
            self._children.append(np.array(self._new_children, dtype=np.int64))
            self._new_kinds, self._new_arities, self._new_children = [], [], []

    def finish(self, root: int) -> CircuitArrays:
        """Return the circuit of a node that all others are below, with gates absorbed."""
        self._flush()
        kinds, children, arities = joined(self._kinds), joined(self._children), joined(self._arities)
        checkpoint()
        gates = np.flatnonzero(kinds >= _AND)
        place = np.arange(self._count)
        literals = list(self._literals)
        place[list(self._literals.values())] = np.arange(2, 2 + len(literals))
        place[gates] = np.arange(2 + len(literals), self._count)
        starts = np.zeros(len(gates) + 1, dtype=np.int64)
        np.cumsum(arities[gates], out=starts[1:])
        return absorb(
            CircuitArrays(
                np.array([feature for feature, _ in literals], dtype=np.int64),
                tuple(mask for _, mask in literals),
                kinds[gates] == _OR,
                starts,
                take(place, children),
                place[[root]],
            )
        )
