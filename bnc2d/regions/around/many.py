"""One sufficient reason for each of many instances, all of a label at once."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import pieces
from bnc2d.regions.around.greedy import Kept, give_up
from bnc2d.regions.observed import Comparisons, ObservedBounds

_ROWS_AT_ONCE = 1 << 11


def sufficient_each(
    bounds: ObservedBounds, rows: Rows, labels: NDArray[np.integer], fixed: Collection[int] = ()
) -> Kept:
    """Return for each instance the features of one sufficient reason, that of ``Around.one_sufficient``.

    ``labels`` are those of the instances, and must be classes.
    """
    kept = np.zeros(rows.shape, dtype=bool)
    for label in np.unique(labels).tolist():
        places = np.flatnonzero(labels == label)
        comparisons = bounds.of_class(label)
        for piece in pieces(len(places), _ROWS_AT_ONCE):
            kept[places[piece]] = _of_one_label(comparisons, rows[places[piece]], fixed)
    return kept


def _of_one_label(comparisons: Comparisons, rows: Rows, fixed: Collection[int]) -> Kept:
    """Answer for one label: options of a feature are the states that it has in some row, and last all."""
    own = np.empty_like(rows)
    free = np.empty_like(rows)
    options = []
    for feature, size in enumerate(comparisons.margins.sizes):
        states, own[:, feature] = np.unique(rows[:, feature], return_inverse=True)
        options.append([*(np.array([state]) for state in states.tolist()), np.arange(size)])
        free[:, feature] = own[:, feature] if feature in fixed else len(states)
    questions = comparisons.questions(options)
    features = [f for f in questions.order if f not in fixed and comparisons.margins.sizes[f] > 1]
    return give_up(comparisons, questions, own, free, features)
