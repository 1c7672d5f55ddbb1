"""Regions that bounds leave open are split at the features that matter most, until all is settled.

Regions that have come about by the same splits are a *group*: they are split at the same feature, chosen by
what bounds become of a few of them (strong branching; Applegate, Bixby, Chvátal and Cook, "Finding cuts in
the TSP", 1995), and their messages are computed together. Groups are looked at depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions.messages.message import Indices, Unknown, Values
from bnc2d.regions.odds.few import MOST_WORK
from bnc2d.regions.odds.passes import Choices, NodeId, OddsPasses
from bnc2d.regions.region import Region, States, instances

# Given instances as rows, one that is looked for, or None.
Look: TypeAlias = Callable[[Rows], list[int] | None]
# Given a region, an instance of it that is looked for, if one is met by changing one feature after another.
Climb: TypeAlias = Callable[[Region], list[int] | None]
# What is to be shown of all instances of a region: for one of the lists, each of its pairs holds. A pair, of
# classes by their places and a weight, holds where the first times the weight is less than the second.
Claim: TypeAlias = Sequence[Sequence[tuple[int, int, float]]]

# More than the rounding errors of a weight and of the last product.
_MARGIN = 1e-12
# How many features are tried again a level deeper; all are from time to time.
_SHORTLIST, _ALL_AFTER = 12, 4
# Numbers of all messages of a group together.
_MOST_NUMBERS = 1 << 24
_MOST_REGIONS = 512


@dataclass
class _Group:
    choices: Choices
    bounds: Values  # below 1 where the claim is shown
    free: list[int]  # columns of features that are not split yet
    shortlist: list[int]
    meeting: NodeId
    depth: int


class Branching:
    """Shows a claim for all of a region, or finds an instance that ``look`` looks for.

    ``settled`` is the share of the region that is done. Regions of at most ``few`` instances are looked at
    instance by instance, and so are others where no feature is left to split.
    """

    def __init__(self, passes: OddsPasses, claim: Claim, look: Look, climb: Climb, few: int) -> None:
        self._passes = passes
        self._claim = claim
        self._look = look
        self._climb = climb
        self._few = few
        # Then what holds for two messages holds for their sums, too.
        self._linear = len(claim) == 1
        self.settled = 0.0

    def find(self, region: Region, free: Sequence[int]) -> list[int] | None:
        """Return an instance that is looked for, or None where the claim is shown or there is none.

        ``free`` are the columns of the features that matter and have several states.
        """
        self._region = region
        self._whole = prod(len(region[column]) for column in free)
        # Each state alone, or else all of them.
        self._options: list[list[States]] = [
            [*allowed.reshape(-1, 1), allowed] if column in set(free) else [allowed]
            for column, allowed in enumerate(region)
        ]
        if self._whole <= self._few:
            return self._look(_rows(region, free))
        if self._takes_little(region):
            found, is_all = self._enumerated(region)
            if found is not None or is_all:
                return found
        most = max(4, min(_MOST_REGIONS, _MOST_NUMBERS // max(1, self._passes.numbers)))
        every = np.array([len(options) - 1 for options in self._options], dtype=np.intp)
        start, bounds = self._best_meeting(every)
        if bounds < 1:
            return None
        groups = [_Group(every[None], np.array([bounds]), list(free), list(free), start, 0)]
        looked = 0
        while groups:
            checkpoint()
            group = groups.pop()
            size = prod(len(region[column]) for column in group.free)
            if size * len(group.choices) <= self._few or not group.free:
                found = self._one_by_one(group)
                if found is not None:
                    return found
                continue
            if self._takes_little(self._region_of(group.choices[0]), len(group.choices)):
                found, group = self._all_enumerated(group)
                if found is not None:
                    return found
                if not len(group.choices):
                    continue
            if len(group.choices) > most:
                group, rest = _parted(group, most)
                groups.append(rest)
            looked += 1
            if looked & (looked - 1) == 0:  # now and then
                found = self._climb(self._region_of(group.choices[0]))
                if found is not None:
                    return found
            smaller = self._split(group)
            if smaller is not None:
                groups.append(smaller)
        return None

    def _takes_little(self, region: Region, count: int = 1) -> bool:
        """Return whether the instances of a region, or of as many like it, can be enumerated."""
        return (
            self._passes.root > 0
            and count * self._passes.few.work(region, extremes=self._linear) <= MOST_WORK
        )

    def _enumerated(self, region: Region) -> tuple[list[int] | None, bool]:
        """Look at all instances of a region; return one that is looked for, and if the claim is shown."""
        few, linear = self._passes.few, self._linear
        worst, instance = -1.0, None
        margin = 1.0 + 16 * few.roundings[-1] * UNIT_ROUNDOFF
        try:
            for totals, choice in few.totals(region, extremes=linear):
                values = self._values(_ratios(totals)) * margin
                place = int(values.argmax())
                if values[place] > worst:
                    worst, instance = float(values[place]), choice[place].tolist()
            if worst < 1 or instance is None:
                return None, True
            row = few.instance(region, instance, extremes=linear)
        except Unknown:
            return None, False
        return self._look(np.array([row], dtype=np.intp)), False

    def _all_enumerated(self, group: _Group) -> tuple[list[int] | None, _Group]:
        """Enumerate the regions of a group; return an instance looked for, and the regions that are left."""
        left = []
        for place, choice in enumerate(group.choices):
            found, is_shown = self._enumerated(self._region_of(choice))
            if found is not None:
                return found, group
            if not is_shown:
                left.append(place)
        self._settle(len(group.choices) - len(left), group.free)
        return None, replace(group, choices=group.choices[left], bounds=group.bounds[left])

    def _best_meeting(self, choice: Indices) -> tuple[NodeId, float]:
        """Return the edge that gives the least bound for a region."""
        everywhere = self._passes.bounds_everywhere(choice, self._options)
        edges = list(everywhere)
        values = self._values(np.stack([everywhere[edge] for edge in edges]))
        best = int(values.argmin())
        return edges[best], float(values[best])

    def _values(self, bounds: Values) -> Values:
        """Return how far the claim is shown: below 1 where it is."""
        size = bounds.shape[2]

        def of_pair(first: int, second: int, weight: float) -> Values:
            ratios = bounds[:, (first - second) % size - 1, second]
            with np.errstate(over="ignore", invalid="ignore"):  # infinity times zero says nothing
                values = ratios * weight * (1.0 + _MARGIN)
            return np.where(np.isinf(ratios), np.inf, values)

        nothing = np.zeros(len(bounds))
        lists = [np.max([nothing, *(of_pair(*pair) for pair in pairs)], axis=0) for pairs in self._claim]
        return np.asarray(np.min(lists, axis=0))

    def _split(self, group: _Group) -> _Group | None:
        """Split a group at the feature that brings most; return what is left of it."""
        if group.depth:  # else it is the best one already
            group.meeting = self._best_meeting(group.choices[0])[0]
        features = group.free if group.depth % _ALL_AFTER == 0 else group.shortlist
        ranked = self._ranked(group, features or group.free)
        feature = ranked[0]
        states = len(self._region[feature])
        choices = np.repeat(group.choices, states, axis=0)
        choices[:, feature] = np.tile(np.arange(states), len(group.choices))
        bounds = self._passes.bounds(choices, self._options, group.meeting)
        values = np.minimum(self._values(bounds), np.repeat(group.bounds, states))
        free = [column for column in group.free if column != feature]
        self._settle(int((values < 1).sum()), free)
        left = np.flatnonzero(values >= 1)
        if not left.size:
            return None
        left = left[np.argsort(-values[left], kind="stable")]
        return _Group(
            choices[left], values[left], free, ranked[1 : 1 + _SHORTLIST], group.meeting, group.depth + 1
        )

    def _ranked(self, group: _Group, features: Sequence[int]) -> list[int]:
        """Return features, the best first: those for which least is left to show after a split."""
        rows = sorted({0, len(group.choices) // 2})
        tried, places = [], []
        for row in rows:
            for feature in features:
                for state in range(len(self._region[feature])):
                    choice = group.choices[row].copy()
                    choice[feature] = state
                    tried.append(choice)
                    places.append((row, feature))
        values = self._values(self._passes.bounds(np.array(tried), self._options, group.meeting))
        left = dict.fromkeys(features, 0.0)
        for (row, feature), value in zip(places, values.tolist(), strict=True):
            left[feature] += float(np.log(max(1.0, min(value, group.bounds[row], 1e300))))
        return sorted(features, key=left.__getitem__)

    def _settle(self, regions: int, free: Sequence[int]) -> None:
        if regions:
            size = prod(len(self._region[column]) for column in free)
            self.settled += regions * size / self._whole

    def _one_by_one(self, group: _Group) -> list[int] | None:
        for choice in group.choices:
            checkpoint()
            found = self._look(_rows(self._region_of(choice), group.free))
            if found is not None:
                return found
        self._settle(len(group.choices), group.free)
        return None

    def _region_of(self, choice: Indices) -> Region:
        return [options[at] for options, at in zip(self._options, choice.tolist(), strict=True)]


def _ratios(totals: Values) -> Values:
    """Return the ratios ``[row, step, class]`` of the class so many steps on and the class."""
    classes = totals.shape[1]
    ratios = np.empty((len(totals), classes - 1, classes))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for step in range(1, classes):
            on = np.roll(totals, -step, axis=1)
            ratios[:, step - 1] = np.where(on == 0, 0.0, on / totals)
    return ratios


def _parted(group: _Group, most: int) -> tuple[_Group, _Group]:
    one, rest = (
        replace(group, choices=group.choices[some], bounds=group.bounds[some])
        for some in (slice(most), slice(most, None))
    )
    return one, rest


def _rows(region: Region, free: Sequence[int]) -> Rows:
    """Return the instances of a region, but one only for all that differ in features that are not free."""
    return instances([allowed if column in free else allowed[:1] for column, allowed in enumerate(region)])
