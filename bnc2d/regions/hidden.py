"""What bounds on ratios exclude from a region, where hidden variables are in the way."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.pairs import class_weights
from bnc2d.regions.ratios import RatioBounds
from bnc2d.regions.region import Label, Region


class HiddenBounds:
    """Excludes a label from a region where some class weighs more at every instance.

    At an instance at which all classes weigh nothing none weighs more, and the rule for ties decides; so its
    label is not excluded unless some class is known to weigh something everywhere.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        self._ratios = RatioBounds(classifier)
        rule, classes = classifier.rule, len(classifier.classes)
        weights = class_weights(rule, classes)
        self._weights = np.array([float(weight) for weight in weights])
        self._usable = all(
            (weight == 0) == (exact == 0) for weight, exact in zip(self._weights, weights, strict=True)
        )
        self._of_nothing = rule.exact_label([0] * classes)

    def excluded(self, region: Region, wanted: Collection[Label]) -> set[Label]:
        """Return labels, of those wanted, that no instance of the region has."""
        if not self._usable:
            return set()
        bounds, positive = self._ratios.over(region)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = bounds * (self._weights[:, None] / self._weights[None, :])
        ratios = np.where(self._weights[:, None] == 0, 0.0, np.nan_to_num(ratios, nan=np.inf, posinf=np.inf))
        less = ratios < 1.0 - self._ratios.margin  # so the first weighs less, unless both weigh nothing
        np.fill_diagonal(less, False)
        found = {label for label in wanted if label != NO_CLASS and less[label].any()}
        if NO_CLASS in wanted and (less | np.eye(len(less), dtype=bool)).all(axis=0).any():
            found.add(NO_CLASS)
        if not (positive & (self._weights > 0)).any():
            found.discard(self._of_nothing)
        return found

    def candidate(self, _region: Region, _wanted: Collection[Label]) -> list[int] | None:
        """Suggest none."""
        return None
