"""What a cut costs: rates, the variables of a problem as masks, and the work of both sides of a cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, log2
from typing import TypeAlias

from bnc2d.base.masks import Mask, VariableId, mask_of, union
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.model.elimination import Join, joins_in_order, min_fill_order, work_of

TableIndex: TypeAlias = int  # position of a table, and of its child, in the network

# Measured rates, in seconds (one core of about 3 GHz). The join runs in BLAS, messages in element-wise loops.
SECONDS_PER_CELL = 1.5e-9  # an instance of all features: its label
SECONDS_PER_JOIN = 1 / 40e9  # a multiplication where both tables meet
SECONDS_PER_MESSAGE = 0.5e-9  # a multiplication on the way to a table
SECONDS_PER_ENTRY = 10e-9  # an entry of one of the two tables
SECONDS_PER_ROW = 600e-9  # an instance of one side: finding its like, and the id of its row


class CutModel:
    """A prepared classifier as masks, and the price of cuts of it.

    A cut is out of the question where the smaller of both tables, or the result of a message with every
    feature set, has more than ``max_table_entries``. The larger table is computed in blocks of rows.
    """

    def __init__(self, prepared: Prepared, max_table_entries: int) -> None:
        self.scopes, self.counts = prepared.scopes, prepared.counts
        self.features, self.target = mask_of(prepared.feature_ids), 1 << prepared.target_id
        self.hidden = ((1 << len(self.scopes)) - 1) & ~self.features & ~self.target
        self.max_entries = float(max_table_entries)
        self._cells = self.counts.count(self.features)

    def separator(self, first: Mask, second: Mask) -> Mask:
        """Return the hidden variables that both sides mention, given all that each mentions."""
        return first & second & self.hidden

    def join_seconds(self, first: Mask, second: Mask) -> float:
        """Return the seconds of a cut but for its messages; infinite where the smaller table is too large."""
        count = self.counts.count
        across = self.separator(first, second) | self.target
        tables = count(first & self.features | across), count(second & self.features | across)
        if min(tables) > self.max_entries:
            return inf
        rows = count(first & self.features) + count(second & self.features)
        join = self._cells * (SECONDS_PER_CELL + count(across) * SECONDS_PER_JOIN)
        return join + sum(tables) * SECONDS_PER_ENTRY + rows * SECONDS_PER_ROW

    def log_work(self, first: Mask, second: Mask, messages: float) -> float:
        """Return log2 of all multiplications and table entries of a cut."""
        across = self.separator(first, second) | self.target
        scopes = self.features | across, first & self.features | across, second & self.features | across
        return log2(sum([self.counts.count(scope) for scope in scopes]) + messages)

    def best_joins(
        self, tables: Sequence[TableIndex], separator: Mask, orders: Iterable[Sequence[VariableId]]
    ) -> list[Join] | None:
        """Return the cheapest joins of one side that fit: by min-fill, or in one of the orders given."""
        scopes = [self.scopes[table] for table in tables]
        summed = union(scopes) & self.hidden & ~separator
        tried = [min_fill_order(scopes, summed, self.features), *orders]
        found = [joins_in_order(scopes, order, summed) for order in tried]
        fitting = [joins for joins in found if self._fit(joins)]
        return min(fitting, key=lambda joins: work_of(joins, self.counts.count), default=None)

    def _fit(self, joins: Iterable[Join]) -> bool:
        """Return whether no result is too large, with every feature set."""
        results = [join.result & ~self.features for join in joins]
        return all(self.counts.count(result) <= self.max_entries for result in results)
