"""Joint probabilities of a target and many instances, by variable elimination in float64 or in integers.

One engine serves every question (``Contraction``): factors are looked up for the patterns of features that
the instances hold, so that work they share is done once, and unobserved variables are eliminated in the
cheapest order found. Bounds on rounding errors are derived in ``accounts.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.masks import Mask, StateCounts, positions, union
from bnc2d.base.records import record
from bnc2d.errors import LimitExceeded
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import Plan, connected_groups, eliminate, plan_for_rows
from bnc2d.model.extended import EXTENDED
from bnc2d.model.factors import Factor, multiply_out
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.products import Table

# Rows are split until the largest table kept has at most this many entries (512 MiB of float64).
MAX_TABLE_ENTRIES = 1 << 26
# Exact tables hold Python integers, a hundred bytes and more each.
_MAX_EXACT_ENTRIES = 1 << 22
# So many multiplications of integers take about a second, and in extended precision next to nothing.
_MUCH_WORK = 2.0**20
# Orders tried for one row, and for more, where a better one saves more.
_ATTEMPTS, _MORE_ATTEMPTS = 6, 30


class Contraction:
    """The product of tables for rows of feature states, with all variables summed out but the kept ones.

    ``max_entries`` bounds the tables that plans are made for.
    """

    def __init__(
        self,
        network: BayesianNetwork,
        cpts: Sequence[CPT],
        features: Sequence[str],
        kept: Sequence[str],
        max_entries: float = MAX_TABLE_ENTRIES,
    ) -> None:
        self.ids = {name: position for position, name in enumerate(network.names)}
        self._column = {self.ids[name]: column for column, name in enumerate(features)}
        self._features = union([1 << variable for variable in self._column])
        self._counts = StateCounts([len(variable) for variable in network.variables])
        self._max_entries = max_entries
        self._groups = self._grouped(cpts)
        self._scopes = [union([self._scope(cpt) for cpt in group]) for group in self._groups]
        self._summed = union(self._scopes) & ~self._features & ~union([1 << self.ids[name] for name in kept])
        self._plans: dict[int, Plan] = {}

    def __bool__(self) -> bool:
        return bool(self._groups)

    def factor(self, rows: Rows, dtype: Any) -> Factor:
        """Return the factor of the kept variables, with a pattern for each row ``[row, feature]``."""
        factors = [
            multiply_out([Factor.of_cpt(cpt, self.ids, dtype, rows, self._column) for cpt in group], ())
            for group in self._groups
        ]
        joins = self._plan(len(rows)).joins
        left = eliminate(
            factors, self._scopes, joins, lambda some, summed: multiply_out(some, positions(summed))
        )
        return multiply_out(left, ())

    def rows_at_once(self, rows: int, limit: float) -> int:
        """Return how many rows keep every table within a limit; 0 where not even one does."""
        while rows > 1 and self._plan(rows).largest_table > limit:
            rows = (rows + 1) // 2
        return max(rows, 1) if self.largest_table(rows) <= limit else 0

    def work(self, rows: int) -> float:
        """Return the multiplications for a number of rows."""
        return self._plan(rows).work

    def largest_table(self, rows: int = 1) -> float:
        """Return the entries of the largest table for a number of rows."""
        return self._plan(rows).largest_table

    def _scope(self, cpt: CPT) -> Mask:
        return union([1 << self.ids[variable.name] for variable in cpt.scope])

    def _grouped(self, cpts: Sequence[CPT]) -> list[list[CPT]]:
        """Join each table without features to a smallest one that covers it; large products stay few."""
        groups = [[cpt] for cpt in cpts]
        scopes = [self._scope(cpt) for cpt in cpts]
        hidden = [scope & ~self._features for scope in scopes]
        for guest in sorted(range(len(cpts)), key=lambda table: hidden[table].bit_count()):
            if scopes[guest] & self._features:
                continue
            hosts = [
                host
                for host, scope in enumerate(hidden)
                if host != guest and groups[host] and not scopes[guest] & ~scope
            ]
            if hosts:
                groups[min(hosts, key=lambda host: self._counts.count(hidden[host]))] += groups[guest]
                groups[guest] = []
        return [group for group in groups if group]

    def _plan(self, rows: int) -> Plan:
        rows = 1 << max(rows - 1, 0).bit_length()  # plan for the next power of two, so plans are reused
        if rows not in self._plans:
            attempts = _ATTEMPTS if rows == 1 else _MORE_ATTEMPTS
            self._plans[rows] = plan_for_rows(
                self._scopes, self._summed, self._features, self._counts, rows, attempts, self._max_entries
            )
        return self._plans[rows]


@record
class Joint:
    """``P(y, x)`` for each row ``x`` and state ``y``, up to a positive factor per row.

    ``values`` is float64 or of extended precision (correct up to ``roundings`` operations where ``trusted``),
    or object (exact ints). A row of zeros is an impossible instance.
    """

    values: Table
    trusted: NDArray[np.bool_]
    roundings: int


def independent_parts(network: BayesianNetwork, target: str, features: Sequence[str]) -> list[list[CPT]]:
    """Return the tables that matter, in parts that unobserved variables connect; that of the target first."""
    relevant = network.ancestors([target, *features])
    cpts = [network.cpt(name) for name in network.names if name in relevant]
    observed = set(features)
    scopes = [{variable.name for variable in cpt.scope} - observed for cpt in cpts]
    parts = connected_groups(scopes)
    parts.sort(key=lambda part: not any(target in scopes[table] for table in part))
    return [[cpts[table] for table in part] for part in parts]


class JointQuery:
    """Computes ``P(target, features)`` for rows of feature states of one network, with pruning.

    Only ancestors of the target and the features matter (other variables sum to one). With the features
    observed, the rest falls into independent parts: the target's part is computed in full, of the others
    only whether they are possible, and not even that where all their entries are positive.
    """

    def __init__(self, network: BayesianNetwork, target: str, features: Sequence[str]) -> None:
        self._states = len(network.variable(target))
        own, *others = independent_parts(network, target, features)
        rest = [cpt for part in others if any(0 in cpt.exact for cpt in part) for cpt in part]
        self._target_part = Contraction(network, own, features, [target])
        self._possible_part = Contraction(network, rest, features, ())
        # Of the row that took long: a decision, what it rests on and the posterior ask one after the other.
        self._last: tuple[bytes, Joint] | None = None

    def joint(self, rows: Rows, exact: bool) -> Joint:
        """Return the joint of every row (an array ``[instance, feature]`` of state positions)."""
        if not exact:
            return self._joint(rows, np.dtype(np.float64))
        if self._target_part.work(len(rows)) < _MUCH_WORK:
            return self._joint(rows, np.dtype(object))
        key, last = rows.tobytes(), self._last  # another thread may change it
        if last is not None and last[0] == key:
            return last[1]
        self._rows_at_once(len(rows), exact=True)  # where it is too large, exact inference says so
        possible = self.possible(rows)
        joint = self._joint(rows[possible], np.dtype(object))
        values = np.zeros((len(rows), self._states), dtype=object)
        values[possible] = joint.values
        joint = replace(joint, values=values, trusted=np.ones(len(rows), dtype=bool))
        if len(rows) == 1:
            self._last = key, joint
        return joint

    def extended_joint(self, rows: Rows) -> Joint | None:
        """Return the joint in extended precision; None where there is none, or integers take no time."""
        if EXTENDED is None or self._target_part.work(len(rows)) < _MUCH_WORK:
            return None
        return self._joint(rows, EXTENDED)

    def _joint(self, rows: Rows, dtype: np.dtype[Any]) -> Joint:
        values = np.zeros((len(rows), self._states), dtype=dtype)
        trusted = np.ones(len(rows), dtype=bool)
        roundings = 0
        chunk = self._rows_at_once(len(rows), dtype.hasobject)
        for start in range(0, len(rows), chunk):
            part = rows[start : start + chunk]
            result = self._target_part.factor(part, dtype)
            values[start : start + chunk] = result.table[result.pattern_of_row]
            trusted[start : start + chunk] = result.trusted[result.pattern_of_row]
            roundings = max(roundings, result.account.roundings)
            if self._possible_part:
                possible = self._possible_part.factor(part, np.bool_)
                impossible = ~possible.table.reshape(-1)[possible.pattern_of_row]
                values[start : start + chunk][impossible] = 0
        return Joint(values, trusted, roundings)

    def possible(self, rows: Rows) -> NDArray[np.bool_]:
        """Return whether each row has a positive probability: which entries are zero is all it takes."""
        answers = np.ones(len(rows), dtype=bool)
        chunk = self._rows_at_once(len(rows), exact=False)
        for start in range(0, len(rows), chunk):
            for part in self._parts():
                found = part.factor(rows[start : start + chunk], np.bool_)
                some = np.atleast_1d(found.table.reshape(len(found.table), -1).any(axis=1))
                answers[start : start + chunk] &= some[found.pattern_of_row]
        return answers

    def _parts(self) -> list[Contraction]:
        return [part for part in (self._target_part, self._possible_part) if part]

    def _rows_at_once(self, rows: int, exact: bool) -> int:
        """Return how many rows keep every table within its limit; refuse where not even one does."""
        limit = _MAX_EXACT_ENTRIES if exact else MAX_TABLE_ENTRIES
        rows = min(part.rows_at_once(rows, limit) for part in self._parts())
        if not rows:
            needed = max(part.largest_table() for part in self._parts())
            raise LimitExceeded(
                f"{'exact ' if exact else ''}inference needs a table of 2^{ceil(log2(needed))} entries "
                f"(limit 2^{ceil(log2(limit))}); choose fewer or other features"
            )
        return rows
