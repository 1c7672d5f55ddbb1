"""How few features must change for an instance to lead to other terminals.

Of all instances at once, as a diagram of its own; and of many rows, each with its own terminals wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, Rows
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.logic.diagram.diagram import Diagram, Terminal
from bnc2d.logic.diagram.forest import Forest

# Entries of the table [node, row] of many rows, a byte or two each.
_ENTRIES = 1 << 24
_MOST_ROWS = 1 << 10


def distance_diagram(diagram: Diagram, wanted: Collection[Terminal], most: int) -> Diagram:
    """Return the diagram that leads an instance to its distance from the nearest that leads to the wanted.

    Terminal ``d`` up to ``most`` stands for a distance of ``d`` features, terminal ``most + 1`` for a larger
    one, or for none. The order of features is the same.

    From the last level up, each node gets the function from what is below it to the distance: for each state
    the least of what the state leads to, and of one more than what any other leads to. So a change is
    counted at the node where it is made, and no instance is looked at by itself.
    """
    tables = diagram.levels[::-1]
    forest = Forest([table.shape[1] for table in tables], most + 1)
    nodes = np.empty(diagram.size, dtype=np.int64)
    nodes[: diagram.terminals] = most + 1
    nodes[list(wanted)] = 0
    first = diagram.terminals
    for depth, table in enumerate(tables, 1):
        checkpoint()
        if len(table):
            rows = _with_changes(forest, nodes[table])
            nodes[first : first + len(table)] = forest.add(depth, rows)
            first += len(table)
    return forest.diagram(diagram.domain, diagram.order, int(nodes[diagram.root]))


def _with_changes(forest: Forest, below: Numbers) -> Numbers:
    """Return ``[node, state]`` the least of what a state leads to, and one more than any other state does."""
    count, states = below.shape
    if states == 2:
        both = forest.least(below.T.reshape(-1), below.T[::-1].reshape(-1), 1)
        return np.ascontiguousarray(both.reshape(2, count).T)
    any_state = below[:, 0]
    for state in range(1, states):
        any_state = forest.least(any_state, below[:, state], 0)
    return forest.least(below.reshape(-1), np.repeat(any_state, states), 1).reshape(count, states)


def row_distances(diagram: Diagram, rows: Rows, wanted: NDArray[np.bool_]) -> Iterator[Numbers]:
    """Yield, for some rows after the other, how few features must change; -1 where no changes do.

    ``wanted`` is ``[row, terminal]``. One pass up the diagram answers for many rows: a table ``[node, row]``
    has the fewest changes below a node.
    """
    levels = diagram.walk
    never = len(levels) + 1
    kind = np.uint8 if never < 255 else np.uint16
    at_once = max(1, min(_MOST_ROWS, _ENTRIES // diagram.size))
    for some in pieces(len(rows), at_once):
        own = rows[some]
        least = np.empty((diagram.size, len(own)), dtype=kind)
        least[: diagram.terminals] = np.where(wanted[some].T, 0, never)
        for feature, table, first in reversed(levels):
            for piece in pieces(len(table), 4 * PIECE // len(own)):
                found = least[first + piece.start : first + piece.stop]
                found[:] = never
                for state in range(table.shape[1]):
                    changed = (own[:, feature] != state).astype(kind)
                    np.minimum(found, least[table[piece, state]] + changed, out=found)
        distances = least[diagram.root].astype(np.int64)
        yield np.where(distances >= never, -1, distances)
