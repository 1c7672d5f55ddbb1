"""Class labels of all instances, block by block, each proven or resolved exactly.

Labels are positions of classes; the position after the last class stands for "in no class".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.tables import SMALLEST_FACTOR, SideTable
from bnc2d.model.decision import DecisionRule
from bnc2d.model.factors import UNIT_ROUNDOFF

LabelBlock: TypeAlias = NDArray[np.uint8]  # [u, v]
Cells: TypeAlias = tuple[NDArray[np.intp], ...]  # rows and columns

# Exact labels of cells given by row and column numbers; -1 for "in no class".
Resolve: TypeAlias = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.intp]]

# The arrays of a block should stay in the processor's cache.
_CELLS_AT_ONCE = 1 << 16


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
        if classes == 2:
            self._stacked = np.concatenate([self._columns[1], self._columns[0]])
            self._largest = self._stacked.max(axis=0)
        self.stats = LabelStats()

    def blocks(self, first: SideTable, offset: int) -> Iterator[LabelBlock]:
        """Yield the labels of consecutive rows; ``offset`` is the number of the first row."""
        states = first.values.shape[2]
        margin = 2.0 * (first.roundings + self._second.roundings + states + 8) * UNIT_ROUNDOFF
        trusted = (
            first.trusted and self._second.trusted and margin < 0.01 and self._weights.min() > SMALLEST_FACTOR
        )
        shape = (len(first.values), self._classes, states)
        left = np.broadcast_to(first.values, shape) * self._weights[:, None]
        step = max(1, _CELLS_AT_ONCE // len(self._second.values))
        decide = self._decide_two if self._classes == 2 else self._decide_many
        for start in range(0, len(left), step):
            labels, doubtful = decide(left[start : start + step], margin)
            self.stats.cells += labels.size
            if not trusted:
                doubtful = np.nonzero(np.ones(labels.shape, dtype=bool))
            u, v = doubtful
            if self._resolve is not None and len(u):
                self.stats.exact_calls += len(u)
                labels[u, v] = self._resolve(u + start + offset, v) % (self._classes + 1)
            yield labels

    def _decide_two(self, rows: NDArray[np.float64], margin: float) -> tuple[LabelBlock, Cells]:
        """Return the labels for two classes, and the cells that are not proven.

        The difference of both classes comes out of one product. The sum of both is at most the sum over a
        row times the largest entry of a column, so most cells are proven without it.
        """
        signed = np.concatenate([rows[:, 1], -rows[:, 0]], axis=1)
        difference = signed @ self._stacked
        labels = (difference > 0).view(np.uint8)
        np.abs(difference, out=difference)
        bound = margin * np.abs(signed).sum(axis=1, keepdims=True) * self._largest
        u, v = np.nonzero(difference <= bound)
        if not len(u):
            return labels, (u, v)
        total = np.einsum("cs,sc->c", np.abs(signed)[u], self._stacked[:, v])
        doubtful = difference[u, v] <= margin * total
        labels[u[total == 0], v[total == 0]] = self._zero_label
        doubtful &= total > 0
        return labels, (u[doubtful], v[doubtful])

    def _decide_many(self, rows: NDArray[np.float64], margin: float) -> tuple[LabelBlock, Cells]:
        """Return the labels for any number of classes, and the cells that are not proven."""
        joint = np.stack([rows[:, y] @ self._columns[y] for y in range(self._classes)])
        labels = joint.argmax(axis=0).astype(np.uint8)
        if self._classes == 1:
            return labels, np.nonzero(np.zeros(labels.shape, dtype=bool))
        ordered = np.partition(joint, self._classes - 2, axis=0)
        best, second = ordered[-1], ordered[-2]
        total = best + second
        labels[total == 0] = self._zero_label
        return labels, np.nonzero((best - second <= margin * total) & (total > 0))
