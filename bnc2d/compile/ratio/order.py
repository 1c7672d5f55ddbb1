"""In which order features are set: small boundaries in the middle, and features that change much first.

After the first stages, nodes are at most as many as the partial instances so far, and at most as many as the
blocks times the products of the stages that are left. So what counts is the boundary where these two are even.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2

from bnc2d.compile.ratio.factors import RatioFactor
from bnc2d.logic.domain import FeatureId
from bnc2d.model.elimination import connected_groups


def choose_order(factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> list[tuple[FeatureId, ...]]:
    """Return the features of each stage.

    The features of a factor that shares none with others are a stage, those of other factors one each.
    """
    scopes = [factor.features for factor in factors]
    parts = []
    for group in connected_groups(scopes):
        own = [factors[number] for number in group]
        if not own[0].features:
            continue
        order = [own[0].features] if len(own) == 1 else _small_boundaries(own, cardinalities)
        parts.append((_spread(own), order))
    parts.sort(key=lambda part: part[0], reverse=True)
    return [features for _, order in parts for features in order]


def _small_boundaries(factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> list[tuple[FeatureId, ...]]:
    scopes = [frozenset(factor.features) for factor in factors]
    features = sorted(frozenset().union(*scopes))
    best = None
    for start in features:
        order = _greedy(scopes, features, start, cardinalities)
        cost = work(order, scopes, cardinalities)
        if best is None or cost < best[0]:
            best = (cost, order)
    return [(feature,) for feature in best[1]]


def _greedy(scopes, features, start, cardinalities):
    done, order = {start}, [start]
    while len(order) < len(features):
        near = {f for scope in scopes if scope & done for f in scope} - done or set(features) - done
        def cost(feature):
            new = done | {feature}
            left = {f for scope in scopes if not scope <= new for f in scope} & new
            return sum(log2(cardinalities[f]) for f in left), feature
        pick = min(near, key=cost)
        done.add(pick); order.append(pick)
    return order


def work(order, scopes, cardinalities):
    total = sum(log2(cardinalities[f]) for f in order)
    prefix, done, cost = 0.0, set(), 0.0
    for f in order:
        done.add(f)
        prefix += log2(cardinalities[f])
        left = {f for scope in scopes if not scope <= done for f in scope} & done
        boundary = sum(log2(cardinalities[f]) for f in left)
        cost += 2.0 ** min(prefix, boundary + total - prefix)
    return cost


def _spread(factors: Sequence[RatioFactor]) -> float:
    """Return how much factors can change the odds, as a logarithm for each bit of their different ratios.

    Diagrams are smallest where groups that change much and groups that change little are far apart.
    """
    change = bits = 0.0
    for factor in factors:
        ratios = [column for column in factor.columns if isinstance(column, Fraction)]
        if ratios:
            change += _log(max(ratios)) - _log(min(ratios))
            bits += log2(1 + len(ratios))
    return change / bits if bits else 0.0


def _log(ratio: Fraction) -> float:
    return log2(ratio.numerator) - log2(ratio.denominator)
