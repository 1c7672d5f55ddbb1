"""Small OR-decomposable formulas from a diagram: several levels are decided at once.

A node of a decision diagram costs three gates, ``(x ∨ low) ∧ (¬x ∨ high)``. Here a block of levels is decided
at once, as in a sentential decision diagram (Darwiche 2011): a node whose cells (the instances of the block's
features) lead to functions ``g`` below the block is the AND of one clause ``q_g ∨ g`` for each of them. The
guards ``q_g`` are over the block's features, so no OR shares a feature; all nodes of the block share them.

A function and its complement have the same blocks: false and true change places, implications turn round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, joined, piece_of, take
from bnc2d.base.checkpoints import checked, checkpoint, pieces
from bnc2d.base.workers import spread
from bnc2d.compile.formula.cells import CellTables
from bnc2d.compile.formula.guards import CellSets, GuardBuilder, choose_guards
from bnc2d.compile.formula.implication import Implications
from bnc2d.compile.formula.plan import Plan
from bnc2d.logic.circuit.absorb import absorb
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.builder import CircuitBuilder
from bnc2d.logic.circuit.manager import FALSE, TRUE
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.parts import parts_of

# Batch size: pairs of functions that are compared at once. Then two limits: no implications are sought in a
# block with more pairs than the first, nor any more once more pairs than the second are open.
_PAIRS_TOGETHER = 1 << 18
_PAIRS_OF_BLOCK = 1 << 22
_OPEN_PAIRS = 1 << 22
# The blocks of a diagram with at most so many nodes are not worth a thread.
_FEW_NODES = 10_000


@dataclass
class _Block:
    """The nodes that a block decides, and the parts of their cells: row, function, cells."""

    features: tuple[int, ...]
    sizes: list[int]
    nodes: Numbers
    rows: Numbers
    targets: Numbers
    masks: CellSets
    full: int
    # Parts of a row: the function of the first implies that of the second.
    implying: list[Numbers]
    implied: list[Numbers]


class BlockCircuits:
    """The circuits of a function and of its complement, for a plan of blocks."""

    def __init__(
        self,
        diagram: Diagram,
        plan: Plan,
        tables: CellTables,
        implications: Implications,
    ) -> None:
        self._diagram = diagram
        levels = zip(reversed(plan[:-1]), reversed(plan[1:]), strict=True)
        # From the last to the first.
        self._spread = spread if diagram.size > _FEW_NODES else map
        self._blocks = list(self._spread(lambda some: _block(diagram, tables, *some), levels))
        self._find_implications(implications)

    def _find_implications(self, implications: Implications) -> None:
        """Look for implications between the functions of a row, in all blocks at once."""
        found: list[tuple[_Block, Numbers, Numbers]] = []
        count = 0
        runs = (run for block in self._blocks for run in _runs(block, implications))
        for forwards, backwards in self._spread(_Run.open_pairs, runs):
            found += [forwards, backwards]
            count += len(forwards[1]) + len(backwards[1])
            if count > _OPEN_PAIRS:
                break
        if not found:
            return
        asked = [joined([block.targets.take(pair[side]) for block, *pair in found]) for side in (0, 1)]
        holds = implications.holds(asked[0], asked[1])
        end = 0
        for block, left, right in found:
            start, end = end, end + len(left)
            proven = np.flatnonzero(holds[start:end])
            block.implying.append(left.take(proven))
            block.implied.append(right.take(proven))

    def circuit(self, negated: bool) -> CircuitArrays:
        """Return the OR-decomposable circuit of the function or of its complement."""
        builder = CircuitBuilder()
        formulas = np.zeros(self._diagram.size, dtype=np.int64)
        formulas[:2] = (TRUE, FALSE) if negated else (FALSE, TRUE)
        for block in self._blocks:
            checkpoint()
            _add_block(block, formulas, builder, negated)
        return absorb(builder.finish(int(formulas[self._diagram.root])))


def _block(diagram: Diagram, tables: CellTables, start: int, stop: int) -> _Block:
    nodes, _, cells = tables.block(start, stop)
    rows, targets, masks = parts_of(cells)
    return _Block(
        tuple(level.feature for level in diagram.walk[start:stop]),
        tables.sizes[start:stop],
        nodes,
        rows,
        targets,
        masks,
        (1 << len(cells)) - 1,
        [],
        [],
    )


class _Run(NamedTuple):
    """Parts of a block that lead to functions other than false and true, some of which are to be compared.

    Each of them from ``start`` to ``stop`` is compared with so many ``following`` ones, those of its row.
    """

    block: _Block
    parts: Numbers
    words: NDArray[np.uint64]  # by part, values of its function
    following: Numbers
    start: int
    stop: int

    def open_pairs(self) -> tuple[tuple[_Block, Numbers, Numbers], tuple[_Block, Numbers, Numbers]]:
        """Return the pairs whose left function may imply the right one; and turned round, where it is so."""
        repeats = self.following[self.start : self.stop]
        pairs = int(repeats.sum())
        if kernels.loops is not None:
            forwards, backwards = np.empty((2, pairs), dtype=np.int64), np.empty((2, pairs), dtype=np.int64)
            given = self.words, self.parts, self.following, self.start, self.stop
            ahead, back = kernels.loops.open_pairs(*given, forwards, backwards)
            one, other = forwards[:, :ahead].copy(), backwards[:, :back].copy()
            return (self.block, one[0], one[1]), (self.block, other[0], other[1])
        left = np.repeat(np.arange(self.start, self.stop), repeats)
        before = np.cumsum(repeats) - repeats
        right = np.arange(pairs) + np.repeat(np.arange(self.start + 1, self.stop + 1) - before, repeats)
        a, b = self.words.take(left), self.words.take(right)
        either = a | b
        ones, others = np.flatnonzero(either == b), np.flatnonzero(either == a)
        left, right = self.parts.take(left), self.parts.take(right)
        return (
            (self.block, left.take(ones), right.take(ones)),
            (self.block, right.take(others), left.take(others)),
        )


def _runs(block: _Block, implications: Implications) -> Iterator[_Run]:
    """Yield the pairs of parts of a row that lead to functions other than false and true, each pair once."""
    inner = np.flatnonzero(block.targets > 1)
    rows = take(block.rows, inner)
    ends = np.cumsum(np.bincount(rows, minlength=len(block.nodes)))
    following = take(ends, rows) - np.arange(1, len(inner) + 1)
    checkpoint()
    ends = np.cumsum(following)
    if not len(inner) or 2 * ends[-1] > _PAIRS_OF_BLOCK:
        return
    words = implications.first_words(take(block.targets, inner))
    start = 0
    while start < len(inner):
        before = int(ends[start] - following[start])
        stop = max(start + 1, int(np.searchsorted(ends, before + _PAIRS_TOGETHER, side="right")))
        yield _Run(block, inner, words, following, start, stop)
        start = stop


def _ranges(block: _Block, kept: Numbers, negated: bool) -> tuple[CellSets, CellSets]:
    """Return the cells that the guards of some parts must and may have."""
    false = 1 if negated else 0
    claimed = block.masks.copy()
    refused = np.flatnonzero(block.targets == false)
    empty = np.zeros(len(block.nodes), dtype=block.masks.dtype)
    empty[block.rows[refused]] = block.masks[refused]
    for piece in pieces(len(claimed), piece_of(claimed.dtype)):
        claimed[piece] |= empty[block.rows[piece]]
    claimed[refused] = block.masks[refused]
    pairs = zip(block.implying, block.implied, strict=True)
    for left, right in ((b, a) if negated else (a, b) for a, b in pairs):
        for piece in pieces(len(right), piece_of(claimed.dtype)):
            if kernels.loops is not None and claimed.dtype != object:
                kernels.loops.claim_cells(claimed, block.masks, left[piece], right[piece])
            else:
                np.bitwise_or.at(claimed, right[piece], block.masks[left[piece]])
    full = block.masks.dtype.type(block.full) if block.masks.dtype != object else block.full
    checkpoint()
    must = full & ~claimed[kept]
    checkpoint()
    return must, full & ~block.masks[kept]


def _add_block(block: _Block, formulas: Numbers, builder: CircuitBuilder, negated: bool) -> None:
    """Add the gates of a block; set the formulas of its nodes."""
    kept = np.flatnonzero(block.targets != (0 if negated else 1))
    guards, group_ids = choose_guards(*_ranges(block, kept, negated))
    formula_of = GuardBuilder(block.features, block.sizes, builder).formula
    checkpoint()
    guard = take(np.array([formula_of(cells) for cells in checked(guards)], dtype=np.int64), group_ids)
    clauses = builder.clauses(guard, take(formulas, take(block.targets, kept)))
    checkpoint()
    formulas[block.nodes] = builder.conjunctions(take(block.rows, kept), clauses, len(block.nodes))
