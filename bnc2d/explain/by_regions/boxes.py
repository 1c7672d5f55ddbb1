"""General reasons over the features of a reason, by questions about regions.

Over the features of a sufficient reason, a general one is a largest box of states around the instance in
which the label stays, whatever the other features are. Over those of a necessary reason it is the complement
of a largest box of other states that all change the label, the other features being as in the instance.

A box is right where the boxes with one state of a feature are, for each of its states. So one question along
a feature says which of its states go with a box, all of them together, and one pass over the features makes
a box as large as it can be. Other boxes lack other states: what they lack are the minimal sets of a monotone
function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.explain.case import Masks
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.dualise import Words, minimal_sets
from bnc2d.regions.region import Region, States

if TYPE_CHECKING:
    from bnc2d.explain.by_regions.case import RegionCase

_Box: TypeAlias = dict[FeatureId, States]  # the states of some features
_State: TypeAlias = tuple[FeatureId, int]


class RegionBoxes:
    """Gives the literals of general reasons (see ``Boxes``)."""

    ordered = False

    def __init__(self, case: RegionCase, *, clauses: bool) -> None:
        self._case = case
        self._clauses = clauses

    def over(self, features: list[FeatureId], budget: Budget) -> Iterator[Masks]:
        """Yield the general reasons over the features of a reason."""
        return budget.within(self._over(features))

    def _over(self, features: list[FeatureId]) -> Iterator[Masks]:
        case = self._case
        states = {f: np.array(case.own_first[f][self._clauses :], dtype=np.intp) for f in features}
        start = self._start(features)
        first = dict(start)
        for feature in reversed(features):
            first[feature] = self._going_with(first, feature, states[feature])
        yield self._masks(first)
        whole = states  # what does not go with the instance's own states goes with no box
        if not self._clauses:
            whole = {feature: self._going_with(start, feature, states[feature]) for feature in features}
        if all(len(first[feature]) == len(whole[feature]) for feature in features):
            return
        members: list[_State] = []
        for feature in features:
            always = self._going_with(whole, feature, whole[feature])
            kept = always if self._clauses else [*always, case.positions[feature]]
            members += [(feature, int(state)) for state in np.setdiff1d(whole[feature], kept)]
        for box in self._boxes(whole, members):
            if all(map(len, box.values())) and any(set(box[f]) != set(first[f]) for f in features):
                yield self._masks(box)

    def _start(self, features: list[FeatureId]) -> _Box:
        """Return a box of one instance: the one explained or, for clauses, one that they change."""
        case = self._case
        instance: Sequence[int] | None = case.outside(features) if self._clauses else case.positions
        if instance is None:
            raise AssertionError("the features of a necessary reason can change the label")
        return {feature: np.array([instance[feature]], dtype=np.intp) for feature in features}

    def _going_with(self, box: _Box, feature: FeatureId, states: States) -> States:
        """Return which of the states of a feature go with those that a box has of the others."""
        region = self._region({**box, feature: states})
        return states[self._case.along(region, feature, clauses=self._clauses)]

    def _region(self, box: _Box) -> Region:
        """Return the instances of a box; other features are free or, for clauses, as in the instance."""
        return [
            box.get(f, own if self._clauses else every) for f, (own, every) in enumerate(self._case.states)
        ]

    def _boxes(self, whole: _Box, members: list[_State]) -> Iterator[_Box]:
        """Yield the boxes that are right and lack a minimal set of the members."""
        at_once = self._case.at_once(clauses=self._clauses)
        bits = np.arange(at_once, dtype=np.uint64)
        places = {
            feature: [place for place, (other, _) in enumerate(members) if other == feature]
            for feature in whole
        }
        ascending = {feature: np.unique(states) for feature, states in whole.items()}
        where = {
            feature: np.searchsorted(ascending[feature], [members[place][1] for place in places[feature]])
            for feature in whole
        }

        def without(feature: FeatureId, lacking: NDArray[np.bool_]) -> States:
            """Return the states of a feature but for those that are lacking, by their places."""
            kept = np.ones(len(ascending[feature]), dtype=bool)
            kept[where[feature][lacking]] = False
            return ascending[feature][kept]

        def function(words: Words) -> Words:
            """Return which boxes are right: those that lack these members."""
            checkpoint()
            lacking = (words[: len(members), None] >> bits & np.uint64(1)).T.astype(bool)
            options = [[states] for states in self._region(whole)]
            choices = np.zeros((at_once, len(options)), dtype=np.intp)
            empty = np.zeros(at_once, dtype=bool)
            for feature in whole:
                sets = lacking[:, places[feature]]
                choices[:, feature], first = distinct_rows(sets.astype(np.int64))
                options[feature] = [without(feature, one) for one in sets[first]]
                empty |= np.array([not len(states) for states in options[feature]])[choices[:, feature]]
                options[feature] = [states if len(states) else whole[feature] for states in options[feature]]
            right = empty
            if not empty.all():
                right[~empty] = self._case.asking(options, clauses=self._clauses)(choices[~empty])
            return np.array([(right.astype(np.uint64) << bits).sum()], dtype=np.uint64)

        for found in minimal_sets(function, range(len(members)), len(members), at_once):
            lacking = np.isin(np.arange(len(members)), found)
            yield {feature: without(feature, lacking[places[feature]]) for feature in whole}

    def _masks(self, box: _Box) -> Masks:
        """Return the literals that a box stands for: those of a clause hold outside it."""
        full = self._case.domain.full
        masks = {feature: sum(1 << int(state) for state in states) for feature, states in box.items()}
        return {f: full(f) & ~mask if self._clauses else mask for f, mask in masks.items()}
