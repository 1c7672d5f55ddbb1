"""Exact numbers of instances in a decision diagram, and the instances of a terminal by their position.

All passes work with numbers of whole instances: a node that decides no feature above it stands for all their
states, so that dividing by the states of a feature never leaves a rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows, piece_of
from bnc2d.base.checkpoints import pieces

if TYPE_CHECKING:
    from bnc2d.logic.diagram.diagram import Diagram

_ROWS_AT_ONCE = 256


def integers(bound: int) -> type[Any]:
    """Return the type for arrays of whole numbers below ``bound``: machine integers where they suffice."""
    return np.int64 if bound < 2**62 else object


def counts(diagram: Diagram) -> list[int]:
    """Return how many instances lead to each terminal: from the root down, each node shares its own out."""
    total = diagram.domain.instance_count
    reached: NDArray[Any] = np.zeros(diagram.size, dtype=integers(total))
    reached[diagram.root] = total
    for _, table, first in diagram.walk:
        states = table.shape[1]
        for piece in pieces(len(table), piece_of(reached.dtype) // states):
            shares = reached[first + piece.start : first + piece.stop] // states
            np.add.at(reached, table[piece].reshape(-1), np.repeat(shares, states))
    return [int(count) for count in reached[: diagram.terminals]]


def ways(diagram: Diagram, terminals: Iterable[int]) -> NDArray[Any]:
    """Return for each node how many instances lead from it to the terminals, whatever is set above it."""
    total = diagram.domain.instance_count
    most = max((table.shape[1] for table in diagram.levels), default=1)
    found: NDArray[Any] = np.zeros(diagram.size, dtype=integers(total * most))
    found[list(terminals)] = total
    for _, table, first in reversed(diagram.walk):
        states = table.shape[1]
        for piece in pieces(len(table), piece_of(found.dtype) // states):
            found[first + piece.start : first + piece.stop] = found[table[piece]].sum(axis=1) // states
    return found


def rows_in_order(diagram: Diagram, reach: NDArray[Any], positions: Iterable[int]) -> Iterator[list[int]]:
    """Yield the instances at some positions among those that ``ways`` counted, as rows of state positions.

    Instances are ordered as words over the features of the diagram's order.
    """
    left = iter(positions)
    while batch := list(islice(left, _ROWS_AT_ONCE)):
        yield from _rows_at(diagram, reach, batch).tolist()


def _rows_at(diagram: Diagram, reach: NDArray[Any], positions: Sequence[int]) -> Rows:
    """Return the rows at some positions; feature by feature, the position says which states come before."""
    left: NDArray[Any] = np.array(positions, dtype=reach.dtype)
    rows = np.zeros((len(left), len(diagram.order)), dtype=np.intp)
    nodes = np.full(len(left), diagram.root, dtype=np.int64)
    levels = {level.feature: level for level in diagram.walk}
    above = 1  # instances of the features that are set: each node counts for all of them
    for feature in diagram.order:
        above *= diagram.domain.cardinalities[feature]
        level = levels.get(feature)
        decides = nodes >= level.first if level is not None else np.zeros(len(nodes), dtype=bool)
        free = np.flatnonzero(~decides)
        below = reach[nodes[free]] // above
        states = left[free] // below
        rows[free, feature] = states
        left[free] -= states * below
        if level is None or not decides.any():
            continue
        here = np.flatnonzero(decides)
        children = level.table[nodes[here] - level.first]
        upto = np.cumsum(reach[children] // above, axis=1)
        chosen = (upto <= left[here, None]).sum(axis=1)
        rows[here, feature] = chosen
        left[here] -= np.where(chosen > 0, upto[np.arange(len(here)), chosen - 1], 0)
        nodes[here] = children[np.arange(len(here)), chosen]
    return rows
