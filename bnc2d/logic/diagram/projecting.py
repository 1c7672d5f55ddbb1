"""Diagrams over some of the features: what is left where the others may have any states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnc2d.base.arrays import Numbers
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.domain import Domain, FeatureId

# Sets of nodes at one level.
_MOST_SETS = 1 << 16


def some_completion(diagram: Diagram, kept: Sequence[FeatureId], domain: Domain) -> Diagram:
    """Return the diagram that leads to 1 where some states of the features that are not kept do, else to 0.

    The diagram has the terminals 0 and 1; ``domain`` has the kept features, in this order. Sets of nodes, all
    that states of the others lead to, are followed from the root down, a level at a time, as subsets are that
    make an automaton deterministic (Rabin and Scott 1959).
    """
    place = {feature: number for number, feature in enumerate(kept)}
    sets: dict[frozenset[int], int] = {frozenset([diagram.root]): 0}
    levels: list[tuple[FeatureId, Numbers]] = []  # of kept features, by their place
    for feature, table, first in diagram.walk:
        checkpoint()
        rows = table.tolist()
        states = range(table.shape[1])
        following: dict[frozenset[int], int] = {}
        children = np.zeros((len(sets), len(states)), dtype=np.int64)
        merged = np.zeros(len(sets), dtype=np.int64)
        for number, nodes in enumerate(sets):
            reached = [
                {rows[node - first][state] if node >= first else node for node in nodes} for state in states
            ]
            if feature in place:
                for state, some in enumerate(reached):
                    children[number, state] = following.setdefault(_without_zero(some), len(following))
            else:
                merged[number] = following.setdefault(_without_zero(set().union(*reached)), len(following))
        if len(following) > _MOST_SETS:
            raise LimitExceeded(f"more than {_MOST_SETS} sets of diagram nodes to look at")
        if feature in place:
            levels.append((place[feature], children))
        else:
            levels.append((-1, merged[:, None]))
        sets = following
    image = np.array([int(1 in some) for some in sets], dtype=np.int64)
    builder = DiagramBuilder(2)
    for at, children in reversed(levels):
        image = image[children[:, 0]] if at < 0 else builder.add_level(image[children])
    return builder.finish(domain, [at for at, _ in levels if at >= 0], int(image[0]))


def _without_zero(nodes: set[int]) -> frozenset[int]:
    """Return the nodes from which 1 may be reached; 1 itself is all that matters."""
    return frozenset([1]) if 1 in nodes else frozenset(nodes - {0})
