"""What a network says of its classes, as tables over features alone.

The joint probability of a class and an instance is a product of tables. Hidden variables are summed out
first, where that takes products of few entries only; then each table is over features and perhaps the target.
Tables without the target are the same for all classes: they cancel where classes are compared, but for their
zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.masks import Mask, StateCounts, VariableId, mask_of, positions, union
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import eliminate, smallest_first
from bnc2d.model.factors import Factor, multiply_out
from bnc2d.model.inference import independent_parts

# By class, then by the state of each feature of a table; a table that all classes share has one class.
Logs: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.object_]

# Hidden variables are summed out of products of at most this many entries.
MOST_ENTRIES = 1 << 16


class HiddenVariables(Exception):  # noqa: N818 - says what stands in the way
    """Summing the hidden variables out takes tables that are too large."""


class ClassTables:
    """The tables of a classifier over its features, and what they hold: for each, an array in the lists.

    ``scopes`` has the features of each table, by position, ascending. ``logs`` has the logarithms of the
    entries, -inf for zeros; a finite one is off by at most the table's number in ``errors``. ``integers`` has
    the entries themselves, up to a positive factor that is one for the table; it is made when first asked
    for. Raises ``HiddenVariables``.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        network = classifier.network
        self._ids = {name: position for position, name in enumerate(network.names)}
        self._target = self._ids[classifier.target]
        self._column = {self._ids[name]: column for column, name in enumerate(classifier.features)}
        own, *others = independent_parts(network, classifier.target, classifier.features)
        self._cpts = [*own, *(cpt for part in others if has_zero(part) for cpt in part)]
        self._scopes = [mask_of(self._ids[variable.name] for variable in cpt.scope) for cpt in self._cpts]
        counts = StateCounts([len(variable) for variable in network.variables])
        hidden = union(self._scopes) & ~mask_of([self._target, *self._column])
        self._joins = smallest_first(self._scopes, hidden, counts.count, MOST_ENTRIES)
        if hidden & ~union([join.summed for join in self._joins]):
            raise HiddenVariables
        possible = self._left(np.bool_)
        values = self._left(np.float64)
        kept = [
            number
            for number, table in enumerate(possible)
            if self._target in table.scope or not table.table.all()
        ]
        self._kept = kept
        self.scopes = [self._features(possible[number]) for number in kept]
        self.logs: list[Logs] = []
        self.errors: list[float] = []
        for place, number in enumerate(kept):
            logs, error = self._logarithms(values[number], self._by_class(possible[number]), place)
            self.logs.append(logs)
            self.errors.append(error)

    @cached_property
    def integers(self) -> list[Integers]:
        """The entries as integers."""
        tables = self._left(np.dtype(object))
        return [self._by_class(tables[number]) for number in self._kept]

    def _left(self, dtype: Any) -> list[Factor]:
        """Return the tables without hidden variables, in one order for every kind of entries."""
        factors = [Factor.of_cpt(cpt, self._ids, dtype) for cpt in self._cpts]
        return eliminate(factors, self._scopes, self._joins, _multiply)

    def _features(self, table: Factor) -> tuple[int, ...]:
        return tuple(sorted(self._column[variable] for variable in table.scope if variable != self._target))

    def _by_class(self, table: Factor) -> NDArray[Any]:
        """Return the entries ``[class, *features in order]``."""
        order: list[VariableId] = sorted(
            (variable for variable in table.scope if variable != self._target), key=self._column.__getitem__
        )
        entries: NDArray[Any] = table.over([self._target, *order])[0]
        return entries

    def _logarithms(self, table: Factor, possible: NDArray[np.bool_], place: int) -> tuple[Logs, float]:
        """Return the logarithms of the entries and how far they may be off."""
        entries = self._by_class(table)
        logs = np.full(entries.shape, -np.inf)
        roundings = table.account.roundings
        if table.trusted.all():
            np.log(entries, out=logs, where=possible)
        else:
            logs[possible] = [log(entry) for entry in self.integers[place][possible].tolist()]
            roundings = 1
        largest = float(np.abs(logs[possible]).max(initial=0.0))
        return logs, (2.0 * roundings + 4.0 * largest + 4.0) * UNIT_ROUNDOFF


def _multiply(tables: list[Factor], summed: Mask) -> Factor:
    return multiply_out(tables, positions(summed))


def has_zero(cpts: Iterable[CPT]) -> bool:
    """Return whether some entry of the tables is zero."""
    return any(not cpt.values.all() and not cpt.exact.all() for cpt in cpts)
