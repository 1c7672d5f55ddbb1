"""Rows of labels of two classes, decided box by box (``boxes``), and by cells where a box is open.

There are two ways with the same bounds and the same result: a loop in C that decides all boxes and cells of a
share (``base/kernels``), and numpy, box after box. Both leave close cells to float64 (``labels``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import take_columns
from bnc2d.base.checkpoints import pieces
from bnc2d.base.hashing import distinct
from bnc2d.compile.meet.boxes import BOX, Boxes, BoxLayout
from bnc2d.compile.meet.join import Patterns
from bnc2d.compile.meet.labels import (
    ALL,
    SMALLEST_SINGLE,
    Cells,
    Decider,
    Difference,
    cells_of,
    share_of_sizes,
)
from bnc2d.compile.meet.row_packing import Words, pack

if TYPE_CHECKING:
    from types import ModuleType

# Labels of consecutive patterns of the first side as bits, and the cells among them that are not proven.
BoxedRows: TypeAlias = tuple[Words, Cells]

# Where more boxes than this are open, numpy computes cells in larger blocks.
_MOST = 0.7
_ROWS_AT_ONCE = 1 << 13
# Where more than one cell in this many is near, the loop gives up; with room for so many at least.
_FEW_NEAR = 64
_ROOM = 1 << 12
# Multiplications of one call, some tenths of a second at most; to collect a term takes as long as so many.
_WORK = 1 << 31
_COLLECTING = 8


def rows_by_loop(decider: Decider, patterns: Patterns) -> BoxedRows | None:
    """Return the labels of patterns of the first side; None where there is no loop, or it gave up."""
    if kernels.loops is None or decider.layout is None:
        return None
    (product,) = decider.join.products
    work = decider.columns * product.terms + _COLLECTING * len(product.collector.source)
    words = np.empty((len(patterns), len(decider.layout.right)), dtype=np.int64)
    found = []
    for piece in pieces(len(patterns), _WORK // work):
        near = _decide_boxes(kernels.loops, decider, decider.layout, patterns[piece], words[piece])
        if near is None:
            return None
        found.append((near[0] + piece.start, near[1]))
    words[:, -1] &= _last_word(decider.columns)
    u, v = map(np.concatenate, zip(*found, strict=True))
    chosen, _, indices = distinct(u)
    some = Patterns(take_columns(patterns.table, chosen), patterns.lost[chosen])
    labels, doubtful = Difference(decider, some).resolve((ALL, ALL), indices, v)
    _set_labels(words, u, v, labels)
    return words, (u[doubtful], v[doubtful])


def _decide_boxes(
    loops: ModuleType, decider: Decider, layout: BoxLayout, patterns: Patterns, words: Words
) -> Cells | None:
    """Write the labels of patterns; return the cells that are near, None where these are many."""
    (product,) = decider.join.products
    collector, rows = product.collector, len(patterns)
    left, sizes = np.empty((2, rows, product.terms), dtype=np.float32)
    tied = np.empty(rows, dtype=np.uint8)
    starts = np.append(collector.starts, len(collector.source))
    loops.collect(patterns.table, collector.source, collector.weight, starts, left, sizes, tied)
    u, v = np.empty((2, _ROOM + rows * decider.columns // _FEW_NEAR), dtype=np.intp)
    _, bound = decider.first_pass()
    count = loops.decide_boxes(
        decider.columns,
        left,
        sizes,
        layout.right,
        layout.middle,
        layout.half,
        layout.largest,
        2.0 * bound,
        share_of_sizes(product.terms, bound),
        SMALLEST_SINGLE,
        tied,
        (1 << BOX) - 1 if decider.tie else 0,
        words,
        u,
        v,
    )
    return None if count < 0 else (u[:count], v[:count])


def _last_word(columns: int) -> np.int64:
    """Return the bits of the last box that stand for columns."""
    return np.int64(-1 if columns % BOX == 0 else (1 << columns % BOX) - 1)


def _set_labels(words: Words, u: NDArray[np.intp], v: NDArray[np.intp], labels: NDArray[np.uint8]) -> None:
    """Set the bits of some cells; several may share a byte."""
    data = words.view(np.uint8).reshape(-1)
    byte, bit = u * (8 * words.shape[1]) + v // 8, np.uint8(1) << (v % 8).astype(np.uint8)
    np.bitwise_and.at(data, byte, ~bit)
    np.bitwise_or.at(data, byte, bit * labels)


def rows_by_boxes(decider: Decider, boxes: Boxes, share: Difference) -> BoxedRows | None:
    """Return the labels of the patterns of a share; None where most boxes are open."""
    above, is_open = boxes.signs(share.first_left, share.first_bound)
    if np.count_nonzero(is_open) > _MOST * is_open.size:
        return None
    words = np.where(above, np.int64(-1), np.int64(0))
    words[:, -1] &= _last_word(decider.columns)
    doubtful = [(np.zeros(0, dtype=np.intp),) * 2]
    for box, rows in enumerate(map(np.flatnonzero, np.ascontiguousarray(is_open.T))):
        columns = slice(box * BOX, min((box + 1) * BOX, decider.columns))
        for some in pieces(len(rows), _ROWS_AT_ONCE):
            labels, cells = share.decide(rows[some], columns, box)
            words[rows[some], box] = pack(labels, 2)[:, 0]
            doubtful.append(cells_of((rows[some], columns), *cells))
    u, v = map(np.concatenate, zip(*doubtful, strict=True))
    return words, (u, v)
