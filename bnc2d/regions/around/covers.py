"""The lightest sets of features that give enough in each of several rows: covering by branch and bound.

A row says how much each feature gives and how much is needed. Keeping or leaving features one by one, what
is still needed costs at least what it would if features could be kept in part (Dantzig 1957), in each row;
and at least as much as the cheapest features, as many as are needed if those that give most are kept. One
more row is a weighted sum of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]  # by feature

# Sums below this are exact in floats, and a bound may be rounded up to the next integer.
_EXACT = 2.0**40
# Bounds are held to be less than they are by this share where they may be off.
_SHARE = 1e-9
# Rounds of the weighting of rows.
_ROUNDS = 40


class Covers:
    """Sets of features that give enough in every row, by their prices, which are positive integers."""

    def __init__(self, prices: Sequence[int]) -> None:
        self._prices = list(prices)
        self._costs = np.array([float(price) for price in prices])
        self._exact = float(self._costs.sum()) < _EXACT
        self._cheapest = np.argsort(self._costs, kind="stable")
        self._given = np.zeros((0, len(prices)))
        self._needed = np.zeros(0)
        self._arrange()

    def add(self, gives: Floats, needs: float) -> None:
        """Add a row; what features give is not negative."""
        self._given = np.vstack([self._given, gives])
        self._needed = np.append(self._needed, needs)
        self._arrange()

    def _arrange(self) -> None:
        """Put the rows in the order in which bounds take features; one row more is all rows together."""
        self._gives, self._needs = self._given, self._needed
        positive = np.flatnonzero(self._needed > 0)
        if len(positive) > 1:
            share = self._given[positive] / self._needed[positive, None]
            weights = self._weights(share)
            self._gives = np.vstack([self._given, weights @ share])
            self._needs = np.append(self._needed, float(weights.sum()) * (1 - _SHARE))
        self._by_share = np.argsort(-self._gives / self._costs, axis=1, kind="stable")
        self._by_gift = np.argsort(-self._gives, axis=1, kind="stable")

    def _weights(self, share: Floats) -> Floats:
        """Return weights of rows, each of which needs 1, such that a cover of their sum in part costs most.

        A row that such a cover misses gets more weight (as in the subgradient method of Held and Karp 1971).
        """
        weights = best = np.full(len(share), 1.0 / len(share))
        most = -1.0
        for step in range(_ROUNDS):
            checkpoint()
            sums = weights @ share
            order = np.argsort(-sums / self._costs, kind="stable")
            reached = sums[order].cumsum()
            at = min(int(np.searchsorted(reached, 1.0)), len(order) - 1)
            part = np.ones(len(order))
            part[order[at + 1 :]] = 0.0
            if reached[at] > 1.0:
                part[order[at]] -= (reached[at] - 1.0) / sums[order[at]]
            price = float(part @ self._costs)
            if price > most:
                best, most = weights, price
            weights = weights * np.exp(np.clip(4.0 / (step + 2) * (1.0 - share @ part), -1.0, 1.0))
            weights = weights / weights.sum()
        return best

    def lightest(
        self, members: Collection[int] = (), without: Collection[int] = (), most: int | None = None
    ) -> list[int] | None:
        """Return the lightest cover with some members and without others; None where there is none.

        With ``most``, the first cover that is found of at most this price. The most promising choice is
        followed first (A*), of equal ones that which leaves less open.
        """
        kept, open_ = np.zeros(len(self._prices), dtype=bool), np.ones(len(self._prices), dtype=bool)
        kept[list(members)] = True
        open_[[*members, *without]] = False
        bound = self._bound(kept, open_)
        waiting = [] if bound is None else [(bound, 0, 0, kept, open_)]
        best: Mask | None = None
        limit = None if most is None else most + 1  # what is found is to cost less
        made = 0
        while waiting:
            checkpoint()
            bound, _, _, kept, open_ = heappop(waiting)
            if limit is not None and self._not_less(bound, limit):
                break
            feature = self._next(kept, open_)
            if feature is None:
                price = self._price(kept)
                if limit is None or price < limit:
                    best, limit = kept, price
                if most is not None and best is not None:
                    break
                continue
            for keep in (True, False):
                one, rest = kept.copy(), open_.copy()
                one[feature], rest[feature] = keep, False
                bound = self._bound(one, rest)
                if bound is not None and (limit is None or not self._not_less(bound, limit)):
                    made += 1
                    heappush(waiting, (bound, int(rest.sum()), made, one, rest))
        return None if best is None else np.flatnonzero(best).tolist()

    def _price(self, kept: Mask) -> int:
        return sum(self._prices[feature] for feature in np.flatnonzero(kept).tolist())

    def _not_less(self, bound: float, price: int) -> bool:
        """Return whether what costs at least the bound costs no less than a price."""
        return bound > price - 1 + 1e-3 if self._exact else bound * (1 - _SHARE) >= float(price)

    def _next(self, kept: Mask, open_: Mask) -> int | None:
        """Return the feature to decide next: what gives most where most is needed; None: it is a cover."""
        left = self._needs - self._gives @ kept
        row = int(left.argmax()) if len(left) else -1
        if row < 0 or left[row] <= 0:
            return None
        share = left / np.maximum(self._needs, 1e-300)
        row = int(np.where(left > 0, share, -1.0).argmax())
        return int(np.where(open_, self._gives[row], -1.0).argmax())

    def _bound(self, kept: Mask, open_: Mask) -> float | None:
        """Return what covers with these features, and others that are open, cost at least; None: no such."""
        spent = float(self._costs[kept].sum())
        left = self._needs - self._gives @ kept
        rows = np.flatnonzero(left > 0)
        if not rows.size:
            return spent
        gives = self._gives[rows] * open_
        if (gives.sum(axis=1) < left[rows] * (1 - 1e-12)).any():
            return None
        bound = self._in_part(gives, left[rows], self._by_share[rows])
        number = self._number(gives, left[rows], self._by_gift[rows])
        cheapest = self._costs[self._cheapest][open_[self._cheapest]]
        return spent + max(bound, float(cheapest[:number].sum()))

    def _in_part(self, gives: Floats, left: Floats, order: NDArray[np.intp]) -> float:
        sums = np.take_along_axis(gives, order, axis=1).cumsum(axis=1)
        costs = (self._costs[order] * (np.take_along_axis(gives, order, axis=1) > 0)).cumsum(axis=1)
        at = np.minimum((sums < left[:, None]).sum(axis=1), sums.shape[1] - 1)
        rows = np.arange(len(left))
        last = order[rows, at]
        over = np.maximum(sums[rows, at] - left, 0.0) / np.maximum(gives[rows, last], 1e-300)
        bounds = costs[rows, at] - np.minimum(over, 1.0) * self._costs[last]
        return float(bounds.max())

    def _number(self, gives: Floats, left: Floats, order: NDArray[np.intp]) -> int:
        """Return how many features are needed at least."""
        sorted_ = np.take_along_axis(gives, order, axis=1)
        sums = sorted_.cumsum(axis=1)
        short = (sums < left[:, None] * (1 - 1e-12)) & (sorted_ > 0)
        return int(min(short.sum(axis=1).max() + 1, gives.shape[1]))
