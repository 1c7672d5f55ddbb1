"""Joint probabilities of a target and many instances, by variable elimination in float64 or in integers.

One engine serves every question. A factor's table has a first axis for the distinct assignments
(*patterns*) of the features it depends on, so work that instances share is done once; the other axes run
over unobserved variables. Eliminating variables multiplies the factors that mention them and sums them out.
The bound on rounding errors is derived in ``factors.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.masks import Mask, StateCounts, VariableId, positions, union
from bnc2d.errors import LimitExceeded
from bnc2d.model.cpt import CPT, over_common_denominator
from bnc2d.model.elimination import Plan, connected_groups, eliminate, plan_for_rows
from bnc2d.model.factors import LOWEST_EXPONENT, Factor, Table, exponents, multiply_out
from bnc2d.model.network import BayesianNetwork

# Rows are split until the largest table kept has at most this many entries (512 MiB of float64).
_MAX_TABLE_ENTRIES = 1 << 26
# Exact tables hold Python integers, a hundred bytes and more each.
_MAX_EXACT_ENTRIES = 1 << 22


@dataclass(frozen=True)
class Joint:
    """``P(y, x)`` for each row ``x`` and state ``y``, up to a positive factor per row.

    ``values`` is float64 (correct up to ``roundings`` operations where ``trusted``) or object (exact ints).
    A row of zeros is an impossible instance.
    """

    values: Table
    trusted: NDArray[np.bool_]
    roundings: int


class JointQuery:
    """Computes ``P(target, features)`` for rows of feature states of one network, with pruning.

    Only ancestors of the target and the features matter (other variables sum to one). With the features
    observed, the rest falls into independent parts: the target's part is computed in full, of the others
    only whether they are possible, and not even that where all their entries are positive.
    """

    def __init__(self, network: BayesianNetwork, target: str, features: Sequence[str]) -> None:
        self._target = network.index(target)
        self._column = {network.index(name): column for column, name in enumerate(features)}
        self._cardinality = [len(variable) for variable in network.variables]
        self._counts = StateCounts(self._cardinality)
        self._features = union([1 << variable for variable in self._column])
        relevant = network.ancestors([target, *features])
        self._ids = {name: position for position, name in enumerate(network.names)}
        cpts = [network.cpt(name) for name in network.names if name in relevant]
        target_part, others = self._split(cpts)
        possible_part = [cpt for part in others if any(0 in cpt.exact for cpt in part) for cpt in part]
        self._target_part, self._possible_part = self._grouped(target_part), self._grouped(possible_part)
        self._plans: dict[tuple[bool, int], Plan] = {}

    def joint(self, rows: NDArray[np.intp], exact: bool) -> Joint:
        """Return the joint of every row (an array ``[instance, feature]`` of state positions)."""
        values = np.zeros((len(rows), self._cardinality[self._target]), dtype=object if exact else np.float64)
        trusted = np.ones(len(rows), dtype=bool)
        roundings = 0
        chunk = self._rows_at_once(len(rows), exact)
        for start in range(0, len(rows), chunk):
            part = rows[start : start + chunk]
            result = self._contract(self._target_part, part, np.dtype(object if exact else np.float64))
            values[start : start + chunk] = result.table[result.pattern_of_row]
            trusted[start : start + chunk] = result.trusted[result.pattern_of_row]
            roundings = max(roundings, result.roundings)
            if self._possible_part:
                possible = self._contract(self._possible_part, part, np.dtype(bool))
                impossible = ~possible.table.reshape(-1)[possible.pattern_of_row]
                values[start : start + chunk][impossible] = 0
        return Joint(values, trusted, roundings)

    def possible(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether each row has a positive probability: which entries are zero is all it takes."""
        answers = np.ones(len(rows), dtype=bool)
        chunk = self._rows_at_once(len(rows), exact=False)
        for start in range(0, len(rows), chunk):
            for groups in filter(None, (self._target_part, self._possible_part)):
                found = self._contract(groups, rows[start : start + chunk], np.dtype(bool))
                some = np.atleast_1d(found.table.reshape(len(found.table), -1).any(axis=1))
                answers[start : start + chunk] &= some[found.pattern_of_row]
        return answers

    def _split(self, cpts: list[CPT]) -> tuple[list[CPT], list[list[CPT]]]:
        """Return the tables connected to the target through unobserved variables, and the other parts."""
        scopes = [self._scope(cpt) for cpt in cpts]
        parts = [[cpts[position] for position in group] for group in connected_groups(scopes)]
        parts.sort(key=lambda part: not any(self._target in self._scope(cpt) for cpt in part))
        return parts[0], parts[1:]

    def _grouped(self, cpts: list[CPT]) -> list[list[CPT]]:
        """Join each table without features to a smallest one that covers it; large products stay few."""
        groups = [[cpt] for cpt in cpts]
        scopes = [set(self._scope(cpt)) for cpt in cpts]
        for guest in sorted(range(len(cpts)), key=lambda position: len(scopes[position])):
            if len(scopes[guest]) < len(cpts[guest].scope):
                continue  # it depends on a feature
            hosts = [
                host
                for host, scope in enumerate(scopes)
                if host != guest and groups[host] and scopes[guest] <= scope
            ]
            if hosts:
                groups[min(hosts, key=lambda host: prod(self._cardinality[v] for v in scopes[host]))] += (
                    groups[guest]
                )
                groups[guest] = []
        return [group for group in groups if group]

    def _scope(self, cpt: CPT) -> list[VariableId]:
        ids = (self._ids[variable.name] for variable in cpt.scope)
        return [variable for variable in ids if variable not in self._column]

    def _plan(self, groups: list[list[CPT]], rows: int) -> Plan:
        rows = 1 << max(rows - 1, 0).bit_length()  # plan for the next power of two, so plans are reused
        key = (groups is self._target_part, rows)
        if key not in self._plans:
            scopes = self._scopes(groups)
            summed = union(scopes) & ~self._features & ~(1 << self._target)
            attempts = 6 if rows == 1 else 30
            self._plans[key] = plan_for_rows(
                scopes, summed, self._features, self._counts, rows, attempts, _MAX_TABLE_ENTRIES
            )
        return self._plans[key]

    def _scopes(self, groups: list[list[CPT]]) -> list[Mask]:
        return [union([1 << self._ids[v.name] for cpt in group for v in cpt.scope]) for group in groups]

    def _rows_at_once(self, rows: int, exact: bool) -> int:
        """Return how many rows keep every table within its limit; refuse where not even one does."""
        parts = [part for part in (self._target_part, self._possible_part) if part]
        limit = _MAX_EXACT_ENTRIES if exact else _MAX_TABLE_ENTRIES
        while rows > 1 and max(self._plan(part, rows).largest_table for part in parts) > limit:
            rows = (rows + 1) // 2
        needed = max(self._plan(part, rows).largest_table for part in parts)
        if needed > limit:
            raise LimitExceeded(
                f"{'exact ' if exact else ''}inference needs a table of 2^{ceil(log2(needed))} entries "
                f"(limit 2^{ceil(log2(limit))}); choose fewer or other features"
            )
        return max(rows, 1)

    def _contract(self, groups: list[list[CPT]], rows: NDArray[np.intp], dtype: np.dtype[Any]) -> Factor:
        """Eliminate every unobserved variable but the target; the result has at most the target's axis."""
        factors = [multiply_out([self._load(cpt, rows, dtype) for cpt in group], ()) for group in groups]
        joins = self._plan(groups, len(rows)).joins
        return multiply_out(
            eliminate(
                factors,
                self._scopes(groups),
                joins,
                lambda some, summed: multiply_out(some, tuple(positions(summed))),
            ),
            (),
        )

    def _load(self, cpt: CPT, rows: NDArray[np.intp], dtype: np.dtype[Any]) -> Factor:
        """Return the table's slices for the patterns that the rows hold."""
        ids = [self._ids[variable.name] for variable in cpt.scope]
        observed = [axis for axis, variable in enumerate(ids) if variable in self._column]
        free = [axis for axis, variable in enumerate(ids) if variable not in self._column]
        sizes = [self._cardinality[ids[axis]] for axis in observed]
        codes = np.zeros(len(rows), dtype=np.intp)
        for axis, size in zip(observed, sizes, strict=True):
            codes = codes * size + rows[:, self._column[ids[axis]]]
        patterns, pattern_of_row = np.unique(codes, return_inverse=True)
        source: Table = cpt.values if dtype == np.float64 else cpt.exact
        shape = [self._cardinality[ids[axis]] for axis in free]
        table = source.transpose(observed + free).reshape(prod(sizes), *shape)[patterns]
        lowest, trusted = 0.0, np.ones(len(patterns), dtype=bool)
        if dtype == np.float64:
            lowest, _ = exponents(table)
            if lowest < LOWEST_EXPONENT or cpt.rounds_to_zero:
                trusted[:] = False
        else:
            table = table > 0 if dtype == np.bool_ else over_common_denominator(table)
        scope = tuple(ids[axis] for axis in free)
        return Factor(scope, pattern_of_row, np.asarray(table, dtype=dtype), trusted, 1, lowest)
