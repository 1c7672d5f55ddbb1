"""The features of all sufficient, or of all necessary, reasons, one after another as they are found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.dualise import Words, minimal_sets

if TYPE_CHECKING:
    from bnc2d.explain.by_regions.case import RegionCase


class RegionSets:
    """Gives the features of reasons (see ``FeatureSets``).

    The first sufficient reason is the one that giving up features leads to, within half of the time; so only
    that one can have features that are not proved to be needed.
    """

    ordered = False

    def __init__(self, case: RegionCase, *, clauses: bool) -> None:
        self.unproved: Sequence[FeatureId] = ()
        self._case = case
        self._clauses = clauses

    def within(self, budget: Budget) -> Iterator[list[FeatureId]]:
        """Yield one set after another."""
        first = None
        if not self._clauses:
            first, self.unproved = self._case.one_sufficient(budget.share(0.5).left())
            yield first
            self.unproved = ()
        yield from budget.within(members for members in self._found() if members != first)

    def _found(self) -> Iterator[list[FeatureId]]:
        case, at_once = self._case, self._case.at_once(clauses=False)
        bits = np.arange(at_once, dtype=np.uint64)

        def function(words: Words) -> Words:
            """Return whether these are enough or, for clauses, whether they can change the label."""
            members = (words[:, None] >> bits & np.uint64(1)).T.astype(bool)
            answers = ~case.stays(~members) if self._clauses else case.stays(members)
            return np.array([(answers.astype(np.uint64) << bits).sum()], dtype=np.uint64)

        return minimal_sets(function, case.in_order, len(case.positions), at_once)
