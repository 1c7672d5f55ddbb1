"""Diagrams with some features fixed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bnc2d.base.arrays import take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.domain import FeatureId


def with_fixed(diagram: Diagram, states: Mapping[FeatureId, int]) -> Diagram:
    """Return the diagram over the same domain of what is left when features are fixed to states.

    The fixed features do not matter in it.

    1. From the root down: which nodes are reached with the fixed features as they are.
    2. From the last level up: each of them becomes a node of the reduced diagram, or, where its feature is
       fixed, what its child became.
    """
    reached = np.zeros(diagram.size, dtype=bool)
    reached[diagram.root] = True
    for feature, table, first in diagram.walk:
        checkpoint()
        rows = table[np.flatnonzero(reached[first : first + len(table)])]
        reached[rows[:, states[feature]] if feature in states else rows.reshape(-1)] = True
    image = np.arange(diagram.size, dtype=np.int64)
    builder = DiagramBuilder(diagram.terminals)
    first = diagram.terminals
    for feature, table in zip(reversed(diagram.order), reversed(diagram.levels), strict=True):
        checkpoint()
        nodes = first + np.flatnonzero(reached[first : first + len(table)])
        rows = table[nodes - first]
        if feature in states:
            image[nodes] = take(image, rows[:, states[feature]])
            rows = rows[:0]
        children = take(image, rows.reshape(-1)).reshape(rows.shape)
        found = builder.add_level(children)
        if feature not in states:
            image[nodes] = found
        first += len(table)
    return builder.finish(diagram.domain, diagram.order, int(image[diagram.root]))
