"""One case where hidden variables are in the way: one sufficient reason, guessed first and proved then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.case import Kept
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import FeatureId
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.around.guesses import Guesses
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.oracle import RegionOracle

# Shares of the time that is left: for guessing, for proving what was guessed, for each proof after it, for
# single features.
_GUESSING, _WHOLE, _PART, _SINGLE = 0.3, 0.75, 0.3, 0.15


class HiddenCase(RegionCase):
    """An instance of one class."""

    def __init__(
        self,
        oracle: RegionOracle,
        bounds: HiddenBounds,
        labels: Collection[int],
        others: Collection[int],
        positions: Sequence[int],
        fixed: Collection[FeatureId],
    ) -> None:
        super().__init__(oracle, labels, others, positions, fixed)
        self._bounds = bounds
        self._one: Kept | None = None

    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of a sufficient reason, and those of them that are not proved to be needed.

        It is found once, unless time was short or there are ``tiers``.
        """
        if tiers is not None:
            return self._guessed_and_proved(time_limit, tiers)
        if self._one is None or self._one.unproved:
            self._one = self._guessed_and_proved(time_limit, None)
        return self._one

    def _guessed_and_proved(self, time_limit: float | None, tiers: Tiers | None) -> Kept:
        """Return the features of a sufficient reason, and those of them that are not proved to be needed.

        With ``tiers``, what can be given up of the last tier is settled before the tier before it.
        """
        budget = Budget(time_limit)
        label = min(self.labels)  # under a constraint there is one more, of instances that do not count
        rivals = [other if other < self._bounds.classes else NO_CLASS for other in self.others]
        guesses = Guesses(self._bounds, label, rivals, self.positions, self.states, self._is_other)
        groups = [self.movable] if tiers is None else tiers.groups()
        free: list[FeatureId] = []
        unproved: list[FeatureId] = []
        for group, share in zip(groups, budget.shares(len(groups)), strict=True):
            members = [feature for feature in self.movable if feature in group]
            free, late = self._give_up(members, free, guesses, share)
            unproved += late
        kept = [feature for feature in self.movable if feature not in free]
        return Kept(kept, [f for f in kept if f in unproved and not guesses.needed(f, free)])

    def _give_up(
        self, members: list[FeatureId], free: list[FeatureId], guesses: Guesses, budget: Budget
    ) -> tuple[list[FeatureId], list[FeatureId]]:
        """Return the ``free`` features and those of some more that can be given up, and those not settled.

        1. Features that cost least are given up while nothing is found that changes the label (``Guesses``).
        2. That the rest is enough is proved at once. A witness against it says which feature to take back.
        3. Where the time for that ends, as many of the features, in the order in which they were given up,
           are given up as can be proved, by bisection.
        4. What is left of the time goes to single features that are not proved to be needed.
        """
        freed = list(free)
        proved = len(free)  # so many of those freed are known to be dispensable together
        with suppress(TimeLimitExceeded), budget.share(_GUESSING).limiting("nothing is guessed"):
            guesses.give_up(members, freed)
        with suppress(TimeLimitExceeded), budget.share(_WHOLE).limiting("the reason is not proved"):
            while not self._is_proved(freed, guesses):
                guesses.give_up(members, freed)
            proved = len(freed)
        too_many = len(freed)  # for these no proof was found
        while proved + 1 < too_many and budget.left() != 0:
            middle = (proved + too_many) // 2
            with suppress(TimeLimitExceeded), budget.share(_PART).limiting("the reason is not proved"):
                if self._is_proved(freed[:middle], guesses):
                    proved = middle
                    continue
            too_many = middle
        return self._singly(members, freed[:proved], guesses, budget)

    def _is_other(self, instance: list[int]) -> bool:
        return int(self.oracle.labels(np.array([instance], dtype=np.intp))[0]) in self.others

    def _is_proved(self, freed: list[FeatureId], guesses: Guesses) -> bool:
        """Return whether features are dispensable together; if not, take one of them back."""
        found = self._known[False].some(self.around(freed))
        if found is None:
            return True
        guesses.add_witness(found)
        changed = set(self.changed(found))
        freed.remove([feature for feature in freed if feature in changed][-1])
        return False

    def _singly(
        self, members: list[FeatureId], freed: list[FeatureId], guesses: Guesses, budget: Budget
    ) -> tuple[list[FeatureId], list[FeatureId]]:
        """Give up more of the members, one at a time, as far as the time goes."""
        free = list(freed)
        waiting = [f for f in members if f not in free and not guesses.needed(f, free)]
        while waiting:
            unproved = []
            for left, feature in zip(range(len(waiting), 0, -1), reversed(waiting), strict=True):
                if guesses.needed(feature, free):
                    continue
                try:
                    with budget.share(max(1 / left, _SINGLE)).limiting("the region is not decided"):
                        if self._is_proved(tried := [*free, feature], guesses):
                            free = tried
                except TimeLimitExceeded:
                    unproved.append(feature)
            waiting = [f for f in sorted(unproved) if not guesses.needed(f, free)]
            if budget.left() == 0:
                break
        return free, waiting
