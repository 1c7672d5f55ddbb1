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
coefficients never enlarges a relative error of ``r``. Intervals are narrowed by ``margin_of`` of that count,
so a threshold that is proved to lie inside passes no instance. Signs not proved are computed in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.baselines.block_order.intervals import (
    LARGEST_MARGIN,
    UNKNOWN,
    Intervals,
    Key,
    SubClassifier,
    ThresholdBounds,
    key_of,
    reduced,
)
from bnc2d.compile.baselines.block_order.tables import (
    SMALLEST_SHARE,
    BlockTable,
    Floats,
    Matrix,
    Rows,
    scaled,
)

# Exact rows of a block of at most this many instances are computed together.
_SMALL_BLOCK = 256


@dataclass
class Level:
    """A block, its table, and the sub-classifiers compiled there."""

    source: BlockTable
    table: Rows
    child_margin: float  # of the states of children
    ratio_margin: float  # of the ratios that bound their intervals
    children: list[NDArray[np.int32]] = field(default_factory=list)  # by instance; labels at the last block
    intervals: dict[int, Intervals] = field(default_factory=lambda: {-1: Intervals(), 1: Intervals()})
    by_key: dict[Key, SubClassifier] = field(default_factory=dict)
    # By sub-classifier: likelihoods [negative or positive, least or largest ratio, s] (zeros: none), and
    # whether they are known for sure.
    bounds: Floats = field(default_factory=lambda: np.zeros((8, 2, 2, 2)))
    bounded: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(8, dtype=bool))
    exact_rows: dict[int, Matrix] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.possible = self.table.values.any(axis=(1, 2)) | ~self.table.trusted
        self.all_trusted = bool(self.table.trusted.all())

    def find(self, thresholds: ThresholdBounds) -> NDArray[np.intp]:
        """Return the known sub-classifiers with these thresholds, or ``UNKNOWN``."""
        found = np.full(len(thresholds.sign), UNKNOWN, dtype=np.intp)
        for sign, intervals in self.intervals.items():
            rows = np.flatnonzero(thresholds.sign == sign)
            found[rows] = intervals.find(thresholds.low[rows], thresholds.high[rows])
        return found

    def exact(self, rows: list[int]) -> list[Matrix]:
        """Return rows of the exact table."""
        missing = [row for row in rows if row not in self.exact_rows]
        if missing:
            if len(self.possible) <= _SMALL_BLOCK:
                missing = list(range(len(self.possible)))
            numbers = np.array(missing, dtype=np.intp)
            self.exact_rows.update(zip(missing, self.source.exact(numbers), strict=True))
        return [self.exact_rows[row] for row in rows]

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
    sign: int
    low: float
    high: float
    start: float  # where its instances begin, as a share of all
    share: float
    # Of its children: states, thresholds, ids, and those that are not known yet.
    states: Floats = field(init=False)
    trusted_states: NDArray[np.bool_] = field(init=False)
    thresholds: ThresholdBounds = field(init=False)
    found: NDArray[np.intp] = field(init=False)
    waiting: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


