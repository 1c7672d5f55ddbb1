"""How much of a product of tables leads to each terminal of a decision diagram, in exact integers.

No instance is listed. The diagram is one more table of the product: each of its levels says to which node a
state leads on. Variables are summed out one after the other (Zhang and Poole 1994), the features of the
diagram in its order, so that all that is kept is a number for each node and each state of a few others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log2, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS, Numbers, array_pieces
from bnc2d.base.checkpoints import pieces
from bnc2d.base.masks import VariableId, mask_of
from bnc2d.compile.shares.turns import best_turns
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, Level

# Entries of the largest table; they are Python integers, a hundred bytes and more each.
_MOST_ENTRIES = 1 << 21


class Table(NamedTuple):
    """Whole numbers from 0 on, ``[node, *scope]``; what does not depend on diagram nodes has one for all.

    Variables are numbers: the features of the diagram's domain come first, then others.
    """

    scope: tuple[VariableId, ...]
    entries: NDArray[np.object_]

    @classmethod
    def of(cls, scope: Sequence[VariableId], entries: NDArray[Any]) -> Table:
        """Return the table of some variables, which has an axis for each of them."""
        return cls(tuple(scope), np.asarray(entries, dtype=object)[None])

    def at(self, variable: VariableId, state: int) -> Table:
        """Return the table where a variable has a state; itself where it lacks the variable."""
        if variable not in self.scope:
            return self
        place = self.scope.index(variable)
        entries: NDArray[np.object_] = np.moveaxis(self.entries, 1 + place, 0)[state]
        return Table((*self.scope[:place], *self.scope[place + 1 :]), entries)

    def times(self, other: Table) -> Table:
        """Return the product."""
        scope = (*self.scope, *(variable for variable in other.scope if variable not in self.scope))
        one, two = self._over(scope), other._over(scope)
        shape = np.broadcast_shapes(one.shape, two.shape)
        found: NDArray[np.object_] = np.empty(shape, dtype=object)
        one, two = np.broadcast_to(one, shape), np.broadcast_to(two, shape)
        for piece in array_pieces(shape, OBJECTS):
            found[piece] = one[piece] * two[piece]
        return Table(scope, found)

    def _over(self, scope: Sequence[VariableId]) -> NDArray[np.object_]:
        """Return the entries with an axis for each variable of a larger scope, of size 1 for a new one."""
        axes = [1 + self.scope.index(variable) for variable in scope if variable in self.scope]
        missing = tuple(1 + axis for axis, variable in enumerate(scope) if variable not in self.scope)
        return np.expand_dims(self.entries.transpose(0, *axes), missing)


_ONE = Table.of((), np.array(1, dtype=object))


def masses(diagram: Diagram, tables: Sequence[Table], sizes: Sequence[int]) -> list[int]:
    """Return for each terminal the sum of the product of the tables, over instances that lead to it.

    ``sizes`` are the numbers of states of all variables; some table mentions each that the diagram asks.
    """
    levels = diagram.walk
    cuts = [np.array([diagram.root], dtype=np.int64)]  # the nodes that the levels above lead to
    for level in levels:
        cuts.append(np.unique(level.children(cuts[-1])))
    scopes, asked = [mask_of(table.scope) for table in tables], [level.feature for level in levels]
    turns = best_turns(scopes, asked, [len(cut) for cut in cuts], sizes)
    if turns.largest_table > _MOST_ENTRIES:
        needed, limit = ceil(log2(turns.largest_table)), _MOST_ENTRIES.bit_length() - 1
        raise LimitExceeded(
            f"weighing the diagram by the network needs a table of 2^{needed} entries (limit 2^{limit}); "
            "choose fewer features, or weigh by rows or by marginals"
        )
    chain, left = _ONE, list(tables)
    between = zip(levels, pairwise(cuts), strict=True)
    steps = {level.feature: (level, before, after) for level, (before, after) in between}
    for variable in turns.order:
        entering = _product([table for table in left if variable in table.scope])
        left = [table for table in left if variable not in table.scope]
        if variable in steps:
            chain = _led_on(chain, entering, *steps[variable])
        elif variable in chain.scope:
            chain = _summed(chain, entering, variable, sizes[variable])
        else:
            left.append(_summed(_ONE, entering, variable, sizes[variable]))
    rest = prod(int(table.entries[0]) for table in left)
    found = [0] * diagram.terminals
    for terminal, mass in zip(cuts[-1].tolist(), chain.entries.tolist(), strict=True):
        found[terminal] = mass * rest
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
        for piece in array_pieces(first.entries.shape, OBJECTS):
            first.entries[piece] += part.entries[piece]
    return first


def _led_on(chain: Table, other: Table, level: Level, before: Numbers, after: Numbers) -> Table:
    """Return the chain a level further: what a state holds goes to the node that the state leads to."""
    places = np.searchsorted(after, level.children(before))
    found = _ONE
    for state in range(places.shape[1]):
        part = chain.at(level.feature, state).times(other.at(level.feature, state))
        if not state:
            found = Table(part.scope, np.zeros((len(after), *part.entries.shape[1:]), dtype=object))
        for piece in pieces(len(before), OBJECTS * len(before) // part.entries.size):
            np.add.at(found.entries, places[piece, state], part.entries[piece])
    return found
