"""Thresholds of sub-classifiers with their error bounds, and the intervals that they are looked up in."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.compile.baselines.block_order.intervals import (
    UNKNOWN,
    Intervals,
    ThresholdBounds,
    key_of,
)
from bnc2d.model.accounts import margin
from tests.cases import cases


@given(st.lists(st.integers(0, 60), min_size=8, max_size=8), st.integers(1, 10**6))
@settings(max_examples=cases(44, 300))
def test_bounds_hold_the_true_threshold(numbers: list[int], divisor: int) -> None:
    """Entries rounded once: the exact threshold lies in the interval, and a sign that is sure is right."""
    states = [[numbers[:2], numbers[2:4]], [numbers[4:6], numbers[6:]]]
    floats = np.array(states) / divisor
    thresholds = ThresholdBounds.of(floats, np.ones(2, dtype=bool), margin(1))
    exact = ThresholdBounds.of(floats, np.ones(2, dtype=bool), margin(1))
    for position, state in enumerate(states):
        exact.set_exactly(position, state)
        if not thresholds.unsure[position]:
            assert thresholds.sign[position] == exact.sign[position]
            first, second = key_of(state)
            if second:
                assert thresholds.low[position] <= Fraction(-first, second) <= thresholds.high[position]
            else:
                assert thresholds.low[position] == thresholds.high[position] == inf
        event(f"unsure: {thresholds.unsure[position]}, sign {exact.sign[position]}")


def test_intervals_are_open_and_disjoint() -> None:
    intervals = Intervals()
    for number, (low, high) in enumerate([(2.0, 3.0), (-inf, 1.0), (5.0, inf), (2.5, 4.0), (0.0, 6.0)]):
        intervals.add(low, high, number)
    points = np.array([-7.0, 0.5, 1.0, 1.5, 2.0, nextafter(2, 3), 2.7, 3.0, 3.5, 4.0, 4.5, 5.0, 9.0])
    assert intervals.find(points, points).tolist() == [
        1, 1, UNKNOWN, 4, UNKNOWN, 0, 0, UNKNOWN, 3, UNKNOWN, UNKNOWN, UNKNOWN, 2,
    ]  # fmt: skip
    assert intervals.find(np.array([0.5]), np.array([1.5])).tolist() == [UNKNOWN]
    intervals.add_tie(0.75)
    assert intervals.near_tie(0.7, 0.8)
    assert not intervals.near_tie(0.8, 0.9)
