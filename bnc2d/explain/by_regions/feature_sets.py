"""The features of all sufficient, or of all necessary, reasons, one after another as they are found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bnc2d.base.budget import Budget
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import FeatureId

if TYPE_CHECKING:
    from bnc2d.explain.by_regions.case import RegionCase


class RegionSets:
    """Gives the features of reasons (see ``FeatureSets``).

    The first sufficient reason is the one that giving up features leads to, within half of the time; so only
    that one can have features that are not proved to be needed. With tiers of features, the sets within the
    first tier follow, then those within the first two, and so on.
    """

    ordered = False

    def __init__(self, case: RegionCase, *, clauses: bool, tiers: Tiers | None = None) -> None:
        self.unproved: Sequence[FeatureId] = ()
        self._case = case
        self._clauses = clauses
        self._tiers = tiers

    def within(self, budget: Budget) -> Iterator[list[FeatureId]]:
        """Yield one set after another."""
        first = None
        if not self._clauses:
            first, self.unproved = self._case.one_sufficient(budget.share(0.5).left(), self._tiers)
            yield first
            self.unproved = ()
        yield from budget.within(members for members in self._sets() if members != first)

    def _sets(self) -> Iterator[list[FeatureId]]:
        tiers = self._tiers
        if tiers is None:
            return self._case.minimal_sets(clauses=self._clauses)
        return (
            members
            for tier in range(tiers.count)
            for members in self._case.minimal_sets(clauses=self._clauses, without=tiers.beyond(tier))
            if tiers.worst(members) == tier
        )
