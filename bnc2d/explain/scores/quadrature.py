"""Rules that integrate polynomials over [0, 1] exactly: points and weights, in floats and in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint

Floats: TypeAlias = NDArray[np.float64]

_BITS = 128  # of the fixed point in which the points are found
_ONE = 1 << _BITS
_NEWTON_STEPS = 3  # each doubles the digits, from those of a cosine


@lru_cache(maxsize=256)
def gauss_legendre(count: int) -> tuple[Floats, Floats]:
    """Return the points and weights that integrate all polynomials of degree below ``2 * count``.

    The zeros of the Legendre polynomial are found by Newton steps in integers of 128 bits behind the point,
    from a double's precision on, so that every point and weight is the nearest double but for its last bit.

    >>> points, weights = gauss_legendre(2)
    >>> round(float(weights @ points**3), 12)
    0.25
    """
    start, _ = np.polynomial.legendre.leggauss(count)
    points, weights = np.empty(count), np.empty(count)
    for place, guess in enumerate(start.tolist()):
        checkpoint()
        at = int(Fraction(guess) * _ONE)
        for _ in range(_NEWTON_STEPS):
            value, slope = _legendre(count, at)
            at -= (value << _BITS) // slope
        _, slope = _legendre(count, at)
        rest = _ONE - (at * at >> _BITS)
        points[place] = float(Fraction(at + _ONE, 2 * _ONE))
        weights[place] = float(Fraction(_ONE**3, rest * slope**2))
    points.flags.writeable = weights.flags.writeable = False
    return points, weights


def _legendre(degree: int, at: int) -> tuple[int, int]:
    """Return a Legendre polynomial and its slope, in fixed point."""
    before, value = _ONE, at
    for k in range(2, degree + 1):
        before, value = value, ((2 * k - 1) * (at * value >> _BITS) - (k - 1) * before) // k
    rest = (at * at >> _BITS) - _ONE
    return value, (degree * ((at * value >> _BITS) - before) << _BITS) // rest


@lru_cache(maxsize=64)
def newton_cotes(count: int) -> tuple[Fraction, ...]:
    """Return weights of the points 0, 1, ..., ``count - 1`` that integrate polynomials over [0, 1] exactly.

    Each is the integral of the polynomial of degree ``count - 1`` that is 1 at its point, 0 at the others.

    >>> newton_cotes(2)
    (Fraction(1, 2), Fraction(1, 2))
    """
    whole = [1]  # the coefficients of (q - 0) (q - 1) ..., the constant first
    for point in range(count):
        whole = [low - point * high for low, high in zip([0, *whole], [*whole, 0], strict=True)]
    found = []
    for point in range(count):
        checkpoint()
        quotient = [0] * count  # whole / (q - point), by Horner's rule
        carried = 0
        for power in range(count, 0, -1):
            carried = whole[power] + point * carried
            quotient[power - 1] = carried
        scale = sum(factor * point**power for power, factor in enumerate(quotient))
        integral = sum((Fraction(factor, power + 1) for power, factor in enumerate(quotient)), Fraction(0))
        found.append(integral / scale)
    return tuple(found)
