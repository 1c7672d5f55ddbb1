"""The least set of features that meets all of some sets, which are only found where one is not met.

Sufficient reasons are the minimal sets that meet every necessary one, and the other way round (Ignatiev,
Previti, Liffiton and Marques-Silva 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, TypeAlias

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.explain.keys import Keys
from bnc2d.logic.domain import FeatureId

if TYPE_CHECKING:
    from pysat.examples.rc2 import RC2

# Given features, return a set to be met that has none of them, or None where all are met.
Missed: TypeAlias = Callable[[list[FeatureId]], list[FeatureId] | None]


def least_meeting(missed: Missed, keys: Keys, budget: Budget) -> list[FeatureId]:
    """Return the set with the least key that meets all, none of them empty; raises OutOfTime.

    One of least weight and size comes first; then, feature by feature in order, the search is repeated with
    the feature as a member, which stays where that costs no more.
    """
    seen: list[list[FeatureId]] = []
    best = _least_with([], missed, keys, budget, seen)
    cost = sum(keys.coarse[feature] for feature in best)
    members: list[FeatureId] = []
    for feature in range(len(keys.of)):
        if feature not in best:
            other = _least_with([*members, feature], missed, keys, budget, seen)
            if sum(keys.coarse[f] for f in other) > cost:
                continue
            best = other
        members.append(feature)
        if len(members) == len(best):
            break
    return best


def _least_with(
    members: list[FeatureId], missed: Missed, keys: Keys, budget: Budget, seen: list[list[FeatureId]]
) -> list[FeatureId]:
    """Return the least set, by weight and size, that has these members and meets all.

    1. Find the least set that meets those ``seen`` so far, by MaxSAT (RC2).
    2. Take sets that it misses, each disjoint from it and from those before, until none is left.
    3. If there was none, the set meets all, and nothing less does.
    """
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    formula.extend([[feature + 1] for feature in members])
    formula.extend([[feature + 1 for feature in one] for one in seen])
    for feature, key in enumerate(keys.coarse):
        formula.append([-feature - 1], weight=key)
    with RC2(formula) as solver:
        while True:
            chosen = [variable - 1 for variable in _solve(solver, budget) if variable > 0]
            met = list(chosen)
            while (one := missed(met)) is not None:
                budget.check()
                seen.append(one)
                solver.add_clause([feature + 1 for feature in one])
                met += one
            if len(met) == len(chosen):
                return chosen


def _solve(solver: RC2, budget: Budget) -> list[int]:
    """Return the best model; a timer interrupts the solver at the limit."""
    budget.check()
    left = budget.left()
    timer = Timer(TIMEOUT_MAX if left is None else left, solver.interrupt)
    timer.start()
    try:
        best: list[int] | None = solver.compute(expect_interrupt=True)
    finally:
        timer.cancel()
        timer.join()
    if best is None:
        raise OutOfTime(budget)
    return best
