"""The decision diagram of "the decision on this instance depends on protected features"."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder

# The node of an instance, and those of all that differ from it in protected features only, itself included.
_State: TypeAlias = tuple[int, frozenset[int]]

# Sets of nodes at one level.
MAX_SETS = 2**22
# Terminals of the diagram.
SAME, BIASED, OUTSIDE = range(3)

_DECIDED_ALIKE: frozenset[int] = frozenset()
_DECIDED_DIFFERENTLY = frozenset([0, 1])


def biased_diagram(diagram: Diagram, protected: set[int], labels: int) -> Diagram:
    """Return the diagram that leads to ``BIASED`` where other states of protected features change the label.

    Of the terminals only the first ``labels`` count. Instances that lead to others are ``OUTSIDE``.

    1. From the root down each instance is followed, together with the set of nodes that all states of the
       protected features lead to, until that has two labels, or only one is left.
    2. From the last level up, these states become nodes of the reduced diagram.
    """
    constrained = labels < diagram.terminals
    reached, below = _reached(diagram, labels), _depends(diagram, protected)

    def state(own: int, nodes: frozenset[int]) -> _State:
        """Return the same state for all that end alike; itself it matters only where it may not count."""
        if sum(node < labels for node in nodes) > 1:
            nodes = _DECIDED_DIFFERENTLY
        elif len(nodes) == 1:
            nodes = nodes if below[next(iter(nodes))] else _DECIDED_ALIKE
        elif len(frozenset().union(*(reached[node] for node in nodes))) < 2:
            nodes = _DECIDED_ALIKE
        return own if constrained else 0, nodes

    states = {state(diagram.root, frozenset([diagram.root])): 0}
    tables = []
    for feature, level, first in diagram.walk:
        edges = level.tolist()
        following: dict[_State, int] = {}
        rows = []
        for own, nodes in checked(list(states), 64):
            row = []
            children = [edges[node - first] if node >= first else [node] * level.shape[1] for node in nodes]
            together = frozenset().union(*children) if feature in protected else None
            for at in range(level.shape[1]):
                child = edges[own - first][at] if own >= first else own
                after = frozenset(row[at] for row in children) if together is None else together
                row.append(following.setdefault(state(child, after), len(following)))
            rows.append(row)
        if len(following) > MAX_SETS:
            raise LimitExceeded(f"more than {MAX_SETS} sets of diagram nodes to look at")
        tables.append(np.array(rows, dtype=np.int64))
        states = following
    numbers = np.array([_terminal(*one, labels) for one in states], dtype=np.int64)
    builder = DiagramBuilder(3)
    for table in reversed(tables):
        checkpoint()
        numbers = builder.add_level(take(numbers, table.reshape(-1)).reshape(table.shape))
    return builder.finish(diagram.domain, [level.feature for level in diagram.walk], int(numbers[0]))


def _terminal(own: int, nodes: frozenset[int], labels: int) -> int:
    return OUTSIDE if own >= labels else BIASED if nodes == _DECIDED_DIFFERENTLY else SAME


def _reached(diagram: Diagram, labels: int) -> list[frozenset[int]]:
    """Return for each node which labels that count are reached from it."""
    known: dict[frozenset[int], frozenset[int]] = {}
    reached = [frozenset([label] if label < labels else []) for label in range(diagram.terminals)]
    for level in reversed(diagram.walk):
        for row in checked(level.table.tolist()):
            found = frozenset().union(*(reached[child] for child in row))
            reached.append(known.setdefault(found, found))  # few are different
    return reached


def _depends(diagram: Diagram, protected: set[int]) -> NDArray[np.bool_]:
    """Return for each node whether a protected feature is decided at it or below."""
    found = np.zeros(diagram.size, dtype=bool)
    for level in reversed(diagram.walk):
        checkpoint()
        found[level.nodes] = True if level.feature in protected else found[level.table].any(axis=1)
    return found
