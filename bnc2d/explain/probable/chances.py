"""What a search for probable reasons asks of a distribution, about many sets of features at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.domain import FeatureId

Sets: TypeAlias = NDArray[np.bool_]  # [set, column]: which features are kept as in the instance
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Exactly: TypeAlias = Callable[[Sequence[FeatureId]], Fraction | None]


class Chances(ABC):
    """With which probability sets of kept features keep the decision, against the least that is ``wanted``.

    Columns of sets are ``features``: those that a minimal set may have. ``exactly`` gives the probability of
    one set, None where nothing that agrees with it has any weight: such a set keeps nothing.
    """

    def __init__(self, features: Sequence[FeatureId], wanted: Fraction, exactly: Exactly) -> None:
        self.features = list(features)
        self.wanted = wanted
        self.exactly = exactly

    @abstractmethod
    def scores(self, kept: Sets) -> Floats:
        """Return a number for each set that grows with its probability, about; negative where it has none."""

    @abstractmethod
    def relevant(self, kept: Sets) -> Flags:
        """Return which sets keep the decision with the probability wanted, or more: exactly."""

    @abstractmethod
    def judged(self, kept: Sets, undecided: Sets, more: int | None) -> tuple[Flags, Flags]:
        """Return which sets reach the probability, and which of the others are to be made larger.

        The latter is False only where no larger set reaches it: the kept features and some undecided ones, at
        most ``more`` of them.
        """

    def names_of(self, kept: Flags) -> list[FeatureId]:
        """Return the features of one set, in the order of the domain."""
        return sorted(self.features[column] for column in np.flatnonzero(kept).tolist())

    def _is_relevant(self, kept: Flags) -> bool:
        """Decide a close call in exact numbers."""
        found = self.exactly(self.names_of(kept))
        return found is not None and found >= self.wanted

    def _settle(self, kept: Sets, surely: Flags, maybe: Flags) -> Flags:
        """Return which sets are wanted: those that surely are, and of the close calls those that are."""
        for place in np.flatnonzero(maybe & ~surely).tolist():
            surely[place] = self._is_relevant(kept[place])
        return surely
