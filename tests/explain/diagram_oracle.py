"""The diagram of a compiled model as a region oracle: what asks regions can ask this, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d import CompiledModel
from bnc2d.base.arrays import Rows
from bnc2d.model.decision import Labels
from bnc2d.regions.oracle import Asking, one_by_one
from bnc2d.regions.region import Label, Region, States, parts


class DiagramOracle:
    """Finds instances of regions by a pass over the diagram (see ``RegionOracle``)."""

    def __init__(self, model: CompiledModel, at_once: int = 1) -> None:
        self.domain = model.domain
        self.observed = self.hidden = None
        self._at_once = at_once
        self._diagram = model.diagram

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance, read off the diagram."""
        return self._diagram.labels(rows)

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of a region with a label wanted, or None where there is none.

        From the last level to the first, a node leads there if the child of an allowed state does.
        """
        diagram = self._diagram
        leads = np.zeros(diagram.size, dtype=bool)
        leads[list(wanted)] = True
        for level in reversed(diagram.walk):
            leads[level.nodes] = leads[level.table[:, region[level.feature]]].any(axis=1)
        if not leads[diagram.root]:
            return None
        instance = [int(allowed[-1]) for allowed in region]
        node = diagram.root
        for level in diagram.walk:
            if node >= level.first:
                children = level.table[node - level.first]
                instance[level.feature] = next(
                    s for s in region[level.feature].tolist() if leads[children[s]]
                )
                node = int(children[instance[level.feature]])
        return instance

    def at_once(self, _labels: Collection[Label]) -> int:
        """Return as many as were said to be."""
        return self._at_once

    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels."""
        others = [label for label in range(self._diagram.terminals) if label not in labels]
        return one_by_one(lambda region: self.find(region, others) is None, options)

    def along(self, labels: Collection[Label], region: Region, feature: int) -> NDArray[np.bool_]:
        """Return for each state that a region allows a feature whether it leaves only these labels."""
        others = [label for label in range(self._diagram.terminals) if label not in labels]
        return np.array([self.find(part, others) is None for part in parts(region, feature)], dtype=bool)
