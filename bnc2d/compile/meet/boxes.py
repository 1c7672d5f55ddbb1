"""Early decisions of two classes: many patterns of the second side at once, where all of them agree.

The sign of ``Σ_t left[t, u] right[t, v]`` does not change when a column ``v`` is scaled. So columns are
scaled to a size of 1, and sorted such that 64 columns in a row, a *box*, are alike (halves along the term
that differs most, as in a k-d tree). With the middle ``m`` and the half width ``r`` of a box in each term,
all its cells are within ``Σ |left| r`` of ``Σ left m``: where that leaves no doubt of the sign, a box is
decided by two products instead of 64, and its labels are one word. Only cells of other boxes are computed.

Both products are computed like cells (``labels.py``), so each is off by the bound of a cell at most.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import quiet_product, take_columns
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.records import record
from bnc2d.compile.meet.join import Join, Matrix
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.gathered_sums import Integers

BOX = 64  # columns, and labels of a word
# Boxes pay from this many cells and columns on.
_MANY_CELLS = 1 << 21
_MANY_COLUMNS = 4 * BOX
_VECTOR = 16  # entries, to which the loop in C has rows over boxes padded
# Beyond all roundings of numbers up to 1 by which boxes are made.
_SLACK = 2.0**-48

Signs: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # [pattern, box]: positive for certain, open


@record
class Boxes:
    """The boxes of the columns of a product: ``[term, box]``.

    ``largest`` is that of the sizes of a term, which are not scaled like ``middle`` and ``half``.
    """

    middle: Matrix
    half: Matrix
    largest: Matrix

    @classmethod
    def around(cls, columns: Matrix, sizes: Matrix) -> Boxes:
        """Return the boxes of columns that are sorted, 64 each but for the last."""
        starts = np.arange(0, columns.shape[1], BOX)
        low, high = (each.reduceat(columns, starts, axis=1) for each in (np.minimum, np.maximum))
        largest = np.maximum.reduceat(sizes, starts, axis=1)
        return cls((low + high) / 2, (high - low) / 2 + _SLACK, largest)

    def signs(self, left: NDArray[np.floating], bound: float) -> Signs:
        """Return what is decided of patterns ``[pattern, term]`` whose sizes sum to 1 at most.

        ``bound`` is that of cells computed in the precision of ``left``.
        """
        middle = quiet_product(left, self.middle.astype(left.dtype, copy=False))
        reach = quiet_product(np.abs(left), self.half.astype(left.dtype, copy=False))
        reach += left.dtype.type(2.0 * bound)
        above = middle > reach
        return above, ~above & (middle >= -reach)


@record
class BoxLayout:
    """What the loop in C needs of the second side, in float32.

    Cells are ``[box, term, 64]``, the rest is ``[term, box]``.
    """

    right: NDArray[np.float32]
    middle: NDArray[np.float32]
    half: NDArray[np.float32]
    largest: NDArray[np.float32]

    @classmethod
    def of(cls, right: Matrix, boxes: Boxes) -> BoxLayout:
        """Return the layout for the columns of a product."""
        terms, count = len(right), boxes.middle.shape[1]
        cells = np.zeros((count, terms, BOX), dtype=np.float32)
        for box in range(count):
            some = right[:, box * BOX : (box + 1) * BOX]
            cells[box, :, : some.shape[1]] = some
        over_boxes = np.zeros((3, terms, -(-count // _VECTOR) * _VECTOR), dtype=np.float32)
        over_boxes[:, :, :count] = boxes.middle, boxes.half, boxes.largest
        return cls(cells, *over_boxes)


def in_boxes(join: Join, second: CompressedFactor) -> tuple[Join, CompressedFactor, Boxes | None]:
    """Return a join whose columns are sorted into boxes, the second side likewise, and the boxes.

    No boxes where they do not pay, or where more than roundings may be wrong with a product.
    """
    columns = second.patterns
    few = columns < _MANY_COLUMNS or columns * len(join.first) < _MANY_CELLS
    if few or join.labels or join.underflow is not None or not join.is_provable:
        return join, second, None
    (product,) = join.products
    if not product.terms:  # all instances tie
        return join, second, None
    size = product.right_size.sum(axis=0)
    scaled = product.right / np.where(size > 0, size, 1.0)
    order = _alike(scaled)
    boxes = Boxes.around(take_columns(scaled, order), take_columns(product.right_size, order))
    return join.against(order), second.reordered(order), boxes


def _alike(columns: Matrix) -> Integers:
    """Return the columns in an order in which every 64 are alike."""
    order = np.arange(columns.shape[1])
    open_parts = [(0, len(order))]
    while open_parts:
        checkpoint()
        start, stop = open_parts.pop()
        part = order[start:stop]
        inside = columns[:, part]
        widest = int((inside.max(axis=1) - inside.min(axis=1)).argmax())
        half = -(-(stop - start) // (2 * BOX)) * BOX  # so that all boxes but the last are full
        order[start:stop] = part[np.argpartition(inside[widest], half - 1)] if half < stop - start else part
        if stop - start > 2 * BOX:
            open_parts += [(start, start + half), (start + half, stop)]
    return order
