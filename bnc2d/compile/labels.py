"""Class labels of all instances, block by block, each proven or resolved exactly.

Labels are positions of classes; the position after the last class stands for "in no class".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.tables import SideTable
from bnc2d.model.decision import DecisionRule

LabelBlock: TypeAlias = NDArray[np.uint8]  # [u, v]

# Exact labels of cells given by row and column numbers; -1 for "in no class".
Resolve: TypeAlias = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.intp]]

_UNIT_ROUNDOFF = 2.0**-53
# The arrays of a block should stay in the processor's cache.
_CELLS_AT_ONCE = 1 << 18


@dataclass
class LabelStats:
    """How many cells there were, and how many float64 could not decide."""

    cells: int = 0
    exact_calls: int = 0


class Joiner:
    """Joins rows of the first table with all rows of the second.

    ``P(y, u, v)`` is a sum of non-negative products, so it has a relative error of at most ``k u`` with ``k``
    the roundings of both tables plus one product and the sum over ``s`` (plus two for the weight of a
    threshold). A class is proven where it exceeds every other by more than twice that share of their sum;
    zeros are exact. Every other cell goes to ``resolve``; without it, float64 has the last word.
    """

    def __init__(self, second: SideTable, rule: DecisionRule, classes: int, resolve: Resolve | None) -> None:
        self._second, self._resolve, self._classes = second, resolve, classes
        self._weights = np.ones(classes)
        if rule.threshold is not None:
            self._weights[rule.positive] = float(1 - rule.threshold)
            self._weights[1 - rule.positive] = float(rule.threshold)
        self._zero_label = rule.exact_label([0] * classes) % (classes + 1)
        states = second.values.shape[2]
        right = np.broadcast_to(second.values, (len(second.values), classes, states))
        self._columns = [np.ascontiguousarray(right[:, y].T) for y in range(classes)]
        self.stats = LabelStats()

    def blocks(self, first: SideTable, offset: int) -> Iterator[LabelBlock]:
        """Yield the labels of consecutive rows; ``offset`` is the number of the first row."""
        states = first.values.shape[2]
        margin = 2.0 * (first.roundings + self._second.roundings + states + 8) * _UNIT_ROUNDOFF
        trusted = first.trusted and self._second.trusted and margin < 0.01 and self._weights.min() > 1e-100
        shape = (len(first.values), self._classes, states)
        left = np.broadcast_to(first.values, shape) * self._weights[:, None]
        step = max(1, _CELLS_AT_ONCE // len(self._second.values))
        for start in range(0, len(left), step):
            rows = left[start : start + step]
            joint = np.stack([rows[:, y] @ self._columns[y] for y in range(self._classes)])
            labels, doubtful = _decide(joint, margin, self._zero_label)
            if not trusted:
                doubtful[:] = True
            self.stats.cells += labels.size
            if self._resolve is not None and doubtful.any():
                u, v = np.nonzero(doubtful)
                self.stats.exact_calls += len(u)
                labels[u, v] = self._resolve(u + start + offset, v) % (self._classes + 1)
            yield labels


def _decide(
    joint: NDArray[np.float64], margin: float, zero_label: int
) -> tuple[LabelBlock, NDArray[np.bool_]]:
    """Return the label of each cell and where it is not proven."""
    if len(joint) == 1:
        return np.zeros(joint.shape[1:], dtype=np.uint8), np.zeros(joint.shape[1:], dtype=bool)
    if len(joint) == 2:
        low, high = joint
        labels = (high > low).astype(np.uint8)
        total = low + high
        doubtful = np.abs(high - low) <= margin * total
    else:
        labels = joint.argmax(axis=0).astype(np.uint8)
        ordered = np.partition(joint, len(joint) - 2, axis=0)
        best, second = ordered[-1], ordered[-2]
        total = best + second
        doubtful = best - second <= margin * total
    if doubtful.any():
        impossible = total == 0
        labels[impossible] = zero_label
        doubtful &= ~impossible
    return labels, doubtful
