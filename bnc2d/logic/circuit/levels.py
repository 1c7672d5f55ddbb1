"""A circuit level by level: the one order in which arrays pass over it.

The *level* of a node is the length of its longest path down: constants and literals have level 0, and the
children of a gate lie on lower levels than the gate itself. So a pass over the levels, from the first to the
last or back, treats all gates of a level at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, ranges, take
from bnc2d.base.checkpoints import PIECE, checkpoint
from bnc2d.logic.circuit.store import LOW, NodeStore

_AND, _OR = 2, 3
# Nodes that are quicker to follow one by one than with arrays.
_FEW = 48
# Nodes followed one by one between two checkpoints.
_NODES = 1 << 12


class Step:
    """Gates of one level: positions ``first`` to ``middle`` are ANDs, ``middle`` to ``last`` are ORs.

    ``children`` are the positions of their children, those of the ANDs up to ``edge``; ``starts`` tells where
    those of each gate begin, and ``or_starts`` those of each OR, counted from ``edge``.
    """

    def __init__(self, first: int, middle: int, last: int, starts: Numbers, children: Numbers) -> None:
        self.first, self.middle, self.last = first, middle, last
        self.children = children
        self.starts = starts[:-1]
        self.arities = starts[1:] - starts[:-1]
        self.edge = int(starts[middle - first])
        self.or_starts = starts[middle - first : -1] - self.edge

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each gate."""
        kinds = np.full(self.last - self.first, _OR, dtype=np.uint8)
        kinds[: self.middle - self.first] = _AND
        return kinds


class Levels:
    """The nodes below some roots, numbered by level, then kind, then id; children by position.

    ``nodes`` has the id of each position and ``starts`` where its ``children`` begin. The ``leaves`` first
    positions are constants and literals.
    """

    def __init__(self, store: NodeStore, roots: Sequence[int]) -> None:
        below = _reachable(store, roots)
        keys = store.levels[below] << 34
        keys |= store.kinds[below].astype(np.int64) << 32
        keys |= below
        keys.sort()
        self.nodes: Numbers = keys & LOW
        self.keys = keys
        self.kinds: NDArray[np.uint8] = store.kinds[self.nodes]
        self.leaves = int(np.searchsorted(keys, 1 << 34))
        first = store.starts[self.nodes]
        arities = store.starts[self.nodes + 1] - first
        self.starts = np.zeros(len(keys) + 1, dtype=np.int64)
        np.cumsum(arities, out=self.starts[1:])
        place = np.empty(int(self.nodes.max()) + 1, dtype=np.int64)
        place[self.nodes] = np.arange(len(self.nodes))
        self.children = take(place, take(store.children, ranges(first, arities)))
        self.roots: Numbers = place[np.array(roots, dtype=np.int64)]

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
    def steps(self) -> list[Step]:
        """The gates, a level or a part of one at a time, children before parents."""
        steps = []
        starts = self.starts
        levels = np.arange(1, self.depth + 2) << 34
        bounds = np.searchsorted(self.keys, levels).tolist()
        middles = np.searchsorted(self.keys, levels[:-1] | _OR << 32).tolist()
        for first, middle, last in zip(bounds[:-1], middles, bounds[1:], strict=True):
            for begin, end in self._parts(first, last):
                between = min(max(middle, begin), end)
                edges = slice(int(starts[begin]), int(starts[end]))
                own = starts[begin : end + 1] - edges.start
                steps.append(Step(begin, between, end, own, self.children[edges]))
        return steps

    def _parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of gates with not too many children, which cover a range."""
        while first < last:
            end = last
            if self.starts[last] - self.starts[first] > PIECE:
                end = int(np.searchsorted(self.starts, self.starts[first] + PIECE, side="right")) - 1
                end = min(max(end, first + 1), last)
            yield first, end
            first = end

    def fill(self, values: NDArray[Any], conjunction: np.ufunc, disjunction: np.ufunc) -> None:
        """Set the values of all gates from those of the leaves, bottom-up.

        ``values`` has a row for each position; a gate's is what the function of its kind makes of its
        children's.
        """
        for step in self.steps:
            checkpoint()
            first, middle, last, edge = step.first, step.middle, step.last, step.edge
            below = values[step.children]
            if middle == last:
                conjunction.reduceat(below, step.starts, out=values[first:last])
            elif first == middle:
                disjunction.reduceat(below, step.starts, out=values[first:last])
            else:
                conjunction.reduceat(below[:edge], step.starts[: middle - first], out=values[first:middle])
                disjunction.reduceat(below[edge:], step.or_starts, out=values[middle:last])

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
    pending = list(dict.fromkeys(roots))
    for root in pending:
        marks[root] = True
    children_of = store.children_of
    steps = 0
    while pending:
        if len(pending) <= _FEW:
            steps += 1
            if not steps % _NODES:
                checkpoint()
            for child in children_of(pending.pop()):
                if not marks[child]:
                    marks[child] = True
                    pending.append(child)
            continue
        nodes = np.array(pending, dtype=np.int64)
        place = np.empty(len(marks), dtype=np.int64)
        while len(nodes) > _FEW:
            checkpoint()
            starts = store.starts[nodes]
            children = take(store.children, ranges(starts, store.starts[nodes + 1] - starts))
            children = children[~marked[children]]
            marked[children] = True
            place[children] = np.arange(len(children))
            nodes = children[place[children] == np.arange(len(children))]
        pending = nodes.tolist()
    return np.flatnonzero(marked)
