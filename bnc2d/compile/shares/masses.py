"""How much of a product of tables leads to each terminal of a decision diagram, in exact integers or float64.

No instance is listed. The diagram is one more table of the product: each of its levels says to which node a
state leads on. Variables are summed out one after the other (Zhang and Poole 1994), the features of the
diagram in its order, so that all that is kept is a number for each node and each state of a few others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, array_pieces, piece_of
from bnc2d.base.checkpoints import pieces
from bnc2d.base.masks import VariableId, mask_of
from bnc2d.compile.shares.turns import best_turns
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, Level

# Entries of the largest table; they are Python integers, a hundred bytes and more each.
_MOST_ENTRIES = 1 << 21


class Table(NamedTuple):
    """Numbers from 0 on, ``[node, *scope]``; what does not depend on diagram nodes has one for all.

    Variables are numbers: the features of the diagram's domain come first, then others.
    """

    scope: tuple[VariableId, ...]
    entries: NDArray[Any]

    @classmethod
    def of(cls, scope: Sequence[VariableId], entries: NDArray[Any]) -> Table:
        """Return the table of whole numbers of some variables, which has an axis for each of them."""
        return cls(tuple(scope), np.asarray(entries, dtype=object)[None])

    def at(self, variable: VariableId, state: int) -> Table:
        """Return the table where a variable has a state; itself where it lacks the variable."""
        if variable not in self.scope:
            return self
        place = self.scope.index(variable)
        entries: NDArray[Any] = np.moveaxis(self.entries, 1 + place, 0)[state]
        return Table((*self.scope[:place], *self.scope[place + 1 :]), entries)

    def times(self, other: Table) -> Table:
        """Return the product."""
        scope = (*self.scope, *(variable for variable in other.scope if variable not in self.scope))
        one, two = self._over(scope), other._over(scope)
        shape = np.broadcast_shapes(one.shape, two.shape)
        found: NDArray[Any] = np.empty(shape, dtype=np.result_type(one, two))
        one, two = np.broadcast_to(one, shape), np.broadcast_to(two, shape)
        for piece in array_pieces(shape, piece_of(found.dtype)):
            found[piece] = one[piece] * two[piece]
        return Table(scope, found)

    def _over(self, scope: Sequence[VariableId]) -> NDArray[Any]:
        """Return the entries with an axis for each variable of a larger scope, of size 1 for a new one."""
        axes = [1 + self.scope.index(variable) for variable in scope if variable in self.scope]
        missing = tuple(1 + axis for axis, variable in enumerate(scope) if variable not in self.scope)
        return np.expand_dims(self.entries.transpose(0, *axes), missing)


_ONE = Table((), np.ones(1, dtype=np.int8))  # takes the type of whatever it is multiplied with


def masses(diagram: Diagram, tables: Sequence[Table], sizes: Sequence[int]) -> list[int]:
    """Return for each terminal the sum of the product of the tables, over instances that lead to it.

    ``sizes`` are the numbers of states of all variables; some table mentions each that the diagram asks.
    """
    plan = Plan(diagram, [table.scope for table in tables], sizes)
    plan.refuse_above(_MOST_ENTRIES)
    return [int(mass) for mass in plan.sums(tables)]


class Plan:
    """In which order tables with these scopes are multiplied and summed out along a diagram."""

    def __init__(
        self, diagram: Diagram, scopes: Sequence[Sequence[VariableId]], sizes: Sequence[int]
    ) -> None:
        levels = diagram.walk
        cuts = [np.array([diagram.root], dtype=np.int64)]  # the nodes that the levels above lead to
        for level in levels:
            cuts.append(np.unique(level.children(cuts[-1])))
        between = zip(levels, pairwise(cuts), strict=True)
        self._steps = {level.feature: (level, before, after) for level, (before, after) in between}
        self._reached, self._terminals, self._sizes = cuts[-1], diagram.terminals, sizes
        asked = [level.feature for level in levels]
        self._turns = best_turns(
            [mask_of(scope) for scope in scopes], asked, [len(cut) for cut in cuts], sizes
        )

    @property
    def largest_table(self) -> float:
        """The entries of the largest table."""
        return self._turns.largest_table

    def refuse_above(self, most: int) -> None:
        """Raise ``LimitExceeded`` where a table has more entries."""
        if self.largest_table > most:
            needed, limit = ceil(log2(self.largest_table)), most.bit_length() - 1
            raise LimitExceeded(
                f"weighing the diagram by the network needs a table of 2^{needed} entries (limit 2^{limit}); "
                "choose fewer features, or weigh by rows or by marginals"
            )

    def sums(self, tables: Sequence[Table]) -> NDArray[Any]:
        """Return ``[terminal, *others]`` the sum of the product over the instances that lead to a terminal.

        Others are variables of the tables that were not in the plan's scopes: these stay.
        """
        chain, left = _ONE, list(tables)
        for variable in self._turns.order:
            entering = _product([table for table in left if variable in table.scope])
            left = [table for table in left if variable not in table.scope]
            if variable in self._steps:
                chain = _led_on(chain, entering, *self._steps[variable])
            elif variable in chain.scope:
                chain = _summed(chain, entering, variable, self._sizes[variable])
            else:
                left.append(_summed(_ONE, entering, variable, self._sizes[variable]))
        whole = _product([chain, *left])
        found: NDArray[Any] = np.zeros((self._terminals, *whole.entries.shape[1:]), dtype=whole.entries.dtype)
        found[self._reached] = whole.entries
        return found


def _product(tables: Sequence[Table]) -> Table:
    """Return the product of some tables, the smallest first."""
    found = _ONE
    for table in sorted(tables, key=lambda one: one.entries.size):
        found = found.times(table)
    return found


def _summed(one: Table, other: Table, variable: VariableId, states: int) -> Table:
    """Return the product of two tables with a variable summed out."""
    first, *rest = (one.at(variable, state).times(other.at(variable, state)) for state in range(states))
    for part in rest:
        for piece in array_pieces(first.entries.shape, piece_of(first.entries.dtype)):
            first.entries[piece] += part.entries[piece]
    return first


def _led_on(chain: Table, other: Table, level: Level, before: Numbers, after: Numbers) -> Table:
    """Return the chain a level further: what a state holds goes to the node that the state leads to."""
    places = np.searchsorted(after, level.children(before))
    found = _ONE
    for state in range(places.shape[1]):
        part = chain.at(level.feature, state).times(other.at(level.feature, state))
        if not state:
            shape = (len(after), *part.entries.shape[1:])
            found = Table(part.scope, np.zeros(shape, dtype=part.entries.dtype))
        size = piece_of(part.entries.dtype) * len(before) // part.entries.size
        for piece in pieces(len(before), size):
            order = np.argsort(places[piece, state], kind="stable")
            ranked = places[piece, state][order]
            starts = np.flatnonzero(np.diff(ranked, prepend=-1))
            found.entries[ranked[starts]] += np.add.reduceat(part.entries[piece][order], starts, axis=0)
    return found
