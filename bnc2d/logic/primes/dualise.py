"""Minimal sets of a monotone function that can only be asked, one after another, however many there are.

A SAT solver holds a map of the sets not yet explored, as in MARCO (Liffiton, Previti, Malik and Marques-Silva
2016). One of them for which the function holds is shrunk to minimal ones, and nothing above these is asked
for again; one for which it fails is grown to maximal ones, and nothing below these is asked for again. Both
follow 64 orders of the members at once, each in its own bit of a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.convert.sat import SteppedSearch

Member: TypeAlias = int
Words: TypeAlias = NDArray[np.uint64]
# Given 64 sets, as a word for each member with a bit for each set, return a word: for which sets it holds.
Function: TypeAlias = Callable[[Words], Words]

_ORDERS = 64  # the bits of a word


def minimal_sets(function: Function, members: Sequence[Member], size: int) -> Iterator[list[Member]]:
    """Yield the minimal sets of members, all below ``size``, for which a monotone function holds.

    The order is the same on every run: batches as they are found, in each the shortest first.
    """
    from pysat.solvers import Solver

    random = Random(0)  # noqa: S311 - varies the orders, the same on every run
    with Solver(name="glucose4") as solver:
        solver.add_clause([size + 1])  # the solver knows a variable even where there are no members
        solver.set_phases([member + 1 for member in members])  # large sets lie above many minimal ones
        search = SteppedSearch(solver)
        while search.satisfiable():  # by a set above no minimal one found so far and below no maximal one
            model = set(solver.get_model())
            seed = [member for member in members if member + 1 in model or -member - 1 not in model]
            words = np.zeros(size, dtype=np.uint64)
            words[seed] = ~np.uint64(0)  # in each of the 64
            holds = bool(function(words)[0])
            rest = [member for member in members if (member in seed) == holds]
            orders = [random.sample(rest, len(rest)) for _ in range(_ORDERS)]
            found = _extreme(function, words, orders, holds)
            for extreme in found:
                if holds:
                    solver.add_clause([-member - 1 for member in extreme])
                else:
                    solver.add_clause([member + 1 for member in members if member not in extreme])
            if holds:
                yield from found


def _extreme(function: Function, words: Words, orders: list[list[Member]], holds: bool) -> list[list[Member]]:
    """Return the sets to which members can be dropped (or, where it fails, added) along each order."""
    one_bit_each = np.uint64(1) << np.arange(_ORDERS, dtype=np.uint64)
    for moved in np.array(orders, dtype=np.intp).T:
        flips = np.zeros_like(words)
        np.bitwise_or.at(flips, moved, one_bit_each)
        words ^= flips
        right = function(words) if holds else ~function(words)
        words ^= flips & ~right
    bits = np.unpackbits(words.astype("<u8").view(np.uint8).reshape(len(words), 8), axis=1, bitorder="little")
    found = {tuple(np.flatnonzero(column).tolist()) for column in bits.T}
    return [list(members) for members in sorted(found, key=lambda members: (len(members), members))]
