"""A circuit level by level: the one order in which arrays pass over it.

The *level* of a node is the length of its longest path down: constants and literals have level 0, and the
children of a gate lie on lower levels than the gate itself. So a pass over the levels, from the first to the
last or back, treats all gates of a level at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, ranges, take
from bnc2d.base.checkpoints import PIECE, checkpoint
from bnc2d.logic.circuit.store import NodeStore

_AND, _OR = 2, 3
# Nodes that are quicker to follow one by one than with arrays.
_FEW = 24


class Step(NamedTuple):
    """Gates of one level and one kind: the positions from ``first`` to ``last``.

    ``children`` are the positions of their children, and ``starts`` tells where those of each gate begin.
    """

    is_or: bool
    first: int
    last: int
    starts: Numbers
    children: Numbers
    arities: Numbers
    edges: slice  # where the children are among those of all nodes


class Levels:
    """The nodes below some roots, numbered by level, then kind, then id; children by position.

    ``nodes`` has the id of each position and ``starts`` where its ``children`` begin. The ``leaves`` first
    positions are constants and literals.
    """

    def __init__(self, store: NodeStore, roots: Sequence[int]) -> None:
        below = _reachable(store, roots)
        keys = take(store.levels, below) << 2
        keys |= take(store.kinds, below)
        if keys.max() < 1 << 16:
            order = keys.astype(np.uint16).argsort(kind="stable")  # by radix, in linear time
        else:
            order = keys.argsort(kind="stable")
        self.nodes: Numbers = take(below, order)
        self.keys: Numbers = take(keys, order).astype(np.int64) << 32 | self.nodes
        self.kinds: NDArray[np.uint8] = take(store.kinds, self.nodes)
        self.leaves = int(np.searchsorted(self.keys, 1 << 34))
        self.starts = np.zeros(len(keys) + 1, dtype=np.int64)
        np.cumsum(take(store.starts, self.nodes + 1) - take(store.starts, self.nodes), out=self.starts[1:])
        at = np.searchsorted(below, roots)
        self.roots: Numbers = np.searchsorted(self.keys, keys[at].astype(np.int64) << 32 | below[at])
        self._store = store

    @cached_property
    def children(self) -> Numbers:
        """The positions of the children of all nodes, one node after the other."""
        place = np.empty(int(self.nodes.max()) + 1, dtype=np.int64)
        place[self.nodes] = np.arange(len(self.nodes))
        edges = ranges(self._store.starts[self.nodes], np.diff(self.starts))
        return take(place, take(self._store.children, edges))

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def depth(self) -> int:
        """The highest level."""
        return int(self.keys[-1] >> 34)

    @cached_property
    def ascending(self) -> list[int]:
        """The ids in ascending order."""
        ascending: list[int] = np.sort(self.nodes).tolist()
        return ascending

    @cached_property
    def ends(self) -> list[int]:
        """Where the gates of each level end, counted from the first gate."""
        ends = np.searchsorted(self.keys, np.arange(2, self.depth + 2) << 34) - self.leaves
        whole: list[int] = ends.tolist()
        return whole

    @cached_property
    def steps(self) -> list[Step]:
        """The gates, those of a level and kind or a part of them at a time, children before parents."""
        if self.leaves == len(self):
            return []
        gates = slice(self.leaves, len(self))
        kinds = self.keys[gates] >> 32  # with the level before
        firsts = np.concatenate([[0], (kinds[1:] != kinds[:-1]).nonzero()[0] + 1]) + self.leaves
        bounds = list(pairwise([*firsts.tolist(), len(self)]))
        if len(self.children) > PIECE:
            bounds = [part for first, last in bounds for part in self._parts(first, last)]
            firsts = np.array([first for first, _ in bounds])
        edges = self.starts[firsts]
        arities = self.starts[self.leaves + 1 :] - self.starts[gates]
        own = self.starts[gates] - edges.repeat([last - first for first, last in bounds])
        is_or = (self.kinds[firsts] == _OR).tolist()
        steps = []
        for kind, (first, last), (begin, end) in zip(
            is_or, bounds, pairwise([*edges.tolist(), len(self.children)]), strict=True
        ):
            rows = slice(first - self.leaves, last - self.leaves)
            edge = slice(begin, end)
            steps.append(Step(kind, first, last, own[rows], self.children[edge], arities[rows], edge))
        return steps

    def _parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of gates with not too many children, which cover a range."""
        while first < last:
            end = int(np.searchsorted(self.starts, self.starts[first] + PIECE, side="right")) - 1
            end = min(max(end, first + 1), last)
            yield first, end
            first = end

    def fill(self, values: NDArray[Any], conjunction: np.ufunc, disjunction: np.ufunc) -> None:
        """Set the values of all gates from those of the leaves, bottom-up.

        ``values`` has a row for each position; a gate's is what the function of its kind makes of its
        children's.
        """
        for is_or, first, last, starts, children, _, _ in self.steps:
            checkpoint()
            combine = disjunction if is_or else conjunction
            combine.reduceat(values.take(children, axis=0), starts, out=values[first:last])

    @cached_property
    def gates(self) -> list[tuple[int, bool, list[int]]]:
        """The gates one by one, bottom-up: id, whether it is an OR, the ids of its children."""
        children = take(self.nodes, self.children).tolist()
        starts = self.starts.tolist()
        return [
            (node, kind == _OR, children[start:end])
            for node, kind, start, end in zip(
                self.nodes[self.leaves :].tolist(),
                self.kinds[self.leaves :].tolist(),
                starts[self.leaves : -1],
                starts[self.leaves + 1 :],
                strict=True,
            )
        ]


def _reachable(store: NodeStore, roots: Sequence[int]) -> Numbers:
    """Return the nodes below the roots in ascending order."""
    marks = bytearray(max(roots) + 1)
    marked = np.frombuffer(marks, dtype=np.bool_)
    for root in roots:
        marks[root] = True
    nodes = list(dict.fromkeys(roots))
    place = np.empty(len(marks), dtype=np.int32)
    children_of = store.children_of
    while nodes:
        checkpoint()
        if len(nodes) <= _FEW:
            below = [child for node in nodes for child in children_of(node) if not marks[child]]
            for child in below:
                marks[child] = True
            nodes = list(dict.fromkeys(below))
            continue
        ids = np.array(nodes, dtype=np.int64)
        while len(ids) > _FEW:
            checkpoint()
            starts = take(store.starts, ids)
            children = take(store.children, ranges(starts, take(store.starts, ids + 1) - starts))
            children = np.compress(~marked.take(children), children)
            marked[children] = True
            own = np.arange(len(children), dtype=np.int32)
            place[children] = own
            ids = np.compress(place.take(children) == own, children)
        nodes = ids.tolist()
    return np.flatnonzero(marked)
