"""Partial instances: rows in which some features are missing, decided by the classifier over the others.

``P(y | what is known)`` is the posterior of the same network and target with the known features alone. Rows
are grouped by which features they lack, so that each group is one question to one smaller classifier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.states import MISSING


class Group(NamedTuple):
    """Rows that know the same features: their ``places``, these features by position, and their states."""

    places: NDArray[np.intp]
    known: tuple[int, ...]
    rows: Rows


def groups_of(rows: Rows) -> Iterator[Group]:
    """Yield rows grouped by which features they know; complete rows are a group like all others."""
    is_known = rows != MISSING
    if is_known.all():
        yield Group(np.arange(len(rows)), tuple(range(rows.shape[1])), rows)
        return
    group_of, first = distinct_rows(is_known.astype(np.intp))
    by_group = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of, minlength=len(first)))[:-1]
    for place, places in zip(first.tolist(), np.split(by_group, ends), strict=True):
        checkpoint()
        known = np.flatnonzero(is_known[place])
        yield Group(places, tuple(known.tolist()), rows[np.ix_(places, known)])
