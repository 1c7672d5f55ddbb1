"""decide-negative with what is known of the completions (``completions``), where signs leave it undecided.

As in ``decide_negative`` the verdicts speak of completions ``v`` that are possible given ``u``, and class
``i`` meets every other class ``j`` by ``δ_ij(v) = Σ_s Δ_ij(s) P(v | s)``.

- *By odds*: with a state of reference ``r``, and ``Δ⁺``, ``Δ⁻`` the positive and negative parts of ``Δ_ij``,

      δ_ij(v)  <=  P(v | r) (Σ_s Δ⁺(s) R[s, r] - Σ_s Δ⁻(s) / R[r, s]).

  Where the bracket is negative for some ``r``, class ``i`` does not have ``v``. For if ``P(v | r) > 0``, then
  ``δ_ij(v) < 0``. Otherwise ``P(v | s) = 0`` wherever ``R[s, r]`` is finite, and where it is not, ``Δ_ij(s)``
  is negative or ``M[i] = M[j] = 0`` at ``s`` (else the bracket is infinite): the case of signs. Likewise
  class ``i`` has ``v`` where the bracket of ``-Δ_ij`` is negative for all ``j``, each with its own ``r``.
- *By rays*: ``P(Y, u, v)`` for every ray, decided like instances. ``v`` is negative if ``i`` loses against
  some class, another one for each ``v`` if need be. Rays that are impossible given ``u`` are passed over. If
  two extreme rays stand for all, any other ``v`` is a sum of them with factors that are not negative, and so
  is its ``δ_ij``; if ``v`` is possible, so is one of them with a positive factor.

*Rounding.* ``Δ_ij`` is raised by the margin of ``M`` before it is split in two parts; both sums of the
bracket are of non-negative numbers, so that their errors are relative, and a margin is left between them.
Values by rays are such sums as well: their margin counts the roundings of ``M``, of the ray and of the sum.
Rows of ``M`` with positive entries below ``1e-130`` of the largest stay undecided, so nothing underflows:
with weights from ``1e-20`` on, parts of ``Δ`` are zero or above ``1e-170``, rays and odds above ``1e-130``.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import pieces
from bnc2d.base.readers.choices import Early
from bnc2d.compile.paper.completions import Completions
from bnc2d.compile.paper.decide_negative import NO, UNDECIDED, YES, ClassTest, Flags, Verdicts
from bnc2d.compile.paper.spine import SMALLEST
from bnc2d.model.accounts import Floats, margin

_ENTRIES_AT_ONCE = 1 << 18
_FIRST_RAYS = 16  # tell most rows that are mixed


def decide_early(
    joint: Floats, known: Completions, early: Early, test: ClassTest, roundings: int
) -> Verdicts:
    """Return for each ``M = joint[n]`` what is known of possible completions, as ``decide_negative`` does.

    By rays where they are wanted and all known, else by odds.
    """
    verdicts = np.full(len(joint), UNDECIDED, dtype=np.int8)
    weighted, rows = _scaled(joint, test)
    error = margin(roundings + known.roundings + joint.shape[2])
    if known.complete and early == "rays":
        verdicts[rows] = _by_rays(weighted, known.rays, test, error)
    elif known.intervals is not None and early != "signs":
        # Where some rays differ, odds cannot decide; rays are faster.
        alike = np.flatnonzero(_by_rays(weighted, known.rays[:_FIRST_RAYS], test, error) != UNDECIDED)
        found = _by_intervals(weighted[alike], known.intervals, test, margin(roundings))
        verdicts[rows[alike]] = found
    return verdicts


def _by_intervals(
    weighted: Floats, intervals: tuple[Floats, Floats], test: ClassTest, error: float
) -> Verdicts:
    own, others = weighted[:, test.index], np.delete(weighted, test.index, axis=1)
    negative = np.zeros(len(weighted), dtype=bool)
    positive = np.ones(len(weighted), dtype=bool)
    for other in others.transpose(1, 0, 2):
        close = error * (own + other)
        negative |= _is_negative(own - other + close, *intervals)
        positive &= _is_negative(other - own + close, *intervals)
    return _verdicts(negative, positive)


def _is_negative(difference: Floats, least: Floats, largest: Floats) -> Flags:
    """Return for each row ``Δ`` whether the bracket is negative for some state of reference."""
    above, below = np.maximum(difference, 0.0), np.maximum(-difference, 0.0)
    endless = np.isinf(largest)
    most = above @ np.where(endless, 0.0, largest)
    if endless.any():
        most[(above > 0).astype(np.float64) @ endless.astype(np.float64) > 0] = inf
    found: Flags = np.any(most < below @ least * (1 - 2 * margin(len(least))), axis=1)
    return found


def _by_rays(weighted: Floats, rays: Floats, test: ClassTest, error: float) -> Verdicts:
    negative, positive = np.ones((2, len(weighted)), dtype=bool)
    classes, states = weighted.shape[1:]
    for some_rays in (rays[:_FIRST_RAYS], rays[_FIRST_RAYS:]):
        left = np.flatnonzero(negative | positive) if len(some_rays) else np.zeros(0, dtype=np.intp)
        for piece in pieces(len(left), max(1, _ENTRIES_AT_ONCE // (classes * max(states, len(some_rays))))):
            some = left[piece]
            values = weighted[some].reshape(-1, states) @ some_rays.T  # one product of matrices
            found = _along(values.reshape(len(some), classes, -1), test.index, error)
            negative[some] &= found[0]
            positive[some] &= found[1]
    return _verdicts(negative, positive)


def _verdicts(negative: Flags, positive: Flags) -> Verdicts:
    return np.where(negative, YES, np.where(positive, NO, UNDECIDED)).astype(np.int8)


def _along(values: Floats, index: int, error: float) -> tuple[Flags, Flags]:
    """Return for ``[u, class, v]`` whether all possible ``v`` are negative, and whether all are positive."""
    own, others = values[:, index, None], np.delete(values, index, axis=1)
    close = error * (own + others)
    impossible = ~np.any(values, axis=1)
    negative: Flags = np.all(np.any(others - own > close, axis=1) | impossible, axis=1)
    positive: Flags = np.all(np.all(own - others > close, axis=1) | impossible, axis=1)
    return negative, positive


def _scaled(joint: Floats, test: ClassTest) -> tuple[Floats, NDArray[np.intp]]:
    """Return ``M`` with a largest entry near 1, weighted, and the rows in which nothing can underflow."""
    largest: Floats = joint.max(axis=(1, 2))
    least: Floats = joint.min(axis=(1, 2), where=joint > 0, initial=inf)
    rows = np.flatnonzero(least >= SMALLEST * largest)
    scaled = np.ldexp(joint[rows], -np.frexp(largest[rows])[1][:, None, None])
    return scaled * test.weights[:, None], rows
