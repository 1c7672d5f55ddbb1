"""One reason of each kind: at once, in a pass over the diagram however large it is, or the least by weight.

The least necessary one is read off the diagram, the least sufficient one found by a BDD or by MaxSAT.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.budget import Budget
from bnc2d.base.hashing import sorted_distinct
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.explain.hitting_sets import least_meeting
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.diagrams import TooLarge
from bnc2d.logic.primes.neighbourhood import Neighbourhood

_NOWHERE = np.zeros(0, dtype=np.intp)
_MOST_STEPS = 1_000_000  # of a BDD, before MaxSAT is asked instead


def least_necessary(
    case: Surroundings, keys: Keys, without: Collection[FeatureId] = ()
) -> list[FeatureId] | None:
    """Return the features of the least necessary reason without certain features, or None if there is none.

    They are those in which the nearest instance outside the case differs, by the keys: giving up fewer of
    them is not enough, or there would be a nearer one. Takes a pass over the diagram.
    """
    out = nearest(case.diagram, case.positions, case.others, case.fixed.union(without), keys.of)
    return None if out is None else [f for f, own in enumerate(case.positions) if out[f] != own]


def least_sufficient(case: Surroundings, keys: Keys, time_limit: float | None) -> list[FeatureId]:
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


def least_sufficient_by_maxsat(case: Surroundings, keys: Keys, budget: Budget) -> list[FeatureId]:
    """Return the same by implicit hitting sets; raises OutOfTime."""
    return least_meeting(lambda met: least_necessary(case, keys, met), keys, budget)


def one_sufficient(case: Surroundings, tiers: Tiers | None = None) -> list[FeatureId]:
    """Return the features of a sufficient reason: each is given up where those still kept are enough.

    With ``tiers``, features of the last tier are asked first, in a pass over the diagram for each tier.
    """
    free: set[FeatureId] = set()
    for group in [case.around.features] if tiers is None else tiers.groups():
        free |= _given_up(case, set(group), free)
    return sorted([*case.critical_masks, *(f for f in case.around.features if f not in free)])


def _given_up(case: Surroundings, asked: set[FeatureId], free: set[FeatureId]) -> set[FeatureId]:
    """Return which features can be given up, besides those that are free already; the others are kept.

    They are asked from the last level of the diagram to the first. So those above are kept unless they are
    free, and the question is asked at the nodes that the instance passes then, from which nodes the label
    stays being known of all below.
    """
    passed = _passed(case, free)
    stays = np.zeros(case.diagram.size, dtype=bool)
    stays[list(case.labels)] = True
    found: set[FeatureId] = set()
    for met in reversed(case.around.levels):
        below = [stays[children] for children in met.children]
        feature = met.feature
        places = passed.get(feature, _NOWHERE)
        if feature in asked and all(column[places].all() for column in below):
            found.add(feature)
        elif feature not in free:
            below = below[:1]
        stays[met.nodes] = np.logical_and.reduce(below)
    return found


def _passed(case: Surroundings, free: set[FeatureId]) -> dict[FeatureId, Numbers]:
    """Return the nodes, as places among those met, that the instance passes, whatever free features are."""
    passed: dict[FeatureId, Numbers] = {}
    front = np.array([case.diagram.root], dtype=np.int64)
    for met in case.around.levels:
        is_here = front >= met.nodes[0]
        if is_here.any():
            passed[met.feature] = places = np.searchsorted(met.nodes, front[is_here])
            columns = met.children if met.feature in free else met.children[:1]
            front = sorted_distinct(joined([front[~is_here], *(column[places] for column in columns)]))
    return passed


def one_necessary(case: Surroundings, tiers: Tiers | None = None) -> list[FeatureId] | None:
    """Return the features of the first of the shortest necessary reasons; None where there is none.

    With ``tiers``, of those of the best tier that has any.
    """
    for without in [[]] if tiers is None else map(tiers.beyond, range(tiers.count)):
        critical = set(case.critical_masks).difference(without)
        if critical:
            return [min(critical)]
        found = least_necessary(case, Keys(case.domain, None), without)
        if found is not None:
            return found
    return None


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
