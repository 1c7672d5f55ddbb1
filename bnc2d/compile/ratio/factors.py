"""What the odds of two classes are a product of: factors over features, from the tables of the network.

With every feature observed, only hidden variables connect tables. Summing them out of a group of tables
leaves a function of the target and the features that the group mentions; where the target has two states,
that is the ratio of the second class to the first for each instance of these features. The variables of naive
Bayes, TAN and k-dependence networks are observed, and each of their tables is a factor of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, mask_of, positions
from bnc2d.base.readers.instances import all_rows
from bnc2d.base.records import record
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import connected_groups, eliminate, smallest_first
from bnc2d.model.factors import Factor, multiply_out

# A ratio of the second class to the first, or minus the set of impossible classes: -1, -2, or -3 for both.
Column: TypeAlias = Fraction | int
Integers: TypeAlias = NDArray[np.int64]

# At most this many entries of a table of a group.
_MAX_TABLE = 1 << 18


def column_of(first: Fraction | int, second: Fraction | int) -> Column:
    """Return what the probabilities of both classes say."""
    return Fraction(second) / first if first and second else -(first == 0) - 2 * (second == 0)


def impossible(column: Column) -> int:
    """Return the set of classes that a column makes impossible: 1 for the first, 2 for the second, or 3."""
    return -column if isinstance(column, int) else 0


def times(left: Column, right: Column) -> Column:
    """Return what two columns say together."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    return -(impossible(left) | impossible(right))


@record
class RatioFactor:
    """Columns by instance of some features: ``columns[ids[x]]``, with an axis for each feature."""

    features: tuple[FeatureId, ...]
    columns: tuple[Column, ...]
    ids: Integers


@record
class TableGroup:
    """Tables that hidden variables connect: their scopes, what is summed out, and the features."""

    cpts: tuple[CPT, ...]
    scopes: tuple[Mask, ...]
    summed: Mask
    features: tuple[FeatureId, ...]


class Groups:
    """The groups of tables of a classifier with two classes; ``fit`` says whether none is too large.

    Groups that do not mention the target are left out where they have no zeros, as they cancel.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        self._classifier, network = classifier, classifier.network
        self._ids = {name: position for position, name in enumerate(network.names)}
        self._counts = StateCounts([len(variable) for variable in network.variables])
        place = {self._ids[name]: feature for feature, name in enumerate(classifier.features)}
        target, observed = 1 << self._ids[classifier.target], mask_of(place)
        kept = network.ancestors([classifier.target, *classifier.features])
        cpts = [network.cpt(name) for name in network.names if name in kept]
        scopes = [mask_of([self._ids[variable.name] for variable in cpt.scope]) for cpt in cpts]
        hidden = [positions(scope & ~observed & ~target) for scope in scopes]
        self.groups: list[TableGroup] = []
        for tables in connected_groups(hidden):
            mentioned = mask_of([v for table in tables for v in positions(scopes[table])])
            if not mentioned & target and not any(0 in cpts[table].exact for table in tables):
                continue
            features = sorted(place[v] for v in positions(mentioned & observed))
            summed = mentioned & ~observed & ~target
            own = tuple(cpts[table] for table in tables)
            own_scopes = tuple(scopes[table] for table in tables)
            self.groups.append(TableGroup(own, own_scopes, summed, tuple(features)))

    @property
    def fit(self) -> bool:
        """Whether no table is too large on the way to a factor."""
        return all(self._fits(group) for group in self.groups)

    def _fits(self, group: TableGroup) -> bool:
        sizes = self._classifier.feature_variables
        if prod(len(sizes[feature]) for feature in group.features) > _MAX_TABLE:
            return False
        joins = smallest_first(group.scopes, group.summed, self._counts.count)
        return all(self._counts.count(join.scope) <= _MAX_TABLE for join in joins)

    def factor(self, group: TableGroup) -> RatioFactor:
        """Return what a group says about the target."""
        variables = [self._classifier.feature_variables[feature] for feature in group.features]
        rows = np.concatenate(list(all_rows(variables))) if variables else np.zeros((1, 0), dtype=np.intp)
        column = {self._ids[variable.name]: number for number, variable in enumerate(variables)}
        tables = [Factor.of_cpt(cpt, self._ids, np.dtype(object), rows, column) for cpt in group.cpts]
        joins = smallest_first(group.scopes, group.summed, self._counts.count)

        def multiply(some: list[Factor], gone: Mask) -> Factor:
            checkpoint()
            return multiply_out(some, positions(gone))

        whole = multiply(eliminate(tables, group.scopes, joins, multiply), 0)
        entries = whole.table.reshape(len(whole.table), -1)  # by pattern and, where it is mentioned, by class
        said = []
        for pair in zip(entries[:, 0].tolist(), entries[:, -1].tolist(), strict=True):
            checkpoint()
            said.append(column_of(*pair))
        columns, ids = distinct_columns(said)
        shape = [len(variable) for variable in variables]
        by_row = np.broadcast_to(ids[whole.pattern_of_row], prod(shape)).reshape(shape)
        return RatioFactor(group.features, columns, by_row)


def distinct_columns(columns: Sequence[Column]) -> tuple[tuple[Column, ...], Integers]:
    """Return the different columns, ratios first, and which each column is."""
    different = sorted(set(columns), key=lambda column: (isinstance(column, int), column))
    place = {column: number for number, column in enumerate(different)}
    return tuple(different), np.array([place[column] for column in columns], dtype=np.int64)
