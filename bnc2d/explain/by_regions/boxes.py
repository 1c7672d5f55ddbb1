"""General reasons over the features of a reason, by questions about regions.

Over the features of a sufficient reason, a general one is a largest box of states around the instance in
which the label stays, whatever the other features are. Over those of a necessary reason it is the complement
of a largest box of other states that all change the label, the other features being as in the instance. The
states that a largest box lacks are the minimal sets of a monotone function, which can be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.explain.case import Masks
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.dualise import Words, minimal_sets
from bnc2d.regions.region import States

if TYPE_CHECKING:
    from bnc2d.explain.by_regions.case import RegionCase

# A state of a feature that is not the instance's own.
_State: TypeAlias = tuple[FeatureId, int]
# Which states, by their place in a list, each of several boxes has: [box, place].
_Chosen: TypeAlias = NDArray[np.bool_]


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
        states = [(feature, state) for feature in features for state in case.own_first[feature][1:]]
        if not self._clauses:  # a state that does not go with the instance's own goes with nothing
            alone = self._right(features, states, np.eye(len(states), dtype=bool))
            states = [state for state, right in zip(states, alone.tolist(), strict=True) if right]
        at_once = case.oracle.at_once
        bits = np.arange(at_once, dtype=np.uint64)

        def function(words: Words) -> Words:
            """Return whether the box without these states is right."""
            lacking = (words[: len(states), None] >> bits & np.uint64(1)).T.astype(bool)
            answers = self._right(features, states, ~lacking)
            return np.array([(answers.astype(np.uint64) << bits).sum()], dtype=np.uint64)

        for lacking in minimal_sets(function, range(len(states)), len(states), at_once):
            masks = {feature: case.instance_masks[feature] for feature in features}
            for place, (feature, state) in enumerate(states):
                if self._clauses == (place in lacking):
                    masks[feature] |= 1 << state
            if all(mask != case.domain.full(feature) for feature, mask in masks.items()):
                yield masks

    def _right(self, features: list[FeatureId], states: list[_State], chosen: _Chosen) -> _Chosen:
        """Return of each box whether the label stays all over it or, for clauses, changes all over it."""
        case = self._case
        distinct, inverse = np.unique(chosen, axis=0, return_inverse=True)
        if not len(distinct):
            return np.ones(len(chosen), dtype=bool)
        options: list[list[States]] = [
            [own if self._clauses or f in features else every] for f, (own, every) in enumerate(case.states)
        ]
        choices = np.zeros((len(distinct), len(options)), dtype=np.intp)
        empty = np.zeros(len(distinct), dtype=bool)
        for feature in features:
            places = [place for place, (other, _) in enumerate(states) if other == feature]
            sets, of_box = np.unique(distinct[:, places], axis=0, return_inverse=True)
            choices[:, feature] = of_box.reshape(-1)
            allowed = [[states[places[at]][1] for at in np.flatnonzero(row)] for row in sets]
            if self._clauses:
                empty |= np.array([not some for some in allowed])[choices[:, feature]]
            own = [case.positions[feature]]
            options[feature] = [
                np.array(sorted((some or own) if self._clauses else own + some), dtype=np.intp)
                for some in allowed
            ]
        answers = empty
        if not empty.all():
            ask = case.oracle.asking(case.others if self._clauses else case.labels, options)
            answers[~empty] = ask(choices[~empty])
        return np.asarray(answers[inverse.reshape(-1)])
