"""Minimal sets of features that are enough, by giving up one after another, for many instances at once.

Features that cost least come first. What a feature costs is how much of its margin over another class the
label loses when this feature alone is free, as a share of that margin, the largest share of all classes;
rounded, so that the last digits of floats do not decide, and of features that cost the same the last comes
first. Where two classes are compared and features are independent given them, no sufficient set is shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.margins import FINITE
from bnc2d.regions.observed import Comparisons
from bnc2d.regions.questions import Choices, Questions

Kept: TypeAlias = NDArray[np.bool_]  # [instance, feature]

# Costs are told apart by so many digits behind the point.
_DIGITS = 9
# Margins are held to be at least this, and at most its inverse.
_SMALL = 1e-6


def give_up(
    comparisons: Comparisons, questions: Questions, own: Choices, free: Choices, features: Sequence[int]
) -> Kept:
    """Return for each instance which of the features it keeps.

    ``own`` are the options that hold the instances' states alone, and ``free`` those that they are given up
    for; no other feature is given up, nor kept.
    """
    order = _order(questions, own, free, np.array(features, dtype=np.intp))
    choices, kept = own.copy(), np.zeros(own.shape, dtype=bool)
    everyone = np.arange(len(own))
    for column in order.T:
        checkpoint()
        choices[everyone, column] = free[everyone, column]
        needed = np.flatnonzero(comparisons.behind(questions, choices).any(axis=1))
        choices[needed, column[needed]] = own[needed, column[needed]]
        kept[needed, column[needed]] = True
    return kept


def _order(questions: Questions, own: Choices, free: Choices, features: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each instance the features, those that cost least first."""
    margins = np.clip(questions.least(own), _SMALL, FINITE)
    costs = np.empty((len(own), len(features)))
    choices = own.copy()
    for place, feature in enumerate(features.tolist()):
        choices[:, feature] = free[:, feature]
        lost = margins - np.clip(questions.least(choices), -FINITE, FINITE)
        costs[:, place] = (lost / margins).max(axis=1, initial=0.0)
        choices[:, feature] = own[:, feature]
    by_place = np.lexsort((-np.broadcast_to(features, costs.shape), np.round(costs, _DIGITS)))
    return features[by_place]
