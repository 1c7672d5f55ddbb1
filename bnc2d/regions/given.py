"""Questions about regions of which only the instances that satisfy a constraint count.

The constraint is a diagram. A question is asked of the whole region first: where nothing is found, nothing is
there under the constraint either, and what is found may satisfy it. Only where it does not is the region
split along the diagram, so that a constraint costs as much as it is in the way. Conditions on single
features, as most of a constraint often is, do not split: the region is cut to them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.diagram.diagram import Diagram, NodeNumber
from bnc2d.logic.domain import FeatureId
from bnc2d.model.decision import Labels
from bnc2d.regions.narrowed import NarrowedOracle
from bnc2d.regions.oracle import Asking, RegionOracle, one_by_one
from bnc2d.regions.region import Label, Region, States
from bnc2d.regions.splitting import ALLOWED, FORBIDDEN, Splitting

# With a larger constraint, regions are asked about one by one.
_MOST_NODES = 1 << 10


class GivenOracle(NarrowedOracle):
    """Answers as another oracle, but instances that are not allowed have a label of their own, the last.

    ``allowed`` leads to 1 where an instance is allowed, else to 0; ``decisions`` is the number of labels that
    the other oracle gives.
    """

    def __init__(self, oracle: RegionOracle, allowed: Diagram, decisions: int) -> None:
        super().__init__(oracle, decisions)
        self._allowed = allowed
        self._levels = allowed.walk[::-1]  # those with lower nodes come first
        self._firsts = np.array([level.first for level in self._levels], dtype=np.int64)

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance, the last for those that are not allowed."""
        labels = np.full(len(rows), self._outside, dtype=np.intp)
        inside = np.flatnonzero(self._allowed.labels(rows) == ALLOWED)
        if inside.size:
            labels[inside] = self._oracle.labels(rows[inside])
        return labels

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of a region with a label wanted, or None where there is none."""
        if self._outside in wanted:
            found = self._forbidden(region)
            if found is not None:
                return found
        inside = [label for label in wanted if label != self._outside]
        return self._find_allowed(region, inside) if inside else None

    def _find_allowed(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        waiting: list[tuple[Region, NodeNumber]] = [(region, self._allowed.root)]
        while waiting:
            checkpoint()
            part, node = self._cut(*waiting.pop())
            if node == FORBIDDEN:
                continue
            found = self._oracle.find(part, wanted)
            if found is None:
                continue
            if node == ALLOWED or self._allowed.labels(np.array([found], dtype=np.intp))[0] == ALLOWED:
                return found
            feature, children = self._children(node, part)
            for child in np.unique(children[children != FORBIDDEN]).tolist():
                smaller = [*part[:feature], part[feature][children == child], *part[feature + 1 :]]
                waiting.append((smaller, child))
        return None

    def _cut(self, region: Region, node: NodeNumber) -> tuple[Region, NodeNumber]:
        """Return the region cut to what is allowed, as far as single features say so, and the node there."""
        while node > ALLOWED:
            feature, children = self._children(node, region)
            further = np.unique(children[children != FORBIDDEN])
            if len(further) > 1:
                break
            if not len(further):
                return region, FORBIDDEN
            node = int(further[0])
            region = [*region[:feature], region[feature][children == node], *region[feature + 1 :]]
        return region, node

    def _children(self, node: NodeNumber, region: Region) -> tuple[FeatureId, NDArray[np.int64]]:
        """Return the feature of a node, and where each state that the region allows leads from there."""
        level = self._levels[int(np.searchsorted(self._firsts, node, side="right")) - 1]
        return level.feature, level.table[node - level.first][region[level.feature]]

    def _forbidden(self, region: Region) -> list[int] | None:
        """Return an instance of a region that is not allowed."""
        leads = np.zeros(self._allowed.size, dtype=bool)
        leads[FORBIDDEN] = True
        for level in self._levels:
            leads[level.nodes] = leads[level.table[:, region[level.feature]]].any(axis=1)
        node = self._allowed.root
        if not leads[node]:
            return None
        instance = [int(states[0]) for states in region]
        while node > ALLOWED:
            feature, children = self._children(node, region)
            place = int(np.flatnonzero(leads[children])[0])
            instance[feature], node = int(region[feature][place]), int(children[place])
        return instance

    def at_once(self, labels: Collection[Label]) -> int:
        """As many as the other oracle, where instances that are not allowed are right, and it is small."""
        inside = set(labels) - {self._outside}
        is_small = self._allowed.node_count <= _MOST_NODES
        return self._oracle.at_once(inside) if is_small and inside and len(inside) < len(labels) else 1

    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels."""
        if self.at_once(labels) > 1:
            return Splitting(self._oracle, set(labels) - {self._outside}, self._allowed, options)
        others = self._others(labels)
        return one_by_one(lambda region: self.find(region, others) is None, options)
