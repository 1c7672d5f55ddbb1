"""Is there an instance of a region with one of some labels? Bounds, a climb, and the splitting of regions.

Bounds say which labels no instance of a region has. Where they leave some of those wanted, instances that
climb towards them are tried; a small region is looked at instance by instance, a larger one is split at the
feature that matters most at the top of the climb. So every answer is exact, and a budget that ends leaves it
open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from threading import RLock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS
from bnc2d.model.inference import JointQuery
from bnc2d.regions.pairs import class_weights
from bnc2d.regions.region import Label, Region, first_instance, instances, parts, size

# Regions of at most this many instances are looked at one by one.
FEW_INSTANCES = 1 << 10
# Instances within this of a label wanted, by logarithms of floats, are decided exactly.
_NEAR = 1e-6
# A climb goes on while a step gains more than this.
_LEAST_STEP = 1e-9
# Seconds between two checkpoints while another thread asks.
_WAIT = 0.05


class Bounds(Protocol):
    """What is known of all instances of a region; ``lock`` is held by the one search that asks at a time."""

    @property
    def lock(self) -> RLock:
        """Free where nobody asks."""

    @property
    def settled(self) -> float:
        """The share of the region asked about last in which there is none, as far as it is known."""

    def excluded(self, region: Region, wanted: Collection[Label], few: int, /) -> set[Label]:
        """Return labels, of those wanted, that no instance of the region has.

        Regions of at most ``few`` instances may be looked at instance by instance.
        """

    def candidate(self, region: Region, wanted: Collection[Label], /) -> list[int] | None:
        """Return an instance of the region to try, where one suggests itself."""


@contextmanager
def asking(bounds: Bounds) -> Iterator[None]:
    """Hold the lock of bounds, and wait for it if another thread asks; the time limit goes on meanwhile.

    Ctrl-C may come after the lock is taken and before it is sure to be given back. So the same thread may
    take it again: nothing waits for itself.
    """
    while not bounds.lock.acquire(timeout=_WAIT):
        checkpoint()
    try:
        yield
    finally:
        bounds.lock.release()


def among(classifier: BaseClassifier, rows: Rows, wanted: Collection[Label]) -> list[int] | None:
    """Return the first of some instances that has a label wanted, if one has."""
    hits = np.flatnonzero(np.isin(classifier.labels(rows), list(wanted)))
    return [int(state) for state in rows[hits[0]]] if hits.size else None


class Search:
    """Finds instances of regions."""

    def __init__(self, classifier: BaseClassifier, bounds: Bounds, few: int = FEW_INSTANCES) -> None:
        self._classifier = classifier
        self._bounds = bounds
        self._few = few
        weights = class_weights(classifier.rule, len(classifier.classes))
        with np.errstate(divide="ignore"):
            self._weights = np.log([float(weight) for weight in weights])
        self._settled, self._share = Fraction(0), Fraction(0)

    @property
    def settled(self) -> float:
        """The share of the region asked about last in which it is known that there is none."""
        return float(self._settled + self._share * Fraction(self._bounds.settled))

    @cached_property
    def _query(self) -> JointQuery:
        """For climbs only: where bounds settle a region there is none."""
        return JointQuery(self._classifier.network, self._classifier.target, self._classifier.features)

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of the region with a label wanted, or None where there is none."""
        with asking(self._bounds):
            return self._find(region, wanted)

    def _find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        self._settled, self._share = Fraction(0), Fraction(0)
        whole = size(region)
        found: list[int] | None
        left: list[tuple[Region, list[int] | None]] = [(region, None)]
        while left:
            checkpoint()
            part, start = left.pop()
            self._share = Fraction(size(part), whole)
            if self._bounds.excluded(part, wanted, self._few) < set(wanted):
                suggested = self._bounds.candidate(part, wanted)
                if suggested is not None and among(
                    self._classifier, np.array([suggested], dtype=np.intp), wanted
                ):
                    return suggested
                if size(part) <= self._few:
                    found = among(self._classifier, instances(part), wanted)
                else:
                    found, top, feature = self._climb(part, wanted, suggested or start)
                    if found is None:
                        left += [(smaller, top) for smaller in parts(part, feature)]
                        self._share = Fraction(0)
                        continue
                if found is not None:
                    return found
            self._settled, self._share = self._settled + self._share, Fraction(0)
        return None

    def _climb(
        self, region: Region, wanted: Collection[Label], start: list[int] | None
    ) -> tuple[list[int] | None, list[int], int]:
        """Climb towards the labels wanted.

        Returns an instance that has one, if one was met; the top; and the feature that matters most there.
        """
        start = start or first_instance(region)
        here = [
            state if state in allowed else int(allowed[0])
            for state, allowed in zip(start, region, strict=True)
        ]
        free = [feature for feature, allowed in enumerate(region) if len(allowed) > 1]
        single = [(feature, state) for feature in free for state in region[feature].tolist()]
        columns, states = np.array(single, dtype=np.intp).T
        height = -np.inf
        while True:
            checkpoint()
            rows = np.tile(np.array(here, dtype=np.intp), (len(single), 1))
            rows[np.arange(len(single)), columns] = states
            heights = self._heights(rows, wanted)
            near = np.flatnonzero(heights > -_NEAR)
            found = among(self._classifier, rows[near], wanted) if near.size else None
            best = int(heights.argmax())
            if found is not None or heights[best] <= height + _LEAST_STEP:
                ranges = [np.ptp(heights[columns == feature]) for feature in free]
                return found, here, free[int(np.argmax(ranges))]
            here, height = rows[best].tolist(), float(heights[best])

    def _heights(self, rows: Rows, wanted: Collection[Label]) -> NDArray[np.float64]:
        """Return how near rows come to a label wanted, above 0 where they have one; roughly."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self._query.joint(rows, exact=False).values) + self._weights
            if NO_CLASS in wanted:
                ordered = np.sort(logs, axis=1)
                heights = ordered[:, -2:].min(axis=1) - ordered[:, -1]
            else:
                is_wanted = np.isin(np.arange(logs.shape[1]), list(wanted))
                rivals = logs[:, ~is_wanted].max(axis=1, initial=-np.inf)
                heights = logs[:, is_wanted].max(axis=1, initial=-np.inf) - rivals
        return np.asarray(np.nan_to_num(heights, nan=0.0, posinf=1e3, neginf=-1e3))
