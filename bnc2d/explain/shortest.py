"""Least reasons by weight: the necessary one by a fold, the sufficient one by a diagram or by MaxSAT.

Weights become *keys*: one integer per feature that adds up over a set of features and orders sets by their
weight, then by their number, then by the order of the domain (the set with the earliest feature first). No
two sets have the same key, so the least reason is unique, whatever finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm
from threading import Timer
from typing import TYPE_CHECKING, TypeAlias

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.base.checkpoints import checked
from bnc2d.base.numbers import Number
from bnc2d.base.numbers import weights as read_weights
from bnc2d.errors import LogicError
from bnc2d.explain.reasons import Case
from bnc2d.logic.circuit.manager import FALSE, TRUE
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.diagrams import Diagrams, TooLarge

if TYPE_CHECKING:
    from pysat.examples.rc2 import RC2

Key: TypeAlias = int

_MOST_STEPS = 1_000_000  # of a diagram, before MaxSAT is asked instead


class Keys:
    """The keys of a domain's features for given weights; a feature without one weighs 1.

    >>> keys = Keys(Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")}), {"A": 2})
    >>> keys.of[1] + keys.of[2] < keys.of[0] + keys.of[1], keys.features(keys.of[0] + keys.of[2])
    (True, [0, 2])
    """

    def __init__(self, domain: Domain, weights: Mapping[str, Number] | None) -> None:
        given = read_weights(weights, domain.names, LogicError, positive=True)
        scale = lcm(*(weight.denominator for weight in given))
        self._count = count = len(domain)
        bits = count.bit_length()
        self.coarse = [(int(weight * scale) << bits) + 1 for weight in given]  # weight and number only
        self.of: list[Key] = [
            (coarse << count) - (1 << count - 1 - feature) for feature, coarse in enumerate(self.coarse)
        ]
        self.infinite: Key = sum(self.of) + 1

    def features(self, key: Key) -> list[FeatureId]:
        """Return the features of a set, given its key."""
        chosen = -key & (1 << self._count) - 1
        return [feature for feature in range(self._count) if chosen >> self._count - 1 - feature & 1]


def least_necessary(reason: NNF, keys: Keys, without: Sequence[FeatureId] = ()) -> list[FeatureId] | None:
    """Return the features of the least clause that the complete reason implies, or None if there is none.

    Clauses that mention a feature of ``without`` do not count. Linear: an OR of variable-disjoint parts
    implies a clause when each part implies a piece of it, so keys add up; of an AND the best part counts.
    """
    if reason.root in (FALSE, TRUE):
        return None if reason.root == TRUE else []
    barred = set(without)
    literals, gates = reason.manager.literals(reason.root), reason.manager.levels(reason.root).gates
    best = {node: keys.infinite if feature in barred else keys.of[feature] for node, feature, _ in literals}
    for node, is_or, children in checked(gates):
        parts = [best[child] for child in children]
        best[node] = min(sum(parts), keys.infinite) if is_or else min(parts)
    found = best[reason.root]
    return None if found == keys.infinite else keys.features(found)


def least_sufficient(case: Case, keys: Keys, time_limit: float | None) -> list[FeatureId]:
    """Return the features of the least term that implies the complete reason.

    The reason, as a monotone function of the features kept, becomes a BDD with the features in the order of
    the diagram; the lightest path is the answer. Where the BDD grows too large, MaxSAT finds it.
    """
    budget = Budget(time_limit)
    order = case.diagram.order
    with budget.limiting("no least sufficient reason"):
        reason = case.complete
        try:
            diagrams = Diagrams(len(order), budget, _MOST_STEPS)
            rank = {feature: level for level, feature in enumerate(order)}
            function = diagrams.function(reason, lambda feature, _: diagrams.cube([rank[feature]]))
            levels = diagrams.lightest(function, [keys.of[feature] for feature in order])
            return sorted(order[level] for level in levels)
        except TooLarge:
            return least_sufficient_by_maxsat(reason, keys, budget)


def least_sufficient_by_maxsat(reason: NNF, keys: Keys, budget: Budget) -> list[FeatureId]:
    """Return the same by implicit hitting sets; raises OutOfTime.

    Sufficient reasons are the minimal sets that meet every necessary one (Ignatiev, Previti, Liffiton and
    Marques-Silva 2015). One of least weight and size comes first; then, feature by feature in order, the
    search is repeated with the feature as a member, which stays where that costs no more.
    """
    search = _HittingSets(reason, keys, budget)
    best = search.least([])
    cost = sum(keys.coarse[feature] for feature in best)
    members: list[FeatureId] = []
    for feature in range(len(keys.of)):
        if feature not in best:
            other = search.least([*members, feature])
            if sum(keys.coarse[f] for f in other) > cost:
                continue
            best = other
        members.append(feature)
        if len(members) == len(best):
            break
    return best


class _HittingSets:
    """Least sets that meet every necessary reason, those seen so far being remembered."""

    def __init__(self, reason: NNF, keys: Keys, budget: Budget) -> None:
        self._reason = reason
        self._keys = keys
        self._budget = budget
        self._seen: list[list[FeatureId]] = []

    def least(self, members: list[FeatureId]) -> list[FeatureId]:
        """Return the least sufficient set, by weight and size, that has these members.

        1. Find the least set that meets all necessary reasons seen so far, by MaxSAT (RC2).
        2. Take necessary reasons, each disjoint from that set and from those before, until none is left.
        3. If there was none, the set is sufficient, and nothing less is.
        """
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        formula = WCNF()
        formula.extend([[feature + 1] for feature in members])
        formula.extend([[feature + 1 for feature in clause] for clause in self._seen])
        for feature, key in enumerate(self._keys.coarse):
            formula.append([-feature - 1], weight=key)
        with RC2(formula) as solver:
            while True:
                chosen = [variable - 1 for variable in _solve(solver, self._budget) if variable > 0]
                met = list(chosen)
                while (missed := least_necessary(self._reason, self._keys, met)) is not None:
                    self._budget.check()
                    self._seen.append(missed)
                    solver.add_clause([feature + 1 for feature in missed])
                    met += missed
                if len(met) == len(chosen):
                    return chosen


def _solve(solver: RC2, budget: Budget) -> list[int]:
    """Return the best model; a timer interrupts the solver at the limit."""
    budget.check()
    left = budget.left()
    if left is None:
        model: list[int] = solver.compute()
        return model
    timer = Timer(left, solver.interrupt)
    timer.start()
    try:
        best: list[int] | None = solver.compute(expect_interrupt=True)
    finally:
        timer.cancel()
        timer.join()
    if best is None:
        raise OutOfTime(budget)
    return best
