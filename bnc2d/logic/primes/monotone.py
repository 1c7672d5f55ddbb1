"""Monotone circuits over bits, evaluated for many sets at once: each has a lane, a bit of big integers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.logic.primes.subsumption import BitSet, Spend, Words

Step: TypeAlias = int  # position in a circuit's list of steps
Lanes: TypeAlias = int  # bit i: the value for the i-th set

_BITS_AT_ONCE = 1 << 26  # lanes are taken so many at a time that all steps together have about these bits
_FEW = 256  # fewer sets are compared with each other faster than run through a circuit
_STEPS_PER_SET = 8  # evaluations of a step, one per bit, that cost as much as comparing one more set


class MonotoneCircuit:
    """A list of steps, children first: leaves (bits that must all be present) and gates."""

    def __init__(self) -> None:
        self._steps: list[tuple[Literal["leaf", "and", "or"], Sequence[int]]] = []
        self._supports: list[BitSet] = []  # of the steps that were asked about, and all before

    def add_leaf(self, bits: BitSet) -> Step:
        """Add "these bits are present"."""
        self._steps.append(("leaf", (bits,)))
        return len(self._steps) - 1

    def add_gate(self, kind: Literal["and", "or"], inputs: Sequence[Step]) -> Step:
        """Add an AND or OR of earlier steps."""
        self._steps.append((kind, inputs))
        return len(self._steps) - 1

    @property
    def last(self) -> Step:
        """The last step: the root, once the circuit is finished."""
        return len(self._steps) - 1

    def bits(self, steps: Sequence[Step]) -> list[int]:
        """Return the bits that matter to these steps."""
        return _members(self._support_of(steps))

    def _support_of(self, steps: Sequence[Step]) -> BitSet:
        support = self._supports
        for kind, inputs in self._steps[len(support) :]:
            support.append(inputs[0] if kind == "leaf" else reduce(or_, [support[i] for i in inputs]))
        return reduce(or_, [support[step] for step in steps])

    def below(self, roots: Sequence[Step]) -> list[Step]:
        """Return the steps that these depend on, themselves included, children first."""
        seen = set(roots)
        pending = list(seen)
        while pending:
            kind, inputs = self._steps[pending.pop()]
            if kind != "leaf":
                fresh = [child for child in inputs if child not in seen]
                seen.update(fresh)
                pending += fresh
        return sorted(seen)

    def clauses(self) -> list[list[int]]:
        """Return a CNF whose models are the sets that make the last step true.

        Variable b + 1 stands for bit b, then one for each step. Gates imply their inputs, not the reverse:
        the circuit is monotone.
        """
        first = self._support_of([self.last]).bit_length() + 1
        clauses = [[first + self.last]]
        for step, (kind, inputs) in enumerate(checked(self._steps)):
            if kind == "or":
                clauses.append([-first - step, *(first + child for child in inputs)])
            else:
                needed = (
                    [bit + 1 for bit in _members(inputs[0])]
                    if kind == "leaf"
                    else [first + i for i in inputs]
                )
                clauses += [[-first - step, variable] for variable in needed]
        return clauses

    def _run(self, steps: Sequence[Step], present: dict[int, Lanes], values: list[Lanes]) -> None:
        """Evaluate these steps, children first; ``present`` has the lanes of each bit."""
        for step in checked(steps):
            kind, inputs = self._steps[step]
            if kind == "leaf":
                values[step] = reduce(and_, [present[bit] for bit in _members(inputs[0])])
            elif kind == "and":
                values[step] = reduce(and_, [values[child] for child in inputs])
            else:
                values[step] = reduce(or_, [values[child] for child in inputs])

    def shrink(self, orders: list[list[int]]) -> list[BitSet]:
        """Return a minimal set that makes the last step true for each order of the bits of a true set.

        First bits go first. A pass drops one bit in every lane and puts it back where the circuit became
        false.
        """
        everywhere = (1 << len(orders)) - 1
        steps = range(len(self._steps))
        values = [0] * len(self._steps)
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

    def are_minimal(self, rows: Words, roots: Sequence[Step], spend: Spend) -> NDArray[np.bool_]:
        """Return which of the sets, all true for every root, stay so for every root without some bit."""
        below = self.below(roots)
        count = max(1024, _BITS_AT_ONCE // len(below))
        parts = [rows[start : start + count] for start in range(0, len(rows), count)]
        found = []
        for part in parts:
            spend(0)
            found.append(self._are_minimal(part, below, roots))
        return np.concatenate(found) if found else np.zeros(0, dtype=bool)

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


class MinimalityTest:
    """Minimality for the conjunction of some steps, told by evaluation instead of by comparing sets."""

    def __init__(self, circuit: MonotoneCircuit, roots: Sequence[Step], spend: Spend) -> None:
        self._circuit = circuit
        self._roots = roots
        self._spend = spend

    def pays(self, count: int) -> bool:
        """Return whether so many sets are tested faster this way."""
        # At most these steps are below the roots; counting them would take longer than it is worth.
        return (
            count >= _FEW
            and (max(self._roots) + 1) * len(self._circuit.bits(self._roots)) <= _STEPS_PER_SET * count
        )

    def __call__(self, rows: Words) -> NDArray[np.bool_]:
        """Return which sets are minimal; all must be true for the steps."""
        return self._circuit.are_minimal(rows, self._roots, self._spend)


def _members(bits: BitSet) -> list[int]:
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


def _lanes(rows: Words, bit: int) -> Lanes:
    word, position = divmod(bit, 64)
    if word >= rows.shape[1]:
        return 0
    there = (rows[:, word] & (np.uint64(1) << np.uint64(position))) != 0
    return int.from_bytes(np.packbits(there, bitorder="little").tobytes(), "little")
