"""Sums of products whose operands are gathered from two tables: ``Σ_t left[l(g, t)] ⊗ right[r(g, t)]``.

A group ``g`` of the result takes a few terms, each a row of either table; ``⊗`` forms all pairs of patterns.
Many groups take the same rows of the right table in the same order, with other rows of the left: variables
that only the left one mentions tell them apart. Such groups are one product of matrices, which gathers those
rows once: several times faster than one group after the other.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import multiply_matrices, take
from bnc2d.base.hashing import distinct_rows, stable_order
from bnc2d.base.workers import spread_out

Integers: TypeAlias = NDArray[np.intp]
Table: TypeAlias = NDArray[Any]  # float64, or object (Python ints)

# Terms are gathered in pieces of this many entries, so that they stay in the processor's cache.
PIECE = 1 << 17
# Looking for equal rows pays from this many products on, and where each is shared by this many groups.
_MANY_PRODUCTS = 1 << 16
_SHARED = 2
# Where runs of groups have several lengths, each takes a call, which pays from this many products on.
_LONG_RUN = 1 << 15


def gathered_sums(
    left: Table, right: Table, of_left: Integers, of_right: Integers
) -> tuple[Table, Integers | None]:
    """Return ``[group, left pattern x right pattern]``, and in which place each group is; None for its own.

    ``of_left`` and ``of_right`` are ``[group, term]``.
    """
    groups, terms = of_left.shape
    products = groups * terms * left.shape[1] * right.shape[1]
    if left.dtype == np.float64 and terms > 1 and products >= _MANY_PRODUCTS:
        shared, first = distinct_rows(of_right)
        counts = np.bincount(shared)
        alike = bool((counts == counts[0]).all())
        if _SHARED * len(first) <= groups and (alike or products >= _LONG_RUN * len(first)):
            order = stable_order(shared)
            place = np.empty(groups, dtype=np.intp)
            place[order] = np.arange(groups)
            return _by_shared_rows(left, right, of_left[order], of_right[first], counts, alike), place
    return _one_by_one(left, right, of_left, of_right), None


def _by_shared_rows(
    left: Table, right: Table, of_left: Integers, of_right: Integers, counts: Integers, alike: bool
) -> Table:
    """Return the sums of groups that lie in runs, ``counts`` of them for each row of ``of_right``.

    Where all runs are ``alike`` in length, many are multiplied at once.
    """
    (groups, terms), a, b = of_left.shape, left.shape[1], right.shape[1]
    table: Table = np.empty((groups, a * b))
    count = int(counts[0])
    step = max(1, PIECE // (terms * (count * a + b) + count * a * b)) if alike else 1
    stops = np.cumsum(counts)

    def fill(start: int) -> None:
        end = min(start + step, len(counts))
        runs = end - start
        rows = slice(int(stops[start] - counts[start]), int(stops[end - 1]))
        above = take(left, of_left[rows].reshape(-1)).reshape(runs, -1, terms, a)
        weights = np.ascontiguousarray(above.transpose(0, 1, 3, 2)).reshape(runs, -1, terms)
        below = take(right, of_right[start:end].reshape(-1)).reshape(runs, terms, b)
        multiply_matrices(weights, below, out=table[rows].reshape(runs, -1, b))

    spread_out(fill, range(0, len(counts), step))
    return table


def _one_by_one(left: Table, right: Table, of_left: Integers, of_right: Integers) -> Table:
    """Return the sums of each group by itself."""
    groups, terms = of_left.shape
    a, b = left.shape[1], right.shape[1]
    table: Table = np.empty((groups, a * b), dtype=left.dtype)
    by_matrix = left.dtype == np.float64 and a * b > 1 and terms > 1
    step = max(1, PIECE // (max(terms * (a + b), a * b) if by_matrix else terms * a * b))

    def fill(start: int) -> None:
        piece = slice(start, start + step)
        if step == 1 and terms * a * b > PIECE:
            x, y = take(left, of_left[start]), take(right, of_right[start])
            multiply_matrices(x.T, y, out=table[start].reshape(a, b))
            return
        x = left.take(of_left[piece].reshape(-1), axis=0).reshape(-1, terms, a)
        y = right.take(of_right[piece].reshape(-1), axis=0).reshape(-1, terms, b)
        sums = table[piece].reshape(-1, a, b)
        if by_matrix:
            np.matmul(x.transpose(0, 2, 1), y, out=sums)
        elif terms == 1:
            np.multiply(x.transpose(0, 2, 1), y, out=sums)
        else:
            np.add.reduce(x[:, :, :, None] * y[:, :, None, :], axis=1, out=sums)

    spread_out(fill, range(0, groups, step))
    return table
