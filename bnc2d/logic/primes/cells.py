"""Bits for what a locally fixated circuit can tell apart.

States that lie in the same literals of a circuit form a *cell*; every prime is a union of cells. So a term
or clause is a set of bits, one per cell that matters:

- a term sets the bits of the cells that it *excludes* (never the instance's own cell);
- a clause sets the bits of the cells that it *includes* (always the instance's own cell).

Either way fewer bits are better (a weaker term, a stronger clause), so primes are minimal sets. A feature
with only one literal, as all have in a complete reason, needs one bit. Features that come first have the
highest bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.subsumption import BitSet

# In large families, fields with at most so many bits are decoded together.
_CHUNK_BITS = 6


class Field(NamedTuple):
    """The bits of one feature."""

    bits: BitSet
    own: BitSet  # for clauses: the bit of the instance's own cell, set whenever the feature occurs
    can_fill: bool  # whether all bits together hold every state (a clause with all of them is valid)
    crossing: bool  # whether two literals of the feature are incomparable (resolution may find more)


class Cells:
    """The bits of one circuit; ``clauses`` chooses between included and excluded cells.

    A circuit that is not locally fixated on the instance is refused.
    """

    def __init__(self, manager: Manager, root: NodeId, positions: Sequence[int], *, clauses: bool) -> None:
        self.domain = manager.domain
        self.clauses = clauses
        self.fields: dict[FeatureId, Field] = {}
        self._cell_of_bit: list[tuple[FeatureId, StateMask]] = []
        self._without_bits: dict[FeatureId, StateMask] = {}
        self._codes: dict[tuple[FeatureId, StateMask], BitSet] = {}
        literals: dict[FeatureId, list[StateMask]] = {}
        for _, feature, mask in manager.literals(root):
            if not mask >> positions[feature] & 1:
                raise LogicError(
                    "direct primes need a circuit whose literals all hold for the instance (a complete or "
                    "general reason); use bnc2d.logic.primes.by_sat"
                )
            literals.setdefault(feature, []).append(mask)
        for feature in sorted(literals, reverse=True):
            self._add_field(feature, literals[feature], positions[feature])
        self.crossing = [field for field in self.fields.values() if field.crossing]
        self.one_bit_each = len(self._cell_of_bit) == len(literals)
        self.own_bits = sum(field.own for field in self.fields.values())

    def _add_field(self, feature: FeatureId, masks: list[StateMask], position: int) -> None:
        start = len(self._cell_of_bit)
        full = self.domain.full(feature)
        self._without_bits[feature] = 0 if self.clauses else full
        if len(masks) == 1:
            self._cell_of_bit.append((feature, masks[0] if self.clauses else full & ~masks[0]))
            self._codes[feature, masks[0]] = 1 << start
            self.fields[feature] = Field(1 << start, 1 << start, can_fill=False, crossing=False)
            return
        cells: dict[tuple[int, ...], StateMask] = {}
        for state in range(full.bit_length()):
            signature = tuple(mask >> state & 1 for mask in masks)
            cells[signature] = cells.get(signature, 0) | 1 << state
        covered = [cell for signature, cell in cells.items() if any(signature)]
        own_cell = next(cell for cell in cells.values() if cell >> position & 1)
        used = covered if self.clauses else [cell for cell in cells.values() if cell != own_cell]
        self._cell_of_bit += [(feature, cell) for cell in used]
        bits = (1 << len(used)) - 1 << start
        for mask in masks:
            inside = sum(1 << start + offset for offset, cell in enumerate(used) if cell & mask)
            self._codes[feature, mask] = inside if self.clauses else bits & ~inside
        self.fields[feature] = Field(
            bits,
            own=1 << start + used.index(own_cell) if self.clauses else 0,
            can_fill=len(covered) == len(cells),
            crossing=any(a & b not in (a, b) for a, b in combinations(masks, 2)),
        )

    def __len__(self) -> int:
        return len(self._cell_of_bit)

    def encode(self, feature: FeatureId, mask: StateMask) -> BitSet:
        """Return the bits of a literal of the circuit."""
        return self._codes[feature, mask]

    def decode(self, bits: BitSet) -> dict[FeatureId, StateMask]:
        """Return the literals, by feature in the order of the domain."""
        masks: dict[FeatureId, StateMask] = {}
        while bits:
            highest = bits.bit_length() - 1
            bits ^= 1 << highest
            feature, cell = self._cell_of_bit[highest]
            # Cells are disjoint: this adds them to nothing (clauses) or takes them from the whole (terms).
            masks[feature] = masks.get(feature, self._without_bits[feature]) ^ cell
        return masks

    def decode_all(self, family: Sequence[BitSet]) -> Iterator[dict[FeatureId, StateMask]]:
        """Yield the literals of each set; in a large family, parts that were seen before are remembered."""
        if len(family) <= 2**_CHUNK_BITS:
            yield from map(self.decode, family)
            return
        memory: list[dict[BitSet, dict[FeatureId, StateMask]]] = [{} for _ in self._chunks()]
        chunks = list(zip(self._chunks(), memory, strict=True))
        for bits in family:
            masks: dict[FeatureId, StateMask] = {}
            for chunk, known in chunks:
                if part := bits & chunk:
                    if part not in known:
                        known[part] = self.decode(part)
                    masks.update(known[part])
            yield masks

    def _chunks(self) -> list[BitSet]:
        """Return groups of neighbouring fields, the highest bits first."""
        chunks = [0]
        for field in reversed(self.fields.values()):
            if (chunks[-1] | field.bits).bit_count() > _CHUNK_BITS:
                chunks.append(0)
            chunks[-1] |= field.bits
        return chunks

    def features(self, bits: BitSet) -> BitSet:
        """Return the set of features as bits of this layout, one per feature."""
        if self.one_bit_each:
            return bits
        if self.clauses:
            return bits & self.own_bits
        return sum(field.bits & -field.bits for field in self.fields.values() if bits & field.bits)

    def is_valid_clause(self, bits: BitSet) -> bool:
        """Return whether some literal has become the whole domain."""
        return any(field.can_fill and bits & field.bits == field.bits for field in self.fields.values())