@dataclass(frozen=True)
class _Decided:
    """Likelihoods ``[instance, s]`` decided negative and positive (zeros: none), and whether that is all."""

    negative: Floats
    positive: Floats
    complete: bool


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
        self._push(_Frame(0, values, trusted, state, *_threshold(thresholds, 0), 0.0, 1.0))
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
            sign, low, high = _threshold(frame.thresholds, row)
            if sign and low < inf and not self._next.intervals[sign].near_tie(low, high):
                return
            number = self._next.by_key.get(self._key(sign, low, partial(self._exact_child, row)))
            if number is None:
                return
            frame.found[row] = number
            frame.waiting = frame.waiting[1:]

    def _key(self, sign: int, low: float, state: Callable[[], Matrix]) -> Key:
        """Return the key of a sub-classifier; an infinite threshold says it without the exact state."""
        return (-sign, 0) if sign == 0 or low == inf else key_of(state())

    def _child(self, frame: _Frame, row: int) -> _Frame:
        state, trusted, exact = frame.states[row], bool(frame.trusted_states[row]), None
        if not trusted:
            exact = self._exact_child(row)
            state, trusted = _floats(exact)
        share = frame.share / len(frame.states)
        start = frame.start + share * (len(frame.states) - len(frame.waiting))
        return _Frame(row, state, trusted, exact, *_threshold(frame.thresholds, row), start, share)

    def _exact_child(self, row: int) -> Matrix:
        return self._exact_children([row])[0]

    def _exact_children(self, rows: list[int]) -> list[Matrix]:
        """Return the exact states of children of the newest sub-classifier."""
        if not rows:
            return []
        self.exact_calls += len(rows)
        state = self._exact_state()
        return [_product(state, matrix) for matrix in self._level.exact(rows)]

    def _exact_state(self) -> Matrix:
        """Return the exact state of the newest sub-classifier, and note it for those above."""
        known = max(depth for depth, frame in enumerate(self._stack) if frame.exact is not None)
        state = self._stack[known].exact
        assert state is not None  # noqa: S101 - the root has it
        for depth, frame in enumerate(self._stack[known + 1 :], known):
            (matrix,) = self.levels[depth].exact([frame.row])
            state = frame.exact = reduced(_product(state, matrix))
        return state

    def _finish(self, frame: _Frame) -> tuple[SubClassifier, tuple[float, float] | None]:
        """Store a sub-classifier whose children are known; return its number and its interval, if any."""
        level = self._level
        children, decided = (
            self._decide(frame) if len(self._stack) == len(self.levels) else self._gather(frame)
        )
        if not (decided.complete and level.all_trusted and level.ratio_margin < LARGEST_MARGIN):
            return self._store_by_key(frame, children, np.zeros((2, 2, 2)), complete=False)
        negative, positive = _extremes(decided.negative), _extremes(decided.positive)
        bounds = np.stack([negative.likelihoods, positive.likelihoods])
        if ((bounds > 0) & (bounds < SMALLEST_SHARE)).any():
            return self._store_by_key(frame, children, bounds, complete=False)
        below, above = (negative, positive) if frame.sign > 0 else (positive, negative)
        low = below.largest * (1 + level.ratio_margin)
        high = above.least * (1 - level.ratio_margin)
        if not (low < frame.low and frame.high < high):
            return self._store_by_key(frame, children, bounds, complete=True)
        number = level.store(children.astype(np.int32), bounds, bounded=True)
        level.intervals[frame.sign].add(low, high, number)
        return number, (low, high)

    def _store_by_key(
        self, frame: _Frame, children: NDArray[np.intp], bounds: Floats, complete: bool
    ) -> tuple[SubClassifier, None]:
        level = self._level
        number = level.store(children.astype(np.int32), bounds, complete)
        level.by_key[self._key(frame.sign, frame.low, self._exact_state)] = number
        if frame.sign and frame.high < inf:
            level.intervals[frame.sign].add_tie((frame.low + frame.high) / 2)
        return number, None

    def _decide(self, frame: _Frame) -> tuple[NDArray[np.intp], _Decided]:
        """Return the labels of the instances of the last block, and their likelihoods by side."""
        level = self._level
        p, n = frame.states[:, 0, 0], frame.states[:, 1, 0]
        difference, total = p - n, p + n
        proved = (np.abs(difference) > level.child_margin * total) | (total == 0)
        signs = np.sign(difference).astype(np.intp)
        unsure = np.flatnonzero(
            ~proved | ~frame.trusted_states | (level.child_margin > LARGEST_MARGIN)
        ).tolist()
        for row, ((positive,), (negative,)) in zip(unsure, self._exact_children(unsure), strict=True):
            signs[row] = (positive > negative) - (positive < negative)
        labels = np.where(signs == 0, self._tie, signs > 0)
        likelihoods = level.table.values[:, :, 0]
        complete = not ((signs == 0) & level.possible).any()
        return labels, _Decided(likelihoods[signs < 0], likelihoods[signs > 0], complete)

    def _gather(self, frame: _Frame) -> tuple[NDArray[np.intp], _Decided]:
        """Return the children, and the extreme likelihoods of each mapped back to this class."""
        level, following = self._level, self._next
        bounds = following.bounds[frame.found].reshape(-1, 4, 2)
        images = np.matmul(bounds, level.table.values.transpose(0, 2, 1))
        complete = bool((following.bounded[frame.found] | ~level.possible).all())
        return frame.found, _Decided(images[:, :2].reshape(-1, 2), images[:, 2:].reshape(-1, 2), complete)


def _threshold(thresholds: ThresholdBounds, row: int) -> tuple[int, float, float]:
    return int(thresholds.sign[row]), float(thresholds.low[row]), float(thresholds.high[row])


def _note_compiled(
    frame: _Frame, child: _Frame, number: SubClassifier, interval: tuple[float, float] | None
) -> None:
    """Note a child that is compiled, and all its siblings whose thresholds lie in its interval."""
    frame.found[child.row] = number
    waiting = frame.waiting = frame.waiting[1:]
    if interval is not None:
        thresholds = frame.thresholds
        inside = (thresholds.sign[waiting] == child.sign) & (thresholds.low[waiting] > interval[0])
        inside &= thresholds.high[waiting] < interval[1]
        frame.found[waiting[inside]] = number
        frame.waiting = waiting[~inside]


@dataclass(frozen=True)
class _Extremes:
    """The least and the largest ratio with their likelihoods; infinities and zeros where there is none."""

    least: float
    largest: float
    likelihoods: Floats  # [least or largest, s]


def _extremes(vectors: Floats) -> _Extremes:
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        return _Extremes(inf, -inf, np.zeros((2, 2)))
    first, second = vectors.T
    ratios = np.divide(second, first, out=np.full(len(first), inf), where=first > 0)
    least, largest = ratios.argmin(), ratios.argmax()
    chosen = vectors[[least, largest]]
    return _Extremes(ratios[least], ratios[largest], chosen / chosen.max(axis=1, keepdims=True))


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
