"""The nodes between groups of features, level by level: steps 2 and 3 of ``method``.

The code of a node is minus its set of impossible classes. If that is empty, then above the middle it is 1 +
the position of its product, with 0 and the number of products + 1 for products so small or so large that they
decide whatever comes; below the middle it is twice the number of products of the groups below that are less
than its inverse, plus 1 if one is equal to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import pieces
from bnc2d.compile.ratio.ordering import Chain, Places, Room, crossing
from bnc2d.compile.ratio.products import Integers, Scale

# A ratio of the second class to the first, or minus the set of impossible classes: -1, -2, or -3 for both.
Column: TypeAlias = Fraction | int
Codes: TypeAlias = Integers

# What an edge of a node takes: for a moment, and for good.
EDGE_BYTES = (16, 4)
# There are three sets of impossible classes that are not empty.
_SETS = 3


def column_of(first: Fraction | int, second: Fraction | int) -> Column:
    """Return what the probabilities of both classes say."""
    return Fraction(second) / first if first and second else -(first == 0) - 2 * (second == 0)


@dataclass(frozen=True)
class Columns:
    """The distinct things that instances of a group say: ratios first, then codes of impossible classes."""

    ratios: tuple[Fraction, ...]
    impossible: tuple[int, ...]

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Columns:
        """Return the distinct columns."""
        distinct = dict.fromkeys(columns)
        ratios = sorted(column for column in distinct if isinstance(column, Fraction))
        return cls(tuple(ratios), tuple(column for column in distinct if isinstance(column, int)))


class _Level(NamedTuple):
    """How codes change at a group: ``step`` returns those after a ratio, all of them below ``bound``."""

    bound: int
    step: Callable[[Codes, int], Codes]


def _above(places: Places, codes: Codes) -> _Level:
    """Return a level above the middle: ``places[ratio, product]`` are positions among the next products.

    ``codes`` holds the code of each position, from -1 to the number of next products.
    """

    def step(before: Codes, ratio: int) -> Codes:
        after = np.empty(places.shape[1] + 2, dtype=np.int64)
        after[0], after[-1] = codes[0], codes[-1]
        for piece in pieces(places.shape[1]):
            after[1:-1][piece] = codes[places[ratio][piece] + 1]
        return take(after, before)

    return _Level(int(codes.max()) + 1, step)


def _below(places: Places) -> _Level:
    """Return a level below: ``places[ratio, next product]`` are positions among its products.

    Next products are in their order, so counting them is a search.
    """

    def step(before: Codes, ratio: int) -> Codes:
        sought = np.append(places[ratio], np.int32(-2))  # no position is -2
        after = np.empty(len(before), dtype=np.int64)
        for piece in pieces(len(before)):
            position = (before[piece] >> 1).astype(sought.dtype)
            less = np.searchsorted(sought[:-1], position)
            after[piece] = 2 * less + (before[piece] & (sought[less] == position))
        return after

    return _Level(2 * places.shape[1] + 2, step)


class Descent:
    """Finds the nodes of all levels.

    ``children[level]`` is ``[column, node]`` with positions among the nodes of the next level; ``frontier``
    is the number of nodes in the middle, ``cells`` that of all edges.
    """

    def __init__(self, groups: Sequence[Columns], prior: Column, budget: Budget, certified: bool) -> None:
        self._groups, self._budget, self.room = groups, budget, Room(budget.memory)
        self._impossible = prior if isinstance(prior, int) else 0  # minus a set
        ratios: list[Sequence[Fraction]] = [[], *([] for _ in groups)]
        if isinstance(prior, Fraction):  # else no product matters
            ratios = [[prior], *(group.ratios for group in groups)]
        self._scale = Scale(ratios, certified)
        self.children: list[NDArray[np.int32]] = []
        self.cells = 0
        self.frontier = 0
        self.exact_calls = 0

    def run(self, tie: int) -> Codes:
        """Find all nodes; return the labels of those after the last group."""
        levels, start = self._levels(tie)
        codes = np.array([self._impossible or start], dtype=np.int64)
        for number, (group, level) in enumerate(zip(self._groups, levels, strict=True)):
            self._budget.progress(0.5 + 0.5 * number / len(levels))
            codes = self._descend(codes, group, level)
        labels = np.array([1, tie, 0, tie, 0, 1], dtype=np.int64)  # of the codes 0, 1, 2, -3, -2, -1
        return labels[codes]

    def _levels(self, tie: int) -> tuple[list[_Level], int]:
        """List products from both ends, the shorter list first, until they meet; and the first code."""
        logs = self._scale.words.logs  # of the prior and of each group
        groups = len(logs) - 1
        from_above, from_below = _windows(logs), _windows(logs[:0:-1])
        top, bottom = (Chain(self._scale, self.room) for _ in range(2))
        top.extend(0, from_below[groups])
        above, below = 0, 0  # groups that are listed
        while above + below < groups:
            self._budget.progress(0.5 * (above + below) / groups)
            upper, lower = 1 + above, groups - below
            if len(top) * len(logs[upper]) <= len(bottom) * len(logs[lower]):
                above += 1
                top.extend(upper, from_below[groups - above])
            else:
                below += 1
                bottom.extend(lower, from_above[1 + groups - below])
        crossed = self._crossing(top, bottom, tie)
        start, *heads = top.places
        codes: list[Codes] = [np.arange(places.shape[1] + 2) for places in heads]
        codes.append(crossed)
        levels = [_above(*level) for level in zip(heads, codes[1:], strict=True)]
        first = int(codes[0][start[0, 0] + 1]) if start.size else 0
        return [*levels, *map(_below, reversed(bottom.places))], first

    def _crossing(self, top: Chain, bottom: Chain, tie: int) -> Codes:
        """Return the code below the middle of each position among the products above it."""
        found = crossing(top, bottom, self._scale)
        self.exact_calls = found.compared
        less = found.below
        if tie == 0:  # a tie is decided like a product that is too small
            less = less + found.equal
        codes = np.concatenate([[2 * found.clusters], 2 * less + (found.equal & (tie == 2)), [0]])
        self.frontier = 1 + int(np.count_nonzero(np.diff(codes)))  # they descend
        return codes

    def _descend(self, codes: Codes, group: Columns, level: _Level) -> Codes:
        """Add the children of the nodes with these codes, in ascending order; return the codes of those."""
        columns = len(group.ratios) + len(group.impossible)
        self.room.need(len(codes) * columns, EDGE_BYTES)
        self.cells += len(codes) * columns
        marked = int(np.searchsorted(codes, 0))  # nodes with impossible classes
        following = np.empty((columns, len(codes)), dtype=np.int64)  # positions from 0
        seen = np.zeros(_SETS + level.bound, dtype=bool)
        for column, after in enumerate(following):
            if column < len(group.ratios):
                after[:marked] = codes[:marked]
                if marked < len(codes):
                    after[marked:] = level.step(codes[marked:], column)
            else:
                impossible = group.impossible[column - len(group.ratios)]
                after[:marked] = -(-codes[:marked] | -impossible)
                after[marked:] = impossible
            for piece in pieces(len(after)):
                after[piece] += _SETS
                seen[after[piece]] = True
        rank = np.cumsum(seen, dtype=np.int32) - 1
        children = np.empty(following.shape, dtype=np.int32)
        for row, after in zip(children, following, strict=True):
            for piece in pieces(len(after)):
                row[piece] = rank[after[piece]]
        self.children.append(children)
        return np.flatnonzero(seen) - _SETS


def _windows(groups: Sequence[Integers]) -> list[tuple[int, int]]:
    """Return the least and the greatest logarithm that the first groups can balance, by their number."""
    lowest = accumulate([-int(logs.max()) if len(logs) else 0 for logs in groups], initial=0)
    highest = accumulate([-int(logs.min()) if len(logs) else 0 for logs in groups], initial=0)
    return list(zip(lowest, highest, strict=True))
