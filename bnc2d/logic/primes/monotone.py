"""Circuits read over sets of bits, for many sets at once: each has a lane, a bit of big integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import and_, or_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.subsumption import BitSet, Spend, Test, Words

Step: TypeAlias = int  # a node's position: literals come first, then gates, children before parents
Lanes: TypeAlias = int  # bit i: the value for the i-th set

_BITS_AT_ONCE = 1 << 26  # lanes are taken so many at a time that all steps together have about these bits
_FEW = 256  # fewer sets are compared with each other faster than run through a circuit
_STEPS_PER_SET = 8  # evaluations of a step, one per bit, that cost as much as comparing one more set


class SetCircuit:
    """The circuit below a root, over bits: a literal holds for the sets that have all bits of its code.

    ``code`` gives the bits of a literal, at least one. With ``dual``, AND and OR swap roles. The root is no
    constant; its step is the last.
    """

    def __init__(
        self,
        manager: Manager,
        root: NodeId,
        code: Callable[[FeatureId, StateMask], BitSet],
        *,
        dual: bool = False,
    ) -> None:
        literals, gates = manager.literals(root), manager.gates(root)
        nodes = [literal[0] for literal in literals] + [gate[0] for gate in gates]
        self.steps: dict[NodeId, Step] = {node: step for step, node in enumerate(nodes)}
        self._leaves = [code(feature, mask) for _, feature, mask in literals]
        self._gates = [(is_or != dual, [self.steps[c] for c in children]) for _, is_or, children in gates]

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def _supports(self) -> list[BitSet]:
        """For each step the bits that matter to it."""
        supports = list(self._leaves)
        for _, inputs in checked(self._gates):
            supports.append(reduce(or_, [supports[step] for step in inputs]))
        return supports

    def bits(self, steps: Sequence[Step]) -> list[int]:
        """Return the bits that matter to these steps."""
        return _members(reduce(or_, [self._supports[step] for step in steps]))

    def below(self, roots: Sequence[Step]) -> list[Step]:
        """Return the steps that these depend on, themselves included, children first."""
        leaves = len(self._leaves)
        seen = set(roots)
        pending = list(seen)
        while pending:
            step = pending.pop()
            if step >= leaves:
                fresh = [child for child in self._gates[step - leaves][1] if child not in seen]
                seen.update(fresh)
                pending += fresh
        return sorted(seen)

    def clauses(self) -> list[list[int]]:
        """Return a CNF whose models are the sets that make the root true.

        Variable b + 1 stands for bit b, then one for each step. Gates imply their inputs, not the reverse:
        the circuit is monotone.
        """
        first = self._supports[-1].bit_length() + 1
        clauses = [[first + len(self) - 1]]
        for step, bits in enumerate(checked(self._leaves)):
            clauses += [[-first - step, bit + 1] for bit in _members(bits)]
        for step, (is_or, inputs) in enumerate(checked(self._gates), len(self._leaves)):
            needed = [first + child for child in inputs]
            clauses += [[-first - step, *needed]] if is_or else [[-first - step, one] for one in needed]
        return clauses

    def _run(self, steps: Sequence[Step], present: dict[int, Lanes], values: list[Lanes]) -> None:
        """Evaluate these steps, children first; ``present`` has the lanes of each bit."""
        leaves = len(self._leaves)
        for step in checked(steps):
            if step < leaves:
                values[step] = reduce(and_, [present[bit] for bit in _members(self._leaves[step])])
                continue
            is_or, inputs = self._gates[step - leaves]
            values[step] = reduce(or_ if is_or else and_, [values[child] for child in inputs])

    def shrink(self, orders: list[list[int]]) -> list[BitSet]:
        """Return a minimal set that makes the root true for each order of the bits of a true set.

        First bits go first. A pass drops one bit in every lane and puts it back where the circuit became
        false.
        """
        everywhere = (1 << len(orders)) - 1
        steps = range(len(self))
        values = [0] * len(self)
        present = dict.fromkeys(self.bits(steps), 0) | dict.fromkeys(orders[0], everywhere)
        for candidates in zip(*orders, strict=True):
            checkpoint()
            for lane, bit in enumerate(candidates):
                present[bit] ^= 1 << lane
            self._run(steps, present, values)
            false = everywhere & ~values[-1]
            while false:
                lane = false.bit_length() - 1
                false ^= 1 << lane
                present[candidates[lane]] |= 1 << lane
        kept = [0] * len(orders)
        for bit, lanes in present.items():
            for lane in range(lanes.bit_length()):
                kept[lane] |= (lanes >> lane & 1) << bit
        return list(dict.fromkeys(kept))

    def minimality_test(self, roots: Sequence[Step], spend: Spend, count: int) -> Test | None:
        """Return which of ``count`` sets, all true for every root, stay so for every root without some bit.

        None where it is faster to compare the sets with each other.
        """
        # At most these steps are below the roots; counting them would take longer than it is worth.
        most_steps = max(roots) + 1
        if count < _FEW or most_steps * len(self.bits(roots)) > _STEPS_PER_SET * count:
            return None
        below = self.below(roots)
        at_once = max(1024, _BITS_AT_ONCE // len(below))

        def are_minimal(rows: Words) -> NDArray[np.bool_]:
            minimal = np.zeros(len(rows), dtype=bool)
            for start in range(0, len(rows), at_once):
                spend(0)
                some = slice(start, start + at_once)
                minimal[some] = self._are_minimal(rows[some], below, roots)
            return minimal

        return are_minimal

    def _are_minimal(self, rows: Words, below: list[Step], roots: Sequence[Step]) -> NDArray[np.bool_]:
        bits = self.bits(roots)
        present = {bit: _lanes(rows, bit) for bit in bits}
        values = [0] * (below[-1] + 1)
        self._run(below, present, values)
        not_minimal = 0
        for bit in bits:
            affected = [step for step in below if self._supports[step] >> bit & 1]
            without = values.copy()
            self._run(affected, present | {bit: 0}, without)
            not_minimal |= present[bit] & reduce(and_, [without[root] for root in roots])
        octets = np.frombuffer(not_minimal.to_bytes((len(rows) + 7) // 8, "little"), dtype=np.uint8)
        return ~np.unpackbits(octets, count=len(rows), bitorder="little").astype(bool)


def _members(bits: BitSet) -> list[int]:
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


def _lanes(rows: Words, bit: int) -> Lanes:
    word, position = divmod(bit, 64)
    if word >= rows.shape[1]:
        return 0
    there = (rows[:, word] & (np.uint64(1) << np.uint64(position))) != 0
    return int.from_bytes(np.packbits(there, bitorder="little").tobytes(), "little")
