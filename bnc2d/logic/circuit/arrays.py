"""Circuits in arrays, apart from any manager: to be added to one, stored, or made smaller first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, ranges, repeated, take
from bnc2d.base.checkpoints import PIECE, checkpoint
from bnc2d.base.hashing import codes
from bnc2d.logic.circuit.levels import Levels
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask

ListedGate: TypeAlias = tuple[bool, list[int]]

_CONSTANTS = 2
_LITERAL, _AND = 1, 2


@dataclass(frozen=True)
class CircuitArrays:
    """A circuit: positions 0 and 1 are false and true, then come the literals, then the gates.

    ``features`` and ``masks`` are those of the literals. The ``children`` of gate ``i``, as positions before
    its own, are those from ``starts[i]`` to ``starts[i + 1]``. ``roots`` are positions.
    """

    features: Numbers
    masks: tuple[StateMask, ...]
    is_or: NDArray[np.bool_]
    starts: Numbers
    children: Numbers
    roots: Numbers

    @property
    def size(self) -> int:
        """The number of nodes, where all are below the roots; a manager may need fewer."""
        return max(1, len(self.masks) + len(self.is_or))

    @property
    def first_gate(self) -> int:
        """The position of the first gate."""
        return _CONSTANTS + len(self.masks)

    @staticmethod
    def of(manager: Manager, roots: Sequence[NodeId]) -> CircuitArrays:
        """Return the circuit below some nodes, literals by feature and mask, gates level by level."""
        levels = manager.levels(roots[0]) if len(roots) == 1 else Levels(manager.store, roots)
        leaves = [node for node in levels.nodes[: levels.leaves].tolist() if node >= _CONSTANTS]
        literals = sorted((*manager.literal_of(node), node) for node in leaves)
        rank = {node: _CONSTANTS + number for number, (_, _, node) in enumerate(literals)}
        place = np.arange(len(levels)) - levels.leaves + _CONSTANTS + len(literals)
        place[: levels.leaves] = [rank.get(node, node) for node in levels.nodes[: levels.leaves].tolist()]
        return CircuitArrays(
            np.array([feature for feature, _, _ in literals], dtype=np.int64),
            tuple(mask for _, mask, _ in literals),
            levels.kinds[levels.leaves :] > _AND,
            levels.starts[levels.leaves :],
            take(place, levels.children),
            place[levels.roots],
        )

    def add_to(
        self,
        manager: Manager,
        states: Callable[[FeatureId, StateMask], StateMask] | None = None,
        *,
        simplify: bool = True,
    ) -> list[NodeId]:
        """Add the circuit to a manager, where ``states`` says what a feature's mask is; return the roots.

        ``simplify`` as for ``Manager.add_gates``; without it, all nodes must be below the roots.
        """
        ids = np.empty(self.first_gate + len(self.is_or), dtype=np.int64)
        ids[:_CONSTANTS] = range(_CONSTANTS)
        ids[_CONSTANTS : self.first_gate] = [
            manager.add_literal(feature, mask if states is None else states(feature, mask))
            for feature, mask in zip(self.features.tolist(), self.masks, strict=True)
        ]
        manager.store.make_room(len(self.is_or), len(self.children))
        kinds = self.is_or + np.uint8(_AND)
        ends = (end for _, end in self.batches())
        manager.add_levels(ids, kinds, self.starts, self.children, ends, simplify=simplify)
        roots: list[NodeId] = ids[self.roots].tolist()
        if len(roots) == 1 and not simplify:
            manager.remember_below(roots[0], ids)
        return roots

    def batches(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of gates, one after the other, none of which has a child in its own range."""
        count = len(self.is_or)
        # The last child in the list decides; a gate without children depends on nothing.
        highest = np.full(count, -1, dtype=np.int64)
        some = np.flatnonzero(np.diff(self.starts))
        if len(some):
            highest[some] = np.maximum.reduceat(self.children, self.starts[some]) - self.first_gate
        first = 0
        while first < count:
            last, window = first + 1, 64
            while last < count:
                inside = highest[last : last + window] >= first
                if inside.any():
                    last += int(inside.argmax())
                    break
                last, window = min(count, last + window), min(2 * window, PIECE)
            yield first, last
            first = last

    def canonical(self) -> CircuitArrays:
        """Return the circuit in an order of gates that depends on nothing but the circuit.

        For circuits as ``of`` gives them: levels stay, and within one the kind, the first two children, the
        number of children and a hash of all of them decide, then the children themselves.
        """
        order = np.empty(len(self.is_or), dtype=np.int64)  # by new number, the old one
        place = np.arange(self.first_gate + len(self.is_or))  # by old position, the new one
        starts, first_gate = self.starts, self.first_gate
        code = codes(0, len(place))
        for first, last in self.batches():
            checkpoint()
            children, own = self._sorted_children(first, last, place)
            hashes = np.add.reduceat(code[children], own[:-1])
            kinds = self.is_or[first:last]
            keys = (hashes, np.diff(own), children[own[:-1] + 1], children[own[:-1]], kinds)
            by_key = np.lexsort(keys)
            tied = np.ones(last - first - 1, dtype=bool)
            for key in keys:
                tied &= key[by_key[1:]] == key[by_key[:-1]]
            if tied.any():
                lists = [children[own[gate] : own[gate + 1]].tolist() for gate in range(last - first)]
                by_key = np.array(sorted(range(last - first), key=lambda g: (kinds[g], lists[g])))
            order[first:last] = by_key + first
            place[first_gate + order[first:last]] = np.arange(first_gate + first, first_gate + last)
        lengths = np.diff(starts)[order]
        new_starts = np.zeros(len(starts), dtype=np.int64)
        np.cumsum(lengths, out=new_starts[1:])
        children = take(place, take(self.children, ranges(starts[order], lengths)))
        renumbered = replace(
            self, is_or=self.is_or[order], starts=new_starts, children=children, roots=place[self.roots]
        )
        children, _ = renumbered._sorted_children(0, len(order), np.arange(len(place)))
        return replace(renumbered, children=children)

    def _sorted_children(self, first: int, last: int, place: Numbers) -> tuple[Numbers, Numbers]:
        """Return the new places of the children of some gates, each gate's ascending, and their starts."""
        own = self.starts[first : last + 1] - self.starts[first]
        keys = repeated(np.diff(own)) << 32
        keys |= place[self.children[self.starts[first] : self.starts[last]]]
        keys.sort()
        return keys & ((1 << 32) - 1), own


