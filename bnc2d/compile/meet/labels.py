"""Class labels of all instances, a block of patterns at a time, each proven or named as doubtful.

Labels are positions of classes; the position after the last class stands for "in no class".

Error bounds. A product sums ``m`` terms of sizes that add up to ``t``; with ``k`` operations behind it
(``Join.roundings``, the ``m`` included) and ``k u < 0.001``, what float64 computes is within ``2 k u t`` of
the truth, so a difference beyond that has the right sign. Joint probabilities have ``t`` equal to themselves
and are in the right order where they differ by more than that share. Before, float32 looks at all cells: its
operands are rounded once more, terms are scaled so that ``t <= 1``, and a difference beyond
``((m + 8) 2**-24 + 2 k u) t`` has the right sign, with 1 or what a box allows for ``t``. What it leaves goes
to float64, what that leaves is doubtful. (float32 also loses terms below ``2**-149``: far below these bounds,
as no operand is above 1.) Where float64 itself may have lost something, each bound grows by
``Underflow.error`` of the cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import quiet_product
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.records import record
from bnc2d.compile.meet.boxes import BOX, Boxes, BoxLayout
from bnc2d.compile.meet.join import Join, Matrix, Patterns
from bnc2d.compile.meet.tables.gathered_sums import Integers
from bnc2d.compile.meet.tables.underflow import CellError, no_error
from bnc2d.model.accounts import UNIT_ROUNDOFF, power_below

LabelBlock: TypeAlias = NDArray[np.uint8]  # [pattern of the first side, pattern of the second]
Cells: TypeAlias = tuple[Integers, Integers]  # rows and columns
Chosen: TypeAlias = slice | Integers  # some patterns of a side
Block: TypeAlias = tuple[Chosen, Chosen]  # of the first side, and of the second
# Labels of some patterns, and the cells among them that are not proven.
Decided: TypeAlias = tuple[LabelBlock, Cells]

ALL = slice(None)
# The arrays of a block should stay in the cache, and each step be long beside a switch between threads.
_CELLS_AT_ONCE = 1 << 19
# With three classes or more there is a product for each, so that blocks are smaller, and still smaller with
# this many classes and twice as many.
_CELLS_OF_SEVERAL = 1 << 17
_MANY_CLASSES = 16
# Where float32 leaves more than one cell in this many, the block is computed again in float64.
_DENSE = 16
# Where there are fewer cells than one in this many patterns, these are not laid out for them.
_FEW = 16
# Terms of single cells are gathered in pieces of this many entries.
_PIECE = 1 << 18
_SINGLE_ROUNDOFF = 2.0**-24
# With more terms than this the bound of float32 decides too little.
_MANY_TERMS = 512
# Below this a float32 sum of scaled terms may have lost terms to underflow.
SMALLEST_SINGLE = 2.0**-80


@record
class Decider:
    """Decides patterns of the first side against all of the second.

    ``tie`` is the label of an exact tie of all classes, ``winners[i]`` the label where product ``i`` of a
    join of three classes or more is the largest. ``boxes`` are those of the patterns of the second side.
    """

    join: Join
    tie: int
    winners: tuple[int, ...]
    boxes: Boxes | None = None

    @property
    def columns(self) -> int:
        """The number of patterns of the second side."""
        return int(self.join.products[0].right.shape[1])

    @property
    def terms(self) -> int:
        """The number of terms of the longest product."""
        return max(product.terms for product in self.join.products)

    @property
    def terms_in_all(self) -> int:
        """The number of terms of all products."""
        return sum(product.terms for product in self.join.products)

    @cached_property
    def layout(self) -> BoxLayout | None:
        """The boxes as a loop in C takes them; None where there are none or float32 is not the first pass."""
        if self.boxes is None or self.terms > _MANY_TERMS:
            return None
        return BoxLayout.of(self.join.products[0].right, self.boxes)

    def decide(self, patterns: Patterns, share: Difference | None = None) -> Iterator[Decided]:
        """Yield the labels of blocks of patterns of the first side; ``share``, if given, is theirs."""
        cells = _CELLS_OF_SEVERAL if self.join.labels else _CELLS_AT_ONCE
        most = max(1, cells // (1 + len(self.join.products) // _MANY_CLASSES))
        if self.columns > most:
            yield from self._decide_in_parts(patterns, most)
            return
        step = max(1, most // self.columns)
        made = share or (_Joint if self.join.labels else Difference)(self, patterns)
        for start in range(0, len(patterns), step):
            checkpoint()
            labels, doubtful = made.decide(slice(start, min(start + step, len(patterns))))
            if not self.join.is_provable:
                u, v = np.nonzero(np.ones(labels.shape, dtype=bool))
                doubtful = u, v
            yield labels, doubtful

    def _decide_in_parts(self, patterns: Patterns, most: int) -> Iterator[Decided]:
        """Yield the labels of one pattern after the other, against ``most`` of the second side at a time."""
        parts = [
            replace(self, join=self.join.against(some), boxes=None) for some in pieces(self.columns, most)
        ]
        for pattern in range(len(patterns)):
            one = patterns[pattern : pattern + 1]
            found = [decided for part in parts for decided in part.decide(one)]
            u = np.concatenate([doubtful[0] for _, doubtful in found])
            v = np.concatenate([doubtful[1] + at * most for at, (_, doubtful) in enumerate(found)])
            yield np.concatenate([labels for labels, _ in found], axis=1), (u, v)

    def underflow(
        self, patterns: Patterns, scale: Matrix, sizes: list[_Entries]
    ) -> tuple[CellError, list[_Entries]]:
        """Return the errors of cells, and what is zero where all sizes are in truth; nothing if not known."""
        underflow = self.join.underflow
        if underflow is None:
            return no_error, sizes
        supports = []
        if underflow.zeros_are_certain(patterns.lost):
            supports = [
                _Entries(product.collector.supports(patterns.table), product.right_support)
                for product in self.join.products
            ]
        return underflow.error(patterns.lost, scale), supports

    @property
    def margin(self) -> float:
        """The share of error in float64."""
        return 2.0 * self.join.roundings * UNIT_ROUNDOFF

    def first_pass(self) -> tuple[type[np.floating[Any]], float]:
        """Return the precision that looks at all cells, and its share of error."""
        if self.terms > _MANY_TERMS:
            return np.float64, self.margin
        return np.float32, (self.terms + 8) * _SINGLE_ROUNDOFF + self.margin


class Difference:
    """Two classes: the sign of a difference decides."""

    def __init__(self, decider: Decider, patterns: Patterns) -> None:
        (product,) = decider.join.products
        left, left_size = product.left(patterns.table)
        scale = power_below(left_size.sum(axis=0))  # so that no left pattern sums to more than 1
        scaled = left * scale
        self.values = _Entries(scaled, product.right)
        self.sizes = _Entries(scaled if left_size is left else left_size * scale, product.right_size)
        self.error, self.supports = decider.underflow(patterns, scale, [self.sizes])
        first, self.first_bound = decider.first_pass()
        self.first_left = scaled.T.astype(first, order="C")  # [pattern, term]
        self.first_right = product.right.astype(first, copy=False)
        self.margin, self.tie, self.boxes = decider.margin, decider.tie, decider.boxes
        # Patterns without any term.
        self.tied: NDArray[np.bool_] = np.zeros(len(patterns), dtype=bool)
        if self.supports:
            np.logical_not(self.supports[0].left.any(axis=0), out=self.tied)
        self.some_tied = bool(self.tied.any())

    @cached_property
    def _first_sizes(self) -> NDArray[np.float32]:
        """``[pattern, term]``: sizes of the left side, as they come to a first bound."""
        return self.sizes.left.T.astype(np.float32, order="C")

    def decide(self, rows: Chosen, columns: Chosen = ALL, box: int | None = None) -> Decided:
        """Return the labels of some patterns, and the cells that are not proven.

        The columns are all, or those of ``box``.
        """
        block = rows, columns
        difference = _times(_some(self.first_left, rows), self.first_right[:, columns])
        labels = (difference > 0).view(np.uint8)
        near = np.abs(difference, out=difference) <= self._first_bounds(rows, columns, box)
        if self.some_tied:
            here = self.tied[rows]
            near[here], labels[here] = False, self.tie
        cells = np.flatnonzero(near)
        if not len(cells):
            return labels, _NO_CELLS
        u, v = np.divmod(cells, labels.shape[1])
        labels[u, v], doubtful = self.resolve(block, u, v)
        return labels, (u[doubtful], v[doubtful])

    def resolve(self, block: Block, u: Integers, v: Integers) -> tuple[NDArray[np.uint8], Integers]:
        """Return the labels of cells, counted within a block, and those of them that are not proven."""
        value = self.values.at(block, u, v)
        labels = (value > 0).view(np.uint8)
        # Sizes add up to 1 at most.
        close = np.flatnonzero(np.abs(value) <= self.margin + self.error(*cells_of(block, u, v)))
        if not len(close):
            return labels, close
        u, v, value = u[close], v[close], value[close]
        size = self.sizes.at(block, u, v)
        zero = size == 0 if self.error is no_error else _all_zero(self.supports, block, u, v)
        labels[close[zero]] = self.tie
        doubtful = (np.abs(value) <= self.margin * size + self.error(*cells_of(block, u, v))) & ~zero
        return labels, close[doubtful]

    def _first_bounds(self, rows: Chosen, columns: Chosen, box: int | None) -> Any:
        """Return the errors of differences in the first pass, a number or an array to compare them with."""
        if self.boxes is None or (box is None and self.first_right.shape[1] % BOX):
            return self.first_bound + self.error((rows, None), columns)
        largest = self.boxes.largest[:, slice(None) if box is None else slice(box, box + 1)]
        sizes = quiet_product(_some(self._first_sizes, rows), largest.astype(np.float32))
        bounds = sizes * np.float32(share_of_sizes(len(largest), self.first_bound))
        bounds += np.float32(SMALLEST_SINGLE)
        return bounds if box is not None else np.repeat(bounds, BOX, axis=1)


class _Joint:
    """Three classes or more: the largest joint probability decides."""

    def __init__(self, decider: Decider, patterns: Patterns) -> None:
        products = decider.join.products
        lefts = [product.left(patterns.table)[0] for product in products]
        # The largest left entry of a pattern becomes one near 1.
        scale = power_below(np.stack([left.max(axis=0, initial=0.0) for left in lefts]).max(axis=0))
        for left in lefts:
            left *= scale
        self.values = [_Entries(left, p.right) for left, p in zip(lefts, products, strict=True)]
        self.error, self.supports = decider.underflow(patterns, scale, self.values)
        first, share = decider.first_pass()
        self.first_pairs = [
            (
                each.left.T if first is np.float64 else each.left.T.astype(first, order="C"),
                each.right.astype(first, copy=False),
            )
            for each in self.values
        ]
        self.first_share, self.share = 4.0 * share, 4.0 * decider.margin
        self.tie, self.winners = decider.tie, np.array(decider.winners)

    def decide(self, rows: slice) -> Decided:
        """Return the labels of some patterns, and the cells that are not proven."""
        block = rows, ALL
        joint = [_times(left[rows], right) for left, right in self.first_pairs]
        best = joint[0].copy()
        for other in joint[1:]:
            np.maximum(best, other, out=best)
        near = best * best.dtype.type(1.0 - self.first_share)
        open_cells = best < SMALLEST_SINGLE
        if self.error is not no_error:
            near = near - self.error((rows, None), slice(None))
            open_cells |= near <= 0  # perhaps all are zero, even where there is one product alone
        labels = np.zeros(best.shape, dtype=np.uint8)
        count = np.zeros(best.shape, dtype=np.uint8)
        for values, winner in zip(joint, self.winners.tolist(), strict=True):
            close = values >= near
            count += close
            labels += close * np.uint8(winner)
        open_cells |= count != 1
        if not open_cells.any():
            return labels, _NO_CELLS
        u, v = np.divmod(np.flatnonzero(open_cells), labels.shape[1])
        exact = np.stack([values.at(block, u, v) for values in self.values])
        largest = exact.max(axis=0)
        zero = largest == 0 if self.error is no_error else _all_zero(self.supports, block, u, v)
        labels[u, v] = np.where(zero, self.tie, self.winners[exact.argmax(axis=0)])
        least = largest * (1.0 - self.share) - self.error(*cells_of(block, u, v))
        doubtful = (((exact >= least).sum(axis=0) > 1) | (least <= 0)) & ~zero
        return labels, (u[doubtful], v[doubtful])


def share_of_sizes(terms: int, bound: float) -> float:
    """Return the share of error for sizes that are themselves sums of terms in float32."""
    return (1.0 + 2.0 * (terms + 8) * _SINGLE_ROUNDOFF) * bound


def _all_zero(entries: list[_Entries], block: Block, u: Integers, v: Integers) -> Any:
    """Return which cells are zero in all of some products; none where there is no product."""
    zero = np.full(len(u), bool(entries))
    for each in entries:
        zero &= each.at(block, u, v) == 0
    return zero


_NO_CELLS: Cells = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))


def cells_of(block: Block, u: Integers, v: Integers) -> Cells:
    """Return cells that are counted within a block, counted among all."""
    rows, columns = (
        at + (chosen.start or 0) if isinstance(chosen, slice) else chosen[at]
        for chosen, at in zip(block, (u, v), strict=True)
    )
    return rows, columns


def _size(chosen: Chosen, length: int) -> int:
    """Return how many of ``length`` patterns are chosen."""
    return len(range(*chosen.indices(length))) if isinstance(chosen, slice) else len(chosen)


def _some(rows: NDArray[Any], chosen: Chosen) -> NDArray[Any]:
    """Return some rows of a matrix; by ``take``, which lets other threads run, as indexing does not."""
    return rows[chosen] if isinstance(chosen, slice) else rows.take(chosen, axis=0)


def _times(left: Any, right: Any) -> Any:
    """Return ``left @ right``; BLAS is no help where there is a single term."""
    return left * right if len(right) == 1 else quiet_product(left, right)


@record
class _Entries:
    """Entries of ``left.T @ right`` in float64, some at a time."""

    left: Matrix  # [term, pattern]
    right: Matrix

    @cached_property
    def _by_pattern(self) -> tuple[Matrix, Matrix]:
        return np.ascontiguousarray(self.left.T), np.ascontiguousarray(self.right.T)

    def at(self, block: Block, u: Integers, v: Integers) -> Matrix:
        """Return the entries of cells that are counted within a block."""
        values = np.empty(len(u))
        if not len(u):
            return values
        rows, columns = block
        if len(u) * _DENSE > _size(rows, self.left.shape[1]) * _size(columns, self.right.shape[1]):
            return (_some(self._by_pattern[0], rows) @ self.right[:, columns])[u, v]
        u, v = cells_of(block, u, v)
        if len(u) * _FEW < self.left.shape[1]:
            return np.einsum("kc,kc->c", self.left.take(u, 1), self.right.take(v, 1), out=values)
        lefts, rights = self._by_pattern
        step = max(1, _PIECE // max(1, len(self.right)))
        for start in range(0, len(u), step):
            piece = slice(start, start + step)
            np.einsum("ck,ck->c", lefts.take(u[piece], 0), rights.take(v[piece], 0), out=values[piece])
        return values
