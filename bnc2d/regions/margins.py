"""Margins: the least logarithm of the ratio of two classes over all instances of a region, by elimination.

The logarithm of the ratio is a sum over tables of features (``tables``), so its minimum over a region takes
one elimination of the features, each minimised over the states that the region allows (Dechter 1999, "Bucket
elimination"); exponential in the width of the tables only. Zeros are large numbers: an entry where the second
class is zero is out of the question, whatever the others, and one where only the first is zero decides.

Regions that are asked together are a *choice* among options for each feature, an option being a set of
states. What a question shares with the one before is not done again: a message of the elimination is computed
again for those regions whose choice differs below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, mask_of, positions, union
from bnc2d.errors import LimitExceeded
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.elimination import joined_tables, smallest_first
from bnc2d.regions.pairs import Pair
from bnc2d.regions.region import Region, States
from bnc2d.regions.tables import ClassTables

Values: TypeAlias = NDArray[np.float64]
Choices: TypeAlias = NDArray[np.intp]  # by region and feature: which option

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

    ``weights`` are the logarithms of those of the classes, -inf for none. ``errors`` bounds, for each pair,
    how far a finite margin may be off.
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
        margins = [_margin(logs, self.pairs) for logs in tables.logs]
        inside, left = joined_tables(scopes, joins)
        self.clusters: list[Cluster] = []
        for join, entering in zip(joins, inside, strict=True):
            stays, goes = tuple(positions(join.result)), tuple(positions(join.summed))
            order = (*stays, *goes)
            table = np.zeros((len(self.pairs), *(self.sizes[feature] for feature in order)))
            children = []
            for number in entering:
                if number < len(scopes):
                    table += _fitted(margins[number], tables.scopes[number], order)
                else:
                    scope = self.clusters[number - len(scopes)].stays
                    axes = tuple(sorted(range(len(scope)), key=lambda axis: order.index(scope[axis])))
                    shape = tuple(self.sizes[feature] if feature in scope else 1 for feature in order)
                    children.append((number - len(scopes), axes, shape))
            own = tuple(number for number in entering if number < len(scopes))
            self.clusters.append(Cluster(stays, goes, table, own, tuple(children)))
        self.roots = [number - len(scopes) for number in left if number >= len(scopes)]
        self.lone_tables = [number for number in left if number < len(scopes)]  # of no feature
        constant = np.array([weights[pair.first] - weights[pair.second] for pair in self.pairs])
        for number in self.lone_tables:
            constant = constant + margins[number]
        self.constant = np.clip(np.nan_to_num(constant, nan=OUT_OF_QUESTION), DECIDES, OUT_OF_QUESTION)
        self.errors = self._errors(tables, margins)
        self.positive = self._positive(weights)

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


def _margin(logs: Values, pairs: Sequence[Pair]) -> Values:
    """Return the logarithms of the ratios of pairs, ``[pair, *features]``."""
    if len(logs) == 1:  # all classes have this factor
        shared = np.where(np.isneginf(logs[0]), OUT_OF_QUESTION, 0.0)
        return np.broadcast_to(shared, (len(pairs), *shared.shape))
    firsts, seconds = logs[[pair.first for pair in pairs]], logs[[pair.second for pair in pairs]]
    zero, rival_zero = np.isneginf(firsts), np.isneginf(seconds)
    finite = np.where(zero, 0.0, firsts) - np.where(rival_zero, 0.0, seconds)
    return np.where(rival_zero, OUT_OF_QUESTION, np.where(zero, DECIDES, finite))


def _fitted(table: Values, scope: Sequence[int], order: Sequence[int]) -> Values:
    """Return the table with the axes of ``order``, of size 1 where the scope lacks a feature."""
    axes = sorted(range(len(scope)), key=lambda axis: order.index(scope[axis]))
    shape = [table.shape[1 + scope.index(feature)] if feature in scope else 1 for feature in order]
    return table.transpose(0, *(1 + axis for axis in axes)).reshape(len(table), *shape)


class Questions:
    """Asks for the margins of many regions, each a choice of one option for every feature."""

    def __init__(self, margins: Margins, options: Sequence[Sequence[States]]) -> None:
        self._margins = margins
        self._options = options
        self._asked: Choices | None = None
        self._messages: list[Values] = []

    @cached_property
    def _lone(self) -> tuple[list[int], Values]:
        """Features that nothing goes with, and the least margins of their options, the pairs last."""
        clusters = [
            cluster
            for number, cluster in enumerate(self._margins.clusters)
            if number in self._margins.roots and not cluster.children and len(cluster.goes) == 1
        ]
        features = [cluster.goes[0] for cluster in clusters]
        most = max([len(self._options[feature]) for feature in features], default=0)
        least = np.zeros((len(features), most, len(self._margins.pairs)))
        for place, (feature, cluster) in enumerate(zip(features, clusters, strict=True)):
            for option, states in enumerate(self._options[feature]):
                least[place, option] = cluster.table[:, states].min(axis=1)
        return features, least

    def region(self, choice: NDArray[np.intp]) -> Region:
        """Return the region that is chosen."""
        return [options[at] for options, at in zip(self._options, choice.tolist(), strict=True)]

    def least(self, choices: Choices) -> Values:
        """Return the least margin of every region and pair.

        It is above ``FINITE`` where the second class is impossible all over the region, and below ``-FINITE``
        where the first one falls behind because it is impossible somewhere.
        """
        features, lone = self._lone
        margins = self._margins
        total = lone[np.arange(len(features)), choices[:, features]].sum(axis=1) + margins.constant
        alone = set(features)
        rest = [number for number, cluster in enumerate(margins.clusters) if alone.isdisjoint(cluster.goes)]
        if rest:
            self._update(choices, rest)
            for number in margins.roots:
                if number in rest:
                    total += self._messages[number]
        for scope, positive in margins.positive:
            kept = positive[None].astype(np.float64)
            for feature in reversed(scope):
                kept = self._minimised(kept, self._options[feature], choices[:, feature])
            total[np.broadcast_to(kept == 0, total.shape)] = DECIDES
        return np.asarray(total)

    def _update(self, choices: Choices, rest: list[int]) -> None:
        clusters = self._margins.clusters
        if self._asked is None or len(self._asked) != len(choices):
            self._messages = [np.empty(0)] * len(clusters)
            for number in rest:
                cluster = clusters[number]
                shape = [self._margins.sizes[feature] for feature in cluster.stays]
                self._messages[number] = np.empty((len(choices), len(self._margins.pairs), *shape))
            changed = np.ones(choices.shape, dtype=bool)
        else:
            changed = choices != self._asked
        self._asked = None  # in case a limit ends this half-way
        some: NDArray[np.bool_] = np.asarray(changed.any(axis=0))
        dirty: dict[int, NDArray[np.bool_]] = {}
        for number in rest:
            cluster = clusters[number]
            touched = [changed[:, feature] for feature in cluster.goes if some[feature]]
            touched += [dirty[child] for child, _, _ in cluster.children if child in dirty]
            if not touched:
                continue
            checkpoint()
            dirty[number] = np.asarray(np.array(touched).any(axis=0))
            regions = np.flatnonzero(dirty[number])
            self._messages[number][regions] = self._message(cluster, choices, regions)
        self._asked = choices.copy()

    def _message(self, cluster: Cluster, choices: Choices, regions: NDArray[np.intp]) -> Values:
        values = cluster.table[None]
        for child, axes, shape in cluster.children:
            message = self._messages[child][regions]
            message = message.transpose(0, 1, *(2 + axis for axis in axes))
            values = values + message.reshape(*message.shape[:2], *shape)
        for feature in reversed(cluster.goes):
            values = self._minimised(values, self._options[feature], choices[regions, feature])
        return values

    def _minimised(self, values: Values, options: Sequence[States], chosen: NDArray[np.intp]) -> Values:
        """Return the minimum over the last axis, for each region over the states of the option chosen."""
        used = np.flatnonzero(np.bincount(chosen, minlength=len(options)))
        found = [(option, options[option]) for option in used.tolist()]
        if len(found) == 1:
            return _least(values, found[0][1])
        values = np.broadcast_to(values, (len(chosen), *values.shape[1:]))
        answer = np.empty(values.shape[:-1])
        for option, states in found:
            which = np.flatnonzero(chosen == option)
            answer[which] = _least(values[which], states)
        return answer


def _least(values: Values, states: States) -> Values:
    if len(states) == 1:
        return values[..., states[0]]
    chosen = values if len(states) == values.shape[-1] else values[..., states]
    least: Values = chosen.min(axis=-1)
    return least
