"""Class labels of all instances, a block of patterns at a time, each proven or named as doubtful.

Labels are positions of classes; the position after the last class stands for "in no class".

Error bounds. A product sums ``m`` terms of sizes that add up to ``t``; with ``k`` operations behind it
(``Join.roundings``, the ``m`` included) and ``k u < 0.001``, what float64 computes is within ``2 k u t`` of
the truth, so a difference beyond that has the right sign. Joint probabilities have ``t`` equal to themselves
and are in the right order where they differ by more than that share. Before, float32 looks at all cells: its
operands are rounded once more, terms are scaled so that ``t <= 1``, and a difference beyond
``(m + 8) 2**-24 + 2 k u`` has the right sign. What it leaves goes to float64, what that leaves is doubtful.
(float32 also loses terms below ``2**-149``: far below these bounds, as no operand is above 1.) Where float64
itself may have lost something, each bound grows by ``underflow.CellError`` of the cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.compile.meet.join import Join, Matrix, Patterns
from bnc2d.compile.meet.tables.underflow import CellError
from bnc2d.model.accounts import UNIT_ROUNDOFF, power_below

LabelBlock: TypeAlias = NDArray[np.uint8]  # [pattern of the first side, pattern of the second]
Cells: TypeAlias = tuple[NDArray[np.intp], ...]  # rows and columns

# The arrays of a block should stay in the processor's cache.
_CELLS_AT_ONCE = 1 << 17
# With more classes than this, and twice as many, blocks are smaller: each takes a product for every class.
_MANY_CLASSES = 16
# Where float32 leaves more than one cell in this many, the block is computed again in float64.
_DENSE = 16
# Terms of single cells are gathered in pieces of this many entries.
_PIECE = 1 << 18
_SINGLE_ROUNDOFF = 2.0**-24
# With more terms than this the bound of float32 decides too little.
_MANY_TERMS = 512
# Below this a float32 sum of scaled terms may have lost terms to underflow.
_SMALLEST_SINGLE = 2.0**-80


@dataclass(frozen=True)
class Decided:
    """Labels of consecutive patterns, and the cells among them that are not proven."""

    labels: LabelBlock
    doubtful: Cells


@dataclass(frozen=True)
class Decider:
    """Decides patterns of the first side against all of the second.

    ``tie`` is the label of an exact tie of all classes, ``winners[i]`` the label where product ``i`` of a
    join of three classes or more is the largest.
    """

    join: Join
    tie: int
    winners: tuple[int, ...]

    @property
    def columns(self) -> int:
        """The number of patterns of the second side."""
        return int(self.join.products[0].right.shape[1])

    @property
    def terms(self) -> int:
        """The number of terms of the longest product."""
        return max(product.terms for product in self.join.products)

    def decide(self, patterns: Patterns) -> Iterator[Decided]:
        """Yield the labels of blocks of patterns of the first side."""
        most = max(1, _CELLS_AT_ONCE // (1 + len(self.join.products) // _MANY_CLASSES))
        if self.columns > most:
            yield from self._decide_in_parts(patterns, most)
            return
        step = max(1, most // self.columns)
        share = self._joint(patterns) if self.join.labels else self._difference(patterns)
        for start in range(0, len(patterns), step):
            checkpoint()
            labels, doubtful = share.decide(slice(start, min(start + step, len(patterns))))
            if not self.join.is_provable:
                doubtful = np.nonzero(np.ones(labels.shape, dtype=bool))
            yield Decided(labels, doubtful)

    def _decide_in_parts(self, patterns: Patterns, most: int) -> Iterator[Decided]:
        """Yield the labels of one pattern after the other, against ``most`` of the second side at a time."""
        parts = [replace(self, join=self.join.against(some)) for some in pieces(self.columns, most)]
        for pattern in range(len(patterns)):
            one = patterns[pattern : pattern + 1]
            found = [decided for part in parts for decided in part.decide(one)]
            u = np.concatenate([each.doubtful[0] for each in found])
            v = np.concatenate([each.doubtful[1] + at * most for at, each in enumerate(found)])
            yield Decided(np.concatenate([each.labels for each in found], axis=1), (u, v))

    def _difference(self, patterns: Patterns) -> _Difference:
        (product,) = self.join.products
        left, left_size = product.left(patterns.table)
        scale = power_below(left_size.sum(axis=0))
        scaled = left * scale
        scaled_size = scaled if left_size is left else left_size * scale
        sizes = _Entries(scaled_size, product.right_size)
        error, supports = self._underflow(patterns, scale, [sizes])
        first, share = self._first_pass()
        return _Difference(
            _Entries(scaled, product.right),
            sizes,
            supports,
            error,
            scaled.astype(first, copy=False),
            product.right.astype(first, copy=False),
            share,
            self._margin,
            np.flatnonzero(~supports[0].left.any(axis=0)) if supports else np.zeros(0, dtype=np.intp),
            self.tie,
        )

    def _joint(self, patterns: Patterns) -> _Joint:
        lefts = [product.left(patterns.table)[0] for product in self.join.products]
        scale = power_below(np.stack([left.max(axis=0, initial=0.0) for left in lefts]).max(axis=0))
        scaled = [left * scale for left in lefts]
        values = [_Entries(left, p.right) for left, p in zip(scaled, self.join.products, strict=True)]
        error, supports = self._underflow(patterns, scale, values)
        first, share = self._first_pass()
        return _Joint(
            values,
            supports,
            error,
            [
                (left.astype(first, copy=False), product.right.astype(first, copy=False))
                for left, product in zip(scaled, self.join.products, strict=True)
            ],
            4.0 * share,
            4.0 * self._margin,
            self.tie,
            np.array(self.winners),
        )

    def _underflow(
        self, patterns: Patterns, scale: Matrix, sizes: list[_Entries]
    ) -> tuple[CellError | None, list[_Entries]]:
        """Return the errors of cells, and what is zero where all sizes are in truth; nothing if not known."""
        underflow = self.join.underflow
        if underflow is None:
            return None, sizes
        supports = []
        if underflow.zeros_are_certain(patterns.lost):
            supports = [
                _Entries(product.collector.supports(patterns.table), product.right_support)
                for product in self.join.products
            ]
        return underflow.error(patterns.lost, scale), supports

    @property
    def _margin(self) -> float:
        return 2.0 * self.join.roundings * UNIT_ROUNDOFF

    def _first_pass(self) -> tuple[type[np.floating[Any]], float]:
        """Return the precision that looks at all cells, and its share of error."""
        if self.terms > _MANY_TERMS:
            return np.float64, self._margin
        return np.float32, (self.terms + 8) * _SINGLE_ROUNDOFF + self._margin


@dataclass(frozen=True)
class _Difference:
    """Two classes: the sign of a difference decides."""

    values: _Entries
    sizes: _Entries  # scaled so that no left pattern sums to more than 1
    supports: list[_Entries]  # zero where the size is in truth, one at most; none: not known
    error: CellError | None
    first_left: Any  # [term, pattern] in the precision of the first pass
    first_right: Any
    first_bound: float
    margin: float
    tied: NDArray[np.intp]  # patterns without any term
    tie: int

    def decide(self, rows: slice) -> tuple[LabelBlock, Cells]:
        """Return the labels of some patterns, and the cells that are not proven."""
        difference = _times(self.first_left[:, rows], self.first_right)
        bound = self.first_bound if self.error is None else self.first_bound + self.error.block(rows)
        above = difference > bound
        below = difference < -bound
        labels = above.view(np.uint8)
        if np.count_nonzero(above) + np.count_nonzero(below) == labels.size:
            return labels, _NO_CELLS
        here = self.tied[(self.tied >= rows.start) & (self.tied < rows.stop)] - rows.start
        below[here] = True
        u, v = np.divmod(np.flatnonzero(~(above | below)), labels.shape[1])
        labels[here] = self.tie
        value = self.values.at(rows, u, v)
        labels[u, v] = value > 0
        error: Any = 0.0 if self.error is None else self.error.at(u + rows.start, v)
        near = np.abs(value) <= self.margin + error  # sizes add up to 1 at most
        u, v, value = u[near], v[near], value[near]
        size = self.sizes.at(rows, u, v)
        error, zero = 0.0, size == 0
        if self.error is not None:
            error, zero = self.error.at(u + rows.start, v), _all_zero(self.supports, rows, u, v)
        labels[u[zero], v[zero]] = self.tie
        doubtful = (np.abs(value) <= self.margin * size + error) & ~zero
        return labels, (u[doubtful], v[doubtful])


@dataclass(frozen=True)
class _Joint:
    """Three classes or more: the largest joint probability decides."""

    values: list[_Entries]  # scaled so that the largest left entry of a pattern is near 1
    supports: list[_Entries]  # zero where the values are in truth; none: not known
    error: CellError | None
    first_pairs: list[tuple[Any, Any]]  # both sides in the precision of the first pass
    first_share: float
    share: float
    tie: int
    winners: NDArray[np.intp]

    def decide(self, rows: slice) -> tuple[LabelBlock, Cells]:
        """Return the labels of some patterns, and the cells that are not proven."""
        joint = [_times(left[:, rows], right) for left, right in self.first_pairs]
        best = joint[0].copy()
        for other in joint[1:]:
            np.maximum(best, other, out=best)
        near = best * best.dtype.type(1.0 - self.first_share)
        if self.error is not None:
            near = near - self.error.block(rows)
        labels = np.zeros(best.shape, dtype=np.uint8)
        count = np.zeros(best.shape, dtype=np.uint8)
        for values, winner in zip(joint, self.winners.tolist(), strict=True):
            close = values >= near
            count += close
            labels += close * np.uint8(winner)
        open_cells = (count != 1) | (best < _SMALLEST_SINGLE)
        if not open_cells.any():
            return labels, _NO_CELLS
        u, v = np.divmod(np.flatnonzero(open_cells), labels.shape[1])
        exact = np.stack([values.at(rows, u, v) for values in self.values])
        largest = exact.max(axis=0)
        error: Any = 0.0
        zero = largest == 0
        if self.error is not None:
            error, zero = self.error.at(u + rows.start, v), _all_zero(self.supports, rows, u, v)
        labels[u, v] = np.where(zero, self.tie, self.winners[exact.argmax(axis=0)])
        close_calls = (exact >= largest * (1.0 - self.share) - error).sum(axis=0) > 1
        doubtful = close_calls & ~zero
        return labels, (u[doubtful], v[doubtful])


def _all_zero(entries: list[_Entries], rows: slice, u: NDArray[np.intp], v: NDArray[np.intp]) -> Any:
    """Return which cells are zero in all of some products; none where there is no product."""
    zero = np.full(len(u), bool(entries))
    for each in entries:
        zero &= each.at(rows, u, v) == 0
    return zero


_NO_CELLS: Cells = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))


def _times(left: Any, right: Any) -> Any:
    """Return ``left.T @ right``; BLAS is no help where there is a single term."""
    return left[0][:, None] * right[0] if len(left) == 1 else left.T @ right


@dataclass(frozen=True)
class _Entries:
    """Entries of ``left.T @ right`` in float64, some at a time."""

    left: Matrix  # [term, pattern]
    right: Matrix

    @cached_property
    def _by_pattern(self) -> tuple[Matrix, Matrix]:
        return np.ascontiguousarray(self.left.T), np.ascontiguousarray(self.right.T)

    def at(self, rows: slice, u: NDArray[np.intp], v: NDArray[np.intp]) -> Matrix:
        """Return the entries of cells, ``u`` counted from the start of ``rows``."""
        values = np.empty(len(u))
        if not len(u):
            return values
        left = self.left[:, rows]
        if len(u) * _DENSE > left.shape[1] * self.right.shape[1]:
            return (left.T @ self.right)[u, v]
        lefts, rights = self._by_pattern
        step = max(1, _PIECE // max(1, len(left)))
        for start in range(0, len(u), step):
            piece = slice(start, start + step)
            values[piece] = np.einsum("ck,ck->c", lefts[u[piece] + rows.start], rights[v[piece]])
        return values
