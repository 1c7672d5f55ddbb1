"""The lightest set of features that is enough, by rows that every such set covers.

An instance with another label, against which features must be kept, gives a row: keeping a feature gives
back at most so much of the margin, whatever else is kept, and together they must give back all that is
missing. Where features are independent given the class, one row for each other class says it all; a single
one is left to elimination with prices (``nearest``). Elsewhere rows are added as covers turn out not to be
enough: from the instance that shows it, and the set of features of which one must be kept (implicit hitting
sets: Ignatiev, Previti, Liffiton and Marques-Silva 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.around.covers import Covers, Floats
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.nearest import lightest_kept
from bnc2d.regions.margins import FINITE, Margins


class Row(NamedTuple):
    """What keeping each feature gives at most, and what is needed."""

    gives: Floats
    needs: float


def least_sufficient(around: Around, prices: Sequence[int]) -> list[int]:
    """Return the set of features that is enough at the least price; of several that with the first feature.

    Prices are positive integers.
    """
    critical = around.critical()
    margins = around.comparisons.margins
    if len(margins.pairs) == 1 and all(len(scope) < 2 for scope in margins.tables.scopes):
        return lightest_kept(around, prices, critical)
    covers, rows = Covers(prices), Rows(around)
    best = critical
    while not _is_enough(around, best, covers, rows):
        best = covers.lightest(critical) or []  # all features together are a cover
    price = sum(prices[feature] for feature in best)
    members = [*critical]
    without: list[int] = []
    for feature in range(len(prices)):
        if len(members) == len(best):
            break
        if feature in critical:
            continue
        while feature not in best:
            found = covers.lightest([*members, feature], without, price)
            if found is None:
                break
            if _is_enough(around, found, covers, rows):
                best = found
        (members if feature in best else without).append(feature)
    return best


def _is_enough(around: Around, members: Sequence[int], covers: Covers, rows: Rows) -> bool:
    """Return whether a set of features is enough; where it is not, add a row that says so."""
    checkpoint()
    region = around.region(members)
    behind = np.flatnonzero(around.comparisons.behind_in(region)).tolist()
    for pair in behind:
        instance = around.comparisons.instance_behind(pair, region)
        row = rows.of(pair, instance)
        if row is None or float(row.gives[list(members)].sum()) >= row.needs:
            gives = np.zeros(len(around.row))
            gives[_one_of(around, instance)] = 1.0
            row = Row(gives, 1.0)
        covers.add(*row)
    return not behind


def _one_of(around: Around, instance: Sequence[int]) -> list[int]:
    """Return features of which one must be kept: fewer changes of them than those given do not do it."""
    changed = [f for f, (own, other) in enumerate(zip(around.row, instance, strict=True)) if own != other]
    kept = np.ones((1, len(around.row)), dtype=bool)
    kept[0, changed] = False
    for feature in changed:
        kept[0, feature] = True
        kept[0, feature] = not around.stays(kept)[0]
    return np.flatnonzero(~kept[0]).tolist()


class Rows:
    """Makes rows of instances against which features are kept.

    Zeros count as margins that are larger than all others together, but no larger than needed.
    """

    def __init__(self, around: Around) -> None:
        self._row = around.row
        self._margins: Margins = around.comparisons.margins
        tables = self._margins.by_table
        finite = [np.where(np.abs(table) < FINITE, np.abs(table), 0.0) for table in tables]
        constant = self._margins.constant
        total = sum(float(table.max(initial=0.0)) for table in finite)
        total += float(np.where(np.abs(constant) < FINITE, np.abs(constant), 0.0).max(initial=0.0))
        decides = 2.0 * total + 1.0
        most = 2.0 * (len(tables) + 2) * decides
        self._tables = [
            (scope, _clipped(table, decides, most))
            for scope, table in zip(self._margins.tables.scopes, tables, strict=True)
            if scope  # what depends on no feature is part of the constant
        ]
        self._constant = _clipped(constant, decides, most)

    def of(self, pair: int, instance: Sequence[int]) -> Row | None:
        """Return the row of an instance at which the class is behind in a comparison.

        None where that is so by a tie at zero.
        """
        gives = np.zeros(len(self._row))
        margin, largest = float(self._constant[pair]), abs(float(self._constant[pair]))
        for scope, table in self._tables:
            entries = table[pair]
            here = float(entries[tuple(instance[f] for f in scope)])
            margin, largest = margin + here, largest + abs(here)
            moved = [place for place, f in enumerate(scope) if instance[f] != self._row[f]]
            for place in moved:
                gives[scope[place]] += self._most_given(entries, scope, instance, moved, place)
        error = float(self._margins.errors[pair]) + 1e-12 * largest
        return None if margin > error else Row(gives, -margin - 2.0 * error)

    def _most_given(
        self,
        entries: Floats,
        scope: Sequence[int],
        instance: Sequence[int],
        moved: Sequence[int],
        place: int,
    ) -> float:
        """Return the most that a table gains when a feature is kept, each other of its scope kept or not."""
        most = 0.0
        others = [at for at in moved if at != place]
        for keeps in product((False, True), repeat=len(others)):
            at = [instance[f] for f in scope]
            for other, keep in zip(others, keeps, strict=True):
                at[other] = self._row[scope[other]] if keep else at[other]
            before = float(entries[tuple(at)])
            at[place] = self._row[scope[place]]
            most = max(most, float(entries[tuple(at)]) - before)
        return most


def _clipped(table: Floats, decides: float, most: float) -> Floats:
    """Return margins with numbers of moderate size for zeros."""
    finite = np.abs(table) < FINITE
    return np.where(finite, table, np.where(table > 0, most, -decides))
