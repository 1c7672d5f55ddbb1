"""Where in a region one class is least against another, and the exact ratio of the two there.

Floats say which entries of a table can be part of the least ratio: those within twice the error of the least
float (here twice that, to be safe). Only these are multiplied as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.margins import FINITE, Margins, Values, fitted
from bnc2d.regions.region import States

# States of the features that stay, or go, of a cluster, as places among those that the region allows.
Places: TypeAlias = tuple[int, ...]


def least_instance(margins: Margins, pair: int, states: Sequence[States]) -> list[int]:
    """Return the instance of a region at which floats find the first class of a pair least."""
    entries = _entries(margins, _values(margins, pair, states), 0.0)
    first = [{outside: places[0] for outside, places in known.items()} for known in entries]
    return _instance(margins, states, first)


def least_ratio(
    margins: Margins, pair: int, weights: Sequence[Fraction], states: Sequence[States]
) -> tuple[Fraction, list[int]]:
    """Return the least ratio over a region, exactly, and an instance that has it.

    It must be known to be positive: nowhere in the region is the first class zero and the second is not.
    """
    entries = _entries(margins, _values(margins, pair, states), 4.0 * float(margins.errors[pair]))
    ratios: list[dict[Places, Fraction]] = []
    chosen: list[dict[Places, Places]] = []
    for cluster, known in zip(margins.clusters, entries, strict=True):
        checkpoint()
        ratios.append({})
        chosen.append({})
        for outside, places in known.items():
            found = []
            for inside in places:
                place = dict(zip((*cluster.stays, *cluster.goes), (*outside, *inside), strict=True))
                state = {feature: int(states[feature][at]) for feature, at in place.items()}
                ratio = _ratio(margins, pair, cluster.tables, state)
                for child, _, _ in cluster.children:
                    ratio *= ratios[child][tuple(place[f] for f in margins.clusters[child].stays)]
                found.append((ratio, inside))
            ratios[-1][outside], chosen[-1][outside] = min(found)
    compared = margins.pairs[pair]
    total = weights[compared.first] / weights[compared.second]
    total *= _ratio(margins, pair, margins.lone_tables, {})
    for root in margins.roots:
        total *= ratios[root][()]
    return total, _instance(margins, states, chosen)


def ratio_tables(
    margins: Margins, weights: Sequence[Fraction]
) -> tuple[list[NDArray[np.object_]], list[Fraction]]:
    """Return the tables of all clusters as ratios that multiply, and the constant of each pair.

    Zeros are ratios so large, or so small, that no product of others makes up for them, as in ``margins``.
    """
    finite = [
        np.where(np.abs(cluster.table) < FINITE, np.abs(cluster.table), 0.0) for cluster in margins.clusters
    ]
    bits = sum(int(table.max(initial=0.0) / log(2)) + 2 for table in finite) + 64
    bits += max((int(abs(c) / log(2)) for c in margins.constant.tolist() if abs(c) < FINITE), default=0)
    decides = Fraction(1, 1 << bits)
    out_of_question = Fraction(1 << bits * (len(margins.tables.scopes) + 2))

    def ratio(first: int, second: int) -> Fraction:
        return out_of_question if not second else Fraction(first, second) if first else decides

    ratios: list[NDArray[np.object_]] = []
    for integers in margins.tables.integers:
        of_pairs = []
        for pair in margins.pairs:
            classes = (pair.first, pair.second) if len(integers) > 1 else (0, 0)
            of_pairs.append(np.frompyfunc(ratio, 2, 1)(*(integers[label] for label in classes)))
        shape = (len(of_pairs), *integers.shape[1:])
        ratios.append(np.array(of_pairs, dtype=object).reshape(shape))
    tables = []
    for cluster in margins.clusters:
        table = np.full(cluster.table.shape, Fraction(1), dtype=object)
        for number in cluster.tables:
            table = table * fitted(
                ratios[number], margins.tables.scopes[number], (*cluster.stays, *cluster.goes)
            )
        tables.append(table)
    constants = []
    for place, pair in enumerate(margins.pairs):
        first, second = weights[pair.first], weights[pair.second]
        constant = out_of_question if not second else first / second if first else decides
        for number in margins.lone_tables:
            constant *= ratios[number][place]
        constants.append(constant)
    return tables, constants


def _ratio(margins: Margins, pair: int, tables: Sequence[int], state: dict[int, int]) -> Fraction:
    """Return the product of the ratios of entries; 1 where classes share a table: it is not zero there."""
    compared = margins.pairs[pair]
    first = second = 1
    for number in tables:
        integers = margins.tables.integers[number]
        if len(integers) > 1:
            at = tuple(state[feature] for feature in margins.tables.scopes[number])
            first *= integers[(compared.first, *at)]
            second *= integers[(compared.second, *at)]
    return Fraction(first, second)


def _values(margins: Margins, pair: int, states: Sequence[States]) -> list[Values]:
    """Return for each cluster the least margins below it, ``[*stays, *goes]`` within the region."""
    found: list[Values] = []
    for cluster in margins.clusters:
        checkpoint()
        order = (*cluster.stays, *cluster.goes)
        values = cluster.table[pair][np.ix_(*(states[feature] for feature in order))]
        for child, axes, _ in cluster.children:
            below = margins.clusters[child]
            message = found[child].min(axis=tuple(range(len(below.stays), found[child].ndim)))
            shape = [len(states[feature]) if feature in below.stays else 1 for feature in order]
            values = values + message.transpose(axes).reshape(shape)
        found.append(values)
    return found


def _entries(margins: Margins, values: list[Values], tolerance: float) -> list[dict[Places, list[Places]]]:
    """Return for each cluster, and each way that those above can ask for, the entries that can be least."""
    entries: list[dict[Places, list[Places]]] = [{} for _ in values]
    for root in margins.roots:
        entries[root][()] = []
    for number in reversed(range(len(values))):
        cluster = margins.clusters[number]
        for outside, places in entries[number].items():
            table = values[number][outside]
            flat = table.reshape(-1)
            near = [int(flat.argmin())] if not tolerance else np.flatnonzero(flat <= flat.min() + tolerance)
            for at in near:
                inside = tuple(int(place) for place in np.unravel_index(at, table.shape))
                places.append(inside)
                place = dict(zip((*cluster.stays, *cluster.goes), (*outside, *inside), strict=True))
                for child, _, _ in cluster.children:
                    entries[child].setdefault(tuple(place[f] for f in margins.clusters[child].stays), [])
    return entries


def _instance(
    margins: Margins, states: Sequence[States], chosen: Sequence[dict[Places, Places]]
) -> list[int]:
    """Return the states that the entries chosen lead to; features that no table has take their first."""
    place = [0] * len(states)
    for cluster, entries in zip(reversed(margins.clusters), reversed(chosen), strict=True):
        inside = entries[tuple(place[feature] for feature in cluster.stays)]
        for feature, at in zip(cluster.goes, inside, strict=True):
            place[feature] = at
    return [int(allowed[at]) for allowed, at in zip(states, place, strict=True)]