def listed(manager: Manager, root: NodeId) -> tuple[list[tuple[FeatureId, StateMask]], list[ListedGate]]:
    """Return literals and gates below a root that is no constant, in an order that is the circuit's own.

    A gate is told by whether it is an OR, and its children: the first literal is node 0, the first gate has
    the number after the last literal's, and the last gate (or the only literal) is the root.
    """
    circuit = CircuitArrays.of(manager, [root]).canonical()
    children, starts = (circuit.children - _CONSTANTS).tolist(), circuit.starts.tolist()
    gates = [
        (is_or, children[start:end])
        for is_or, start, end in zip(circuit.is_or.tolist(), starts[:-1], starts[1:], strict=True)
    ]
    return list(zip(circuit.features.tolist(), circuit.masks, strict=True)), gates


def alone(manager: Manager, root: NodeId) -> tuple[Manager, NodeId]:
    """Return the circuit in a manager of its own, where ids depend on nothing but the circuit."""
    own, (image,) = together(manager, [root])
    return own, image


def together(manager: Manager, roots: Sequence[NodeId]) -> tuple[Manager, list[NodeId]]:
    """Return some circuits in a manager of their own, where ids depend on nothing but the circuits."""
    own = Manager(manager.domain)
    return own, CircuitArrays.of(manager, roots).canonical().add_to(own, simplify=False)
