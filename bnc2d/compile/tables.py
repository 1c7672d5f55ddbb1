"""The two tables of a cut: ``A[u, y, s]`` and ``B[v, y, s]``, for all partial instances at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.cut import Cut, CutSide, Message
from bnc2d.compile.jointree import Name
from bnc2d.compile.prepare import Prepared
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import VariableId
from bnc2d.model.factors import LOWEST_EXPONENT, Factor, exponents, multiply_out

# Two entries and the weight of a threshold, none smaller than this, have a product above 2**LOWEST_EXPONENT.
SMALLEST_FACTOR = 2.0 ** (LOWEST_EXPONENT // 3 + 1)


@dataclass(frozen=True)
class SideTable:
    """One row per instance of a side's features (the last varies fastest), ``[row, y, s]`` in float64.

    ``y`` has one state where the side does not mention the target. A row may carry any positive factor.
    ``roundings`` bounds the operations behind an entry (see ``model/factors.py``); where ``trusted`` is
    false, an entry may have underflowed and nothing here proves anything.
    """

    values: NDArray[np.float64]
    roundings: int
    trusted: bool


class Side:
    """Computes the table of one side, in blocks of rows that keep every table on the way small.

    Some features are set before anything is multiplied, one assignment a block; messages that do not depend
    on them are computed once. ``features`` puts them first, so that blocks come in the order of rows.
    """

    def __init__(self, prepared: Prepared, cut: Cut, side: CutSide, max_entries: int) -> None:
        self._prepared, self._separator, self._messages = prepared, cut.separator, side.messages
        self._sizes = {position: len(v) for position, v in enumerate(prepared.network.variables)}
        fixed = _features_to_fix(prepared, side, max_entries)
        self._fixed = tuple(name for name in side.features if name in fixed)
        self.features = self._fixed + tuple(name for name in side.features if name not in fixed)
        depends: list[bool] = []
        for message in side.messages:
            own = any(v.name in fixed for name in message.cpts for v in prepared.network.cpt(name).scope)
            depends.append(own or any(depends[position] for position in message.inputs))
        self._once = [m for m, later in zip(side.messages, depends, strict=True) if not later]
        self._each = [m for m, later in zip(side.messages, depends, strict=True) if later]

    def blocks(self) -> Iterator[SideTable]:
        """Yield the rows of one assignment of the features set beforehand after another."""
        network = self._prepared.network
        shared: list[Factor] = []
        for message in self._once:
            shared = self._absorb(shared, message, {})
        sizes = [len(network.variable(name)) for name in self._fixed]
        for states in product(*map(range, sizes)):
            given = dict(zip(self._fixed, states, strict=True))
            pool = list(shared)
            for message in self._each:
                pool = self._absorb(pool, message, given)
            yield self._table(multiply_out(pool, ()) if pool else _one())

    def whole(self) -> SideTable:
        """Return all rows as one table."""
        blocks = list(self.blocks())
        return SideTable(
            np.concatenate([block.values for block in blocks]),
            max(block.roundings for block in blocks),
            all(block.trusted for block in blocks),
        )

    def _absorb(self, pool: list[Factor], message: Message, given: Mapping[Name, int]) -> list[Factor]:
        network = self._prepared.network
        pool = pool + [_factor(self._prepared, network.cpt(name), given) for name in message.cpts]
        return _eliminate(pool, {network.index(name) for name in message.summed}, self._sizes)

    def _table(self, table: Factor) -> SideTable:
        network, target = self._prepared.network, self._prepared.target
        rows = self.features[len(self._fixed) :]
        others = [name for name in self._separator if name != target]
        wanted = [network.index(name) for name in (*rows, target, *others)]
        sizes = [table.sizes.get(variable, 1) for variable in wanted]
        order = [1 + table.scope.index(variable) for variable in wanted if variable in table.scope]
        values = table.table.transpose(0, *order).reshape(sizes)
        full = [len(network.variable(name)) for name in others]
        values = np.broadcast_to(values, (*sizes[: len(rows) + 1], *full))
        shape = (prod(sizes[: len(rows)]), sizes[len(rows)], prod(full))
        scaled, in_range = _scaled_rows(np.ascontiguousarray(values).reshape(shape))
        return SideTable(scaled, table.roundings, bool(table.trusted[0]) and in_range)


def _features_to_fix(prepared: Prepared, side: CutSide, max_entries: int) -> set[Name]:
    """Return features to set beforehand: those in the most large tables, until none is over the limit."""
    network = prepared.network
    sizes = {position: len(variable) for position, variable in enumerate(network.variables)}
    features = {network.index(name) for name in prepared.features}
    tables: list[frozenset[VariableId]] = []
    pool: list[frozenset[VariableId]] = []
    for message in side.messages:
        pool += [frozenset(network.index(v) for v in network.cpt(name).scope) for name in message.cpts]
        while (step := _next_step(pool, {network.index(name) for name in message.summed}, sizes)) is not None:
            inside = set(step.inside)
            joined = frozenset().union(*(pool[position] for position in inside)).difference(step.gone)
            pool = [axes for position, axes in enumerate(pool) if position not in inside] + [joined]
            tables.append(joined)
    tables.append(frozenset().union(*pool))
    fixed: set[VariableId] = set()
    while True:
        large = [axes for axes in tables if prod(sizes[v] for v in axes - fixed) > max_entries]
        votes = Counter(variable for axes in large for variable in (axes & features) - fixed)
        if not votes:
            return {network.names[variable] for variable in fixed}
        fixed.add(max(sorted(votes), key=lambda variable: votes[variable]))


@dataclass(frozen=True)
class _Step:
    """Multiply the factors at the positions ``inside`` and sum out the variables ``gone``."""

    inside: tuple[int, ...]
    gone: tuple[VariableId, ...]


def _next_step(
    scopes: Sequence[Collection[VariableId]], summed: set[VariableId], sizes: Mapping[VariableId, int]
) -> _Step | None:
    """Return how to eliminate next: a variable of ``summed`` that joins the smallest product, or None.

    With the factors of a variable go those that add no axis to their product, and with the variable go all
    others that no factor outside still mentions: no axis stays longer than it must.
    """
    left = summed & {variable for scope in scopes for variable in scope}
    if not left:
        return None
    joined = {v: set().union(*(scope for scope in scopes if v in scope)) for v in left}
    chosen = min(sorted(left), key=lambda v: prod(sizes[other] for other in joined[v]))
    inside = [position for position, scope in enumerate(scopes) if joined[chosen].issuperset(scope)]
    kept = {v for position, scope in enumerate(scopes) if position not in inside for v in scope}
    return _Step(tuple(inside), tuple(sorted(v for v in left & joined[chosen] if v not in kept)))


def _eliminate(pool: list[Factor], summed: set[VariableId], sizes: Mapping[VariableId, int]) -> list[Factor]:
    """Sum variables out of a product of factors."""
    while (step := _next_step([factor.scope for factor in pool], summed, sizes)) is not None:
        inside = set(step.inside)
        joined = multiply_out([pool[position] for position in step.inside], step.gone)
        pool = [factor for position, factor in enumerate(pool) if position not in inside] + [joined]
    return pool


def _one() -> Factor:
    return Factor((), np.zeros(1, dtype=np.intp), np.ones(1), np.ones(1, dtype=bool))


def _factor(prepared: Prepared, cpt: CPT, given: Mapping[Name, int]) -> Factor:
    """Return the table of a variable with the given features set."""
    free = [variable for variable in cpt.scope if variable.name not in given]
    index = tuple(given.get(variable.name, slice(None)) for variable in cpt.scope)
    values = np.ascontiguousarray(cpt.values[index])[None]
    lowest, highest = exponents(values)
    trusted = np.array([lowest > LOWEST_EXPONENT and not cpt.rounds_to_zero])
    ids = tuple(prepared.network.index(variable) for variable in free)
    return Factor(ids, np.zeros(1, dtype=np.intp), values, trusted, 1, lowest, highest)


def _scaled_rows(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Scale each row by a power of two to a largest entry near 1; report whether none gets too small."""
    shift = -np.frexp(table.max(axis=(1, 2)))[1]
    scaled = np.ldexp(table, shift[:, None, None])
    lowest, _ = exponents(scaled)
    return scaled, 2.0**lowest > SMALLEST_FACTOR
