"""Sums of products whose operands are gathered from two tables: ``Σ_t left[l(g, t)] ⊗ right[r(g, t)]``.

A group ``g`` of the result takes a few terms, each a row of either table; ``⊗`` forms all pairs of patterns.
Many groups take the same rows of the right table in the same order, with other rows of the left: variables
that only the left one mentions tell them apart. Such groups are one product of matrices, which gathers those
rows once: several times faster than one group after the other.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import contiguous, multiply_matrices, take
from bnc2d.base.hashing import distinct_rows, stable_order
from bnc2d.base.records import record
from bnc2d.base.workers import spread_out

if TYPE_CHECKING:
    from types import ModuleType

Integers: TypeAlias = NDArray[np.intp]
Table: TypeAlias = NDArray[Any]  # float64, or object (Python ints)

# Terms are gathered in pieces of this many entries, so that they stay in the processor's cache.
PIECE = 1 << 17
# Products that a loop in C adds up at a time. It beats products of matrices where these have fewer rows, or
# terms are few (measured: ``docs/benchmarks.md``).
_PRODUCTS = 1 << 18
_FEW_ROWS = 16
_FEW_TERMS = 2
# Looking for equal rows pays from this many products on, and where each is shared by this many groups.
_MANY_PRODUCTS = 1 << 16
_SHARED = 2
# Where runs of groups have several lengths, each takes a call, which pays from this many products on.
_LONG_RUN = 1 << 15


@record
class GatheredSums:
    """Which rows the groups of a result take, the groups in an order that makes the sums cheap.

    Both ``of_left`` and ``of_right`` are ``[group, term]``, unless there are ``counts``: then groups lie in
    runs, so many for each row of ``of_right``, ``[run, term]``, and ``place`` says where each group of the
    caller's order is now.
    """

    of_left: Integers
    of_right: Integers
    counts: Integers | None = None
    place: Integers | None = None

    @classmethod
    def planned(cls, of_left: Integers, of_right: Integers, pairs: int, is_float: bool) -> GatheredSums:
        """Return the sums for rows ``[group, term]`` of tables with so many pairs of patterns."""
        groups, terms = of_left.shape
        products = groups * terms * pairs
        if is_float and terms > 1 and products >= _MANY_PRODUCTS:
            shared, first = distinct_rows(of_right)
            counts = np.bincount(shared)
            alike = bool((counts == counts[0]).all())
            if _SHARED * len(first) <= groups and (alike or products >= _LONG_RUN * len(first)):
                order = stable_order(shared)
                place = np.empty(groups, dtype=np.intp)
                place[order] = np.arange(groups)
                return cls(of_left[order], of_right[first], counts, place)
        return cls(of_left, of_right)

    @property
    def groups(self) -> int:
        """The number of rows of the result."""
        return len(self.of_left)

    def table(self, left: Table, right: Table, out: Table | None = None) -> Table:
        """Return ``[group, left pattern x right pattern]``, in ``out`` where that is given."""
        shape = self.groups, left.shape[1] * right.shape[1]
        table = np.empty(shape, dtype=left.dtype) if out is None else out[: prod(shape)].reshape(shape)
        by_loop = left.shape[1] < _FEW_ROWS or self.of_left.shape[1] <= _FEW_TERMS
        if self.counts is None and kernels.loops is not None and left.dtype == np.float64 and by_loop:
            self._fill_by_loop(kernels.loops, table, contiguous(left), contiguous(right))
        elif self.counts is None:
            self._fill_one_by_one(table, left, right)
        else:
            self._fill_by_shared_rows(table, left, right, self.counts)
        return table

    def _fill_by_shared_rows(self, table: Table, left: Table, right: Table, counts: Integers) -> None:
        """Fill a table run by run; where all runs are of one length, many are multiplied at once."""
        terms, a, b = self.of_left.shape[1], left.shape[1], right.shape[1]
        count = int(counts[0])
        alike = bool((counts == count).all())
        step = max(1, PIECE // (terms * (count * a + b) + count * a * b)) if alike else 1
        stops = np.cumsum(counts)

        def fill(start: int) -> None:
            end = min(start + step, len(counts))
            runs = end - start
            rows = slice(int(stops[start] - counts[start]), int(stops[end - 1]))
            above = take(left, self.of_left[rows].reshape(-1)).reshape(runs, -1, terms, a)
            weights = np.ascontiguousarray(above.transpose(0, 1, 3, 2)).reshape(runs, -1, terms)
            below = take(right, self.of_right[start:end].reshape(-1)).reshape(runs, terms, b)
            multiply_matrices(weights, below, out=table[rows].reshape(runs, -1, b))

        spread_out(fill, range(0, len(counts), step))

    def _fill_by_loop(self, loops: ModuleType, table: Table, left: Table, right: Table) -> None:
        """Do what ``_fill_one_by_one`` does in C, without copies of the rows."""
        (groups, terms), a, b = self.of_left.shape, left.shape[1], right.shape[1]
        step = max(1, _PRODUCTS // (terms * a * b))
        of_left, of_right = np.ascontiguousarray(self.of_left), np.ascontiguousarray(self.of_right)

        def fill(start: int) -> None:
            piece = slice(start, start + step)
            loops.gather_sums(left, a, right, b, of_left[piece], of_right[piece], terms, table[piece])

        spread_out(fill, range(0, groups, step))

    def _fill_one_by_one(self, table: Table, left: Table, right: Table) -> None:
        """Fill a table group by group, several at once where they are small."""
        (groups, terms), a, b = self.of_left.shape, left.shape[1], right.shape[1]
        by_matrix = left.dtype == np.float64 and a * b > 1 and terms > 1
        step = max(1, PIECE // (max(terms * (a + b), a * b) if by_matrix else terms * a * b))

        def fill(start: int) -> None:
            piece = slice(start, start + step)
            if step == 1 and terms * a * b > PIECE:
                x, y = take(left, self.of_left[start]), take(right, self.of_right[start])
                multiply_matrices(x.T, y, out=table[start].reshape(a, b))
                return
            x = left.take(self.of_left[piece].reshape(-1), axis=0).reshape(-1, terms, a)
            y = right.take(self.of_right[piece].reshape(-1), axis=0).reshape(-1, terms, b)
            sums = table[piece].reshape(-1, a, b)
            if by_matrix:
                np.matmul(x.transpose(0, 2, 1), y, out=sums)
            elif terms == 1:
                np.multiply(x.transpose(0, 2, 1), y, out=sums)
            else:
                np.add.reduce(x[:, :, :, None] * y[:, :, None, :], axis=1, out=sums)

        spread_out(fill, range(0, groups, step))
