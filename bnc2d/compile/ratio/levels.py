"""The nodes between stages, level by level: steps 3 and 4 of ``method``.

The nodes of a level are numbered by *codes*, block by block. A block begins with the codes of its three sets
of impossible classes that are not empty. Then, above the middle, come the slots of its products
(``ordering``); below the middle, two codes for each number of products of the stages below that are less than
the inverse of the node's product: whether the next of them is equal to it or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, bounds, take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import pieces
from bnc2d.compile.ratio.ordering import (
    PLACE_BYTES,
    Chain,
    Links,
    Step,
    Window,
    blocks_of,
    crossing,
    slots_of,
)
from bnc2d.compile.ratio.products import Integers, Scale
from bnc2d.compile.ratio.room import Room
from bnc2d.compile.ratio.stages import Stage

# What an edge of a node takes: for a moment, and for good.
EDGE_BYTES = (6, 4)
# There are three sets of impossible classes that are not empty.
_SETS = 3
# A logarithm beyond all others.
_NEVER = 2**61


class _Level(Protocol):
    """How products change at a stage; the codes of blocks begin at ``base``, in the end at ``base_after``."""

    base: Integers
    base_after: Integers
    size: int  # places that it holds

    def after(self, column: int, blocks: Integers, places: Integers) -> Integers:
        """Return codes of the next level, for nodes that are products, with codes from 0 on in each block."""


class _Above:
    """A level above the middle; ``codes`` holds the code of each slot of the next list."""

    def __init__(
        self, stage: Stage, step: Step, first_after: Integers, codes: Integers, base: Integers
    ) -> None:
        self.base, self.base_after = _base_above(step.first), base
        self._places, self._codes, self._target = step.places, codes, stage.target
        self.size = len(step.places)
        self._begin, self._sizes = _begins(stage, step), np.diff(step.first)
        blocks = 2 * np.arange(len(first_after) - 1)
        self._smallest, self._largest = first_after[:-1] + blocks, first_after[1:] + blocks + 1

    def after(self, column: int, blocks: Integers, places: Integers) -> Integers:
        target = self._target[blocks, column]
        reached = self._smallest[target]
        large = places > self._sizes[blocks]
        reached[large] = self._largest[target[large]]
        inside = np.flatnonzero((places > 0) & ~large)
        reached[inside] = self._places[self._begin[blocks[inside], column] + places[inside] - 1]
        return take(self._codes, reached)


class _Below:
    """A level below the middle; ``first`` says where the blocks of its list begin."""

    def __init__(self, stage: Stage, step: Step, first: Integers) -> None:
        self.base, self.base_after = _base_below(first), _base_below(step.first)
        self._places, self._target, self._begin = step.places, stage.target, _begins(stage, step)
        self.size = len(step.places)
        self._slots = first[:-1] + 2 * np.arange(len(first) - 1)
        runs = np.count_nonzero(stage.ratio >= 0, axis=0)
        self._columns = step.offsets[bounds(runs)]  # where the runs of each column begin

    def after(self, column: int, blocks: Integers, places: Integers) -> Integers:
        """Count by searching: the places of a column ascend, block by block."""
        begin, end = self._columns[column : column + 2]
        sought = self._places[begin:end]
        slots = (self._slots[blocks] + (places >> 1)).astype(np.int32)
        upto = np.searchsorted(sought, slots, side="right")
        less = upto - (self._begin[blocks, column] - begin)
        codes: Integers = self.base_after[self._target[blocks, column]] + _SETS + 2 * less
        ties = np.flatnonzero(places & 1)
        if len(ties) and len(sought):
            following = upto[ties]
            known = following < len(sought)
            codes[ties] += known & (sought[np.minimum(following, len(sought) - 1)] == slots[ties] + 1)
        return codes


def _begins(stage: Stage, step: Step) -> Integers:
    """Return where the places of a run begin, by block and column."""
    begin = np.zeros(stage.target.shape, dtype=np.int64)
    columns, blocks = np.nonzero(stage.ratio.T >= 0)
    begin[blocks, columns] = step.offsets[:-1]
    return begin


def _base_above(first: Integers) -> Integers:
    return bounds(_SETS + 2 + np.diff(first))


def _base_below(first: Integers) -> Integers:
    return bounds(_SETS + 2 + 2 * np.diff(first))


class Descent:
    """Finds the nodes of all levels.

    ``children[level]`` is ``[column, node]`` with positions among the nodes of the next level; ``frontier``
    is the number of nodes in the middle, ``cells`` that of all edges.
    """

    def __init__(self, stages: Sequence[Stage], budget: Budget, certified: bool) -> None:
        self._stages, self._budget, self.room = stages, budget, Room(budget.memory)
        blocks = max(len(stage.target) for stage in stages)
        self._scale = Scale([stage.ratios for stage in stages], blocks, certified)
        self.children: list[NDArray[Any]] = []
        self.cells = self.frontier = self.exact_calls = 0

    def run(self, tie: int) -> Numbers:
        """Find all nodes; return the labels of those after the last stage."""
        levels, start = self._levels(tie)
        codes = np.array([start], dtype=np.int64)
        levels.reverse()
        for number, stage in enumerate(self._stages):
            self._budget.progress(0.5 + 0.5 * number / len(self._stages))
            level = levels.pop()  # it is not needed any more after this
            codes = self._descend(codes, stage, level)
            self.room.release(level.size, PLACE_BYTES)
        labels = np.array([1, 0, tie, 1, tie, 0, 0], dtype=np.int64)  # sets {0}, {1}, {0, 1}; 1, a tie, 0
        return labels[codes]

    def _levels(self, tie: int) -> tuple[list[_Level], int]:
        """List products from both ends, the shorter list first, until they meet; and the first code."""
        downwards, upwards = links_of(self._stages), links_of(self._stages, up=True)
        from_above, from_below = self._windows(downwards), self._windows(upwards[::-1])[::-1]
        top, bottom = (Chain(self._scale, self.room) for _ in range(2))
        stages = len(self._stages)
        above, below = 0, 0  # stages that are listed
        while above + below < stages:
            self._budget.progress(0.5 * (above + below) / stages)
            upper, lower = downwards[above], upwards[stages - 1 - below]
            if top.growth(upper) <= bottom.growth(lower):
                above += 1
                top.extend(upper, from_below[above])
            else:
                below += 1
                bottom.extend(lower, from_above[stages - below])
        codes = self._crossing(top, bottom, tie)
        base = _base_below(bottom.first)
        levels: list[_Level] = []
        first = top.first
        for stage, step in zip(reversed(self._stages[:above]), reversed(top.steps), strict=True):
            levels.append(_Above(stage, step, first, codes, base))
            first, base = step.first, levels[-1].base
            codes = _codes_above(first)
        levels.reverse()
        first = bottom.first
        for stage, step in zip(self._stages[above:], reversed(bottom.steps), strict=True):
            levels.append(_Below(stage, step, first))
            first = step.first
        return levels, int(codes[1])  # the only product of no stage, after the slot of smaller ones

    def _windows(self, all_links: Sequence[Links]) -> list[Window]:
        """Return by list and block what the stages of these links can balance, from the first list on."""
        lowest = highest = np.zeros(1, dtype=np.int64)
        found = [(lowest, highest)]
        for links in all_links:
            logs = np.array(self._scale.rounded[links.stage], dtype=np.int64)[links.ratios]
            real = np.flatnonzero(lowest[links.sources] <= highest[links.sources])
            sources, targets, logs = links.sources[real], links.targets[real], logs[real]
            low, high = np.full(links.blocks, _NEVER), np.full(links.blocks, -_NEVER)
            np.minimum.at(low, targets, lowest[sources] - logs)
            np.maximum.at(high, targets, highest[sources] - logs)
            lowest, highest = low, high
            found.append((lowest, highest))
        return found

    def _crossing(self, top: Chain, bottom: Chain, tie: int) -> Integers:
        """Return the code below the middle of each slot above it."""
        found = crossing(top, bottom, self._scale)
        self.exact_calls = found.compared
        blocks = blocks_of(top.first)
        less = found.below - bottom.first[blocks]
        if tie == 0:  # a tie is decided like a product that is too small
            less = less + found.equal
        begin = _base_below(bottom.first)[:-1] + _SETS
        codes = np.empty(int(top.first[-1]) + 2 * len(begin), dtype=np.int64)
        codes[slots_of(top.first)] = begin[blocks] + 2 * less + (found.equal & (tie == 2))
        ends = 2 * np.arange(len(begin))
        codes[top.first[:-1] + ends] = begin + 2 * np.diff(bottom.first)
        codes[top.first[1:] + ends + 1] = begin
        self.frontier = len(begin) + int(np.count_nonzero(np.diff(codes)))
        return codes

    def _descend(self, codes: Integers, stage: Stage, level: _Level) -> Integers:
        """Add the children of the nodes with these codes, in ascending order; return the codes of those."""
        columns = stage.columns
        self.room.need(len(codes) * columns, EDGE_BYTES)
        self.cells += len(codes) * columns
        bound = int(level.base_after[-1])
        following = np.empty((columns, len(codes)), dtype=np.int32 if bound < 2**31 else np.int64)
        seen = np.zeros(bound, dtype=bool)
        sets = np.maximum(-stage.ratio, 0)  # of impossible classes
        for piece in pieces(len(codes)):
            blocks = np.searchsorted(level.base, codes[piece], side="right") - 1
            places = codes[piece] - level.base[blocks] - _SETS
            before = np.where(places < 0, places + _SETS + 1, 0)  # sets that are impossible by now
            for column, row in enumerate(following):
                gone = before | sets[blocks, column]
                after = level.base_after[stage.target[blocks, column]] + gone - 1
                left = np.flatnonzero(gone == 0)
                after[left] = level.after(column, blocks[left], places[left])
                row[piece] = after
                seen[after] = True
        rank = np.cumsum(seen, dtype=np.int32) - 1
        for row in following:
            for piece in pieces(len(codes)):
                row[piece] = rank[row[piece]]
        self.children.append(following)
        return np.flatnonzero(seen)


def _codes_above(first: Integers) -> Integers:
    """Return the code of each slot of a list above the middle."""
    slots = np.diff(first) + 2
    return np.arange(int(slots.sum())) + np.repeat(_SETS * np.arange(1, len(first)), slots)


def links_of(stages: Sequence[Stage], up: bool = False) -> list[Links]:
    """Return the links of each stage from the blocks before it to those after it, or up from those."""
    found = []
    for number, stage in enumerate(stages):
        columns, blocks = np.nonzero(stage.ratio.T >= 0)
        ends = stage.target[blocks, columns]
        ratios = stage.ratio[blocks, columns]
        if up:
            found.append(Links(number, ratios, ends, blocks, len(stage.target)))
        else:
            found.append(Links(number, ratios, blocks, ends, stage.blocks_after))
    return found
