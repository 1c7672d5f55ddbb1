"""Extended precision, where the processor has it: between float64 and exact integers.

``numpy.longdouble`` has a significand of 64 bits on x86 and of 113 on some others, and obeys the same laws of
rounding as float64, with a smaller unit. Elsewhere it is float64 itself or a pair of float64, whose errors
obey other laws; then ``EXTENDED`` is None, and what float64 cannot decide is decided in integers at once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS
from bnc2d.base.checkpoints import pieces
from bnc2d.model.accounts import UNIT_ROUNDOFF

_STORED_BITS = {63: 64, 112: 113}  # stored bits of a significand that obeys the laws, and its precision
_FOUND = int(np.finfo(np.longdouble).nmant)

EXTENDED: np.dtype[Any] | None = np.dtype(np.longdouble) if _FOUND in _STORED_BITS else None
_EXTENDED_ROUNDOFF = 2.0 ** -_STORED_BITS.get(_FOUND, 53)


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Return by which share one operation on floats of a type may be off."""
    return UNIT_ROUNDOFF if dtype == np.float64 else _EXTENDED_ROUNDOFF


def rounded(number: Fraction, dtype: np.dtype[Any]) -> Any:
    """Return a rational as a float of a type, within two roundings of it."""
    high = float(number)
    return high if dtype == np.float64 else dtype.type(high) + dtype.type(_rest(number, high))


def extended_values(exact: NDArray[np.object_], values: NDArray[np.float64]) -> NDArray[Any]:
    """Return rationals in extended precision, within two roundings, given them in float64."""
    numbers, highs = exact.reshape(-1), values.reshape(-1)
    rests = np.empty(len(numbers))
    for piece in pieces(len(numbers), OBJECTS):
        pairs = zip(numbers[piece].tolist(), highs[piece].tolist(), strict=True)
        rests[piece] = [_rest(number, high) for number, high in pairs]
    return (highs.astype(np.longdouble) + rests).reshape(exact.shape)


def _rest(number: Fraction, high: float) -> float:
    """Return what float64 leaves of a number."""
    above, below = high.as_integer_ratio()
    top = number.numerator * below - above * number.denominator
    return top / (number.denominator * below) if top else 0.0
