"""Compiles sub-classifiers depth first, each function once (Shih, Choi and Darwiche 2019).

1. A sub-classifier at a block is a state ``[p or n, s]``: the weighted ``P(1, f, s)`` and ``P(0, f, s)`` of
   the instance ``f`` of the features above. Multiplied by the block's table it gives the states of its
   children, one for each instance of the block, at the next block with the class ``s'``; at the last block it
   gives decisions.
2. A child whose threshold lies in a known interval (``intervals``) is known. Otherwise it is
   compiled, and its interval may decide siblings that are not known yet.
3. When all children are known, the interval follows: a sub-classifier keeps the likelihoods ``(b_0, b_1)`` of
   the later instances with the least and the largest ratio ``b_1 / b_0``, of those decided negative and of
   those decided positive. The block's table maps those of the children back to this class; the extremes of
   all images remain.
4. Where a later instance hits the threshold exactly, no interval is kept; such a sub-classifier is recognised
   by its exact state, which is computed where a threshold is near a known one of that kind.

Error bound. Everything in float64 is a sum of products of non-negative numbers, so errors are relative
(``model/accounts.py``). A state at a block has the roundings of the tables above it, plus 2 a block for the
product and the sum, plus 1. A kept ratio ``b_1 / b_0`` has twice the roundings of the tables from its block
down, plus 4 a block (product, sum, scaling, comparison): a map ``(A + B r) / (C + D r)`` with non-negative
coefficients never enlarges a relative error of ``r``. Intervals are narrowed by the ``margin`` of that count,
so a threshold that is proved to lie inside passes no instance. Signs not proved are computed in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.baselines.block_order.intervals import (
    UNKNOWN,
    Intervals,
    Key,
    SubClassifier,
    Threshold,
    ThresholdBounds,
    key_of,
    reduced,
)
from bnc2d.compile.baselines.block_order.tables import SMALLEST_SHARE, BlockTable, Matrix, scaled
from bnc2d.model.accounts import Floats

# The children of a sub-classifier, likelihoods ``[instance, s]`` decided negative and positive (zeros: none),
# and whether those are all.
_Decided: TypeAlias = tuple[NDArray[np.intp], Floats, Floats, bool]


@dataclass
class Level:
    """A block with its table, and the sub-classifiers compiled there."""

    table: BlockTable
    child_margin: float  # of the states of children
    ratio_margin: float  # of the ratios that bound their intervals
    children: list[NDArray[np.int32]] = field(default_factory=list)  # by instance; labels at the last block
    intervals: dict[int, Intervals] = field(default_factory=lambda: {-1: Intervals(), 1: Intervals()})
    by_key: dict[Key, SubClassifier] = field(default_factory=dict)
    # By sub-classifier: likelihoods [negative or positive, least or largest ratio, s] (zeros: none), and
    # whether they are known for sure.
    bounds: Floats = field(default_factory=lambda: np.zeros((8, 2, 2, 2)))
    bounded: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(8, dtype=bool))

    def find(self, thresholds: ThresholdBounds) -> NDArray[np.intp]:
        """Return the known sub-classifiers with these thresholds, or ``UNKNOWN``."""
        found = np.full(len(thresholds.sign), UNKNOWN, dtype=np.intp)
        for sign, intervals in self.intervals.items():
            rows = np.flatnonzero(thresholds.sign == sign)
            found[rows] = intervals.find(thresholds.low[rows], thresholds.high[rows])
        return found

    def store(self, children: NDArray[np.int32], bounds: Floats, bounded: bool) -> SubClassifier:
        """Add a sub-classifier and return its number."""
        number = len(self.children)
        if number == len(self.bounded):
            self.bounds = np.concatenate([self.bounds, self.bounds])
            self.bounded = np.concatenate([self.bounded, self.bounded])
        self.children.append(children)
        self.bounds[number], self.bounded[number] = bounds, bounded
        return number


@dataclass
class _Frame:
    """A sub-classifier that is being compiled; ``row`` is its instance of the block above."""

    row: int
    state: Floats  # [p or n, s]
    trusted: bool
    exact: Matrix | None  # the state in integers, once it is needed
    threshold: Threshold
    start: float  # where its instances begin, as a share of all
    share: float
    # Of its children: states, thresholds, ids, and those that are not known yet.
    states: Floats = field(init=False)
    trusted_states: NDArray[np.bool_] = field(init=False)
    thresholds: ThresholdBounds = field(init=False)
    found: NDArray[np.intp] = field(init=False)
    waiting: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


class Descent:
    """Compiles the sub-classifier of a root state, and all below it, into ``levels``.

    ``tie`` is the label of tied instances; ``report`` gets the share of instances done and may raise.
    ``sub_classifiers`` are compiled or under way, with ``cells`` children in all.
    """

    def __init__(self, levels: list[Level], tie: int, report: Callable[[float], None]) -> None:
        self.levels = levels
        self.sub_classifiers = 0
        self.cells = 0
        self.exact_calls = 0
        self._tie, self._report = tie, report
        self._stack: list[_Frame] = []

    def run(self, state: Matrix) -> SubClassifier:
        """Return the number of the root sub-classifier."""
        values, trusted = _floats(state)
        thresholds = ThresholdBounds.of(values[None], np.zeros(1, dtype=bool), 0.0)
        thresholds.set_exactly(0, state)
        self._push(_Frame(0, values, trusted, state, thresholds.at(0), 0.0, 1.0))
        while True:
            frame = self._stack[-1]
            self._find_by_key(frame)
            if frame.waiting.size:
                self._push(self._child(frame, int(frame.waiting[0])))
                continue
            number, interval = self._finish(frame)
            self._stack.pop()
            if not self._stack:
                return number
            _note_compiled(self._stack[-1], frame, number, interval)

    @property
    def _level(self) -> Level:
        return self.levels[len(self._stack) - 1]

    @property
    def _next(self) -> Level:
        return self.levels[len(self._stack)]

    def _push(self, frame: _Frame) -> None:
        """Start on a sub-classifier: compute its children, and find those that are known."""
        self._stack.append(frame)
        self._report(frame.start)
        table = self._level.table
        frame.states, wide = scaled(np.matmul(frame.state, table.values))
        frame.trusted_states = table.trusted & wide & frame.trusted
        self.sub_classifiers += 1
        self.cells += len(frame.states)
        if len(self._stack) == len(self.levels):
            return
        frame.thresholds = ThresholdBounds.of(frame.states, frame.trusted_states, self._level.child_margin)
        unsure = np.flatnonzero(frame.thresholds.unsure).tolist()
        for row, state in zip(unsure, self._exact_children(unsure), strict=True):
            frame.thresholds.set_exactly(row, state)
        frame.found = self._next.find(frame.thresholds)
        frame.waiting = np.flatnonzero(frame.found == UNKNOWN)

    def _find_by_key(self, frame: _Frame) -> None:
        """Find children that are known by their exact states, until one is not."""
        while frame.waiting.size:
            row = int(frame.waiting[0])
            sign, low, high = frame.thresholds.at(row)
            if sign and low < inf and not self._next.intervals[sign].near_tie(low, high):
                return
            number = self._next.by_key.get(_key(sign, low, partial(self._exact_child, row)))
            if number is None:
                return
            frame.found[row] = number
            frame.waiting = frame.waiting[1:]

    def _child(self, frame: _Frame, row: int) -> _Frame:
        state, trusted, exact = frame.states[row], bool(frame.trusted_states[row]), None
        if not trusted:
            exact = self._exact_child(row)
            state, trusted = _floats(exact)
        share = frame.share / len(frame.states)
        start = frame.start + share * (len(frame.states) - len(frame.waiting))
        return _Frame(row, state, trusted, exact, frame.thresholds.at(row), start, share)

    def _exact_child(self, row: int) -> Matrix:
        return self._exact_children([row])[0]

    def _exact_children(self, rows: list[int]) -> list[Matrix]:
        """Return the exact states of children of the newest sub-classifier."""
        if not rows:
            return []
        self.exact_calls += len(rows)
        state = self._exact_state()
        return [_product(state, matrix) for matrix in self._level.table.exact(rows)]

    def _exact_state(self) -> Matrix:
        """Return the exact state of the newest sub-classifier, and note it for those above."""
        known = max(depth for depth, frame in enumerate(self._stack) if frame.exact is not None)
        state = self._stack[known].exact
        assert state is not None  # noqa: S101 - the root has it
        for depth, frame in enumerate(self._stack[known + 1 :], known):
            (matrix,) = self.levels[depth].table.exact([frame.row])
            state = frame.exact = reduced(_product(state, matrix))
        return state

    def _finish(self, frame: _Frame) -> tuple[SubClassifier, tuple[float, float] | None]:
        """Store a sub-classifier whose children are known; return its number and its interval, if any."""
        level, (sign, low, high) = self._level, frame.threshold
        is_last = len(self._stack) == len(self.levels)
        children, negative, positive, complete = self._decide(frame) if is_last else self._gather(frame)
        complete &= level.table.all_trusted and level.ratio_margin < 1
        (*negatives, first), (*positives, second) = (
            _extremes(vectors if complete else vectors[:0]) for vectors in (negative, positive)
        )
        bounds = np.stack([first, second])
        complete &= not ((bounds > 0) & (bounds < SMALLEST_SHARE)).any()
        number = level.store(children.astype(np.int32), bounds, complete)
        under, over = (negatives, positives) if sign > 0 else (positives, negatives)
        interval = under[1] * (1 + level.ratio_margin), over[0] * (1 - level.ratio_margin)
        if complete and interval[0] < low and high < interval[1]:
            level.intervals[sign].add(*interval, number)
            return number, interval
        level.by_key[_key(sign, low, self._exact_state)] = number
        if sign and high < inf:
            level.intervals[sign].add_tie((low + high) / 2)
        return number, None

    def _decide(self, frame: _Frame) -> _Decided:
        """Return the labels of the instances of the last block, and their likelihoods by side."""
        level = self._level
        p, n = frame.states[:, 0, 0], frame.states[:, 1, 0]
        difference, total = p - n, p + n
        proved = (np.abs(difference) > level.child_margin * total) | (total == 0)
        signs = np.sign(difference).astype(np.intp)
        unsure = np.flatnonzero(~proved | ~frame.trusted_states).tolist()
        for row, ((positive,), (negative,)) in zip(unsure, self._exact_children(unsure), strict=True):
            signs[row] = (positive > negative) - (positive < negative)
        labels = np.where(signs == 0, self._tie, signs > 0)
        likelihoods = level.table.values[:, :, 0]
        complete = not ((signs == 0) & level.table.possible).any()
        return labels, likelihoods[signs < 0], likelihoods[signs > 0], complete

    def _gather(self, frame: _Frame) -> _Decided:
        """Return the children, and the extreme likelihoods of each mapped back to this class."""
        table, following = self._level.table, self._next
        bounds = following.bounds[frame.found].reshape(-1, 4, 2)
        images = np.matmul(bounds, table.values.transpose(0, 2, 1))
        complete = bool((following.bounded[frame.found] | ~table.possible).all())
        return frame.found, images[:, :2].reshape(-1, 2), images[:, 2:].reshape(-1, 2), complete


def _key(sign: int, low: float, state: Callable[[], Matrix]) -> Key:
    """Return the key of a sub-classifier; an infinite threshold says it without the exact state."""
    return (-sign, 0) if sign == 0 or low == inf else key_of(state())


def _note_compiled(
    frame: _Frame, child: _Frame, number: SubClassifier, interval: tuple[float, float] | None
) -> None:
    """Note a child that is compiled, and all its siblings whose thresholds lie in its interval."""
    frame.found[child.row] = number
    waiting = frame.waiting = frame.waiting[1:]
    if interval is not None:
        thresholds = frame.thresholds
        inside = (thresholds.sign[waiting] == child.threshold[0]) & (thresholds.low[waiting] > interval[0])
        inside &= thresholds.high[waiting] < interval[1]
        frame.found[waiting[inside]] = number
        frame.waiting = waiting[~inside]


def _extremes(vectors: Floats) -> tuple[float, float, Floats]:
    """Return the least and the largest ratio of vectors, and these vectors as ``[least or largest, s]``.

    Infinities and zeros where there is none.
    """
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        return inf, -inf, np.zeros((2, 2))
    first, second = vectors.T
    ratios = np.divide(second, first, out=np.full(len(first), inf), where=first > 0)
    least, largest = ratios.argmin(), ratios.argmax()
    chosen = vectors[[least, largest]]
    return ratios[least], ratios[largest], chosen / chosen.max(axis=1, keepdims=True)


def _floats(state: Matrix) -> tuple[Floats, bool]:
    """Return an exact state in float64, its largest entry 1, and whether that is accurate."""
    largest = max(max(row) for row in state) or 1
    values = np.array([[float(Fraction(number, largest)) for number in row] for row in state])
    positive = np.array([[number > 0 for number in row] for row in state])
    small = bool((positive & (values < SMALLEST_SHARE)).any())
    return values, not small


def _product(state: Matrix, matrix: Matrix) -> Matrix:
    columns = list(zip(*matrix, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in state]
