"""One instance and the regions around it: some features as in the instance, the others as they like."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.primes.dualise import Words
from bnc2d.regions.around.greedy import give_up
from bnc2d.regions.observed import Comparisons
from bnc2d.regions.questions import Questions
from bnc2d.regions.region import Region

FeatureSet = list[int]  # ascending


class Around:
    """An instance, by its state positions, and features that are ``fixed`` in it.

    ``comparisons`` are those of its label, which must be a class. A set of features is *enough* where the
    label stays as long as they and the fixed ones have the instance's states. ``features`` are those that can
    matter, so that sets that follow each other there share most of their questions.
    """

    def __init__(self, comparisons: Comparisons, row: Sequence[int], fixed: Collection[int] = ()) -> None:
        self.comparisons = comparisons
        self.row = [int(state) for state in row]
        self.fixed = frozenset(fixed)
        self.sizes = comparisons.margins.sizes
        own = [np.array([state], dtype=np.intp) for state in self.row]
        free = [own[f] if f in self.fixed else np.arange(size) for f, size in enumerate(self.sizes)]
        self.questions: Questions = comparisons.questions(list(map(list, zip(own, free, strict=True))))
        self.features = [f for f in self.questions.order if f not in self.fixed and self.sizes[f] > 1]

    def stays(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each set of features, by rows ``[set, feature]``, whether it is enough."""
        choices = (~kept).astype(np.intp)
        return np.asarray(~self.comparisons.behind(self.questions, choices).any(axis=1))

    def is_enough(self, features: Collection[int]) -> bool:
        """Return whether a set of features is enough."""
        kept = np.zeros((1, len(self.row)), dtype=bool)
        kept[0, list(features)] = True
        return bool(self.stays(kept)[0])

    def enough(self, words: Words) -> Words:
        """Return for 64 sets, as a word a feature with a bit a set, a word: which of them are enough."""
        bytes_ = words.astype("<u8").view(np.uint8).reshape(len(words), 8)
        kept = np.unpackbits(bytes_, axis=1, bitorder="little").T.astype(bool)
        return np.packbits(self.stays(kept), bitorder="little").view("<u8").astype(np.uint64)

    def critical(self) -> FeatureSet:
        """Return the features that alone can change the label."""
        kept = np.ones((len(self.features), len(self.row)), dtype=bool)
        kept[np.arange(len(self.features)), self.features] = False
        changes = ~self.stays(kept)
        return sorted(f for f, changed in zip(self.features, changes.tolist(), strict=True) if changed)

    def one_sufficient(self, groups: Sequence[Collection[int]] | None = None) -> FeatureSet:
        """Return a minimal set that is enough (see ``greedy.give_up``).

        With ``groups`` of features, all of one are asked before those of the next.
        """
        own = np.zeros((1, len(self.row)), dtype=np.intp)
        kept: FeatureSet = []
        for group in [self.features] if groups is None else groups:
            asked = [feature for feature in self.features if feature in group]
            if asked:
                needed = give_up(self.comparisons, self.questions, own, np.ones_like(own), asked)[0]
                own[0, [feature for feature in asked if not needed[feature]]] = 1
                kept += np.flatnonzero(needed).tolist()
        return sorted(kept)

    def region(self, kept: Collection[int]) -> Region:
        """Return where some features, and the fixed ones, are as in the instance."""
        choice = np.ones(len(self.row), dtype=np.intp)
        choice[list(kept)] = 0
        return self.questions.region(choice)

    def counterexample(self, kept: Collection[int]) -> list[int] | None:
        """Return an instance with another label and the same states of some features, if there is one."""
        region = self.region(kept)
        behind = np.flatnonzero(self.comparisons.behind_in(region))
        return self.comparisons.instance_behind(int(behind[0]), region) if behind.size else None
