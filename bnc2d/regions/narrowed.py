"""What oracles share that answer as another one does but for instances that do not count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.oracle import Asking, RegionOracle
from bnc2d.regions.region import Label, Region, States


class NarrowedOracle(ABC):
    """Asks another oracle; instances that do not count have a label of their own, ``outside``."""

    observed = None  # the quick ways of the other know nothing of what does not count

    def __init__(self, oracle: RegionOracle, outside: Label) -> None:
        self._oracle = oracle
        self._outside = outside

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self._oracle.domain

    @property
    def hidden(self) -> HiddenBounds | None:
        """The bounds of the network, where hidden variables are in the way; they hold here too."""
        return self._oracle.hidden

    @abstractmethod
    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels."""

    def along(self, labels: Collection[Label], region: Region, feature: FeatureId) -> NDArray[np.bool_]:
        """Return for each state that a region allows a feature whether it leaves only these labels."""
        options: list[list[States]] = [[states] for states in region]
        options[feature] = list(region[feature][:, None])
        choices = np.zeros((len(region[feature]), len(region)), dtype=np.intp)
        choices[:, feature] = np.arange(len(choices))
        return self.asking(labels, options)(choices)

    def _others(self, labels: Collection[Label]) -> list[Label]:
        return [other for other in range(self._outside + 1) if other not in labels]
