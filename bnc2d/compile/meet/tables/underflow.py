"""What underflow means for a decision: the absolute error of the cells of a join, beside the relative one.

Tables carry what they have lost below the range of float64 (``model/accounts.py``). A sum ``Σ w A B`` over
both sides, all entries at most 1, of patterns that lost ``e_A`` and ``e_B``, is off by at most
``W (e_A + e_B + e_A e_B)`` and ``FLOOR``, with ``W`` the sum of the ``|w|``. This is scaled as the row and
the column of the cell are; twice that holds for a difference of two sums, and twice more covers that bounds
on rounding errors take computed sizes for true ones. What is not beyond it is decided exactly. A sum is zero
for certain only where no term has two positive operands, in tables with ``e = 0`` (``Collector.supports``).

``FLOOR`` is ``2**175`` times what an operation can lose: room for the number of operations, for later factors
of at most ``2**60`` and for the roundings of the bounds themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.records import record
from bnc2d.model.accounts import ROUNDED_UP, Lost

FLOOR = 2.0**-900
# The absolute error of cells, by indices of patterns of the first side and of the second.
CellError: TypeAlias = Callable[[Any, Any], Any]


def no_error(_u: Any, _v: Any) -> float:
    """Return that rounding is the only error."""
    return 0.0


def exponents_of(weights: Sequence[Fraction]) -> tuple[float, float]:
    """Return log2 of the smallest and of the largest absolute weight that is not zero; 0 where all are."""
    found = [log2(abs(weight.numerator)) - log2(weight.denominator) for weight in weights if weight]
    return (min(found), max(found)) if found else (0.0, 0.0)


@record
class Underflow:
    """How far the cells of a join may be off, beyond rounding; see the module.

    ``total_weight`` is ``W``; ``lost`` and ``scale`` are those of the patterns of the second side.
    """

    total_weight: float
    lost: Lost
    scale: NDArray[np.float64]

    def against(self, some: slice | NDArray[np.intp]) -> Underflow:
        """Return the same for some patterns of the second side."""
        return Underflow(self.total_weight, self.lost[some], self.scale[some])

    def zeros_are_certain(self, lost: Lost) -> bool:
        """Return whether a zero in the table of either side is a true one."""
        return not self.lost.any() and not lost.any()

    def error(self, lost: Lost, scale: NDArray[np.float64]) -> CellError:
        """Return the errors of cells, given the account and the scale of patterns of the first side."""
        scale = np.maximum(scale, 1.0)

        def error(u: Any, v: Any) -> NDArray[np.float64]:
            one, other = lost[u], self.lost[v]
            with np.errstate(over="ignore", invalid="ignore"):
                carried = self.total_weight * (one + other + one * other)
                found = 4.0 * (carried * ROUNDED_UP + FLOOR) * scale[u] * self.scale[v]
            # Infinity times zero is no number, with which every comparison fails as if the cell were proven.
            return np.where(np.isnan(found), np.inf, found)

        return error
