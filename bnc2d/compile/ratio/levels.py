"""The nodes between groups of features, level by level: steps 2 and 3 of ``method``.

The code of a node is minus its set of impossible classes. If that is empty, then above the middle it is 1 +
the position of its product, with 0 and the number of products + 1 for products so small or so large that they
decide whatever comes; below the middle it is twice the number of products of the groups below that are less
than its inverse, plus 1 if one is equal to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import pieces
from bnc2d.compile.ratio.ordering import Chain, Places, crossing
from bnc2d.compile.ratio.products import Integers, Scale
from bnc2d.errors import LimitExceeded

# A ratio of the second class to the first, or minus the set of impossible classes: -1, -2, or -3 for both.
Column: TypeAlias = Fraction | int
Codes: TypeAlias = Integers

# What an edge of a node takes: for a moment, and for good.
EDGE_BYTES = (16, 4)
# Positions have 32 bits: within this, no list has 2**31 products and no level as many nodes.
_MOST_BYTES = 30 * 2**30
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


class Room:
    """What is left of a memory limit."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept = min(limit, _MOST_BYTES), 0

    def need(self, entries: int, size: tuple[int, int], hint: str = "") -> None:
        """Raise ``LimitExceeded`` unless so many entries of a size fit; count what is kept of them.

        ``hint`` is a further remedy, in words.
        """
        wanted = self._kept + entries * size[0]
        if wanted > self._limit:
            raise LimitExceeded(
                f"the distinct products of the features' ratios need {wanted / 2**20:.1f} MiB, more than the "
                f"limit of {self._limit / 2**20:.1f} MiB; choose fewer features or raise memory_limit{hint}"
            )
        self._kept += entries * size[1]


class _Level(Protocol):
    """How codes change at a group; ``bound`` is above all codes that can come out."""

    @property
    def bound(self) -> int: ...

    def step(self, codes: Codes, ratio: int) -> Codes:
        """Return the codes after a ratio."""


@dataclass(frozen=True)
class _Above:
    """Above the middle: ``places[ratio, product]`` are positions among the next products.

    ``codes`` holds the code of each position, from -1 to the number of next products.
    """

    places: Places
    codes: Codes

    @property
    def bound(self) -> int:
        return int(self.codes.max()) + 1

    def step(self, codes: Codes, ratio: int) -> Codes:
        """Return the codes after a ratio."""
        places = self.places[ratio]
        after = np.empty(len(places) + 2, dtype=np.int64)
        after[0], after[-1] = self.codes[0], self.codes[-1]
        for piece in pieces(len(places)):
            after[1:-1][piece] = self.codes[places[piece] + 1]
        return take(after, codes)


@dataclass(frozen=True)
class _Below:
    """Below the middle: ``places[ratio, next product]`` are positions among the products of this level."""

    places: Places

    @property
    def bound(self) -> int:
        return 2 * int(self.places.shape[1]) + 2

    def step(self, codes: Codes, ratio: int) -> Codes:
        """Return the codes after a ratio; next products are in their order, so counting them is a search."""
        places = np.append(self.places[ratio], np.int32(-2))  # no position is -2
        after = np.empty(len(codes), dtype=np.int64)
        for piece in pieces(len(codes)):
            position = (codes[piece] >> 1).astype(places.dtype)
            less = np.searchsorted(places[:-1], position)
            after[piece] = 2 * less + (codes[piece] & (places[less] == position))
        return after


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
        from_above, from_below = _sums(logs), _sums(logs[:0:-1])
        top, bottom = (Chain(self._scale, self.room) for _ in range(2))
        top.extend(0, _window(from_below[groups]))
        above, below = 0, 0  # groups that are listed
        while above + below < groups:
            self._budget.progress(0.5 * (above + below) / groups)
            upper, lower = 1 + above, groups - below
            if len(top) * len(logs[upper]) <= len(bottom) * len(logs[lower]):
                above += 1
                top.extend(upper, _window(from_below[groups - above]))
            else:
                below += 1
                bottom.extend(lower, _window(from_above[1 + groups - below]))
        crossed = self._crossing(top, bottom, tie)
        start, *heads = top.places
        codes: list[Codes] = [np.arange(places.shape[1] + 2) for places in heads]
        codes.append(crossed)
        levels: list[_Level] = [_Above(places, code) for places, code in zip(heads, codes[1:], strict=True)]
        first = int(codes[0][start[0, 0] + 1]) if start.size else 0
        return [*levels, *(_Below(places) for places in reversed(bottom.places))], first

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


def _sums(groups: Sequence[Integers]) -> list[tuple[int, int]]:
    """Return the least and the greatest sum of logarithms over the first groups, by their number."""
    lowest = accumulate([int(logs.min()) if len(logs) else 0 for logs in groups], initial=0)
    highest = accumulate([int(logs.max()) if len(logs) else 0 for logs in groups], initial=0)
    return list(zip(lowest, highest, strict=True))


def _window(others: tuple[int, int]) -> tuple[int, int]:
    """Return the logarithms that the others, of which the least and the greatest are given, can balance."""
    return -others[1], -others[0]
