"""How far the nearest other decision is, by dynamic programming on the decision diagram."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from bnc2d.compile.diagram import Diagram
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
    diagram: Diagram, positions: Sequence[int], wanted: Collection[int], fixed: Collection[FeatureId]
) -> list[int] | None:
    """Return the nearest instance with one of the wanted labels, as state positions; None if there is none.

    Bottom-up, a level at a time, each node gets the least number of features below it that must change:
    the least over its states of the child's number, plus one for states that are not the instance's. On the
    way down again the instance's own state is taken where it is among the best, else the first best one.
    """
    unreachable = len(positions) + 1
    costs = np.full(diagram.ends + diagram.node_count, unreachable, dtype=np.int64)
    costs[list(wanted)] = 0
    steps = [
        np.where(np.arange(level.shape[1]) == positions[feature], 0, unreachable if feature in fixed else 1)
        for feature, level in zip(diagram.order, diagram.levels, strict=True)
    ]
    offsets = diagram.offsets()
    for level, first, step in zip(reversed(diagram.levels), reversed(offsets), reversed(steps), strict=True):
        if len(level):
            cheapest = (costs[level] + step).min(axis=1)
            costs[first : first + len(level)] = np.minimum(cheapest, unreachable)
    if costs[diagram.root] == unreachable:
        return None
    found = list(positions)
    node = diagram.root
    for feature, level, first, step in zip(diagram.order, diagram.levels, offsets, steps, strict=True):
        if first <= node < first + len(level):
            children = level[node - first]
            totals = costs[children] + step
            own = positions[feature]
            found[feature] = own if totals[own] == totals.min() else int(totals.argmin())
            node = int(children[found[feature]])
    return found
