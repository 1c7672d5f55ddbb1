"""How far the nearest other decision is, by dynamic programming on the decision diagram."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.walks import integers
from bnc2d.logic.domain import FeatureId


@dataclass(frozen=True)
class Robustness:
    """The fewest features to change for another decision, an instance that does so, and its decision.

    ``distance`` and ``witness`` are None where nothing changes the decision; so is ``decision`` then, and
    also where the witness is in no class.
    """

    distance: int | None
    witness: dict[str, str] | None = None
    decision: str | None = None


def nearest(
    diagram: Diagram,
    positions: Sequence[int],
    wanted: Collection[int],
    fixed: Collection[FeatureId],
    prices: Sequence[int] | None = None,
) -> list[int] | None:
    """Return the nearest instance with one of the wanted labels, as state positions; None if there is none.

    Near is what changes few features, or cheap ones where they have ``prices``; fixed ones do not change.
    Bottom-up, a level at a time, each node gets the least price of the changes below it: the least over its
    states of the child's price, plus the feature's for states that are not the instance's. On the way down
    again the instance's own state is taken where it is among the best, else the first best one.
    """
    costs = [1] * len(positions) if prices is None else list(prices)
    never = sum(costs) + 1
    size = diagram.ends + diagram.node_count
    least: NDArray[Any] = np.full(size, never, dtype=integers(2 * never * len(positions)))
    least[list(wanted)] = 0
    levels = list(zip(diagram.order, diagram.levels, diagram.offsets(), strict=True))
    steps: dict[FeatureId, NDArray[Any]] = {}
    for feature, level, first in reversed(levels):
        if len(level):
            step = np.full(level.shape[1], never if feature in fixed else costs[feature], dtype=least.dtype)
            step[positions[feature]] = 0
            steps[feature] = step
            least[first : first + len(level)] = np.minimum((least[level] + step).min(axis=1), never)
    node = diagram.root
    if least[node] == never:
        return None
    found = list(positions)
    for feature, level, first in levels:
        if node >= first and len(level):
            totals = least[level[node - first]] + steps[feature]
            own = positions[feature]
            found[feature] = own if totals[own] == least[node] else int(np.argmin(totals))
            node = int(level[node - first, found[feature]])
    return found
