"""Regions that together are the instances of a formula: the paths of its diagram."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.regions.region import Region

# Regions of one formula.
MOST_BOXES = 1 << 14


class Box(NamedTuple):
    """A region, all instances of which lead to one node."""

    region: Region
    node: int


def boxes_of(diagram: Diagram, features: int) -> list[Box]:
    """Return disjoint regions of the first features that make up what can lead to terminal 1.

    The diagram has two terminals and decides these features first; a node may decide further ones. States
    that lead to the same child are together in a region. More than ``MOST_BOXES`` are refused.
    """
    found = list(islice(_paths(diagram, features), MOST_BOXES + 1))
    if len(found) > MOST_BOXES:
        raise LimitExceeded(
            f"the rule speaks of more than {MOST_BOXES} regions, which are too many to ask about; compile "
            "the classifier, or take the rule apart"
        )
    return found


def _paths(diagram: Diagram, features: int) -> Iterator[Box]:
    whole = [np.arange(size) for size in diagram.domain.cardinalities[:features]]
    pending: list[Box] = [Box(whole, diagram.root)]
    levels = diagram.walk
    while pending:
        checkpoint()
        region, node = pending.pop()
        level = next((level for level in levels if node >= level.first), None)
        if level is None or level.feature >= features:
            if node:
                yield Box(region, node)
            continue
        edges = level.table[node - level.first]
        for child in dict.fromkeys(edges.tolist()):
            states = np.flatnonzero(edges == child)
            pending.append(Box([*region[: level.feature], states, *region[level.feature + 1 :]], child))
