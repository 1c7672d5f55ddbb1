"""One reason of each kind, read off the decision diagram in one pass however large it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from bnc2d.explain.reasons import Case
from bnc2d.explain.shortest import Keys, least_necessary
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.neighbourhood import Neighbourhood


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
