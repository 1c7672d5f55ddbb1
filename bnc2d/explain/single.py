"""One sufficient reason at once, read off the decision diagram however large the formula is."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from bnc2d.compile.diagram import Diagram
from bnc2d.compile.hashing import sorted_distinct
from bnc2d.logic.domain import FeatureId


def one_sufficient(
    diagram: Diagram, positions: Sequence[int], labels: Collection[int], fixed: Collection[FeatureId]
) -> list[FeatureId]:
    """Return the features of a sufficient reason: each is given up, in order, where the others are enough.

    Whether they are is seen from the nodes that an instance can reach with the others as they are; with most
    features still set these are few, so a diagram of any size is walked in milliseconds.
    """
    walk = _Walk(diagram, positions, labels)
    free: set[FeatureId] = set()
    kept = []
    for feature in range(len(positions)):
        if feature in fixed:
            continue
        if walk.stays({*free, feature}):
            free.add(feature)
        else:
            kept.append(feature)
    return kept


class _Walk:
    """Where instances lead that agree with one instance but for some features."""

    def __init__(self, diagram: Diagram, positions: Sequence[int], labels: Collection[int]) -> None:
        self._levels = list(zip(diagram.order, diagram.levels, diagram.offsets(), strict=True))
        self._root, self._ends = diagram.root, diagram.ends
        self._positions = positions
        self._wrong = np.array([end not in labels for end in range(diagram.ends)])

    def stays(self, free: Collection[FeatureId]) -> bool:
        """Return whether all of them have one of the labels."""
        nodes = np.array([self._root], dtype=np.int64)
        for feature, level, first in self._levels:
            here = nodes >= first  # nodes of this level; those of the levels before are done
            if not here.any():
                continue
            rows = level[nodes[here] - first]
            below = rows.reshape(-1) if feature in free else rows[:, self._positions[feature]]
            nodes = sorted_distinct(np.concatenate([nodes[~here], below]))
            if nodes[0] < self._ends and self._wrong[nodes[nodes < self._ends]].any():
                return False
        return not self._wrong[nodes].any()
