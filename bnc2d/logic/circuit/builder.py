"""A circuit in the making, in arrays: few gates one by one, many at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import grouped
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.manager import FALSE, Kind
from bnc2d.logic.domain import FeatureId, StateMask

_CONSTANT, _LITERAL, _AND, _OR = (int(kind) for kind in Kind)


class CircuitBuilder:
    """Collects a circuit bottom-up. Ids 0 and 1 are false and true; others are given as nodes come.

    Literals, and gates that are added one by one, are added once; no constants are among their children.
    """

    def __init__(self) -> None:
        self._count = 2
        self._literals: dict[tuple[FeatureId, StateMask], int] = {}
        self._gates: dict[tuple[int, ...], int] = {}  # those that were added one by one: kind, children
        self._columns: list[tuple[Numbers, Numbers, Numbers]] = []  # kinds, arities, children
        # Nodes that were added one by one and are not in the columns yet.
        self._new: tuple[list[int], list[int], list[int]] = ([_CONSTANT] * 2, [0] * 2, [])

    def literal(self, feature: FeatureId, mask: StateMask) -> int:
        """Return ``feature ∈ mask``, for some but not all states; false for none."""
        if not mask:
            return FALSE
        key = (feature, mask)
        if key not in self._literals:
            self._literals[key] = self._add(_LITERAL, ())
        return self._literals[key]

    def gate(self, kind: Kind, children: Sequence[int]) -> int:
        """Return the AND or OR of one or more different nodes."""
        if len(children) == 1:
            return children[0]
        key = (kind, *sorted(children))
        if key not in self._gates:
            self._gates[key] = self._add(kind, children)
        return self._gates[key]

    def _add(self, kind: int, children: Sequence[int]) -> int:
        kinds, arities, all_children = self._new
        kinds.append(kind)
        arities.append(len(children))
        all_children.extend(children)
        self._count += 1
        return self._count - 1

    def gates(self, kind: Kind, arities: Numbers, children: Numbers) -> Numbers:
        """Add many gates of two or more different children each, without looking for equal ones."""
        self._flush()
        self._columns.append((np.full(len(arities), kind, dtype=np.int64), arities, children))
        first = self._count
        self._count += len(arities)
        return np.arange(first, self._count)

    def clauses(self, guards: Numbers, below: Numbers) -> Numbers:
        """Return the disjunctions of two nodes each, equal ones once; one of the two may be false."""
        clauses = guards + below  # where one is false
        proper = np.flatnonzero((guards != FALSE) & (below != FALSE))
        pairs = (take(guards, proper) << 32) | take(below, proper)
        checkpoint()
        group_ids, first = grouped(pairs)
        pairs = take(pairs, first)
        checkpoint()
        children = np.stack([pairs >> 32, pairs & 0xFFFFFFFF], axis=1).reshape(-1)
        clauses[proper] = take(self.gates(Kind.OR, np.full(len(pairs), 2), children), group_ids)
        return clauses

    def conjunctions(self, rows: Numbers, clauses: Numbers, count: int) -> Numbers:
        """Return for each row the conjunction of its clauses; rows ascend, and each has one or more."""
        counts = np.bincount(rows, minlength=count)
        alone = counts == 1
        checkpoint()
        found = np.empty(count, dtype=np.int64)
        of_several = np.flatnonzero(~take(alone, rows))
        found[alone] = np.compress(take(alone, rows), clauses)
        checkpoint()
        found[~alone] = self.gates(Kind.AND, counts[~alone], take(clauses, of_several))
        return found

    def _flush(self) -> None:
        if self._new[0]:
            kinds, arities, children = (np.array(column, dtype=np.int64) for column in self._new)
            self._columns.append((kinds, arities, children))
            self._new = ([], [], [])

    def finish(self, root: int) -> CircuitArrays:
        """Return the circuit of a node that all others are below."""
        self._flush()
        kinds, arities, children = (joined(column) for column in zip(*self._columns, strict=True))
        checkpoint()
        gates = np.flatnonzero(kinds >= _AND)
        index = np.arange(self._count)
        index[list(self._literals.values())] = np.arange(2, 2 + len(self._literals))
        index[gates] = np.arange(2 + len(self._literals), self._count)
        starts = np.zeros(len(gates) + 1, dtype=np.int64)
        np.cumsum(arities[gates], out=starts[1:])
        return CircuitArrays(
            np.array([feature for feature, _ in self._literals], dtype=np.int64),
            tuple(mask for _, mask in self._literals),
            kinds[gates] == _OR,
            starts,
            take(index, children),
            index[[root]],
        )
