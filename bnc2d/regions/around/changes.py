"""How far a margin falls by changes of an instance that cost so much at most: elimination with prices.

Every message of the elimination has one more axis, the *levels*: ascending costs, and the least margin that
changes of at most that cost can lead to below. A level is left out where it is no better than the one before
in any entry, so there are as many as there are costs that matter: with equal prices, one for each number of
changes (Nemhauser and Ullmann 1969 do the same for a knapsack, which naive Bayes is). Trees of clusters are
joined two by two, so that another price of one feature changes few messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.regions.margins import Margins

Costs: TypeAlias = NDArray[Any]  # int64, or objects where sums are longer
Table: TypeAlias = NDArray[Any]  # [pair, *features]; floats to add up, or fractions to multiply

# Entries of a message with its levels.
MOST_ENTRIES = 1 << 25


class May(Enum):
    """What a feature may do: stay as it is, change at its price, or change for nothing."""

    STAY = auto()
    PAY = auto()
    CHANGE = auto()


class Levels(NamedTuple):
    """The least margins, ``[pair, *features, level]``, at ascending costs, the first of which is nothing."""

    costs: Costs
    values: Table


class Changes:
    """The least margins of an instance's changes; ``tables`` are those of the clusters of ``margins``.

    ``combine`` joins their entries, ``np.add`` or ``np.multiply``. Changes that cost more than ``most`` are
    of no interest.
    """

    def __init__(
        self,
        margins: Margins,
        tables: Sequence[Table],
        combine: np.ufunc,
        row: Sequence[int],
        prices: Sequence[int],
        most: int,
    ) -> None:
        self._margins, self._tables, self._combine = margins, tables, combine
        self._row, self._prices, self._most = row, prices, most
        self._dtype = np.dtype(np.int64 if 2 * sum(prices) < 2**62 else object)
        self._may = [May.PAY] * len(row)
        self._above = {
            child: number for number, one in enumerate(margins.clusters) for child, _, _ in one.children
        }
        self._home = {f: number for number, one in enumerate(margins.clusters) for f in one.goes}
        self._pairs: list[tuple[int, int]] = []  # what is joined to a message that comes after the clusters
        last = list(margins.roots)
        while len(last) > 1:
            number = len(margins.clusters) + len(self._pairs)
            self._above.update(dict.fromkeys(last[:2], number))
            self._pairs.append((last[0], last[1]))
            last = [*last[2:], number]
        self._last = last
        self._known: dict[int, Levels] = {}

    def let(self, feature: int, may: May) -> None:
        """Say what a feature may do."""
        if self._may[feature] != may:
            self._may[feature] = may
            number = self._home.get(feature)
            while number is not None and self._known.pop(number, None) is not None:
                number = self._above.get(number)

    def least(self) -> Levels:
        """Return the least margins of all changes, but for the constant, ``[pair, level]``."""
        if not self._last:
            none = np.zeros((len(self._margins.pairs), 1), dtype=np.float64)
            return Levels(np.zeros(1, dtype=self._dtype), none if self._combine is np.add else none + 1)
        waiting = [self._last[0]]
        while waiting:
            number = waiting[-1]
            below = [child for child in self._below(number) if child not in self._known]
            if not below:
                checkpoint()
                self._known[waiting.pop()] = self._computed(number)
            waiting += below
        return self._known[self._last[0]]

    def _below(self, number: int) -> Sequence[int]:
        clusters = self._margins.clusters
        if number < len(clusters):
            return [child for child, _, _ in clusters[number].children]
        return self._pairs[number - len(clusters)]

    def _computed(self, number: int) -> Levels:
        clusters = self._margins.clusters
        if number >= len(clusters):
            one, other = self._pairs[number - len(clusters)]
            return self._joined(self._known[one], self._known[other])
        cluster, row = clusters[number], self._row
        found = Levels(np.zeros(1, dtype=self._dtype), self._tables[number][..., None])
        for child, axes, shape in cluster.children:
            below = self._known[child]
            values = below.values.transpose(0, *(1 + axis for axis in axes), len(axes) + 1)
            values = values.reshape(len(values), *shape, len(below.costs))
            found = self._joined(found, Levels(below.costs, values))
        for feature in reversed(cluster.goes):  # the last axis but the levels
            own = found.values[..., row[feature], :]
            if self._may[feature] == May.STAY:
                found = Levels(found.costs, own)
                continue
            least = np.minimum.reduce(found.values, axis=-2)
            if self._may[feature] == May.CHANGE:
                found = Levels(found.costs, least)
                continue
            costs = np.concatenate([found.costs, found.costs + self._prices[feature]])
            found = self._sorted(costs, np.concatenate([own, least], axis=-1))
        return found

    def _joined(self, one: Levels, other: Levels) -> Levels:
        entries = one.values.size * max(1, other.values.size // max(1, one.values[..., 0].size))
        if max(entries, one.values.size, other.values.size) > MOST_ENTRIES:
            raise LimitExceeded(
                "the nearest changes take tables with more than "
                f"2^{MOST_ENTRIES.bit_length() - 1} entries; give features the same weight, or compile"
            )
        checkpoint()
        costs = (one.costs[:, None] + other.costs).reshape(-1)
        values = self._combine(one.values[..., :, None], other.values[..., None, :])
        values = values.reshape(*values.shape[:-2], -1)
        few = min(len(one.costs), len(other.costs)) == 1
        return Levels(costs, values) if few else self._sorted(costs, values)

    def _sorted(self, costs: Costs, values: Table) -> Levels:
        """Return the levels of changes in any order."""
        order = np.argsort(costs, kind="stable")
        order = order[costs[order] <= self._most]
        checkpoint()  # here and below, as each step may go through many entries
        costs, values = costs[order], values.take(order, axis=-1)
        checkpoint()
        starts = np.flatnonzero(np.concatenate([[True], costs[1:] != costs[:-1]]))
        costs, values = costs[starts], np.minimum.reduceat(values, starts, axis=-1)
        checkpoint()
        np.minimum.accumulate(values, axis=-1, out=values)
        checkpoint()
        better = values[..., 1:] < values[..., :-1]
        kept = np.concatenate([[True], better.any(axis=tuple(range(better.ndim - 1)))])
        return Levels(costs[kept], values[..., kept])
