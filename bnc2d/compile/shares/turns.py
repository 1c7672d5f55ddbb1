"""In which order a product of tables is summed out along a decision diagram.

The levels of the diagram come in their order; a variable that it does not ask may go at any time. What has
been multiplied so far is one table, the *chain*, over diagram nodes and the variables that other tables still
mention. So each variable that goes while the chain mentions it costs as many products as there are nodes, and
each that goes too late makes the chain longer. Several greedy orders are tried, which differ in how much a
table may grow for a variable to go before its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, VariableId, positions

# How much larger the result of a sum may be than what goes in, for it to be taken before the next level.
_GROWTHS = (1.0, 0.6, 2.0, 4.0, 16.0)


class Turns(NamedTuple):
    """The variables in the order in which they go, the products that takes, and the largest table."""

    order: tuple[VariableId, ...]
    work: float
    largest_table: float


def best_turns(
    scopes: Sequence[Mask], asked: Sequence[VariableId], widths: Sequence[int], sizes: Sequence[int]
) -> Turns:
    """Return the cheapest of several orders.

    ``asked`` are the variables of the diagram's levels, ``widths`` how many nodes there are before each level
    and at the end; ``scopes`` are what the tables mention and ``sizes`` the states of all variables.
    """
    best = Turns((), inf, inf)
    for growth in _GROWTHS:
        found = _Search(scopes, asked, widths, sizes).turns(growth, best.work)
        if found is not None:
            best = found
    return best


class _Search:
    """One greedy order: the tables that are left, and what each variable would join."""

    def __init__(
        self, scopes: Sequence[Mask], asked: Sequence[VariableId], widths: Sequence[int], sizes: Sequence[int]
    ) -> None:
        self._counts = StateCounts(sizes)
        self._asked, self._widths = asked, widths
        self._chain: Mask = 0
        self._width = widths[0]
        self._tables = dict(enumerate(scopes))
        self._users: dict[VariableId, set[int]] = {}
        for table, scope in self._tables.items():
            for variable in positions(scope):
                self._users.setdefault(variable, set()).add(table)
        self._hidden = set(self._users) - set(asked)
        self._growths: dict[VariableId, float] = {}
        self._next = len(scopes)
        self._order: list[VariableId] = []
        self._work = self._largest = 0.0

    def turns(self, growth: float, most: float) -> Turns | None:
        """Return the order; None where it takes more products than ``most``."""
        for variable, width in zip(self._asked, self._widths[1:], strict=True):
            self._go_early(growth)
            self._go(variable, along=True)
            self._width = width
            if self._work >= most:
                return None
        self._go_early(inf)
        return Turns(tuple(self._order), self._work, self._largest) if self._work < most else None

    def _go_early(self, growth: float) -> None:
        """Sum hidden variables out while a result is at most so many times as large as what goes in."""
        for variable in self._hidden:
            if variable not in self._growths or self._chain >> variable & 1:
                self._growths[variable] = self._growth(variable)
        while self._hidden:
            checkpoint()
            variable = min(self._hidden, key=lambda one: (self._growths[one], one))
            if self._growths[variable] > growth:
                return
            near = self._go(variable, along=bool(self._chain >> variable & 1))
            for other in positions(near):
                if other in self._hidden:
                    self._growths[other] = self._growth(other)

    def _growth(self, variable: VariableId) -> float:
        """Return how many times as large as all that goes in the result is, without the variable."""
        along = bool(self._chain >> variable & 1)
        scope, entering = self._joined(variable, along)
        width = self._width if along else 1
        return self._counts.count(scope & ~(1 << variable)) * width / max(entering, 1.0)

    def _joined(self, variable: VariableId, along: bool) -> tuple[Mask, float]:
        """Return what the tables of a variable mention, and how large they are; with the chain or without."""
        scope = self._chain if along else 0
        entering = self._counts.count(scope) * self._width if along else 0.0
        for table in self._users.get(variable, ()):
            scope |= self._tables[table]
            entering += self._counts.count(self._tables[table])
        return scope | 1 << variable, entering

    def _go(self, variable: VariableId, *, along: bool) -> Mask:
        """Sum a variable out; return what is left of the tables that it joined."""
        scope, _ = self._joined(variable, along)
        width = self._width if along else 1
        result = scope & ~(1 << variable)
        for table in sorted(self._users.pop(variable, ())):
            for other in positions(self._tables.pop(table) & ~(1 << variable)):
                self._users[other].discard(table)
        if along:
            self._chain = result
        else:
            self._tables[self._next] = result
            for other in positions(result):
                self._users[other].add(self._next)
            self._next += 1
        self._hidden.discard(variable)
        self._order.append(variable)
        self._work += self._counts.count(scope) * width
        self._largest = max(self._largest, self._counts.count(result) * width, self._counts.count(scope))
        return result
