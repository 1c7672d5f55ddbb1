"""The same values as ``passes`` gives, as exact fractions, for one instance on a diagram that is not large.

All numbers are whole. A feature with probabilities ``w_s / w`` is drawn in ``w`` equal ways; terminals count
for the product of these over all levels, so that dividing by the ways of one level never leaves a rest. The
polynomial ``D`` is asked at as many whole numbers as determine it; at 1/2 with powers of 2 besides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS
from bnc2d.base.checkpoints import pieces
from bnc2d.explain.scores.quadrature import newton_cotes
from bnc2d.logic.diagram.diagram import Diagram, Level

# Edges times points times machine words of a number, which take less than half a second.
_MOST_WORK = 400_000


def is_cheap(
    diagram: Diagram, row: Sequence[int], marginals: Sequence[Sequence[Fraction]], kind: str
) -> bool:
    """Return whether exact values take less than half a second."""
    points = _players(diagram, row, marginals) if kind == "shapley" else 1
    edges = sum(level.table.size for level in diagram.walk)
    if edges * points > _MOST_WORK:
        return False
    bits = sum(_ways(marginals[level.feature])[1].bit_length() for level in diagram.walk)
    bits += points * max(1, points).bit_length()
    return edges * points * (1 + bits // 256) <= _MOST_WORK


def exact_values(
    diagram: Diagram,
    row: Sequence[int],
    wanted: Collection[int],
    marginals: Sequence[Sequence[Fraction]],
    kind: str,
) -> list[Fraction]:
    """Return the Shapley or Banzhaf value of each feature, for reaching wanted terminals."""
    if kind == "shapley":
        players = max(1, _players(diagram, row, marginals))
        tops, bottom, weights = list(range(players)), 1, newton_cotes(players)
    else:
        tops, bottom, weights = [1], 2, (Fraction(1),)
    held = np.array(tops, dtype=object)
    drawn = bottom - held
    ways = {level.feature: _ways(marginals[level.feature]) for level in diagram.walk}
    unit = prod(whole for _, whole in ways.values()) * bottom ** len(diagram.walk)
    means: NDArray[Any] = np.zeros((diagram.size, len(tops)), dtype=object)
    means[list(wanted)] = unit
    gains: list[NDArray[Any]] = []
    for level in reversed(diagram.walk):
        shares, whole = ways[level.feature]
        gain: NDArray[Any] = np.empty((len(level.table), len(tops)), dtype=object)
        for piece in pieces(len(level.table), OBJECTS // len(tops)):
            own = means[level.table[piece, row[level.feature]]]
            mean: Any = sum(
                share * means[level.table[piece, state]] for state, share in enumerate(shares) if share
            )
            mean //= whole
            gain[piece] = own - mean
            means[level.nodes][piece] = (held * own + drawn * mean) // bottom
        gains.append(gain)
    return _added(diagram, row, ways, (held, drawn, bottom), unit, gains, weights)


def _added(
    diagram: Diagram,
    row: Sequence[int],
    ways: dict[int, tuple[list[int], int]],
    held_drawn: tuple[NDArray[Any], NDArray[Any], int],
    unit: int,
    gains: list[NDArray[Any]],
    weights: Sequence[Fraction],
) -> list[Fraction]:
    """Return the values from what each node adds, by the pass from the root down."""
    held, drawn, bottom = held_drawn
    met: NDArray[Any] = np.zeros((diagram.size, len(held)), dtype=object)
    met[diagram.root] = unit
    found = [Fraction(0)] * len(diagram.domain)
    for level in diagram.walk:
        shares, whole = ways[level.feature]
        here, gain = met[level.nodes], gains.pop()
        for piece in pieces(len(level.table), OBJECTS // len(held)):
            sums = (here[piece] * gain[piece]).sum(axis=0).tolist()
            value = sum((w * s for w, s in zip(weights, sums, strict=True)), Fraction(0))
            found[level.feature] += value / unit**2
            _lead_on(met, level, piece, here[piece] // (bottom * whole), (shares, whole), (held, drawn), row)
    return found


def _lead_on(
    met: NDArray[Any],
    level: Level,
    piece: slice,
    here: NDArray[Any],
    ways: tuple[list[int], int],
    held_drawn: tuple[NDArray[Any], NDArray[Any]],
    row: Sequence[int],
) -> None:
    """Share out, among the children of some nodes, the ways that lead to them."""
    (shares, whole), (held, drawn) = ways, held_drawn
    for state, share in enumerate(shares):
        factor = drawn * share + (held * whole if state == row[level.feature] else 0)
        if factor.any():
            np.add.at(met, level.table[piece, state], here * factor)


def _ways(marginal: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return in how many of how many equal ways each state is drawn."""
    whole = lcm(*(share.denominator for share in marginal))
    return [int(share * whole) for share in marginal], whole


def _players(diagram: Diagram, row: Sequence[int], marginals: Sequence[Sequence[Fraction]]) -> int:
    return sum(1 for level in diagram.walk if marginals[level.feature][row[level.feature]] < 1)
