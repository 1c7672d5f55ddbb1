"""One reason of each kind: at once, in a pass over the diagram however large it is, or the least by weight.

The least necessary one is read off the diagram, the least sufficient one found by a BDD or by MaxSAT. Weights
become *keys*: one integer per feature that adds up over a set of features and orders sets by their weight,
then by their number, then by the order of the domain (the set with the earliest feature first). No two sets
have the same key, so the least reason is unique, whatever finds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import lcm
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.errors import LogicError
from bnc2d.explain.reasons import Case
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.primes.diagrams import TooLarge
from bnc2d.logic.primes.neighbourhood import Neighbourhood

if TYPE_CHECKING:
    from pysat.examples.rc2 import RC2

Key: TypeAlias = int

_MOST_STEPS = 1_000_000  # of a BDD, before MaxSAT is asked instead


class Keys:
    """The keys of a domain's features for given weights; a feature without one weighs 1.

    >>> keys = Keys(Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")}), {"A": 2})
    >>> keys.of[1] + keys.of[2] < keys.of[0] + keys.of[1] < keys.of[0] + keys.of[2]
    True
    """

    def __init__(self, domain: Domain, weights: Mapping[str, Number] | None) -> None:
        given = read_weights(weights, domain.names, LogicError, positive=True)
        scale = lcm(*(weight.denominator for weight in given))
        count = len(domain)
        bits = count.bit_length()
        self.coarse = [(int(weight * scale) << bits) + 1 for weight in given]  # weight and number only
        self.of: list[Key] = [
            (coarse << count) - (1 << count - 1 - feature) for feature, coarse in enumerate(self.coarse)
        ]


def least_necessary(case: Case, keys: Keys, without: Collection[FeatureId] = ()) -> list[FeatureId] | None:
    """Return the features of the least necessary reason without certain features, or None if there is none.

    They are those in which the nearest instance outside the case differs, by the keys: giving up fewer of
    them is not enough, or there would be a nearer one. Takes a pass over the diagram.
    """
    out = nearest(case.diagram, case.positions, case.others, case.fixed.union(without), keys.of)
    return None if out is None else [f for f, own in enumerate(case.positions) if out[f] != own]


def least_sufficient(case: Case, keys: Keys, time_limit: float | None) -> list[FeatureId]:
    """Return the features of the least sufficient reason.

    Which features are enough becomes a BDD with the features in the order of the diagram; the lightest path
    is the answer. Where the BDD grows too large, MaxSAT finds it.
    """
    budget = Budget(time_limit)
    with budget.limiting("no least sufficient reason"):
        order = case.around.features
        try:
            diagrams, function = case.enough(_MOST_STEPS)
        except TooLarge:
            return least_sufficient_by_maxsat(case, keys, budget)
        levels = diagrams.lightest(function, [keys.of[feature] for feature in order])
        return sorted([*case.critical_masks, *(order[level] for level in levels)])


def least_sufficient_by_maxsat(case: Case, keys: Keys, budget: Budget) -> list[FeatureId]:
    """Return the same by implicit hitting sets; raises OutOfTime.

    Sufficient reasons are the minimal sets that meet every necessary one (Ignatiev, Previti, Liffiton and
    Marques-Silva 2015). One of least weight and size comes first; then, feature by feature in order, the
    search is repeated with the feature as a member, which stays where that costs no more.
    """
    seen: list[list[FeatureId]] = []
    best = _least_with([], case, keys, budget, seen)
    cost = sum(keys.coarse[feature] for feature in best)
    members: list[FeatureId] = []
    for feature in range(len(keys.of)):
        if feature not in best:
            other = _least_with([*members, feature], case, keys, budget, seen)
            if sum(keys.coarse[f] for f in other) > cost:
                continue
            best = other
        members.append(feature)
        if len(members) == len(best):
            break
    return best


def _least_with(
    members: list[FeatureId], case: Case, keys: Keys, budget: Budget, seen: list[list[FeatureId]]
) -> list[FeatureId]:
    """Return the least sufficient set, by weight and size, that has these members.

    1. Find the least set that meets all necessary reasons ``seen`` so far, by MaxSAT (RC2).
    2. Take necessary reasons, each disjoint from that set and from those before, until none is left.
    3. If there was none, the set is sufficient, and nothing less is.
    """
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    formula.extend([[feature + 1] for feature in members])
    formula.extend([[feature + 1 for feature in clause] for clause in seen])
    for feature, key in enumerate(keys.coarse):
        formula.append([-feature - 1], weight=key)
    with RC2(formula) as solver:
        while True:
            chosen = [variable - 1 for variable in _solve(solver, budget) if variable > 0]
            met = list(chosen)
            while (missed := least_necessary(case, keys, met)) is not None:
                budget.check()
                seen.append(missed)
                solver.add_clause([feature + 1 for feature in missed])
                met += missed
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


def one_sufficient(case: Case) -> list[FeatureId]:
    """Return the features of a sufficient reason: each is given up where those still kept are enough.

    They are asked from the last level of the diagram to the first. So those above are all kept, and the
    question is asked at one node a level, from which nodes the label stays being known of all below.
    """
    diagram, levels = case.diagram, case.around.levels
    stays = np.zeros(diagram.size, dtype=bool)
    stays[list(case.labels)] = True
    path: dict[FeatureId, int] = {}  # where the instance itself passes, as a place among the nodes met
    node = diagram.root
    for met in levels:
        if met.nodes[0] <= node <= met.nodes[-1]:
            path[met.feature] = place = int(np.searchsorted(met.nodes, node))
            node = int(met.children[0][place])
    kept = list(case.critical_masks)
    for met in reversed(levels):
        below = [stays[children] for children in met.children]
        place = path.get(met.feature, -1)
        if place >= 0 and not all(column[place] for column in below):
            kept.append(met.feature)
            below = below[:1]
        stays[met.nodes] = np.logical_and.reduce(below)
    return sorted(kept)


def one_necessary(case: Case) -> list[FeatureId] | None:
    """Return the features of the first of the shortest necessary reasons; None where there is none."""
    if case.critical_masks:
        return [min(case.critical_masks)]
    return least_necessary(case, Keys(case.domain, None))


def widest(
    diagram: Diagram,
    states: Sequence[Sequence[int]],
    may: Mapping[FeatureId, Iterable[int]],
    labels: Collection[int],
) -> dict[FeatureId, StateMask]:
    """Return states for the features of ``may``, as many as can be together, among those given there.

    All instances within ``states`` have one of the labels, and so have all within the answer; no state more
    would do. Features are taken from the last level to the first: a state can be added where it leads from
    all nodes that are met, with the features above as they came, to nodes below which the label stays.
    """
    met_nodes = {met.feature: met.nodes for met in Neighbourhood(diagram, states, labels).levels}
    stays = np.zeros(diagram.size, dtype=bool)
    stays[list(labels)] = True
    found = {}
    for feature, table, first in reversed(diagram.walk):
        allowed = states[feature]
        if feature in may:
            asked = table[met_nodes[feature] - first] if feature in met_nodes else table[:0]
            allowed = [state for state in may[feature] if stays[asked[:, state]].all()]
            found[feature] = sum(1 << state for state in allowed)
        stays[first : first + len(table)] = np.logical_and.reduce([stays[table[:, s]] for s in allowed])
    return found
