"""One case where no hidden variable is in the way: what elimination finds at once (``regions.around``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.case import Kept
from bnc2d.explain.changes.prices import Prices
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import FeatureId
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.least import least_sufficient
from bnc2d.regions.around.listing import necessary_sets, sufficient_sets
from bnc2d.regions.around.nearest import nearest, towards
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.oracle import RegionOracle


class ObservedCase(RegionCase):
    """An instance of one class, or one that is not in a class (the only one of ``others``)."""

    def __init__(
        self,
        oracle: RegionOracle,
        bounds: ObservedBounds,
        labels: Collection[int],
        others: Collection[int],
        positions: Sequence[int],
        fixed: Collection[FeatureId],
    ) -> None:
        super().__init__(oracle, labels, others, positions, fixed)
        self._bounds = bounds

    @cached_property
    def _around(self) -> Around | None:
        """What is known around an instance of one class."""
        label = min(self.labels)
        if len(self.labels) > 1 or label >= len(self._bounds.classifier.classes):
            return None
        return Around(self._bounds.of_class(label), self.positions, self.fixed)

    def minimal_sets(
        self, *, clauses: bool, without: Collection[FeatureId] = ()
    ) -> Iterator[list[FeatureId]]:
        """Yield the features of all sufficient, or of all necessary, reasons, as they are found."""
        around = self._around
        if around is None or (without and not clauses):
            return super().minimal_sets(clauses=clauses, without=without)
        if without:  # a necessary reason without features is one where they are fixed
            around = Around(around.comparisons, self.positions, self.fixed.union(without))
        return necessary_sets(around) if clauses else sufficient_sets(around)

    def stays(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each set of features, ``kept[set, feature]``, whether keeping them keeps the label."""
        return self._around.stays(kept) if self._around else super().stays(kept)

    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of one sufficient reason, giving up those first that cost least."""
        if self._around is None:
            return super().one_sufficient(time_limit, tiers)
        try:
            with Budget(time_limit).limiting("no reason"):
                return Kept(self._around.one_sufficient(tiers.groups() if tiers else None), [])
        except TimeLimitExceeded:
            return Kept(list(self.movable), list(self.movable))

    def least_sufficient(self, keys: Keys, time_limit: float | None) -> list[FeatureId]:
        """Return the features of the sufficient reason with the least key."""
        if self._around is None:
            return super().least_sufficient(keys, time_limit)
        with Budget(time_limit).limiting("no least sufficient reason"):
            return least_sufficient(self._around, keys.coarse)

    def least_necessary(self, keys: Keys, time_limit: float | None) -> list[FeatureId] | None:
        """Return the features of the necessary reason with the least key, or None where there is none."""
        with Budget(time_limit).limiting("no least necessary reason"):
            found = self.cheapest(keys.coarse)
            return None if found is None else self.changed(found)

    def nearest(self, time_limit: float | None, prices: Prices | None = None) -> list[int] | None:
        """Return an instance with another label that differs in the fewest features; None: there is none."""
        costs = [1] * len(self.positions) if prices is None else prices.by_feature().coarse
        with Budget(time_limit).limiting("the nearest change is not known"):
            return self.cheapest(costs)

    def moved(self, positions: Sequence[int], fixed: Collection[FeatureId]) -> ObservedCase:
        """Return the case of another instance that has one of the labels, too."""
        return ObservedCase(self.oracle, self._bounds, self.labels, self.others, positions, fixed)

    def cheapest(self, prices: list[int]) -> list[int] | None:
        """Return the instance with another label at the least price; of several, by the first feature."""
        if self._around is not None:
            return nearest(self._around, prices)
        (label,) = self.others
        return towards(self._bounds, self.positions, self.fixed, label, prices)
