"""A share of the patterns decided at once: the unit of work that can be done anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bnc2d.base.hashing import distinct, stable_order
from bnc2d.base.records import record
from bnc2d.base.threads import one_thread
from bnc2d.base.workers import in_order
from bnc2d.compile.meet.join import Patterns
from bnc2d.compile.meet.labels import Cells, Decider, Difference, LabelBlock
from bnc2d.compile.meet.row_packing import DistinctRows, Words, pack, unpack
from bnc2d.compile.meet.tables.gathered_sums import Integers

if TYPE_CHECKING:
    from concurrent.futures import Executor

# A share has about this many cells, tens of milliseconds, and at most this many entries of matrices; more of
# those where a cell has many terms, as the second side is read again for every share.
CELLS = 1 << 24
CELLS_IN_BOXES = 1 << 27
_ENTRIES = 1 << 20
_ENTRIES_OF_MANY = 1 << 25
_MANY_TERMS = 1 << 12
_EVEN = 4  # where there is more than one share, their number is a multiple of this


@record
class Doubts:
    """Patterns of the first side with cells that are not proven: their labels, and the cells.

    A cell is a position in ``patterns`` and a pattern of the second side.
    """

    patterns: Integers
    labels: LabelBlock
    rows: Integers
    columns: Integers

    @classmethod
    def joined(cls, doubts: Sequence[Doubts]) -> Doubts:
        """Return all of several."""
        before = np.cumsum([0, *(len(each.patterns) for each in doubts)])
        return cls(
            np.concatenate([each.patterns for each in doubts]),
            np.concatenate([each.labels for each in doubts]),
            np.concatenate([each.rows + start for each, start in zip(doubts, before, strict=False)]),
            np.concatenate([each.columns for each in doubts]),
        )


# The packed labels of consecutive patterns of the first side, and the doubts about them.
PackedRows: TypeAlias = tuple[Words, Doubts]
# The same with equal rows as one: that is found where rows are made, and less is sent from there.
DecidedRows: TypeAlias = tuple[DistinctRows, Doubts]


@one_thread
def decide_rows(decider: Decider, patterns: Patterns, ends: int, start: int) -> DecidedRows:
    """Decide patterns of the first side, of which ``start`` come before."""
    words, doubts = _decide_rows(decider, patterns, ends, start)
    return DistinctRows.of(words), doubts


def _decide_rows(decider: Decider, patterns: Patterns, ends: int, start: int) -> PackedRows:
    share: Difference | None = None
    if decider.boxes is not None and ends <= 2:
        from bnc2d.compile.meet.boxed_rows import rows_by_boxes, rows_by_loop  # small problems have no boxes

        found = rows_by_loop(decider, patterns)
        if found is None:
            share = Difference(decider, patterns)
            found = rows_by_boxes(decider, decider.boxes, share)
        if found is not None:
            return _with_doubts(*found, decider.columns, start)
    rows, doubts = [], []
    for labels, (u, v) in decider.decide(patterns, share):
        rows.append(pack(labels, ends))
        if len(u):
            open_rows, _, indices = distinct(u)
            doubts.append(Doubts(open_rows + start, labels[open_rows], indices, v))
        start += len(labels)
    none = np.zeros(0, dtype=np.intp)
    nothing = Doubts(none, np.zeros((0, decider.columns), dtype=np.uint8), none, none)
    return np.concatenate(rows), Doubts.joined([nothing, *doubts])


def _with_doubts(words: Words, cells: Cells, columns: int, start: int) -> PackedRows:
    """Return rows of bits with the doubts about them, row by row."""
    order = stable_order(cells[0])
    u, v = (each[order] for each in cells)
    open_rows, _, indices = distinct(u)
    return words, Doubts(open_rows + start, unpack(words[open_rows], 2, columns), indices, v)


def decide_all(
    decider: Decider, patterns: Patterns, ends: int, executor: Executor | None
) -> Iterator[DecidedRows]:
    """Decide all patterns of the first side, share by share and in order, where an executor runs them.

    The shares do not depend on the executor, so the result does not.
    """
    cells = CELLS if decider.boxes is None else CELLS_IN_BOXES
    entries = _ENTRIES // max(1, decider.terms)
    if decider.terms >= _MANY_TERMS:
        entries = _ENTRIES_OF_MANY // decider.terms_in_all
    shares = -(-len(patterns) // max(1, min(cells // decider.columns, entries)))
    if shares > 1:  # of one size, and as many as several threads can divide among them
        shares = -(-shares // _EVEN) * _EVEN
    step = max(1, -(-len(patterns) // max(1, shares)))
    starts = range(0, len(patterns), step)
    # Shares are made one by one: there can be millions, more than any time limit would wait for.
    each = ((decider, patterns[start : start + step], ends, start) for start in starts)
    if executor is None or len(starts) == 1:
        yield from (decide_rows(*share) for share in each)
        return
    yield from in_order(executor, decide_rows, each)
