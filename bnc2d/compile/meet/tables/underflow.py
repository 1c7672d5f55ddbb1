"""What float64 loses below its range, carried as an absolute error beside the relative one.

Rounding is relative only in the range of float64. An operation whose result is closer to zero than
``2**-1022`` is off by up to ``2**-1075`` more, whatever the operands (Higham, "Accuracy and Stability of
Numerical Algorithms", section 2.2): a positive number may come out as zero, and no check of the result can
tell. So every table has two accounts. With ``k`` roundings and ``g = k u / (1 - k u)``, the computed entry
``c`` of a pattern with ``lost = e`` and the true one ``t`` (times the pattern's own positive factor) obey

    |c - t| <= g t + e,        and ``e = 0`` means that ``c`` is zero only where ``t`` is.

1. *Entries.* ``e = 0`` where all positive entries of a column are above ``2**LOWEST_EXPONENT``, else
   ``QUANTUM``.
2. *Products.* With ``c = t (1 + d) + h`` and ``|h| <= e``, the product ``c c'`` differs from
   ``t (1 + d) t' (1 + d')`` by ``h c' + h' t (1 + d)``, and ``t (1 + d) <= c + e``. So a sum of ``m``
   products is off by at most ``m (e c' + e' (c + e))``, and by ``m QUANTUM`` more where the exponents of the
   operands do not prove that no product leaves the range.
3. *Scaling* a pattern by a power of two scales ``e``; entries pushed below the range cost ``QUANTUM``.
4. *Merging* patterns: the one that is kept stands for all, with the largest ``e`` of them at its scale.
5. *Deciding.* A sum ``Σ w A B`` over both sides, all entries at most 1, is off by at most
   ``W (e_A + e_B + e_A e_B)`` and ``FLOOR``, with ``W`` the sum of the ``|w|``. This is scaled as the row and
   the column of the cell are; twice that holds for a difference of two sums, and twice more covers that
   bounds on rounding errors take computed sizes for true ones. What is not beyond it is decided exactly.
   A sum is zero for certain only where no term has two positive operands, in tables with ``e = 0``
   (``Collector.supports``).

``QUANTUM`` is ``2**75`` times what an operation can lose, ``FLOOR`` ``2**175`` times: room for the number of
operations, for later factors of at most ``2**60`` and for the roundings of the bounds themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.model.factors import LOWEST_EXPONENT

Lost: TypeAlias = NDArray[np.float64]  # by pattern

QUANTUM = 2.0**-1000
FLOOR = 2.0**-900
# Covers the roundings of a bound; 2**30 of them double it at most.
_ROUNDED_UP = 1.0 + 2.0**-30


def nothing_lost(patterns: int) -> Lost:
    """Return the account of a table that lost nothing."""
    return np.zeros(patterns)


def lost_by_rounding(exact: NDArray[np.object_], rounded: NDArray[np.float64]) -> Lost:
    """Return what the columns of rationals, or of integers proportional to them, lose when rounded."""
    small = (rounded < 2.0**LOWEST_EXPONENT) & (exact != 0)
    return np.where(np.logical_or.reduce(small, axis=0), QUANTUM, 0.0)


def lost_by_scaling(before: NDArray[np.float64], after: NDArray[np.float64], lost: Lost, scale: Lost) -> Lost:
    """Return the account of columns after each was multiplied by a power of two."""
    small = np.logical_or.reduce((after < 2.0**LOWEST_EXPONENT) & (before > 0), axis=0)
    if not small.any() and not lost.any():
        return nothing_lost(len(lost))
    with np.errstate(over="ignore"):
        carried = np.where(lost > 0, np.maximum(lost * scale, QUANTUM), 0.0)
    return carried + np.where(small, QUANTUM, 0.0)


def lost_by_product(left: Operand, right: Operand, terms: int) -> Lost:
    """Return the account of all pairs of patterns, for sums of so many products that may leave the range."""
    with np.errstate(over="ignore", invalid="ignore"):
        carried = left.lost[:, None] * right.largest + (left.largest + left.lost)[:, None] * right.lost
        lost = terms * (carried * _ROUNDED_UP + QUANTUM)
    return np.where(np.isnan(lost), inf, lost).reshape(-1)


@dataclass(frozen=True)
class Operand:
    """The largest entry of each pattern, and its account."""

    largest: NDArray[np.float64]
    lost: Lost


def lost_by_merging(lost: Lost, factor: NDArray[np.float64], kept: NDArray[np.intp], count: int) -> Lost:
    """Return the account of ``count`` columns, each for all that times their ``factor`` are close to it."""
    if not lost.any():
        return nothing_lost(count)
    merged = np.zeros(count)
    np.maximum.at(merged, kept, lost * factor)
    return np.where(merged > 0, merged * _ROUNDED_UP + QUANTUM, 0.0)


def exponents_of(weights: Sequence[Fraction]) -> tuple[float, float]:
    """Return log2 of the smallest and of the largest absolute weight that is not zero; 0 where all are."""
    found = [log2(abs(weight.numerator)) - log2(weight.denominator) for weight in weights if weight]
    return (min(found), max(found)) if found else (0.0, 0.0)


@dataclass(frozen=True)
class Underflow:
    """How far the cells of a join may be off, beyond rounding; see step 5 above.

    ``total_weight`` is ``W``; ``lost`` and ``scale`` are those of the patterns of the second side.
    """

    total_weight: float
    lost: Lost
    scale: NDArray[np.float64]

    def against(self, some: slice) -> Underflow:
        """Return the same for some patterns of the second side."""
        return Underflow(self.total_weight, self.lost[some], self.scale[some])

    def error(self, lost: Lost, scale: NDArray[np.float64]) -> CellError:
        """Return the errors of cells, given the account and the scale of patterns of the first side."""
        return CellError(self, lost, np.maximum(scale, 1.0))

    def zeros_are_certain(self, lost: Lost) -> bool:
        """Return whether a zero in the table of either side is a true one."""
        return not self.lost.any() and not lost.any()


@dataclass(frozen=True)
class CellError:
    """The absolute error of cells, by pattern of the first side and of the second."""

    second: Underflow
    lost: Lost
    scale: NDArray[np.float64]

    def at(self, u: NDArray[np.intp], v: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the errors of single cells."""
        return self._of(self.lost[u], self.scale[u], self.second.lost[v], self.second.scale[v])

    def block(self, rows: slice) -> NDArray[np.float64]:
        """Return the errors of all cells of some patterns of the first side."""
        lost, scale = self.lost[rows, None], self.scale[rows, None]
        return self._of(lost, scale, self.second.lost[None], self.second.scale[None])

    def _of(self, lost: Lost, scale: Lost, other_lost: Lost, other_scale: Lost) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            carried = self.second.total_weight * (lost + other_lost + lost * other_lost)
            error: NDArray[np.float64] = 4.0 * (carried * _ROUNDED_UP + FLOOR) * scale * other_scale
        return error
