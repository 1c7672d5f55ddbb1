"""One case under a constraint, where the same case without it has quicker ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bnc2d.base.budget import Budget
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.case import Kept
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import FeatureId
from bnc2d.regions.oracle import RegionOracle


class GivenCase(RegionCase):
    """An instance under a constraint; ``free`` is its case where all instances count.

    What keeps the label there keeps it here, and what changes it here changes it there.
    """

    def __init__(
        self,
        oracle: RegionOracle,
        free: RegionCase,
        labels: Collection[int],
        others: Collection[int],
        positions: Sequence[int],
        fixed: Collection[FeatureId],
    ) -> None:
        super().__init__(oracle, labels, others, positions, fixed)
        self._free = free

    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of a sufficient reason: of one without the constraint, those still needed.

        With ``tiers`` that one may have features that need not be, so that all are asked.
        """
        if tiers is not None:
            return super().one_sufficient(time_limit, tiers)
        budget = Budget(time_limit)
        enough = self._free.one_sufficient(budget.share(0.5).left())
        return self._given_up(enough.features, budget)

    def _least_necessary(self, keys: Keys, budget: Budget) -> list[FeatureId] | None:
        """Return the least without the constraint, where an allowed change of these features does it."""
        features = self._free.least_necessary(keys, budget.left())
        if features is None or self.outside(features) is not None:
            return features
        return super()._least_necessary(keys, budget)
