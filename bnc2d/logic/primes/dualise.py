"""Minimal sets of a monotone function that can only be asked, one after another, however many there are.

Minimal sets lead to others: without one of its members, a minimal set is filled up with all others, and
these are dropped again, first those that it did not have. That finds most, and no solver is asked for them.
What is left is found by a map of the sets not yet explored, held by a SAT solver as in MARCO (Liffiton,
Previti, Malik and Marques-Silva 2016). One of them for which the function holds is shrunk to minimal ones,
and nothing above these is asked for again; one for which it fails is grown to maximal ones, and nothing below
these is asked for again. The function is asked for 64 sets at once, each in its own bit of a word; they all
try the same member at a time, which is quick where a question shares most with the one before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.convert.sat import SteppedSearch

Member: TypeAlias = int
Members: TypeAlias = tuple[Member, ...]
Words: TypeAlias = NDArray[np.uint64]
# Given 64 sets, as a word for each member with a bit for each set, return a word: for which sets it holds.
Function: TypeAlias = Callable[[Words], Words]

_SETS = 64  # the bits of a word
_ALL = np.uint64(2**64 - 1)


def minimal_sets(
    function: Function, members: Sequence[Member], size: int, at_once: int = _SETS
) -> Iterator[list[Member]]:
    """Yield the minimal sets of members, all below ``size``, for which a monotone function holds.

    Members that follow each other in the list are tried one after another. The order is the same on every
    run: batches as they are found, in each the shortest first. Where many sets take the function longer than
    one, fewer are asked ``at_once``, and only so many bits of the words matter.
    """
    from pysat.solvers import Solver

    walk = _Walk(function, list(members), size, at_once)
    found: set[Members] = set()
    waiting: deque[tuple[Members, Iterator[Member]]] = deque()  # found, and those of its members not left out
    unblocked: list[Members] = []
    with Solver(name="glucose4") as solver:
        solver.add_clause([size + 1])  # the solver knows a variable even where there are no members
        solver.append_formula([[member + 1] for member in walk.always])
        solver.set_phases([member + 1 for member in members])  # large sets lie above many minimal ones
        while True:
            pairs = list(islice(_left_out(waiting), at_once))
            if pairs:
                batch = walk.around(pairs)
            else:
                solver.append_formula([[-member - 1 for member in one] for one in unblocked])
                unblocked = []
                seed = None if () in found else _unexplored(solver, members)
                if seed is None:
                    return
                holds, batch = walk.from_seed(seed)
                if not holds:
                    for one in batch:
                        solver.add_clause([member + 1 for member in members if member not in one])
                    continue
            for one in sorted(batch - found, key=lambda members: (len(members), members)):
                found.add(one)
                unblocked.append(one)
                waiting.append((one, walk.optional(one)))
                yield list(one)


def _left_out(waiting: deque[tuple[Members, Iterator[Member]]]) -> Iterator[tuple[Members, Member]]:
    """Yield sets that wait, each with a member to leave out, those found last first."""
    while waiting:
        one, rest = waiting[-1]
        member = next(rest, None)
        if member is None:
            waiting.pop()
        else:
            yield one, member


def _unexplored(solver: Any, members: Sequence[Member]) -> set[Member] | None:
    """Return a set above no minimal one found so far and below no maximal one."""
    if not SteppedSearch(solver).satisfiable():
        return None
    model = set(solver.get_model())
    return {member for member in members if member + 1 in model or -member - 1 not in model}


class _Walk:
    """Walks of some sets, 64 at most, to minimal, or maximal, ones, all along one order at a time.

    ``always`` are the members without which the function never holds.
    """

    def __init__(self, function: Function, members: list[Member], size: int, at_once: int) -> None:
        self._function = function
        self._size = size
        self._at_once = at_once
        self._random = Random(0)  # noqa: S311 - varies the orders, the same on every run
        self._members = members
        self.always: set[Member] = set()
        for start in range(0, len(members), at_once):
            some = members[start : start + at_once]
            words = self._full()
            words[some] = ~_bits(range(len(some)))
            fails = int((~function(words))[0])
            self.always.update(member for bit, member in enumerate(some) if fails >> bit & 1)
        self._rest = [member for member in members if member not in self.always]

    def _full(self) -> Words:
        words = np.zeros(self._size, dtype=np.uint64)
        words[self._members] = _ALL
        return words

    def optional(self, members: Members) -> Iterator[Member]:
        """Yield the members of a set that not every set has."""
        return (member for member in members if member not in self.always)

    def around(self, pairs: Sequence[tuple[Members, Member]]) -> set[Members]:
        """Return minimal sets: each is near a given one, but lacks the member given with it."""
        words, own = self._full(), np.zeros(self._size, dtype=np.uint64)
        for (members, left_out), bit in zip(pairs, _bits(range(len(pairs))), strict=True):
            own[list(members)] |= bit
            words[left_out] &= ~bit
        asked = np.bitwise_or.reduce(_bits(range(len(pairs))))
        self._go(words, ~own & asked, holds=True)
        self._go(words, own & asked, holds=True)
        return _decoded(words, len(pairs))

    def from_seed(self, seed: set[Member]) -> tuple[bool, set[Members]]:
        """Return whether the function holds for a set, and minimal sets below it, or maximal ones above."""
        words = np.zeros(self._size, dtype=np.uint64)
        words[list(seed)] = _ALL
        holds = bool(self._function(words)[0] & np.uint64(1))
        moved = [member for member in self._rest if (member in seed) == holds]
        moved = self._random.sample(moved, min(self._at_once - 1, len(moved)))
        flips = np.zeros(self._size, dtype=np.uint64)
        flips[moved] = _bits(range(1, len(moved) + 1))
        if moved:
            words ^= flips  # each set moves by another member first
            right = self._function(words)
            words ^= flips & ~(right if holds else ~right)
        asked = np.bitwise_or.reduce(_bits(range(len(moved) + 1)))
        self._go(words, np.full(self._size, asked), holds=holds)
        return holds, _decoded(words, len(moved) + 1)

    def _go(self, words: Words, may: Words, *, holds: bool) -> None:
        """Drop members (or add, where it fails), one after another, where the function stays as it is."""
        start = self._random.randrange(len(self._rest)) if self._rest else 0
        order = [*self._rest[start:], *self._rest[:start]]
        for member in order if self._random.random() < 0.5 else reversed(order):
            there = words[member] if holds else ~words[member]
            flip = there & may[member]
            if flip:
                checkpoint()
                words[member] ^= flip
                right = self._function(words)[0]
                words[member] ^= flip & ~(right if holds else ~right)


def _bits(places: Iterable[int]) -> Words:
    return np.uint64(1) << np.array(list(places), dtype=np.uint64)


def _decoded(words: Words, count: int) -> set[Members]:
    """Return the first ``count`` sets."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8).reshape(len(words), 8), axis=1, bitorder="little")
    return {tuple(np.flatnonzero(column).tolist()) for column in bits.T[:count]}
