"""States that no node of a diagram tells apart, as one: formulas are made over groups of states.

A feature with hundreds of states, learnt from few rows, has few different columns of edges. What is done for
each state when formulas are made is then done for each column; only literals name the states again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take_columns
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import distinct_rows, row_hashes
from bnc2d.base.records import record
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import Domain, FeatureId, StateMask


@record
class StateGroups:
    """A diagram over groups of states, their domain, and the states of each group by merged feature."""

    diagram: Diagram
    domain: Domain
    masks: Mapping[FeatureId, Sequence[StateMask]]

    @classmethod
    def of(cls, diagram: Diagram, domain: Domain) -> StateGroups:
        """Return the diagram with alike states merged; a feature that is nowhere tested is left as it is."""
        levels, names = list(diagram.levels), dict(zip(domain.names, domain.states, strict=True))
        masks: dict[FeatureId, list[StateMask]] = {}
        for position, (feature, level) in enumerate(zip(diagram.order, diagram.levels, strict=True)):
            group_ids, first = _alike(level)
            if len(first) < level.shape[1]:
                levels[position] = take_columns(level, first)
                masks[feature] = [0] * len(first)
                for state, group in enumerate(group_ids.tolist()):
                    masks[feature][group] |= 1 << state
                names[domain.names[feature]] = tuple(map(str, range(len(first))))
        if not masks:
            return cls(diagram, domain, masks)
        narrow = Diagram(Domain(names), diagram.order, diagram.terminals, tuple(levels), diagram.root)
        return cls(narrow, narrow.domain, masks)

    def states(self, feature: FeatureId, groups: StateMask) -> StateMask:
        """Return the states of some groups, as masks."""
        if feature not in self.masks:
            return groups
        return sum(mask for group, mask in enumerate(self.masks[feature]) if groups >> group & 1)


def _alike(level: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the group of each state of ``[node, state]``, and one state of each group."""
    states = level.shape[1]
    apart = np.arange(states)
    if not len(level) or states < 3:  # a node that leads all its states to one child is none
        return apart, apart
    hashes = np.zeros(states, dtype=np.int64)
    for piece in pieces(len(level), PIECE // states):
        columns = np.column_stack([hashes, level[piece].T])
        hashes = row_hashes(columns).view(np.int64)
        if len(set(hashes.tolist())) == states:
            return apart, apart
    group_ids, first = distinct_rows(hashes[:, None])
    for piece in pieces(len(level), PIECE // states):
        if not np.array_equal(level[piece][:, first[group_ids]], level[piece]):
            return apart, apart  # a collision
    return group_ids, first
