"""Reduced ordered decision diagrams with class labels at the ends, in arrays.

Numbering. A diagram over features ``order[0..n-1]`` has a table per level: ``levels[i]`` is an array
``[node, state]`` of the nodes that decide ``order[i]``. Node numbers run over all levels: ``0 .. ends-1`` are
the labels, then come the nodes of the last level, then those of the level before, up to the root. No two
nodes are equal and none has all its edges to one node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows, contiguous, take, take_columns
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import distinct_rows


@dataclass(frozen=True)
class Diagram:
    """A reduced diagram; ``order`` holds positions of features, ``root`` is a node number."""

    order: tuple[int, ...]
    ends: int
    levels: tuple[NDArray[np.int64], ...]
    root: int

    @property
    def node_count(self) -> int:
        """The number of inner nodes."""
        return sum(len(level) for level in self.levels)

    def offsets(self) -> list[int]:
        """Return the number of the first node of each level."""
        firsts = []
        following = self.ends
        for level in reversed(self.levels):
            firsts.append(following)
            following += len(level)
        return firsts[::-1]

    def labels(self, rows: Rows) -> NDArray[np.int64]:
        """Return the label that each row of state positions (in feature order) leads to."""
        at = np.full(len(rows), self.root, dtype=np.int64)
        for feature, level, first in zip(self.order, self.levels, self.offsets(), strict=True):
            here = np.flatnonzero((at >= first) & (at < first + len(level)))
            at[here] = level[at[here] - first, rows[here, feature]]
        return at

    def counts(self, cardinalities: Sequence[int]) -> list[int]:
        """Return how many instances lead to each label, exactly."""
        reached: dict[int, int] = {self.root: 1}
        totals = [0] * self.ends
        for feature, level, first in zip(self.order, self.levels, self.offsets(), strict=True):
            size = cardinalities[feature]
            following: dict[int, int] = {}
            for node, ways in reached.items():
                if first <= node < first + len(level):
                    for child in level[node - first].tolist():
                        following[child] = following.get(child, 0) + ways
                else:
                    following[node] = following.get(node, 0) + ways * size
            reached = following
        for node, ways in reached.items():
            totals[node] += ways
        return totals

    def assert_reduced(self) -> None:
        """Check the invariants; for tests."""
        for level, first in zip(self.levels, self.offsets(), strict=True):
            assert level.size == 0 or (level < first).all(), "edges point to later levels"  # noqa: S101
            assert not (level == level[:, :1]).all(axis=1).any(), "a redundant test"  # noqa: S101
            assert len(np.unique(level, axis=0)) == len(level), "two equal nodes"  # noqa: S101
        used = {self.root, *(child for level in self.levels for child in np.unique(level).tolist())}
        inner = set(range(self.ends, self.ends + self.node_count))
        assert inner <= used, "a node that nothing reaches"  # noqa: S101


class DiagramBuilder:
    """Builds a reduced diagram bottom-up, a level at a time."""

    def __init__(self, ends: int) -> None:
        self.ends = ends
        self._next = ends
        self._levels: list[NDArray[np.int64]] = []

    def add_level(
        self, children: NDArray[np.int64], column_of_state: NDArray[np.intp] | None = None
    ) -> NDArray[np.int64]:
        """Add a level of nodes ``[node, state]``; return for each the number of its reduced node.

        Where many states are alike ``children`` may be ``[node, column]``, with the column of each state.
        """
        proper = np.empty(len(children), dtype=bool)
        for piece in pieces(len(children), PIECE // children.shape[1]):
            proper[piece] = (children[piece] != children[piece, :1]).any(axis=1)
        numbers = contiguous(children[:, 0]).copy()
        places = np.flatnonzero(proper)
        kept, inverse = _unique_rows(take(children, places))
        for piece in pieces(len(places)):
            numbers[places[piece]] = self._next + inverse[piece]
        self._levels.append(kept if column_of_state is None else take_columns(kept, column_of_state))
        self._next += len(kept)
        return numbers

    def finish(self, order: Iterable[int], root: int) -> Diagram:
        """Return the diagram; levels were added from the last feature to the first."""
        return Diagram(tuple(order), self.ends, tuple(reversed(self._levels)), root)


def _unique_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows and for each row its position among them."""
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    base = int(rows.max()) + 1
    if base ** rows.shape[1] < 2**63:  # a row is a number
        codes = contiguous(rows[:, 0]).copy()
        for column in rows.T[1:]:
            for piece in pieces(len(codes)):
                codes[piece] *= base
                codes[piece] += column[piece]
        kinds, first = distinct_rows(codes[:, None])
    else:
        kinds, first = distinct_rows(contiguous(rows))
    return take(rows, first), kinds


def reduce_table(
    labels: NDArray[np.int64], cardinalities: Sequence[int], builder: DiagramBuilder
) -> NDArray[np.int64]:
    """Reduce functions given by their values: ``[function, instance]``, the last feature varying fastest.

    Adds a level per feature, last to first, and returns the node of each function.
    """
    functions = len(labels)
    nodes = labels.reshape(-1)
    for size in reversed(cardinalities):
        nodes = builder.add_level(nodes.reshape(-1, size))
    return nodes.reshape(functions)
