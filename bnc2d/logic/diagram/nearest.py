"""The nearest instance that leads to other terminals, by dynamic programming on a decision diagram."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import piece_of
from bnc2d.base.checkpoints import pieces
from bnc2d.logic.diagram.counting import integers
from bnc2d.logic.diagram.diagram import Diagram, Terminal
from bnc2d.logic.domain import FeatureId


def nearest(
    diagram: Diagram,
    positions: Sequence[int],
    wanted: Collection[Terminal],
    fixed: Collection[FeatureId],
    prices: Sequence[int] | None = None,
) -> list[int] | None:
    """Return the nearest instance that leads to a wanted terminal, as state positions; None if there is none.

    Near is what changes few features, or cheap ones where they have ``prices``; fixed ones do not change.
    Bottom-up, a level at a time, each node gets the least price of the changes below it: the least over its
    states of the child's price, plus the feature's for states that are not the instance's. On the way down
    again the instance's own state is taken where it is among the best, else the first best one.
    """
    costs = [1] * len(positions) if prices is None else list(prices)
    never = sum(costs) + 1
    least: NDArray[Any] = np.full(diagram.size, never, dtype=integers(2 * never * len(positions)))
    least[list(wanted)] = 0
    steps: dict[FeatureId, NDArray[Any]] = {}
    for feature, table, first in reversed(diagram.walk):
        states = table.shape[1]
        step = np.full(states, never if feature in fixed else costs[feature], dtype=least.dtype)
        step[positions[feature]] = 0
        steps[feature] = step
        for piece in pieces(len(table), piece_of(least.dtype) // states):
            found = np.minimum((least[table[piece]] + step).min(axis=1), never)
            least[first + piece.start : first + piece.stop] = found
    node = diagram.root
    if least[node] == never:
        return None
    row = list(positions)
    for feature, table, first in diagram.walk:
        if node >= first:
            totals = least[table[node - first]] + steps[feature]
            own = positions[feature]
            row[feature] = own if totals[own] == least[node] else int(np.argmin(totals))
            node = int(table[node - first, row[feature]])
    return row
