"""Which sub-functions of a diagram imply which.

Values on some hundreds of instances refute nearly every implication that does not hold. These instances
combine the states of the last features in every way, so that they decide about the nodes of the last levels.
Pairs of other nodes are followed down to pairs that they decide, level by level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, contiguous, joined, take
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import grouped, hash_weights
from bnc2d.base.workers import spread
from bnc2d.logic.diagram.diagram import Diagram, Level

# Words of 64 instances, and at most so many combinations of the last features' states among them. Comparing
# two nodes gives eight truth values, a byte each, read as one number.
_WORDS = 8
_COMBINATIONS = 64 * _WORDS
_ALL_TRUE = np.uint64(0x0101010101010101)
# A level is not followed where it has more pairs than the first (than the second, in a diagram of more nodes
# than the third), and these could lead to more pairs than the last on the level from which the instances
# decide: what is not proven counts as not implied.
_PAIRS_AT_ONCE = 250_000
_PAIRS_OF_LARGE = 20_000
_LARGE = 300_000
_PAIRS_BELOW = 1 << 21
# Batch size of comparisons.
_COMPARED_AT_ONCE = 1 << 16
_LOW = (1 << 32) - 1  # the part of a code that is the right node


class _Open(NamedTuple):
    """Pairs of nodes, as codes, whose answers belong to some indices of an array."""

    codes: Numbers
    answers: NDArray[np.bool_]
    indices: Numbers


class _Undecided(NamedTuple):
    """Pairs of nodes that wait for a level, as codes, and the indices of their answers."""

    level: int
    codes: Numbers
    indices: Numbers


class Implications:
    """Answers for the nodes of one reduced diagram with the terminals 0 (false) and 1 (true)."""

    def __init__(self, diagram: Diagram) -> None:
        self._walk = diagram.walk
        self._level = np.full(diagram.size, len(self._walk), dtype=np.uint16)
        for position, level in enumerate(self._walk):
            self._level[level.nodes] = position
        self._decided = 2  # the instances decide about pairs of nodes below this number
        self._values = self._evaluate()
        self._first_word = self._values[:, 0].copy()  # refutes most on its own

    def _evaluate(self) -> NDArray[np.uint64]:
        """Return the values of each node on the instances, as bits."""
        values = np.zeros((len(self._level), _WORDS), dtype=np.uint64)
        values[1] = ~np.uint64(0)
        instances = _instances([level.table.shape[1] for level in reversed(self._walk)])
        for level, (states, combined) in zip(reversed(self._walk), instances, strict=True):
            checkpoint()
            if combined:
                self._decided = level.nodes.stop
            each = np.arange(level.table.shape[1], dtype=np.uint64)[:, None]
            with_state = np.packbits(states == each, axis=1, bitorder="little").view(np.uint64)
            for piece in pieces(len(level.table), PIECE // (4 * _WORDS)):
                here = values[level.nodes][piece]
                for state, mask in enumerate(with_state):
                    here |= values.take(level.table[piece, state], axis=0) & mask
        return values

    def holds(self, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Return for each pair of nodes whether the left one is proven to imply the right one."""
        answers = np.zeros(len(left), dtype=bool)

        def compare(piece: slice) -> list[_Undecided]:
            if kernels.loops is not None:
                given = left[piece], right[piece], piece.start
                return self._by_loop(kernels.loops.compare_pairs, answers[piece], *given)
            answers[piece], undecided = self._compare(left[piece], right[piece])
            return self._undecided(left[piece], right[piece], undecided, piece.start)

        waiting: list[list[_Open]] = [[] for _ in self._walk]
        _wait(waiting, answers, spread(compare, pieces(len(left), _COMPARED_AT_ONCE)))
        followed: list[tuple[list[_Open], Numbers | None, NDArray[np.bool_]]] = []
        for asked, level, most in zip(waiting, self._walk, self._limits(), strict=True):
            if not asked:
                continue
            checkpoint()
            codes = joined([pairs.codes for pairs in asked])
            if len(codes) > 2 * most and len(grouped(codes[: 2 * most])[1]) > most:  # so all are too many
                for pairs in asked:
                    pairs.answers[pairs.indices] = False
                continue
            group_ids: Numbers | None = None
            if level.first > self._decided or len(codes) > most:  # else to follow some twice is quicker
                group_ids, indices = grouped(codes)
                codes = take(codes, indices)
            if len(codes) > most:
                below = np.zeros((len(codes), 1), dtype=bool)
            else:
                below = self._follow(waiting, level, codes)
            followed.append((asked, group_ids, below))
        for asked, group_ids, below in reversed(followed):
            checkpoint()
            values = _all(below) if group_ids is None else take(_all(below), group_ids)
            start = 0
            for pairs in asked:
                pairs.answers[pairs.indices] = values[start : start + len(pairs.codes)]
                start += len(pairs.codes)
        return answers

    def _follow(self, waiting: list[list[_Open]], level: Level, codes: Numbers) -> NDArray[np.bool_]:
        """Return for each pair of nodes of a level what is known of each pair of children; others wait."""
        width = level.table.shape[1]
        below = np.zeros((len(codes), width), dtype=bool)

        def follow(piece: slice) -> list[_Undecided]:
            some = codes[piece]
            if kernels.loops is not None:
                given = contiguous(level.table), level.first, some, piece.start * width
                return self._by_loop(kernels.loops.follow_pairs, below[piece], *given)
            left, right = (level.children(nodes).reshape(-1) for nodes in (some >> 32, some & _LOW))
            values, undecided = self._compare(left, right)
            below[piece] = values.reshape(-1, width)
            undecided = np.compress(_all(below[piece]).take(undecided // width), undecided)
            return self._undecided(left, right, undecided, piece.start * width)

        _wait(waiting, below.reshape(-1), spread(follow, pieces(len(codes), _COMPARED_AT_ONCE // width)))
        return below

    def _by_loop(
        self, loop: Callable[..., None], answers: NDArray[np.bool_], *given: object
    ) -> list[_Undecided]:
        """Do what ``_compare`` and ``_undecided`` do by a loop; indices start with the last one given."""
        codes, indices = np.empty((2, answers.size), dtype=np.int64)
        ends = np.empty(len(self._walk) + 2, dtype=np.int64)
        loop(
            self._values, self._first_word, self._level, codes, indices, ends, self._decided, *given, answers
        )
        return _by_level(codes, indices, ends[: len(self._walk)].tolist())

    def _limits(self) -> list[int]:
        """Return for each level the most pairs that are followed."""
        least = _PAIRS_AT_ONCE if len(self._level) <= _LARGE else _PAIRS_OF_LARGE
        below = 1
        limits = []
        for level in reversed(self._walk):
            below *= level.table.shape[1] if level.first >= self._decided else 1
            limits.append(max(least, _PAIRS_BELOW // below))
        return limits[::-1]

    def _undecided(self, left: Numbers, right: Numbers, undecided: Numbers, start: int) -> list[_Undecided]:
        """Return those pairs that are undecided by their level, where ``start`` pairs come before."""
        left, right = left.take(undecided), right.take(undecided)
        level = self._level.take(np.maximum(left, right))  # that of the earlier node
        order = np.argsort(level, kind="stable")
        codes, indices = ((left << 32) | right).take(order), undecided.take(order) + start
        return _by_level(codes, indices, np.cumsum(np.bincount(level)).tolist())

    def first_words(self, nodes: Numbers) -> NDArray[np.uint64]:
        """Return some values of each node: where one has a bit that another has not, it does not imply it."""
        return take(self._first_word, nodes)

    def _compare(self, left: Numbers, right: Numbers) -> tuple[NDArray[np.bool_], Numbers]:
        """Return what the values tell, for each pair of nodes, and the indices of those left undecided.

        Where they are undecided the answer is true.
        """
        answers = np.zeros(len(left), dtype=bool)
        there = self._first_word.take(right)
        rest = np.flatnonzero((self._first_word.take(left) | there) == there)
        a, b = left.take(rest), right.take(rest)
        here, there = self._values.take(a, axis=0), self._values.take(b, axis=0)
        here |= there
        same = (here == there).view(np.uint64)[:, 0] == _ALL_TRUE
        rest, a, b = np.compress(same, rest), np.compress(same, a), np.compress(same, b)
        answers[rest] = True
        above = np.flatnonzero((np.maximum(a, b) >= self._decided) & (a != b))
        a, b, rest = a.take(above), b.take(above), rest.take(above)
        answers[rest[(a == 1) | (b == 0)]] = False  # another node is neither true nor false
        return answers, rest[(a > 1) & (b > 1)]


def _wait(waiting: list[list[_Open]], answers: NDArray[np.bool_], found: Iterable[list[_Undecided]]) -> None:
    """Add undecided pairs to those that wait for their level, with the answers that they belong to."""
    for level, codes, indices in chain.from_iterable(found):
        waiting[level].append(_Open(codes, answers, indices))


def _by_level(codes: Numbers, indices: Numbers, ends: list[int]) -> list[_Undecided]:
    """Return pairs that are sorted by level, given where those of each level end."""
    some = [slice(before, end) for before, end in pairwise([0, *ends])]
    return [
        _Undecided(position, codes[here], indices[here])
        for position, here in enumerate(some)
        if here.start < here.stop
    ]


def _instances(sizes: Sequence[int]) -> Iterator[tuple[NDArray[np.uint64], bool]]:
    """Yield for each feature its states in the instances, and whether all states of those so far combine.

    The first features combine as long as there are enough instances, in an order in which those of a word
    differ in all features; the others have random states.
    """
    instances = np.arange(64 * _WORDS, dtype=np.uint64)
    combined = combinations = 1
    for size in sizes:
        if combinations * size > _COMBINATIONS:
            break
        combinations *= size
    step = next(
        s for s in range(combinations * 5 // 8 + 1, 2 * combinations + 2) if gcd(s, combinations) == 1
    )
    turn = instances * np.uint64(step) % np.uint64(combinations)
    random = hash_weights(len(instances) * len(sizes)).reshape(-1, len(instances)) >> np.uint64(20)
    for size, numbers in zip(sizes, random, strict=True):
        combined *= size
        if combined <= combinations:
            yield turn % np.uint64(size), True
            turn //= np.uint64(size)
        else:
            yield numbers % np.uint64(size), False


def _all(table: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each row whether all its entries are true."""
    together = table[:, 0].copy()
    for column in table.T[1:]:
        together &= column
    return together
