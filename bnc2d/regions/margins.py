"""Margins: the least logarithm of the ratio of two classes over all instances of a region, by elimination.

The logarithm of the ratio is a sum over tables of features (``tables``), so its minimum over a region takes
one elimination of the features, each minimised over the states that the region allows (Dechter 1999, "Bucket
elimination"); exponential in the width of the tables only. Zeros are large numbers: an entry where the second
class is zero is out of the question, whatever the others, and one where only the first is zero decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.masks import Mask, StateCounts, mask_of, positions, union
from bnc2d.errors import LimitExceeded
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.elimination import joined_tables, smallest_first
from bnc2d.regions.pairs import Pair
from bnc2d.regions.tables import ClassTables

Values: TypeAlias = NDArray[np.float64]

# The second class is impossible there: larger than any sum of what may come against it.
OUT_OF_QUESTION = 1e300
# Only the first class is impossible there: less than any sum of logarithms.
DECIDES = -1e150
# Sums of logarithms are nearer to zero than this.
FINITE = 1e100
# Tables over the features have at most this many entries.
MOST_ENTRIES = 1 << 20


@dataclass(frozen=True)
class Cluster:
    """A step of the elimination: ``goes`` are minimised over, a message over ``stays`` is left.

    ``table`` is the sum of the ``tables`` that go in, ``[pair, *stays, *goes]``. ``children`` are the
    clusters whose messages go in, each with the order and the shape in which its axes fit.
    """

    stays: tuple[int, ...]
    goes: tuple[int, ...]
    table: Values
    tables: tuple[int, ...]
    children: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]


class Margins:
    """The elimination of all features from the margins of some pairs of classes.

    ``weights`` are the logarithms of those of the classes, -inf for none. ``by_table`` are the margins that
    each table adds, ``[pair, *features]``. ``errors`` bounds, for each pair, how far a finite margin may be
    off.
    """

    def __init__(
        self, tables: ClassTables, pairs: Sequence[Pair], weights: Sequence[float], sizes: Sequence[int]
    ) -> None:
        self.tables = tables
        self.pairs = list(pairs)
        self.sizes = list(sizes)
        scopes: list[Mask] = [mask_of(scope) for scope in tables.scopes]
        counts = StateCounts(self.sizes)
        joins = smallest_first(scopes, union(scopes), counts.count, MOST_ENTRIES)
        if union(scopes) & ~union([join.summed for join in joins]):
            raise LimitExceeded(
                f"the features depend on each other too much: a table would have more than 2^"
                f"{MOST_ENTRIES.bit_length() - 1} entries"
            )
        margins = self.by_table = [_margin(logs, self.pairs) for logs in tables.logs]
        inside, left = joined_tables(scopes, joins)
        self.clusters: list[Cluster] = []
        for join, entering in zip(joins, inside, strict=True):
            stays, goes = tuple(positions(join.result)), tuple(positions(join.summed))
            order = (*stays, *goes)
            own = tuple(number for number in entering if number < len(scopes))
            # Far from the target all classes have the same: one layer then serves all pairs.
            is_shared = all(len(tables.logs[number]) == 1 for number in own)
            layers = min(1, len(self.pairs)) if is_shared else len(self.pairs)
            table = np.zeros((layers, *(self.sizes[feature] for feature in order)))
            for number in own:
                table += fitted(margins[number][:layers], tables.scopes[number], order)
            children = []
            for number in entering:
                if number >= len(scopes):
                    scope = self.clusters[number - len(scopes)].stays
                    axes = tuple(sorted(range(len(scope)), key=lambda axis: order.index(scope[axis])))
                    shape = tuple(self.sizes[feature] if feature in scope else 1 for feature in order)
                    children.append((number - len(scopes), axes, shape))
            table = np.broadcast_to(table, (len(self.pairs), *table.shape[1:]))
            self.clusters.append(Cluster(stays, goes, table, own, tuple(children)))
        self.roots = [number - len(scopes) for number in left if number >= len(scopes)]
        self.lone_tables = [number for number in left if number < len(scopes)]  # of no feature
        constant = np.array([weights[pair.first] - weights[pair.second] for pair in self.pairs])
        for number in self.lone_tables:
            constant = constant + margins[number]
        self.constant = np.clip(np.nan_to_num(constant, nan=OUT_OF_QUESTION), DECIDES, OUT_OF_QUESTION)
        self.errors = self._errors(tables, margins)
        self.error_of_sums = _error_of_sums(tables, weights)
        self.positive = self._positive(weights)

    @property
    def is_threshold(self) -> bool:
        """Whether the label is decided by one sum, to which each feature adds: naive Bayes, two classes."""
        return len(self.pairs) == 1 and all(len(scope) < 2 for scope in self.tables.scopes)

    def _positive(self, weights: Sequence[float]) -> list[tuple[tuple[int, ...], NDArray[np.bool_]]]:
        """Return where first classes are positive, by table ``[pair, *features]``, of tables with zeros.

        A first class that is zero falls behind, where it does so at ties, whatever the second is.
        """
        matters = np.array([pair.behind_at_ties for pair in self.pairs], dtype=bool)
        firsts = [pair.first for pair in self.pairs]
        found: list[tuple[tuple[int, ...], NDArray[np.bool_]]] = []
        for scope, logs in zip(self.tables.scopes, self.tables.logs, strict=True):
            zero = np.isneginf(logs[firsts] if len(logs) > 1 else np.repeat(logs, len(firsts), axis=0))
            found.append((scope, ~(zero & matters.reshape(-1, *[1] * len(scope)))))
        weightless = np.array([weights[first] == -np.inf for first in firsts], dtype=bool)
        found.append(((), ~(matters & weightless)))
        return [(scope, positive) for scope, positive in found if not positive.all()]

    def _errors(self, tables: ClassTables, margins: list[Values]) -> Values:
        total, largest = 2.0 * sum(tables.errors), np.abs(self.constant) % OUT_OF_QUESTION + 1.0
        for table in margins:
            finite = np.where(np.abs(table) < FINITE, np.abs(table), 0.0)
            largest = largest + finite.max(axis=tuple(range(1, finite.ndim)))
        terms = len(margins) + len(self.clusters) + 4
        return total + 2.0 * terms * UNIT_ROUNDOFF * np.where(largest < FINITE, largest, 0.0)


def _error_of_sums(tables: ClassTables, weights: Sequence[float]) -> float:
    """Return how far a sum of the logarithms of a class, one entry a table, may be off if it is finite."""
    largest = 1.0 + max((abs(weight) for weight in weights if weight != -np.inf), default=0.0)
    for logs in tables.logs:
        largest += float(np.abs(logs).max(initial=0.0, where=np.isfinite(logs)))
    return 2.0 * sum(tables.errors) + 2.0 * (len(tables.logs) + 4) * UNIT_ROUNDOFF * largest


def _margin(logs: Values, pairs: Sequence[Pair]) -> Values:
    """Return the logarithms of the ratios of pairs, ``[pair, *features]``."""
    if len(logs) == 1:  # all classes have this factor
        shared = np.where(np.isneginf(logs[0]), OUT_OF_QUESTION, 0.0)
        return np.broadcast_to(shared, (len(pairs), *shared.shape))
    firsts, seconds = logs[[pair.first for pair in pairs]], logs[[pair.second for pair in pairs]]
    zero, rival_zero = np.isneginf(firsts), np.isneginf(seconds)
    finite = np.where(zero, 0.0, firsts) - np.where(rival_zero, 0.0, seconds)
    return np.where(rival_zero, OUT_OF_QUESTION, np.where(zero, DECIDES, finite))


def fitted(table: NDArray[Any], scope: Sequence[int], order: Sequence[int]) -> NDArray[Any]:
    """Return the table with the axes of ``order``, of size 1 where the scope lacks a feature."""
    axes = sorted(range(len(scope)), key=lambda axis: order.index(scope[axis]))
    shape = [table.shape[1 + scope.index(feature)] if feature in scope else 1 for feature in order]
    return table.transpose(0, *(1 + axis for axis in axes)).reshape(len(table), *shape)
