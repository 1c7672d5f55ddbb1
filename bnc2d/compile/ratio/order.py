"""In which order features are set: small boundaries in the middle, and features that change much first.

After the first stages, nodes are at most as many as the partial instances so far, and at most as many as the
blocks times the products of the stages that are left. Within a block, a node is an interval between two
inverses of the products that are left in which a product of the first stages lies. With ``p`` of these and
``s`` of those in a small range, ``p s / (p + s)`` such intervals are expected, and sums of many logarithms
are nearly normal: that gives the nodes of every level, mostly to a tenth, from means and variances alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import log, log2, pi, sqrt
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.ratio.factors import RatioFactor
from bnc2d.logic.domain import FeatureId
from bnc2d.model.elimination import connected_groups

Unit: TypeAlias = tuple[FeatureId, ...]  # features that are set together
Reals: TypeAlias = NDArray[np.float64]

# Points at which densities are compared, from so many deviations below to as many above.
_POINTS = np.linspace(0.0, 1.0, 65)
_DEVIATIONS = 4.0
_LOG_OF_NORMAL = log2(sqrt(2 * pi))
# A change of the order is tried for so many expected edges, and no more changes than that.
_EDGES_PER_TRIAL = 4_000
_MOST_TRIALS = 1_000
# An order counts as better from here on, so that rounding decides nothing.
_GAIN = 1 - 1e-6


def choose_order(factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> list[Unit]:
    """Return the features of each stage.

    1. The features of a factor that shares none with others are a stage, those of other factors one each.
    2. Within features that factors connect, the next one is that which leaves the smallest boundary, from
       the best first one; parts that are not connected follow each other by what they change.
    3. Where factors connect, features are moved while that makes the expected number of edges smaller.
    """
    parts: list[tuple[float, list[Unit]]] = []
    connected = False
    for group in connected_groups([factor.features for factor in factors]):
        own = [factors[number] for number in group]
        if len(own) == 1:
            units = [own[0].features] if own[0].features else []
        else:
            units, connected = _small_boundaries(own, cardinalities), True
        parts.append((_spread(own), units))
    parts.sort(key=lambda part: part[0], reverse=True)
    order = [unit for _, units in parts for unit in units]
    if connected:
        outlook = Outlook(order, factors, cardinalities)
        order = [order[number] for number in _improved(outlook, list(range(len(order))))]
    return order


class Outlook:
    """How many edges the nodes of an order of some units have, about."""

    def __init__(
        self, units: Sequence[Unit], factors: Sequence[RatioFactor], cardinalities: Sequence[int]
    ) -> None:
        unit_of = {feature: number for number, unit in enumerate(units) for feature in unit}
        factors = [factor for factor in factors if factor.features]
        self._sizes = np.array([log2(_states(unit, factors, cardinalities)) for unit in units])
        self._scopes = [sorted({unit_of[feature] for feature in factor.features}) for factor in factors]
        # Scopes padded by their first unit, so that they are an array.
        width = max(map(len, self._scopes), default=1)
        padded = [scope + scope[:1] * (width - len(scope)) for scope in self._scopes]
        self._units_of_factor = np.array(padded, dtype=np.intp).reshape(len(padded), width)
        moments = [_moments(factor) for factor in factors]
        self._means, self._variances = (np.array([pair[side] for pair in moments]) for side in (0, 1))

    def levels(self, order: Sequence[int], products: tuple[Reals, Reals] | None = None) -> Reals:
        """Return log2 of the number of nodes before each stage but the first, for units in this order.

        ``products`` are log2 of the numbers of products before it, and from it on, where they are known.
        """
        count = len(order)
        place = np.empty(count, dtype=np.intp)
        place[np.array(order, dtype=np.intp)] = np.arange(count)
        places = place[self._units_of_factor]
        complete = places.max(axis=1)
        mean: Reals = np.bincount(complete, self._means, count).astype(np.float64)
        variance: Reals = np.bincount(complete, self._variances, count).astype(np.float64)
        sizes = self._sizes[np.array(order, dtype=np.intp)]
        last = np.arange(count)  # by place: where the last factor of its unit is complete
        np.maximum.at(last, places.reshape(-1), np.repeat(complete, places.shape[1]))
        change = np.zeros(count + 1)
        np.add.at(change, np.arange(count), sizes)
        np.add.at(change, last, -sizes)
        boundary = np.cumsum(change)[: count - 1]
        above, total = np.cumsum(sizes)[:-1], float(sizes.sum())
        before, after = products or (above - boundary, total - above)
        first = _Normal.of(np.cumsum(mean)[:-1], np.cumsum(variance)[:-1], before)
        left = _Normal.of(np.cumsum(mean)[:-1] - mean.sum(), variance.sum() - np.cumsum(variance)[:-1], after)
        nodes: Reals = np.minimum(boundary + first.met(left), above)
        return nodes

    def edges(self, order: Sequence[int]) -> float:
        """Return the number of edges of all nodes."""
        sizes = self._sizes[np.array(order, dtype=np.intp)]
        return float(np.exp2(np.minimum(self.levels(order) + sizes[1:], 1000.0)).sum() + 2 ** sizes[0])


class _Normal:
    """Products whose logarithms are nearly normal: mean, deviation and log2 of their number, by level."""

    def __init__(self, mean: Reals, deviation: Reals, number: Reals) -> None:
        self.mean, self.deviation, self.number = mean, deviation, number

    @classmethod
    def of(cls, mean: Reals, variance: Reals, number: Reals) -> _Normal:
        return cls(mean, np.sqrt(np.maximum(variance, 1e-9)), number)

    def _log_density(self, points: Reals) -> Reals:
        away = (points - self.mean[:, None]) / self.deviation[:, None]
        height = self.number - np.log2(self.deviation) - _LOG_OF_NORMAL
        return np.asarray(height[:, None] - away**2 / (2 * log(2)))

    def met(self, other: _Normal) -> Reals:
        """Return log2 of the number of intervals of the other products in which some of these lie."""
        low = np.minimum(*(each.mean - _DEVIATIONS * each.deviation for each in (self, other)))
        high = np.maximum(*(each.mean + _DEVIATIONS * each.deviation for each in (self, other)))
        points = low[:, None] + (high - low)[:, None] * _POINTS
        one, two = self._log_density(points), other._log_density(points)
        less, more = np.minimum(one, two), np.maximum(one, two)
        met = less - np.log2(1 + np.exp2(less - more))  # log2 of p s / (p + s)
        top = met.max(axis=1)
        return np.asarray(top + np.log2(np.exp2(met - top[:, None]).mean(axis=1) * (high - low)))


def _improved(outlook: Outlook, order: list[int]) -> list[int]:
    """Move units to other places while that makes the expected number of edges smaller."""
    best = outlook.edges(order)
    rng = Random(0)  # noqa: S311 - a seeded search, the same on every run
    for _ in range(min(_MOST_TRIALS, int(best / _EDGES_PER_TRIAL))):
        checkpoint()
        moved = order[:]
        moved.insert(rng.randrange(len(order)), moved.pop(rng.randrange(len(order))))
        edges = outlook.edges(moved)
        if edges < best * _GAIN:
            order, best = moved, edges
    return order


def _small_boundaries(factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> list[Unit]:
    """Return the greedy order with the least expected number of edges, over all features to begin with."""
    scopes = [frozenset(factor.features) for factor in factors]
    units = [(feature,) for feature in sorted(frozenset().union(*scopes))]
    outlook = Outlook(units, factors, cardinalities)
    number = {unit[0]: position for position, unit in enumerate(units)}
    best: tuple[float, list[Unit]] | None = None
    for (start,), eager in product(units, (False, True)):
        checkpoint()
        features = greedy(start, scopes, cardinalities, eager)
        for order in (features, features[::-1]):
            edges = outlook.edges([number[feature] for feature in order])
            if best is None or edges < best[0] * _GAIN:
                best = edges, [(feature,) for feature in order]
    return [] if best is None else best[1]


def greedy(
    start: FeatureId, scopes: Sequence[frozenset[FeatureId]], cardinalities: Sequence[int], eager: bool
) -> list[FeatureId]:
    """Return the features from a first one on, each such that the boundary after it is smallest.

    Of several, ``eager`` takes the one with the fewest factors that are not complete.
    """
    open_scopes: dict[FeatureId, set[int]] = {}  # by feature: scopes that are not complete
    waiting = [set(scope) for scope in scopes]
    for number, scope in enumerate(scopes):
        for feature in scope:
            open_scopes.setdefault(feature, set()).add(number)
    order: list[FeatureId] = []
    near = {start}
    while open_scopes.keys() - set(order):
        near = near or open_scopes.keys() - set(order)

        def boundary(feature: FeatureId) -> tuple[float, int, FeatureId]:
            """Return how the boundary changes, as a logarithm."""
            complete = {number for number in open_scopes[feature] if waiting[number] == {feature}}
            change = log2(cardinalities[feature]) if open_scopes[feature] - complete else 0.0
            for other in {f for number in complete for f in scopes[number]} - {feature}:
                if open_scopes[other] <= complete:
                    change -= log2(cardinalities[other])
            return change, eager * len(open_scopes[feature]), feature

        chosen = min(near, key=boundary)
        order.append(chosen)
        near |= {f for number in open_scopes[chosen] for f in waiting[number]}
        near -= set(order)
        for number in list(open_scopes[chosen]):
            waiting[number].discard(chosen)
            if not waiting[number]:
                for other in scopes[number]:
                    open_scopes[other].discard(number)
    return order


def _states(unit: Unit, factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> int:
    """Return how many columns a unit has, at most."""
    own = [factor for factor in factors if set(factor.features) & set(unit)]
    if len(own) == 1 and own[0].features == unit:
        return len(own[0].columns)
    return int(np.prod([cardinalities[feature] for feature in unit]))


def _ratios(factor: RatioFactor) -> list[Fraction]:
    return [column for column in factor.columns if isinstance(column, Fraction)]


def logs_of(factor: RatioFactor) -> Reals:
    """Return the logarithms of a factor's ratios."""
    return np.array([_log(ratio) for ratio in _ratios(factor)])


def _moments(factor: RatioFactor) -> tuple[float, float]:
    """Return mean and variance of the logarithms of a factor's ratios, over its instances."""
    logs = logs_of(factor)  # ratios come first
    weights = np.bincount(factor.ids.reshape(-1), minlength=len(factor.columns))[: len(logs)]
    if not len(logs):
        return 0.0, 0.0
    mean = float(np.average(logs, weights=weights))
    return mean, float(np.average((logs - mean) ** 2, weights=weights))


def _spread(factors: Sequence[RatioFactor]) -> float:
    """Return how much factors can change the odds, as a logarithm for each bit of their different ratios.

    Diagrams are smallest where groups that change much and groups that change little are far apart.
    """
    change = bits = 0.0
    for ratios in map(_ratios, factors):
        if ratios:
            change += _log(max(ratios)) - _log(min(ratios))
            bits += log2(1 + len(ratios))
    return change / bits if bits else 0.0


def _log(ratio: Fraction) -> float:
    return log2(ratio.numerator) - log2(ratio.denominator)
