"""One sufficient reason for each of many instances at once, where no hidden variable is in the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.domain import FeatureId
from bnc2d.regions.around.greedy import give_up
from bnc2d.regions.observed import Comparisons


class OneReason(NamedTuple):
    """The features of a sufficient reason, and whether there is no other."""

    features: list[FeatureId]
    is_only: bool


def one_reason_each(comparisons: Comparisons, rows: Rows) -> list[OneReason]:
    """Return a sufficient reason for each row of state positions; all have the class of the comparisons.

    They are those that ``Around.one_sufficient`` gives one by one. There is no other where each of its
    features alone can change the label, so that every sufficient reason has it.
    """
    sizes = comparisons.margins.sizes
    options = [[*(np.array([state]) for state in range(size)), np.arange(size)] for size in sizes]
    questions = comparisons.questions(options)
    own = np.asarray(rows, dtype=np.intp)
    free = np.broadcast_to(np.array(sizes, dtype=np.intp), own.shape)
    features = [feature for feature in questions.order if sizes[feature] > 1]
    kept = give_up(comparisons, questions, own, free, features)
    is_only: NDArray[np.bool_] = np.ones(len(own), dtype=bool)
    for feature in features:
        checkpoint()
        choices = own.copy()
        choices[:, feature] = free[:, feature]
        changes = comparisons.behind(questions, choices).any(axis=1)
        is_only &= changes | ~kept[:, feature]
    return [
        OneReason(np.flatnonzero(row).tolist(), bool(only)) for row, only in zip(kept, is_only, strict=True)
    ]
