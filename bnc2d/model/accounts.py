"""How far the entries of float64 tables may be off: the account that every table carries.

All entries are non-negative, so rounding errors stay relative as long as nothing underflows: one operation
multiplies a value by ``1 + d`` with ``|d| <= u = 2**-53``. If at most ``k`` operations touch a value on its
way (a rounded entry, a product and a quotient count one each, a sum of ``m`` terms ``m - 1``), the result is
within a factor ``1 ± g``, ``g = k u / (1 - k u)``, of the exact one (Higham, "Accuracy and Stability of
Numerical Algorithms", lemma 3.1), whatever the order in which BLAS adds. ``Account.roundings`` is that ``k``.
Scaling by powers of two is exact.

An operation whose result is closer to zero than ``2**-1022`` is off by up to ``2**-1075`` more, whatever the
operands (Higham, section 2.2): a positive number may come out as zero, and no check of the result can tell.
So a table has a second account, an absolute one. Tables are kept by *pattern* (the distinct columns or rows
that instances select); the computed entry ``c`` of a pattern with ``lost = e`` and the true one ``t`` (times
the pattern's own positive factor) obey

    |c - t| <= g t + e,        and ``e = 0`` means that ``c`` is zero only where ``t`` is.

1. *Entries.* ``e = 0`` where all positive entries of a pattern are above ``2**LOWEST_EXPONENT``, else
   ``QUANTUM``.
2. *Products.* With ``c = t (1 + d) + h`` and ``|h| <= e``, the product ``c c'`` differs from
   ``t (1 + d) t' (1 + d')`` by ``h c' + h' t (1 + d)``, and ``t (1 + d) <= c + e``. So a sum of ``m``
   products is off by at most ``m (e c' + e' (c + e))``, and by ``m QUANTUM`` more where a product may have
   left the range: where the exponents of the operands do not exclude it, or where it was seen.
3. *Scaling* a pattern by a power of two scales ``e``; entries pushed below the range cost ``QUANTUM``.
4. *Merging* patterns: the one that is kept stands for all, with the largest ``e`` of them at its scale.

``QUANTUM`` is ``2**75`` times what an operation can lose: room for the number of operations, for later
factors of at most ``2**60`` and for the roundings of the bounds themselves. What a decision makes of the two
accounts is said where it is made (``decision.py``, ``compile/meet/tables/underflow.py``).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import array_pieces
from bnc2d.base.records import record

Floats: TypeAlias = NDArray[np.float64]
Lost: TypeAlias = Floats  # by pattern

UNIT_ROUNDOFF = 2.0**-53
# Positive float64 values below 2**-1000 are not relied on; 2**-1022 is where relative accuracy ends.
LOWEST_EXPONENT = -1000
# Room for sums of 2**100 terms before 2**1024 overflows.
HIGHEST_EXPONENT = 900
QUANTUM = 2.0**-1000
# Covers the roundings of a bound; 2**30 of them double it at most.
ROUNDED_UP = 1.0 + 2.0**-30


@record
class Account:
    """What is known of the entries of a table; see the module. Integers have ``EXACT``."""

    roundings: int
    lowest: float = 0.0  # log2 of a lower bound on the positive entries
    highest: float = 0.0  # log2 of an upper bound on the entries
    lost: Lost | None = None  # by pattern; None where nothing is lost

    def fits(self, other: Account) -> bool:
        """Return whether no product of positive entries can leave the range of float64."""
        return (
            self.lowest + other.lowest >= LOWEST_EXPONENT and self.highest + other.highest <= HIGHEST_EXPONENT
        )

    def loses(self, patterns: int) -> Lost:
        """Return what is lost by pattern, as an array."""
        return np.zeros(patterns) if self.lost is None else self.lost

    def of_patterns(self, some: NDArray[np.intp]) -> Account:
        """Return the account of some patterns."""
        return self if self.lost is None else replace(self, lost=self.lost[some])


EXACT = Account(0)


def some_lost(lost: Lost) -> Lost | None:
    """Return what is lost in the form of an account: None for nothing."""
    return lost if lost.any() else None


def lost_by_rounding(exact: NDArray[np.object_], rounded: Floats) -> Lost | None:
    """Return what the columns of rationals, or of integers proportional to them, lose when rounded."""
    small = (rounded < 2.0**LOWEST_EXPONENT) & (exact != 0)
    return some_lost(np.where(np.logical_or.reduce(small, axis=0), QUANTUM, 0.0))


def lost_by_scaling(before: Floats, after: Floats, lost: Lost | None, scale: Floats) -> Lost | None:
    """Return what columns have lost after each was multiplied by a power of two."""
    small = np.logical_or.reduce((after < 2.0**LOWEST_EXPONENT) & (before > 0), axis=0)
    if lost is None:
        return some_lost(np.where(small, QUANTUM, 0.0))
    with np.errstate(over="ignore"):
        carried = np.where(lost > 0, np.maximum(lost * scale, QUANTUM), 0.0)
    return carried + np.where(small, QUANTUM, 0.0)


def margin(roundings: int, unit: float = UNIT_ROUNDOFF) -> float:
    """Return ``m`` such that ``|a - b| > m (a + b)`` proves the order of two values after their roundings.

    ``k`` roundings leave each within ``1 ± g`` of the truth, so ``a - b > g (a + b)`` proves the order.
    ``2 (k + 8) u`` is more than ``g`` for ``k u < 0.1``, and covers weights and the roundings of the test
    itself. Beyond, nothing is proved: the 2 returned exceeds every ratio.
    """
    bound = 2.0 * (roundings + 8) * unit
    return bound if bound < 0.1 else 2.0


@record
class Operand:
    """The largest entry of each pattern of an operand, and what it has lost; shapes that broadcast."""

    largest: Floats
    lost: Lost


def lost_by_product(
    left: Operand, right: Operand, terms: int, may_underflow: bool | NDArray[np.bool_]
) -> Lost:
    """Return what pairs of patterns lose by sums of ``terms`` products, some of which ``may_underflow``."""
    # Not read off the bound below, which may underflow itself.
    affected = (left.lost > 0) & (right.largest > 0)
    affected |= (right.lost > 0) & ((left.largest > 0) | (left.lost > 0))
    affected |= np.isinf(left.lost) | np.isinf(right.lost)
    with np.errstate(over="ignore", invalid="ignore"):
        carried = left.lost * right.largest + (left.largest + left.lost) * right.lost
        lost = np.where(affected | may_underflow, terms * (carried * ROUNDED_UP + QUANTUM), 0.0)
    return np.where(np.isnan(lost), inf, lost)


def lost_by_merging(lost: Lost | None, factor: Floats, kept: NDArray[np.intp], count: int) -> Lost | None:
    """Return the account of ``count`` columns, each for all that times their ``factor`` are close to it."""
    if lost is None:
        return None
    # What is lost never becomes nothing by underflow, nor infinity times zero no number.
    with np.errstate(over="ignore", invalid="ignore"):
        carried = np.where(np.isinf(lost), inf, np.maximum(lost * factor, QUANTUM))
    merged = np.zeros(count)
    np.maximum.at(merged, kept, np.where(lost > 0, carried, 0.0))
    return np.where(merged > 0, merged * ROUNDED_UP + QUANTUM, 0.0)


def power_below(values: Floats) -> Floats:
    """Return for each value the power of two that scales it into [1/2, 1); 1 for zero."""
    scale: Floats = np.ldexp(1.0, np.minimum(-np.frexp(values)[1], -LOWEST_EXPONENT))
    return scale


def exponents(table: Floats) -> tuple[float, float]:
    """Return log2 of the smallest positive entry and of the largest, 0 where there is none."""
    smallest, largest = inf, 0.0
    for piece in array_pieces(table.shape):
        smallest = min(smallest, _smallest_positive(table[piece]))
        largest = max(largest, float(table[piece].max(initial=0.0)))
    return (log2(smallest), log2(largest)) if largest > 0 else (0.0, 0.0)


def _smallest_positive(values: Floats) -> float:
    """Return the smallest of the values that are positive, or infinity; no value is negative."""
    if values.dtype != np.float64 or not values.size:
        return float(values.min(where=values > 0, initial=inf))
    # Read as integers, such values keep their order, and zero minus one is the largest: many times faster.
    code = int(np.minimum.reduce(values.view(np.uint64) - np.uint64(1), axis=None)) + 1
    return float(np.uint64(code).view(np.float64)) if code < 1 << 63 else inf
