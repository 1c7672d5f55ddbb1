"""Rows: what keeping features gives back of a margin, against one instance with another label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from bnc2d.regions.around.covers import Floats
from bnc2d.regions.around.instance import Around
from bnc2d.regions.margins import FINITE, Margins


class Row(NamedTuple):
    """What keeping each feature gives at most, and what is needed, less by twice the ``error`` of both."""

    gives: Floats
    needs: float
    error: float


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
        return None if margin > error else Row(gives, -margin - 2.0 * error, error)

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
