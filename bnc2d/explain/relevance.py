"""Which features matter: those that some sufficient reason has."""

from __future__ import annotations

from bnc2d.base.budget import Budget
from bnc2d.explain.feature_sets import FeatureSets
from bnc2d.explain.reasons import Case
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.diagrams import MOST_STEPS, TooLarge


def relevant(case: Case, time_limit: float | None) -> list[FeatureId]:
    """Return the features that some sufficient reason has: those on which "these are enough" depends.

    A BDD has a node for each of them. Where it grows too large, sufficient reasons are listed until they have
    all features that can matter, or there are no more.
    """
    with Budget(time_limit).limiting("relevance is not settled"):
        order = case.around.features
        try:
            diagrams, function = case.enough(MOST_STEPS)
            found = {order[level] for level in diagrams.levels(function)}
        except TooLarge:
            found = set()
            for features in FeatureSets(case, clauses=False):
                found.update(features)
                if found.issuperset(order):
                    break
        return sorted(found.union(case.critical_masks))
