"""Circuits in arrays on their way to a manager: added in bulk, flattened, counted, and then added for good.

A gate that serves one gate of its own kind only is dissolved: its children move up to that gate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, counted, joined, repeated, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import stable_order
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import Domain

_CONSTANT, _LITERAL, _AND, _OR = (int(kind) for kind in Kind)
# So many gates are added to a manager between two checks.
_GATES_AT_ONCE = 20_000


def same_states(_: int, mask: int) -> int:
    """Return the states that a mask of a feature stands for: its own."""
    return mask


class Draft:
    """Collects a circuit bottom-up; numbers 0 and 1 are false and true, every other is added once.

    The children that a gate has in the end, with those of the gates dissolved in it, must be different, and
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

    def finish(self, root: int) -> Circuit:
        """Return the flattened circuit of a node that all others are below."""
        self._flush()
        kinds, children, arities = joined(self._kinds), joined(self._children), joined(self._arities)
        parents = repeated(arities)
        uses = counted(children, self._count)
        moving = np.empty(len(children), dtype=bool)
        for piece in pieces(len(children)):
            own = children[piece]
            moving[piece] = (uses[own] == 1) & (kinds[own] == kinds[parents[piece]])
        dissolved = children[moving]
        checkpoint()
        above = np.arange(self._count)  # the gate that a dissolved gate ends up in
        above[dissolved] = parents[moving]
        while not np.array_equal(further := take(above, above), above):
            above = further
        checkpoint()
        staying = np.flatnonzero(~moving)
        parents, children = take(above, take(parents, staying)), take(children, staying)
        checkpoint()
        by_gate = stable_order(parents)
        checkpoint()
        kept = kinds >= _AND
        checkpoint()
        kept[dissolved] = False
        gates = np.flatnonzero(kept)
        ends = np.cumsum(counted(parents, self._count)[gates])
        literals = [(node, feature, mask) for (feature, mask), node in self._literals.items()]
        return Circuit(root, self._count, literals, gates, kinds[gates] == _OR, ends, take(children, by_gate))


@dataclass(frozen=True)
class Circuit:
    """A circuit in arrays.

    Literals are (node, feature, mask); gates come bottom-up, with the ends of their children.
    """

    root: int
    node_range: int
    literals: list[tuple[int, int, int]]
    gates: Numbers
    is_or: NDArray[np.bool_]
    ends: Numbers
    children: Numbers

    @property
    def size(self) -> int:
        """The number of nodes; a manager that finds equal gates may need fewer."""
        return max(1, len(self.literals) + len(self.gates))

    def add_to(self, manager: Manager, states: Callable[[int, int], int] = same_states) -> NodeId:
        """Add the circuit to a manager, where ``states`` says what a feature's mask is; return its root."""
        images = [FALSE, TRUE] + [FALSE] * (self.node_range - 2)
        for node, feature, mask in self.literals:
            images[node] = manager.add_literal(feature, states(feature, mask))
        start = 0
        for first in range(0, len(self.gates), _GATES_AT_ONCE):
            checkpoint()
            chunk = slice(first, first + _GATES_AT_ONCE)
            ends = self.ends[chunk]
            children = self.children[start : int(ends[-1])].tolist()
            numbers = self.gates[chunk].tolist()
            manager.add_gates(images, numbers, self.is_or[chunk].tolist(), (ends - start).tolist(), children)
            start = int(ends[-1])
        return images[self.root]
