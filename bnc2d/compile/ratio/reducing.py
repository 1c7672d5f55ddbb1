"""Reducing a level of nodes that is given column by column: nodes with equal children are one.

It does what ``DiagramBuilder.add_level`` does, with a quarter of the memory: nodes have as many children as
their feature has states, and these arrays are the largest of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, take
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import grouped, hashes_by_column
from bnc2d.logic.diagram.diagram import DiagramBuilder

Columns = NDArray[Any]  # [column, node], integers


def reduce_level(
    children: Columns, nodes: Numbers, column_of_state: NDArray[np.intp], builder: DiagramBuilder
) -> Numbers:
    """Add a level; ``children[column, node]`` are positions in ``nodes``, the numbers of reduced nodes.

    Returns the number of the reduced node of each node. Overwrites ``children``.
    """
    if children.dtype.itemsize < nodes.dtype.itemsize and int(nodes.max()) >= 2**31:
        children = children.astype(nodes.dtype)
    for row in children:
        for piece in pieces(len(row)):
            row[piece] = nodes.take(row[piece])
    count = children.shape[1]
    varying = np.zeros(count, dtype=bool)
    for row in children[1:]:
        for piece in pieces(count):
            varying[piece] |= row[piece] != children[0, piece]
    places = np.flatnonzero(varying)
    group_ids, first = grouped(take(hashes_by_column(children), places))
    kept = take(places, first)
    if len(kept) < len(places) and not _are_equal(children, places, take(kept, group_ids)):
        return builder.add_level(children.T.astype(np.int64), column_of_state)  # a collision of hashes
    numbers: Numbers = children[0].astype(np.int64)
    number = builder.add_distinct(_table(children, kept, column_of_state))
    for piece in pieces(len(places)):
        numbers[places[piece]] = number + group_ids[piece]
    return numbers


def _are_equal(children: Columns, some: NDArray[np.intp], others: NDArray[np.intp]) -> bool:
    """Return whether nodes have the same children as others."""
    return all(
        np.array_equal(row[some[piece]], row[others[piece]])
        for row in children
        for piece in pieces(len(some))
    )


def _table(children: Columns, kept: NDArray[np.intp], column_of_state: NDArray[np.intp]) -> Numbers:
    """Return the children ``[node, state]`` of some nodes."""
    table = np.empty((len(kept), len(column_of_state)), dtype=np.int64)
    for piece in pieces(len(kept), max(1, PIECE // (4 * len(column_of_state)))):  # stays in the cache
        some = kept[piece]
        for state, column in enumerate(column_of_state.tolist()):
            table[piece, state] = children[column, some]
    return table
