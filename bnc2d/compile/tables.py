"""The two tables of a cut: ``A[u, y, s]`` and ``B[v, y, s]``, for all partial instances at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.cut import Cut, Side
from bnc2d.compile.jointree import Name
from bnc2d.compile.prepare import Prepared
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import VariableId
from bnc2d.model.factors import Factor, exponents, multiply_out


@dataclass(frozen=True)
class SideTable:
    """One row per instance of a side's features (the last varies fastest), ``[row, y, s]`` in float64.

    ``y`` has one state where the side does not mention the target. A row may carry any positive factor.
    ``roundings`` bounds the operations behind an entry (see ``model/factors.py``); where ``trusted`` is
    false, an entry may have underflowed and nothing here proves anything.
    """

    features: tuple[Name, ...]
    values: NDArray[np.float64]
    roundings: int
    trusted: bool


def side_tables(prepared: Prepared, cut: Cut) -> tuple[SideTable, SideTable]:
    """Return the tables of both sides, their separator axes in the same order."""
    return _side_table(prepared, cut.first, cut.separator), _side_table(prepared, cut.second, cut.separator)


def _side_table(prepared: Prepared, side: Side, separator: tuple[Name, ...]) -> SideTable:
    network = prepared.network
    pool: list[Factor] = []
    for message in side.messages:
        pool += [_factor(prepared, network.cpt(name)) for name in message.cpts]
        pool = _eliminate(pool, [network.index(name) for name in message.summed])
    table = multiply_out(pool, ()) if pool else _one()
    others = [name for name in separator if name != prepared.target]
    wanted = [network.index(name) for name in (*side.features, prepared.target, *others)]
    sizes = [table.sizes.get(variable, 1) for variable in wanted]
    order = [1 + table.scope.index(variable) for variable in wanted if variable in table.scope]
    values = table.table.transpose(0, *order).reshape(sizes)
    full = [len(network.variable(name)) for name in others]
    values = np.broadcast_to(values, (*sizes[: len(side.features) + 1], *full))
    rows = prod(sizes[: len(side.features)])
    shaped = np.ascontiguousarray(values).reshape(rows, sizes[len(side.features)], prod(full))
    scaled, in_range = _scaled_rows(shaped)
    return SideTable(side.features, scaled, table.roundings, bool(table.trusted[0]) and in_range)


def _eliminate(pool: list[Factor], variables: list[VariableId]) -> list[Factor]:
    """Sum variables out of a product of factors, each time one that joins the smallest product.

    With the factors of a variable go those that add no axis to their product, and with the variable go all
    others that no factor outside still mentions: no axis stays longer than it must.
    """
    left = set(variables)
    while left := left & {variable for factor in pool for variable in factor.scope}:
        joined = {v: frozenset().union(*(f.scope for f in pool if v in f.scope)) for v in left}
        sizes = {variable: size for factor in pool for variable, size in factor.sizes.items()}
        chosen = min(sorted(left), key=lambda v: prod(sizes[other] for other in joined[v]))
        inside = [factor for factor in pool if joined[chosen].issuperset(factor.scope)]
        outside = [factor for factor in pool if not joined[chosen].issuperset(factor.scope)]
        still_used = {variable for factor in outside for variable in factor.scope}
        gone = tuple(sorted(v for v in left & joined[chosen] if v not in still_used))
        pool = [*outside, multiply_out(inside, gone)]
        left.difference_update(gone)
    return pool


def _one() -> Factor:
    return Factor((), np.zeros(1, dtype=np.intp), np.ones(1), np.ones(1, dtype=bool))


def _factor(prepared: Prepared, cpt: CPT) -> Factor:
    ids = tuple(prepared.network.index(variable) for variable in cpt.scope)
    values = cpt.values[None]
    lowest, highest = exponents(values)
    exact_positive = bool(np.all((cpt.values > 0) == (cpt.exact != 0)))
    trusted = np.array([exact_positive and lowest > -1000])
    return Factor(ids, np.zeros(1, dtype=np.intp), values, trusted, 1, lowest, highest)


def _scaled_rows(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Scale each row by a power of two to a largest entry near 1; report whether none gets too small."""
    shift = -np.frexp(table.max(axis=(1, 2)))[1]
    scaled = np.ldexp(table, shift[:, None, None])
    lowest, _ = exponents(scaled)
    return scaled, lowest > -500  # so that products of two rows stay above 2**-1000
