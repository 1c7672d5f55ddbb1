"""Diagrams of which only some instances count: the others lead to a terminal of their own."""

from __future__ import annotations

import numpy as np

from bnc2d.base.arrays import Numbers, take
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, Level, Terminal

# Pairs of nodes of a level.
_MOST_PAIRS = 1 << 24


def restricted(diagram: Diagram, allowed: Diagram, outside: Terminal | None = None) -> Diagram:
    """Return the diagram in which instances that are not allowed lead to a terminal of their own.

    That is one more, the last, or ``outside`` where the diagram has one already. ``allowed`` has the same
    domain and order, and leads to 1 where an instance is allowed, else to 0.

    1. Pairs of nodes, one of each diagram, are followed from the roots down, a level at a time. Where nothing
       is allowed any more, the node of the first diagram does not matter.
    2. From the last level up, pairs become nodes of the reduced diagram.
    """
    tables: list[Numbers] = []
    size = allowed.size
    codes = np.array([diagram.root * size + allowed.root if allowed.root else 0], dtype=np.int64)
    of = [{level.feature: level for level in one.walk} for one in (diagram, allowed)]
    for feature, states in zip(diagram.order, (table.shape[1] for table in diagram.levels), strict=True):
        checkpoint()
        left, right = np.divmod(codes, size)
        children = _children(of[0].get(feature), left, states) * size
        after = _children(of[1].get(feature), right, states)
        children = np.where(after == 0, 0, children + after)
        if children.size > _MOST_PAIRS:
            raise LimitExceeded(f"more than {_MOST_PAIRS} pairs of diagram nodes to look at")
        codes, _, numbers = distinct(children.reshape(-1))
        tables.append(numbers.reshape(children.shape))
    left, right = np.divmod(codes, size)
    outside = diagram.terminals if outside is None else outside
    nodes = np.where(right == 0, outside, left)
    builder = DiagramBuilder(max(diagram.terminals, outside + 1))
    for table in reversed(tables):
        nodes = builder.add_level(take(nodes, table.reshape(-1)).reshape(table.shape))
    return builder.finish(diagram.domain, diagram.order, int(nodes[0]))


def _children(level: Level | None, nodes: Numbers, states: int) -> Numbers:
    """Return ``[node, state]`` what nodes lead to; a level without nodes decides none."""
    return np.repeat(nodes[:, None], states, axis=1) if level is None else level.children(nodes)
