"""Partial instances: rows in which some features are missing, decided by the classifier over the others.

``P(y | what is known)`` is the posterior of the same network and target with the known features alone. Rows
are grouped by which features they lack, so that each group is one question to one smaller classifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.missing import MISSING
from bnc2d.model.decision import Basis, Labels

if TYPE_CHECKING:
    from bnc2d.model.classifier import BaseClassifier

    Classifier = TypeVar("Classifier", bound=BaseClassifier)

# Classifiers over fewer features that are kept for the partial instances to come.
_MOST_SMALLER = 64


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


def over(classifier: Classifier, known: Sequence[int]) -> Classifier:
    """Return the same network, target and rule with some of the features, by position; maybe with none.

    The others are hidden variables of it.
    """
    key = tuple(known)
    if key == tuple(range(len(classifier.features))):
        return classifier
    kept: dict[tuple[int, ...], Classifier] = classifier.__dict__.setdefault("_smaller", {})
    made = kept.get(key)
    if made is None:
        made = type(classifier).__new__(type(classifier))
        for name in ("network", "target", "classes", "threshold", "positive", "ties", "rule"):
            setattr(made, name, getattr(classifier, name))
        made.features = tuple(classifier.features[feature] for feature in key)
        while len(kept) >= _MOST_SMALLER:
            kept.pop(next(iter(kept)), None)  # the oldest
        kept[key] = made
    return made


def partial_labels(classifier: BaseClassifier, rows: Rows) -> Labels:
    """Return the class of each row, in which features may be ``MISSING`` (see ``BaseClassifier.labels``)."""
    labels = np.empty(len(rows), dtype=np.intp)
    for places, known, some in groups_of(rows):
        labels[places] = over(classifier, known).labels(some)
    return labels


def partial_bases(classifier: BaseClassifier, rows: Rows) -> list[Basis]:
    """Return what each decision rests on, in rows in which features may be ``MISSING``."""
    found = np.empty(len(rows), dtype=object)
    for places, known, some in groups_of(rows):
        found[places] = over(classifier, known).bases(some)
    return list(found)
