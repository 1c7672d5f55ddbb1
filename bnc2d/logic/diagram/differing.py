"""The instances that two nodes of a diagram lead to different terminals, as a diagram of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.diagram.walks import MAX_PAIRS
from bnc2d.logic.domain import FeatureId


class _Step(NamedTuple):
    """A level: which pairs stay, which it decides, and the number of what each leads to, in that order."""

    feature: FeatureId
    states: int
    stay: Numbers
    go: Numbers
    numbers: NDArray[np.intp]


def differing(diagram: Diagram, one: int, other: int, counting: NDArray[np.bool_]) -> Diagram:
    """Return the diagram that leads to 1 where two nodes lead to different terminals, to 0 elsewhere.

    Terminals that do not count, by ``counting``, differ from none. The pairs of nodes are followed from the
    top down; more than ``MAX_PAIRS`` at a level are refused. Then the diagram is built from the bottom up.
    """
    size = diagram.size
    codes: Numbers = np.array([one * size + other], dtype=np.int64)
    steps: list[_Step] = []
    for level in diagram.walk:
        checkpoint()
        left, right = np.divmod(codes, size)
        deciding = (left >= level.first) | (right >= level.first)
        stay, go = np.flatnonzero(~deciding), np.flatnonzero(deciding)
        states = level.table.shape[1]
        if len(stay) + len(go) * states > MAX_PAIRS:
            raise LimitExceeded(f"more than {MAX_PAIRS} pairs of diagram nodes to look at")
        reached: list[Numbers] = [codes[stay]]
        for piece in pieces(len(go), PIECE // states):
            lefts, rights = (level.children(nodes[go[piece]]) for nodes in (left, right))
            reached.append(
                np.where(lefts == rights, 0, lefts * size + rights).reshape(-1)
            )  # 0: no difference
        codes, _, numbers = distinct(joined(reached))
        steps.append(_Step(level.feature, states, stay, go, numbers))
    left, right = np.divmod(codes, size)
    nodes: Numbers = ((left != right) & counting[left] & counting[right]).astype(np.int64)
    builder = DiagramBuilder(2)
    for step in reversed(steps):
        checkpoint()
        upper = np.empty(len(step.stay) + len(step.go), dtype=np.int64)
        below = nodes[step.numbers]
        upper[step.stay] = below[: len(step.stay)]
        upper[step.go] = builder.add_level(below[len(step.stay) :].reshape(len(step.go), step.states))
        nodes = upper
    return builder.finish(diagram.domain, [step.feature for step in steps], int(nodes[0]))
