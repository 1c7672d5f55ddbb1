"""Sub-classifiers of one place by their thresholds, and the intervals in which a threshold may move.

After the features above are set, ``a_s = P(1, f, s) - P(0, f, s)`` (with the weights of a threshold) is all
that the rest depends on: an instance of the later features with the likelihoods ``b_s`` is decided by the
sign of ``a_0 b_0 + a_1 b_1``. With ``sign`` the sign of ``a_1`` and the threshold ``θ = -a_0 / a_1``, that is
the sign of ``sign * (b_1 / b_0 - θ)``. Where ``a_1 = 0`` the threshold is infinite, and ``sign = -sign(a_0)``
says the same; where both are 0 all instances tie, and ``sign = 0``.

Two sub-classifiers with equal signs decide alike if no ratio ``b_1 / b_0`` lies between their thresholds or
on one of them. ``Intervals`` keeps, for a sign, the ratios around each threshold met.

Error bound. ``a`` comes as ``p - n`` of two non-negative numbers, each within ``k`` roundings of the truth,
so it is within ``m (p + n)`` for the ``margin`` ``m`` of ``k``. Zeros are exact. ``ThresholdBounds`` holds an
interval that contains the true threshold, and a sign that is proved; all else is ``unsure``.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.baselines.block_order.tables import Matrix
from bnc2d.model.accounts import UNIT_ROUNDOFF, Floats

SubClassifier: TypeAlias = int  # its number at its place
Threshold: TypeAlias = tuple[int, float, float]  # a sign, and bounds from below and from above
Key: TypeAlias = tuple[int, int]  # (a_0, a_1) as integers without a common divisor

UNKNOWN = -1
_NUDGE = 8 * UNIT_ROUNDOFF
_SMALLEST = 2.0**-1000
# How near to a known tie a threshold must be for an exact comparison to pay.
_NEAR = 1e-9


@dataclass
class ThresholdBounds:
    """Signs and thresholds ``low <= θ <= high`` of sub-classifiers; ``unsure`` ones must be set exactly."""

    sign: NDArray[np.int8]
    low: Floats
    high: Floats
    unsure: NDArray[np.bool_]

    @classmethod
    def of(cls, states: Floats, trusted: NDArray[np.bool_], margin: float) -> ThresholdBounds:
        """Return the bounds for states ``[sub-classifier, p or n, s]``."""
        p, n = states[:, 0], states[:, 1]
        total = p + n
        a, error = p - n, margin * total
        zero = total == 0.0
        proved = np.abs(a) > error
        sign = np.where(zero[:, 1], -np.sign(a[:, 0]), np.sign(a[:, 1])).astype(np.int8)
        unsure = ~trusted | ~np.where(zero[:, 1], proved[:, 0] | zero[:, 0], proved[:, 1])
        finite = proved[:, 1] & ~unsure
        top = -sign * a[:, 0]
        bottom = np.where(finite, np.abs(a[:, 1]), 1.0)
        width = np.where(finite, error[:, 1], 0.0)
        low, high = top - error[:, 0], top + error[:, 0]
        low = low / (bottom + np.copysign(width, low))
        high = high / (bottom - np.copysign(width, high))
        low -= np.abs(low) * _NUDGE
        high += np.abs(high) * _NUDGE
        low[~finite] = high[~finite] = inf
        return cls(sign, low, high, unsure)

    def at(self, position: int) -> Threshold:
        """Return the sign, the least and the largest threshold of one sub-classifier."""
        return int(self.sign[position]), float(self.low[position]), float(self.high[position])

    def set_exactly(self, position: int, state: Matrix) -> None:
        """Set the sign and threshold of one sub-classifier from integers."""
        first, second = (p - n for p, n in zip(*state, strict=True))
        self.unsure[position] = False
        if second == 0:
            self.sign[position] = (first < 0) - (first > 0)
            self.low[position] = self.high[position] = inf
            return
        self.sign[position] = 1 if second > 0 else -1
        self.low[position], self.high[position] = _around(Fraction(-first, second))


def _around(number: Fraction) -> tuple[float, float]:
    """Return floats around a number; all floats where it is out of their range."""
    try:
        near = float(number)
    except OverflowError:
        return -inf, inf
    slack = max(abs(near) * _NUDGE, _SMALLEST if number else 0.0)
    return near - slack, near + slack


def reduced(state: Matrix) -> Matrix:
    """Return integers without a common divisor."""
    divisor = gcd(*state[0], *state[1]) or 1
    return [[number // divisor for number in row] for row in state]


def key_of(state: Matrix) -> Key:
    """Return what says exactly how a state decides: equal for states with proportional ``a``."""
    first, second = (p - n for p, n in zip(*state, strict=True))
    divisor = gcd(first, second) or 1
    return first // divisor, second // divisor


class Intervals:
    """Disjoint open intervals of thresholds, each with its sub-classifier; and thresholds that are ties."""

    def __init__(self) -> None:
        self._table = np.empty((3, 0))  # low, high and sub-classifier by interval, in ascending order
        self._ties: list[float] = []

    def find(self, low: Floats, high: Floats) -> NDArray[np.intp]:
        """Return the sub-classifier whose interval contains ``low`` to ``high``, or ``UNKNOWN``."""
        lows, highs, numbers = self._table
        if not len(lows):
            return np.full(len(low), UNKNOWN, dtype=np.intp)
        place = lows.searchsorted(low) - 1  # the last one that starts below
        inside = (place >= 0) & (high < highs[place])
        return np.where(inside, numbers[place], UNKNOWN).astype(np.intp)

    def add(self, low: float, high: float, number: SubClassifier) -> None:
        """Add an interval; where it meets others it decides as they do, so they keep what they have."""
        lows, highs, _ = self._table
        place = int(lows.searchsorted(low))
        if place:
            low = max(low, float(highs[place - 1]))
        if place < len(lows):
            high = min(high, float(lows[place]))
        if low < high:
            column = np.array([[low], [high], [number]])
            self._table = np.concatenate([self._table[:, :place], column, self._table[:, place:]], axis=1)

    def add_tie(self, threshold: float) -> None:
        """Remember a threshold that some instance hits, or that nothing better is known of."""
        insort(self._ties, threshold)

    def near_tie(self, low: float, high: float) -> bool:
        """Return whether a known tie may lie between two thresholds; a wrong answer costs time only."""
        place = bisect_left(self._ties, low - abs(low) * _NEAR)
        return place < len(self._ties) and self._ties[place] <= high + abs(high) * _NEAR
