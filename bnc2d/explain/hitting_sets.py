"""The least set of features that meets all of some sets, which are only found where one is not met.

Sufficient reasons are the minimal sets that meet every necessary one, and the other way round (Ignatiev,
Previti, Liffiton and Marques-Silva 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.keys import Keys
from bnc2d.logic.domain import FeatureId

if TYPE_CHECKING:
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

# Seconds between two looks at the limits.
_WAIT = 0.02
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
    from pysat.formula import WCNF

    formula = WCNF()
    formula.extend([[feature + 1] for feature in members])
    formula.extend([[feature + 1 for feature in one] for one in seen])
    for feature, key in enumerate(keys.coarse):
        formula.append([-feature - 1], weight=key)
    with _Solver(formula) as solver:
        while True:
            chosen = [variable - 1 for variable in solver.best(budget) if variable > 0]
            met = list(chosen)
            while (one := missed(met)) is not None:
                budget.check()
                seen.append(one)
                solver.add([feature + 1 for feature in one])
                met += one
            if len(met) == len(chosen):
                return chosen


class _Solver:
    """A MaxSAT solver that lives in threads, so that all limits, and Ctrl-C, can end it; use in ``with``."""

    def __init__(self, formula: WCNF) -> None:
        self._formula = formula
        self._solver: RC2 | None = None
        self._in_use = Lock()
        self._given_up = Event()
        self._models: list[list[int] | None] = []

    def __enter__(self) -> _Solver:
        return self

    def __exit__(self, *_: object) -> None:
        """Free the solver, in a thread too: an interrupt in the middle of it would free it twice."""
        self._given_up.set()
        Thread(target=self._free, daemon=True).start()

    def _free(self) -> None:
        with self._in_use:
            if self._solver is not None:
                self._solver.delete()

    def add(self, clause: list[int]) -> None:
        """Add a clause, after a best model was found."""
        if self._solver is not None:
            self._solver.add_clause(clause)

    def _work(self) -> None:
        from pysat.examples.rc2 import RC2

        with self._in_use:
            if not self._given_up.is_set():
                self._solver = self._solver or RC2(self._formula)
                self._models.append(self._solver.compute(expect_interrupt=True))

    def best(self, budget: Budget) -> list[int]:
        """Return the best model."""
        self._models.clear()
        thread = Thread(target=self._work, daemon=True)
        try:
            thread.start()
            while thread.is_alive():
                budget.check()
                checkpoint()
                thread.join(_WAIT)
        except BaseException:
            self._given_up.set()
            while thread.is_alive():  # an interrupt that comes between two calls of the solver is lost
                if self._solver is not None:
                    self._solver.interrupt()
                thread.join(_WAIT)
            raise
        if not self._models or self._models[0] is None:
            raise AssertionError("features that meet all sets exist: all features do")
        return self._models[0]
