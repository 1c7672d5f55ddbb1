"""Factors with a table per pattern of observed features, their products and sums.

The tables hold float64 values, Python integers (exact), or booleans (is it possible?).

Error bound. Every float64 number here is a sum of products of non-negative entries, so rounding errors
stay relative: one operation multiplies a value by ``1 + d`` with ``|d| <= u = 2**-53`` as long as nothing
underflows. If at most ``k`` operations touch a value on its way (a rounded entry counts one, a product
one, a sum of ``m`` terms ``m - 1``), the result is within a factor ``1 ± k*u / (1 - k*u)`` of the exact
one (Higham, "Accuracy and Stability of Numerical Algorithms", lemma 3.1). ``Factor.roundings`` is that
``k``, whatever the order in which BLAS adds. Scaling by powers of two is exact; patterns where a product
could underflow are cleared in ``Factor.trusted``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log2, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import blocks, contiguous, multiply_matrices, piece_of, sum_out
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId
from bnc2d.base.threads import one_thread

Table: TypeAlias = NDArray[Any]  # float64, bool, or object (Python ints)

# Products are formed in pieces of this many entries, so that they stay in the processor's cache.
_CHUNK_ENTRIES = 1 << 17
# All pairs of patterns are multiplied by BLAS where at least one in this many is asked for.
_DENSE_PAIRS = 8
# A matrix product per pair of patterns pays from this many multiplications on.
_WORTH_A_MATRIX = 2048
# Positive float64 values below 2**-1000 are not trusted; 2**-1022 is where relative accuracy ends.
LOWEST_EXPONENT = -1000
UNIT_ROUNDOFF = 2.0**-53
# Room for sums of 2**100 terms before 2**1024 overflows.
HIGHEST_EXPONENT = 900


@dataclass
class Factor:
    """A table ``[pattern, *scope]`` and the pattern of each row; for float64 also its error account."""

    scope: tuple[VariableId, ...]
    pattern_of_row: NDArray[np.intp]
    table: Table
    trusted: NDArray[np.bool_]  # by pattern
    roundings: int = 0
    lowest: float = 0.0  # log2 of a lower bound on the positive entries
    highest: float = 0.0  # log2 of an upper bound on the entries

    @property
    def sizes(self) -> dict[VariableId, int]:
        """The number of states of each variable of the scope."""
        return dict(zip(self.scope, self.table.shape[1:], strict=True))


@one_thread
def multiply_out(factors: list[Factor], summed: tuple[VariableId, ...]) -> Factor:
    """Multiply the factors, smallest first, and sum the variables ``summed`` out of the product."""
    factors = sorted(factors, key=lambda factor: factor.table.size)
    if len(factors) == 1:
        if not summed:
            return factors[0]
        nowhere = np.zeros(len(factors[0].pattern_of_row), dtype=np.intp)
        one = np.ones(1, dtype=factors[0].table.dtype)
        factors.insert(0, Factor((), nowhere, one, np.ones(1, dtype=bool)))
    product = factors[0]
    for factor in factors[1:-1]:
        product = _product(product, factor, ())
    return _product(product, factors[-1], summed)


def _product(left: Factor, right: Factor, summed: tuple[VariableId, ...]) -> Factor:
    """Multiply two factors pattern by pattern and sum out the variables ``summed``."""
    checkpoint()
    codes = left.pattern_of_row * len(right.table) + right.pattern_of_row
    pairs, pattern_of_row = np.unique(codes, return_inverse=True)
    of_left, of_right = np.divmod(pairs, len(right.table))
    floating = left.table.dtype == np.float64
    if floating and not _in_range(left, right):
        left, right = _rescaled(left), _rescaled(right)
    in_range = floating and _in_range(left, right)
    trusted = left.trusted[of_left] & right.trusted[of_right]
    axes = _Axes.of(left, right, summed)
    pieces = _grouped_axes(left, axes), _grouped_axes(right, axes)
    by_matrix = pieces[0].shape[2] * pieces[0].shape[3] * pieces[1].shape[3] >= _WORTH_A_MATRIX
    if in_range and by_matrix:
        table = _product_by_pair(*pieces, of_left, of_right)
    elif in_range and len(left.table) * len(right.table) <= _DENSE_PAIRS * len(pairs):
        table = _product_of_all_pairs(*pieces, pairs)
    else:
        watched = trusted if floating and not in_range else None
        table = _product_by_entry(*pieces, of_left, of_right, watched)
    sizes = left.sizes | right.sizes
    table = table.reshape(len(pairs), *(sizes[variable] for variable in axes.kept))
    terms = prod(sizes[variable] for variable in summed)
    lowest = max(left.lowest + right.lowest, float(LOWEST_EXPONENT))
    highest = left.highest + right.highest + log2(terms)
    if floating and table.size <= _CHUNK_ENTRIES:
        # Measuring a small table now saves scaling a large one later.
        lowest, highest = exponents(table[trusted])
    roundings = left.roundings + right.roundings + terms
    return Factor(axes.kept, pattern_of_row, table, trusted, roundings, lowest, highest)


def _grouped_axes(factor: Factor, axes: _Axes) -> Table:
    """Return ``[pattern, shared, summed by both, own]``, with what only this factor sums already summed."""
    table, scope = factor.table, factor.scope
    alone = [variable for variable in axes.summed_alone if variable in scope]
    if alone:
        table = sum_out(table, tuple(1 + scope.index(v) for v in alone))
        scope = tuple(variable for variable in scope if variable not in alone)
    own = [variable for variable in scope if variable not in axes.shared and variable not in axes.summed]
    order = [1 + scope.index(variable) for variable in (*axes.shared, *axes.summed, *own)]
    sizes = [prod(factor.sizes[variable] for variable in group) for group in (axes.shared, axes.summed, own)]
    return contiguous(table.transpose(0, *order)).reshape(len(table), *sizes)


@dataclass(frozen=True)
class _Axes:
    """How the variables of two factors take part in their product."""

    shared: tuple[VariableId, ...]  # in both, kept
    summed: tuple[VariableId, ...]  # in both, summed out
    summed_alone: tuple[VariableId, ...]  # in one, summed out
    kept: tuple[VariableId, ...]  # the axes of the result: shared, then the left's own, then the right's

    @classmethod
    def of(cls, left: Factor, right: Factor, summed: tuple[VariableId, ...]) -> _Axes:
        both = set(left.scope) & set(right.scope)
        shared = tuple(v for v in right.scope if v in both and v not in summed)
        own = tuple(v for v in (*left.scope, *right.scope) if v not in both and v not in summed)
        return cls(
            shared,
            tuple(v for v in summed if v in both),
            tuple(v for v in summed if v not in both),
            (*shared, *own),
        )


def _product_of_all_pairs(left: Table, right: Table, pairs: NDArray[np.intp]) -> Table:
    """Return ``[pair, shared, left's own, right's own]``: one matrix product per shared state for all pairs.

    ``pairs`` holds sorted numbers ``left pattern * right patterns + right pattern``; the products that it
    does not ask for are thrown away, a block of left patterns at a time.
    """
    count, shared, _, b_own = right.shape
    a_own = left.shape[3]
    a = contiguous(left.transpose(1, 0, 3, 2))
    b = contiguous(right.transpose(1, 2, 0, 3)).reshape(shared, -1, count * b_own)
    table: Table = np.empty((len(pairs), shared, a_own, b_own), dtype=left.dtype)
    step = max(1, 16 * _CHUNK_ENTRIES // (count * prod(table.shape[1:])))
    for start in range(0, len(left), step):
        checkpoint()
        block = a[:, start : start + step]
        product = np.matmul(block.reshape(shared, -1, block.shape[3]), b)
        product = product.reshape(shared, block.shape[1], a_own, count, b_own).transpose(1, 3, 0, 2, 4)
        first, last = np.searchsorted(pairs, [start * count, (start + step) * count])
        wanted = pairs[first:last]
        table[first:last] = product[wanted // count - start, wanted % count]
    return table


def _product_by_pair(
    left: Table, right: Table, of_left: NDArray[np.intp], of_right: NDArray[np.intp]
) -> Table:
    """Return ``[pair, shared, left's own, right's own]``: one matrix product per pair and shared state."""
    a, b = contiguous(left.transpose(0, 1, 3, 2)), right
    table: Table = np.empty((len(of_left), a.shape[1], a.shape[2], b.shape[3]), dtype=a.dtype)
    step = max(1, _CHUNK_ENTRIES // max(prod(a.shape[1:]), prod(b.shape[1:])))
    for start in range(0, len(of_left), step):
        chunk = slice(start, start + step)
        if step == 1:  # large tables are not copied
            multiply_matrices(a[of_left[start]], b[of_right[start]], out=table[start])
        else:
            multiply_matrices(a[of_left[chunk]], b[of_right[chunk]], out=table[chunk])
    return table


def _product_by_entry(
    left: Table,
    right: Table,
    of_left: NDArray[np.intp],
    of_right: NDArray[np.intp],
    trusted: NDArray[np.bool_] | None,
) -> Table:
    """Return ``[pair, shared, left's own, right's own]`` for any kind of entries, one summed state at a time.

    Where ``trusted`` is given, pairs with a product in the range of underflow are cleared in it.
    """
    a = contiguous(left.transpose(0, 2, 1, 3))[:, :, :, :, None]
    b = contiguous(right.transpose(0, 2, 1, 3))[:, :, :, None, :]
    table: Table = np.empty((len(of_left), a.shape[2], a.shape[3], b.shape[4]), dtype=a.dtype)
    size = min(_CHUNK_ENTRIES, piece_of(table.dtype))
    step = max(1, size // prod(table.shape[1:]))
    for start in range(0, len(of_left), step):
        chunk = slice(start, start + step)
        for state in range(a.shape[1]):
            checkpoint()
            for part in blocks(table.shape[1:3], max(1, size // b.shape[4])):
                x, y = a[(of_left[chunk], state, *part)], b[(of_right[chunk], state, *part[:1])]
                piece = x * y
                if trusted is not None:
                    lost = (piece < 2.0**LOWEST_EXPONENT) & (x > 0) & (y > 0)
                    trusted[chunk] &= ~lost.reshape(len(lost), -1).any(axis=1)
                if state == 0:
                    table[(chunk, *part)] = piece
                else:
                    table[(chunk, *part)] += piece
    return table


def _in_range(left: Factor, right: Factor) -> bool:
    """Return whether no product of entries can underflow or overflow."""
    return left.lowest + right.lowest >= LOWEST_EXPONENT and left.highest + right.highest <= HIGHEST_EXPONENT


def _rescaled(factor: Factor) -> Factor:
    """Return the factor with each pattern scaled by a power of two so that its largest entry is about 1.

    A common factor of all entries of a pattern changes no decision. Entries that the scaling pushes out
    of range make their pattern untrusted.
    """
    flat = factor.table.reshape(len(factor.table), -1)
    shift = -np.frexp(flat.max(axis=1))[1]
    scaled = np.ldexp(flat, shift[:, None])
    trusted = factor.trusted & ~((scaled < 2.0**LOWEST_EXPONENT) & (flat > 0)).any(axis=1)
    lowest, highest = exponents(scaled[trusted])
    table = scaled.reshape(factor.table.shape)
    return replace(factor, table=table, trusted=trusted, lowest=lowest, highest=highest)


def power_below(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each value the power of two that scales it into [1/2, 1); 1 for zero."""
    scale: NDArray[np.float64] = np.ldexp(1.0, np.minimum(-np.frexp(values)[1], -LOWEST_EXPONENT))
    return scale


def exponents(table: NDArray[np.float64]) -> tuple[float, float]:
    """Return log2 of the smallest positive entry and of the largest, 0 where there is none."""
    smallest, largest = inf, 0.0
    for block in blocks(table.shape):
        part = table[block]
        smallest = min(smallest, float(part.min(where=part > 0, initial=inf)))
        largest = max(largest, float(part.max(initial=0.0)))
    return (log2(smallest), log2(largest)) if largest > 0 else (0.0, 0.0)
