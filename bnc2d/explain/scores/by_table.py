"""Shapley and Banzhaf values of any function of few instances, from the table of all of them.

The value of every set of features is found first: along each axis of the table, what is held (the own state)
and what is drawn (the mean over the states) take the place of the states. So this shares no code with the
passes over diagrams.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint

MOST_INSTANCES = 1 << 16
MOST_EXACT = 1 << 12  # of which every number may be a fraction


def table_values(
    table: NDArray[Any], row: Sequence[int], marginals: Sequence[Sequence[Any]], kind: str
) -> tuple[list[Any], Any]:
    """Return the value of each feature, and that of the empty set, for ``table[state, state, ...]``.

    Numbers are as the table and the marginals have them, floats or fractions.
    """
    games: NDArray[Any] = table
    for axis, (own, marginal) in enumerate(zip(row, marginals, strict=True)):
        checkpoint()
        first = np.moveaxis(games, axis, 0)
        mean = sum(first[state] * share for state, share in enumerate(marginal))
        games = np.moveaxis(np.stack([np.asarray(mean), first[own]]), 0, axis)
    count = len(row)
    held = np.indices(games.shape).sum(axis=0) if count else np.zeros((), dtype=np.intp)
    exact = games.dtype == object
    found = []
    for feature in range(count):
        checkpoint()
        gain = np.asarray(np.take(games, 1, axis=feature) - np.take(games, 0, axis=feature))
        of_size = np.asarray(np.take(held, 0, axis=feature))
        sums = [gain[of_size == size].sum() for size in range(count)]
        shares = [_share(kind, size, count) for size in range(count)]
        numbers = shares if exact else [float(share) for share in shares]
        found.append(sum(number * total for number, total in zip(numbers, sums, strict=True)))
    return found, games[(0,) * count]


def _share(kind: str, size: int, count: int) -> Fraction:
    """Return what a set of so many others weighs in the value of one of ``count`` features."""
    if kind == "banzhaf":
        return Fraction(1, 2 ** (count - 1))
    return Fraction(1, count * comb(count - 1, size))
