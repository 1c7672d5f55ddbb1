"""One case, answered by questions about the regions around the instance."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.errors import NotCompiledError, TimeLimitExceeded
from bnc2d.explain.by_regions.boxes import RegionBoxes
from bnc2d.explain.by_regions.feature_sets import RegionSets
from bnc2d.explain.by_regions.known import Known
from bnc2d.explain.case import Case, Kept
from bnc2d.explain.changes.prices import Prices
from bnc2d.explain.hitting_sets import least_meeting
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers, from_the_last
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.dualise import Words, minimal_sets
from bnc2d.regions.oracle import Asking, RegionOracle, one_by_one
from bnc2d.regions.region import Region, States, parts


class RegionCase(Case):
    """An instance that has one of some ``labels``, and not one of the ``others``."""

    def __init__(
        self,
        oracle: RegionOracle,
        labels: Collection[int],
        others: Collection[int],
        positions: Sequence[int],
        fixed: Collection[FeatureId],
    ) -> None:
        self.oracle = oracle
        self.labels = frozenset(labels)
        self.others = frozenset(others)
        self.positions = tuple(positions)
        self.fixed = frozenset(fixed)

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self.oracle.domain

    @cached_property
    def movable(self) -> list[FeatureId]:
        """The features that can change."""
        sizes = enumerate(self.domain.cardinalities)
        return [feature for feature, size in sizes if size > 1 and feature not in self.fixed]

    @cached_property
    def states(self) -> list[tuple[States, States]]:
        """For every feature the instance's own state, and all states that it may have."""
        own = [np.array([position], dtype=np.intp) for position in self.positions]
        every = [np.arange(size) for size in self.domain.cardinalities]
        return [(own[f], own[f] if f in self.fixed else every[f]) for f in range(len(own))]

    @cached_property
    def _known(self) -> dict[bool, Known]:
        """What is known of where the label changes, and (True) of where it stays."""
        return {False: Known(self.oracle, self.others), True: Known(self.oracle, self.labels)}

    def at_once(self, *, clauses: bool) -> int:
        """Return how many regions are asked together as fast as one."""
        return self.oracle.at_once(self.others if clauses else self.labels)

    def asking(self, options: Sequence[Sequence[States]], *, clauses: bool) -> Asking:
        """Return what says of regions whether the label stays all over them or (``clauses``) changes."""
        if self.at_once(clauses=clauses) > 1:
            return self.oracle.asking(self.others if clauses else self.labels, options)
        known = self._known[clauses]
        return one_by_one(lambda region: known.some(region) is None, options)

    def along(self, region: Region, feature: FeatureId, *, clauses: bool) -> NDArray[np.bool_]:
        """Return for each state that a region allows a feature whether it keeps or (``clauses``) changes."""
        if self.at_once(clauses=clauses) > 1:
            return self.oracle.along(self.others if clauses else self.labels, region, feature)
        known = self._known[clauses]
        return np.array([known.some(part) is None for part in parts(region, feature)], dtype=bool)

    @cached_property
    def _asking(self) -> Asking:
        return self.asking(self.states, clauses=False)

    def stays(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each set of features, ``kept[set, feature]``, whether keeping them keeps the label."""
        return self._asking((~kept).astype(np.intp))

    def is_enough(self, features: Collection[FeatureId]) -> bool:
        """Return whether keeping these features keeps the label."""
        kept = np.zeros((1, len(self.positions)), dtype=bool)
        kept[0, list(features)] = True
        return bool(self.stays(kept)[0])

    def around(self, free: Collection[FeatureId]) -> Region:
        """Return the instances that differ from this one in these features only."""
        return [self.states[f][f in free] for f in range(len(self.positions))]

    def outside(self, free: Collection[FeatureId]) -> list[int] | None:
        """Return an instance with another label that differs from this one in these features only."""
        return self.oracle.find(self.around(free), self.others)

    def changed(self, instance: Sequence[int]) -> list[FeatureId]:
        """Return the features in which an instance differs from this one."""
        pairs = enumerate(zip(self.positions, instance, strict=True))
        return [feature for feature, (own, other) in pairs if own != other]

    @cached_property
    def critical(self) -> list[FeatureId]:
        """The features that alone can change the label."""
        kept = np.ones((len(self.movable), len(self.positions)), dtype=bool)
        kept[np.arange(len(self.movable)), self.movable] = False
        stays = self.stays(kept).tolist() if self.movable else []
        return [feature for feature, same in zip(self.movable, stays, strict=True) if not same]

    def feature_sets(self, *, clauses: bool, tiers: Tiers | None = None) -> RegionSets:
        """Return the features of all reasons, as they are found."""
        return RegionSets(self, clauses=clauses, tiers=tiers)

    def minimal_sets(
        self, *, clauses: bool, without: Collection[FeatureId] = ()
    ) -> Iterator[list[FeatureId]]:
        """Yield the features of all sufficient, or of all necessary, reasons, as they are found.

        Those that have a feature of ``without`` are left out.
        """
        at_once = self.at_once(clauses=False)
        bits = np.arange(at_once, dtype=np.uint64)

        def function(words: Words) -> Words:
            """Return whether these are enough or, for clauses, whether they can change the label."""
            members = (words[:, None] >> bits & np.uint64(1)).T.astype(bool)
            answers = ~self.stays(~members) if clauses else self.stays(members)
            return np.array([(answers.astype(np.uint64) << bits).sum()], dtype=np.uint64)

        members = [feature for feature in self.movable if feature not in without]
        if clauses:  # the shortest take the smallest regions
            yield from ([feature] for feature in self.critical if feature not in without)
            members = [feature for feature in members if feature not in self.critical]
        yield from minimal_sets(function, members, len(self.positions), at_once)

    def boxes(self, *, clauses: bool) -> RegionBoxes:
        """Return the general reasons over the features of sufficient, or of necessary, ones."""
        return RegionBoxes(self, clauses=clauses)

    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of one sufficient reason: each is given up where those still kept are enough.

        They are asked from the last to the first (of ``tiers``, then in each), each within an even share of
        the time that is left. Where no answer comes, the feature is kept and asked again while there is time.
        """
        budget = Budget(time_limit)
        with suppress(TimeLimitExceeded), budget.limiting("nothing can be asked"):
            self.critical  # noqa: B018 - takes no share of a question, and what it finds answers many
        return self._given_up(self.movable, budget, tiers)

    def _given_up(self, enough: list[FeatureId], budget: Budget, tiers: Tiers | None = None) -> Kept:
        """Return those of some features, which are enough, that are needed, as far as the time goes."""
        kept = np.zeros((1, len(self.positions)), dtype=bool)
        kept[0, enough] = True
        waiting = enough
        while waiting:
            unproved = []
            asked = from_the_last(waiting, tiers)
            for feature, share in zip(asked, budget.shares(len(waiting)), strict=True):
                kept[0, feature] = False
                try:
                    with share.limiting("the region is not decided"):
                        kept[0, feature] = not self.stays(kept)[0]
                except TimeLimitExceeded:
                    kept[0, feature] = True
                    unproved.append(feature)
            waiting = sorted(unproved)
            if budget.left() == 0:
                break
        return Kept(np.flatnonzero(kept[0]).tolist(), waiting)

    def least_sufficient(self, keys: Keys, time_limit: float | None) -> list[FeatureId]:
        """Return the features of the sufficient reason with the least key."""
        budget = Budget(time_limit)
        with budget.limiting("no least sufficient reason"):
            return least_meeting(self._necessary_without, keys, budget)

    def least_necessary(self, keys: Keys, time_limit: float | None) -> list[FeatureId] | None:
        """Return the features of the necessary reason with the least key, or None where there is none."""
        budget = Budget(time_limit)
        with budget.limiting("no least necessary reason"):
            return self._least_necessary(keys, budget)

    def _least_necessary(self, keys: Keys, budget: Budget) -> list[FeatureId] | None:
        return None if self.is_enough([]) else least_meeting(self._sufficient_without, keys, budget)

    def _necessary_without(self, features: list[FeatureId]) -> list[FeatureId] | None:
        """Return the features of a necessary reason that has none of these; None where there is none."""
        known = self._known[False]
        found = known.some(self.around(set(self.movable).difference(features)))
        if found is None:
            return None
        changed = self.changed(found)
        for feature in reversed(changed):
            if feature in changed:
                fewer = known.some(self.around(set(changed) - {feature}))
                changed = changed if fewer is None else self.changed(fewer)
        return changed

    def _sufficient_without(self, features: list[FeatureId]) -> list[FeatureId] | None:
        """Return the features of a sufficient reason that has none of these; None where there is none."""
        kept = [feature for feature in self.movable if feature not in features]
        if not self.is_enough(kept):
            return None
        for feature in reversed(kept):
            fewer = [other for other in kept if other != feature]
            if self.is_enough(fewer):
                kept = fewer
        return kept

    def nearest(self, time_limit: float | None, prices: Prices | None = None) -> list[int] | None:
        """Return an instance with another label that differs in the fewest features; None: there is none."""
        budget = Budget(time_limit)
        keys = Keys(self.domain) if prices is None else prices.by_feature()
        with budget.limiting("the nearest change is not known"):
            features = self._least_necessary(keys, budget)
            return None if features is None else self.outside(features)

    def can_change(self, time_limit: float | None) -> bool:
        """Return whether some instance with the fixed features as they are has another label."""
        with Budget(time_limit).limiting("whether anything changes the decision is not known"):
            return not self.is_enough([])

    def relevant(self, time_limit: float | None) -> list[FeatureId]:
        """Return the features that some sufficient reason has; reasons are listed until no other can."""
        budget = Budget(time_limit)
        with budget.limiting("relevance is not settled"):
            found: set[FeatureId] = set()
            for features in self.feature_sets(clauses=True).within(Budget()):
                found.update(features)
                if len(found) == len(self.movable):
                    break
            return sorted(found)

    def solver(self) -> AbstractContextManager[RegionSolver]:
        """Return what asks the oracle for instances."""
        return nullcontext(RegionSolver(self))

    def count(self, **_kind: object) -> int:
        """Refuse: reasons can be listed only."""
        raise NotCompiledError("the number of reasons")

    @property
    def complete(self) -> NNF:
        """Refused: it is a formula."""
        raise NotCompiledError("the complete reason")

    @property
    def general(self) -> NNF:
        """Refused: it is a formula."""
        raise NotCompiledError("the general reason")


class RegionSolver:
    """Finds instances within masks that have, or have not, a label of the case."""

    def __init__(self, case: RegionCase) -> None:
        self._case = case

    def solve(self, masks: Mapping[FeatureId, StateMask], *, value: bool) -> list[int] | None:
        """Return an instance within the masks, as state positions, or None where there is none."""
        case = self._case
        region: Region = [
            np.array([state for state in range(size) if masks.get(feature, -1) >> state & 1], dtype=np.intp)
            for feature, size in enumerate(case.domain.cardinalities)
        ]
        return case.oracle.find(region, case.labels if value else case.others)
