"""How many edges the diagram is going to have, mostly to a third.

Levels are those of ``order.Outlook``, which counts partial instances. Where factors share no features, these
are counted by their products: ratios of learnt tables are quotients of small numbers, and most of their
products are equal. So the products of the first factors are made, and those of the last, as far as they are
few; beyond, each factor leaves a smaller share of its products new, as the last ones did.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.ratio.factors import RatioFactor
from bnc2d.compile.ratio.order import Outlook, Reals, choose_order, logs_of

# At most this many products are made at a time.
_PRODUCTS = 1 << 20
# Logarithms are integers of so many parts of 1, so that sums are exact; equal products are this near.
_PARTS = 2.0**32
_EQUAL = 64


def expected_edges(factors: Sequence[RatioFactor], cardinalities: Sequence[int]) -> float:
    """Return about how many edges the nodes have."""
    factors = [factor for factor in factors if factor.features]
    order = choose_order(factors, cardinalities)
    if not order:
        return 0.0
    outlook = Outlook(order, factors, cardinalities)
    of_unit = {factor.features: logs_of(factor) for factor in factors}
    if of_unit.keys() != set(order):  # factors share features
        return outlook.edges(range(len(order)))
    stages = [of_unit[unit] for unit in order]
    levels = outlook.levels(range(len(order)), (_products(stages)[:-1], _products(stages[::-1])[-2::-1]))
    states = np.array([prod(cardinalities[feature] for feature in unit) for unit in order])
    return float(np.exp2(np.minimum(levels, 1000.0)) @ states[1:] + states[0])


def _products(stages: Sequence[Reals]) -> Reals:
    """Return log2 of the number of different products of the first, the first two, ... of some factors."""
    products = np.zeros(1, dtype=np.int64)
    new = shrinking = 1.0  # the share of the last factor's products that are new, and how that changes
    counts: list[float] = []
    exact = True
    for logs in stages:
        checkpoint()
        columns = max(1, len(logs))
        exact = exact and len(products) * columns <= _PRODUCTS
        if exact:
            before, products = len(products), _sums(products, logs)
            share = len(products) / (before * columns)
            new, shrinking = share, share / new
            counts.append(log2(len(products)))
        else:
            new *= min(1.0, shrinking)
            counts.append(counts[-1] + log2(max(1.0, columns * new)))
    return np.array(counts)


def _sums(products: NDArray[np.int64], logs: Reals) -> NDArray[np.int64]:
    """Return the different sums of an entry of each."""
    if not len(logs):
        return products
    parts = np.rint(logs * _PARTS).astype(np.int64)
    sums = np.sort((products[:, None] + parts).reshape(-1))
    return sums[np.diff(sums, prepend=sums[0] - 2 * _EQUAL) > _EQUAL]
