"""The cheapest change of an instance that leads to another label, or to a class given; ties by the features.

Of changes that cost the same, those come first that change the earliest feature that is not changed by both.
Floats find a set of features to change that is no dearer than the best, since what is close to a tie counts
as changing the label; an exact question says whether it does. Where it does not, all is done in fractions.

That a class given is decided takes several comparisons at once. What each of them costs alone is a bound, and
sets of features are searched in their order, deeper and deeper (IDA*, Korf 1985), by that bound.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.around.changes import Changes, Levels, May
from bnc2d.regions.around.instance import Around
from bnc2d.regions.exact import ratio_tables
from bnc2d.regions.margins import Margins
from bnc2d.regions.observed import Comparisons, ObservedBounds
from bnc2d.regions.region import Label
from bnc2d.regions.search import Search


def nearest(around: Around, prices: Sequence[int], without: Collection[int] = ()) -> list[int] | None:
    """Return the instance with another label at the least price of changes, None where there is none.

    Features that are fixed, or of ``without``, do not change.
    """
    if around.is_enough(without):
        return None
    stay = around.fixed.union(without)
    features = _cheapest(around.row, _Floats(around.comparisons), prices, stay)
    if around.is_enough(_others(around, features)):  # a tie that floats cannot tell
        features = _cheapest(around.row, _Fractions(around.comparisons), prices, stay)
    changed = around.counterexample(_others(around, features))
    if changed is None:
        raise AssertionError("fractions find a set of features that can change the label")
    return changed


def lightest_kept(around: Around, prices: Sequence[int], critical: Collection[int]) -> list[int]:
    """Return the set of features that is enough at the least price, ``critical`` ones being in it anyway.

    There must be a single comparison, and features must be independent given the class: then it is the
    cheapest change, back to the instance, of the instance with the worst state of every feature.
    """
    most = sum(prices[feature] for feature in around.one_sufficient() if feature not in critical)
    for kind in (_Floats, _Fractions):
        numbers = kind(around.comparisons, ahead=True)
        row = list(around.row)
        for number, cluster in enumerate(numbers.margins.clusters):
            feature, table = cluster.goes[0], numbers.tables[number]
            if feature not in around.fixed:
                own, row[feature] = around.row[feature], int(np.argmax(table[0]))
                numbers.tables[number] = np.repeat(table[:, [row[feature]]], table.shape[1], axis=1)
                numbers.tables[number][:, own] = table[:, own]
        members = sorted([*critical, *_cheapest(row, numbers, prices, around.fixed, critical, most)])
        if around.is_enough(members):
            break
    return members


def towards(
    bounds: ObservedBounds, row: Sequence[int], fixed: Collection[int], label: Label, prices: Sequence[int]
) -> list[int] | None:
    """Return the instance of a class at the least price of changes, None where there is none.

    ``row`` is the instance to change, and has another label.
    """
    around = Around(bounds.of_class(label), row, fixed)
    search = Search(bounds.classifier, bounds)
    if search.find(around.region(()), {label}) is None:
        return None
    numbers: _Floats | _Fractions = _Floats(around.comparisons, ahead=True)
    limit = _Search(row, numbers, prices, sum(prices), fixed).cheapest()
    while limit is not None:
        found, limit = _within(limit, around, numbers, prices, search, label)
        if found is not None:
            return found
        if len(around.comparisons.others) == 1:  # it was a tie that floats cannot tell
            numbers = _Fractions(around.comparisons, ahead=True)
    raise AssertionError("some change leads to the class")


def _within(
    limit: int,
    around: Around,
    numbers: _Floats | _Fractions,
    prices: Sequence[int],
    search: Search,
    label: Label,
) -> tuple[list[int] | None, int | None]:
    """Return the first instance of the class within a price, else the least price that others cost."""
    costs = _Search(around.row, numbers, prices, sum(prices), around.fixed)
    members: list[int] = []
    beyond: list[int] = []
    position = 0
    while True:
        rest = costs.cheapest()
        spent = sum(prices[feature] for feature in members)
        if rest == 0:
            found = search.find(around.region(_others(around, members)), {label})
            if found is not None:
                return found, limit
        if rest is not None and rest + spent <= limit:
            later = [f for f in range(position, len(prices)) if f not in around.fixed]
            beyond += [spent + prices[feature] for feature in later if spent + prices[feature] > limit]
            feature = next((feature for feature in later if spent + prices[feature] <= limit), None)
            if feature is not None:
                costs.let(feature, May.CHANGE)
                members.append(feature)
                position = feature + 1
                continue
        elif rest is not None:
            beyond.append(spent + rest)
        if not members:
            return None, min(beyond, default=None)
        position = members.pop()
        for feature in range(position + 1, len(prices)):
            if feature not in around.fixed:
                costs.let(feature, May.PAY)
        costs.let(position, May.STAY)
        position += 1


def _others(around: Around, features: Collection[int]) -> list[int]:
    return [feature for feature in range(len(around.row)) if feature not in features]


class _Floats:
    """Logarithms, for which what is within their error counts as behind."""

    combine: np.ufunc = np.add

    def __init__(self, comparisons: Comparisons, *, ahead: bool = False) -> None:
        margins = self.margins = comparisons.margins
        sign = -1.0 if ahead else 1.0
        self.tables: list[NDArray[Any]] = []
        for cluster in margins.clusters:
            checkpoint()
            self.tables.append(-cluster.table if ahead else cluster.table)
        self._closest = (margins.errors - sign * margins.constant)[:, None]
        self.ahead = ahead

    def reached(self, levels: Levels) -> NDArray[np.bool_]:
        """Return at which levels the class may fall behind in some comparison, or be ahead in all."""
        reached = levels.values <= self._closest
        return np.asarray(reached.all(axis=0) if self.ahead else reached.any(axis=0))


class _Fractions:
    """Ratios, exactly."""

    combine: np.ufunc = np.multiply

    def __init__(self, comparisons: Comparisons, *, ahead: bool = False) -> None:
        self.margins, self.ahead = comparisons.margins, ahead
        tables, self._constants = ratio_tables(self.margins, comparisons.weights)
        self.tables: list[NDArray[Any]] = [1 / table for table in tables] if ahead else list(tables)

    def reached(self, levels: Levels) -> NDArray[np.bool_]:
        """Return at which levels the class falls behind in some comparison, or is ahead in all."""
        reached = np.zeros(levels.values.shape, dtype=bool)
        for place, (pair, constant) in enumerate(zip(self.margins.pairs, self._constants, strict=True)):
            ratios: list[Fraction] = (
                levels.values[place] * (1 / constant if self.ahead else constant)
            ).tolist()
            at_ties = pair.behind_at_ties != self.ahead
            reached[place] = [ratio < 1 or (ratio == 1 and at_ties) for ratio in ratios]
        return np.asarray(reached.all(axis=0) if self.ahead else reached.any(axis=0))


def _cheapest(
    row: Sequence[int],
    numbers: _Floats | _Fractions,
    prices: Sequence[int],
    stay: Collection[int],
    change: Collection[int] = (),
    most: int | None = None,
) -> list[int]:
    """Return the features of the cheapest change, without those that ``change`` for nothing.

    There must be one, of at most the price ``most`` where that is given. Its price is read off the
    elimination, for changes up to a price that is doubled until there is one. Then each feature in order is
    changed for nothing, to see whether that price is enough still.
    """
    left, most = None, min(prices) if most is None else most
    while left is None:
        left = _Search(row, numbers, prices, most, stay, change).cheapest()
        most *= 2
    search = _Search(row, numbers, prices, left, stay, change)
    members: list[int] = []
    for feature in range(len(row)):
        if left == 0:
            break
        if feature in stay or feature in change or prices[feature] > left:
            continue
        search.let(feature, May.CHANGE)
        price = search.cheapest()
        if price is None or price + prices[feature] > left:
            search.let(feature, May.STAY)
        else:
            members.append(feature)
            left -= prices[feature]
    return members


class _Search:
    """What the cheapest change costs, features being let to change or not."""

    def __init__(
        self,
        row: Sequence[int],
        numbers: _Floats | _Fractions,
        prices: Sequence[int],
        most: int,
        stay: Collection[int],
        change: Collection[int] = (),
    ) -> None:
        self._numbers = numbers
        self._most = most
        self._changes = Changes(numbers.margins, numbers.tables, numbers.combine, row, prices, most)
        self._zeros = [
            (scope, zero != np.array(row)[list(scope)])
            for scope, zero in ([] if numbers.ahead else _zeros(numbers.margins))
        ]
        self._own, self._prices = prices, list(prices)
        for feature in stay:
            self.let(feature, May.STAY)
        for feature in change:
            self.let(feature, May.CHANGE)

    def let(self, feature: int, may: May) -> None:
        """Say what a feature may do."""
        self._changes.let(feature, may)
        if may == May.CHANGE:
            self._prices[feature] = 0
        else:
            self._prices[feature] = self._own[feature] if may == May.PAY else self._most + 1

    def cheapest(self) -> int | None:
        """Return the least price at which what is sought may be reached; None where that is too much.

        All comparisons at once may take more.
        """
        levels = self._changes.least()
        found = np.flatnonzero(self._numbers.reached(levels))
        costs = [int(levels.costs[found[0]])] if found.size else []
        for scope, changed in self._zeros:
            prices = np.array([self._prices[feature] for feature in scope], dtype=object)
            costs.append(min((changed * prices).sum(axis=1)))
        return min([cost for cost in costs if cost <= self._most], default=None)


def _zeros(margins: Margins) -> list[tuple[tuple[int, ...], NDArray[np.intp]]]:
    """Return where the first class is zero and so falls behind, ``[entry, place in the scope]``, by scope."""
    return [(scope, np.argwhere(~positive.all(axis=0))) for scope, positive in margins.positive]
