"""What bounds on the ratios of classes exclude from a region, where hidden variables are in the way."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from math import inf
from threading import Lock

import numpy as np

from bnc2d.base.masks import VariableId
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.messages.message import Unknown
from bnc2d.regions.messages.passes import Effort, Passes, Question
from bnc2d.regions.messages.possible import Zeros
from bnc2d.regions.pairs import class_weights
from bnc2d.regions.region import Label, Region, first_instance
from bnc2d.regions.tables import has_zero

# One after the other, until a question is settled.
EFFORTS = (Effort(16, 1 << 18), Effort(128, 1 << 19))
# Tables with positive entries below this power of two are not bounded.
_LOWEST_EXPONENT = -300
# An instance whose ratio is within this of the least that is allowed is looked at exactly.
_NEAR = 1e-9
# Steps of a climb.
_MOST_STEPS = 30


class HiddenBounds:
    """Excludes a label from a region where some class weighs more at every instance.

    At an instance at which all classes weigh nothing none weighs more, and the rule for ties decides; so its
    label is not excluded unless some class is known to weigh something everywhere.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        self.lock = Lock()
        self._classifier = classifier
        rule, self._classes = classifier.rule, len(classifier.classes)
        weights = class_weights(rule, self._classes)
        self._weights = [float(weight) for weight in weights]
        self._of_nothing = rule.exact_label([0] * self._classes)
        self._passes = Passes(classifier)
        cpts = [node.cpt for node in self._passes.tree.nodes if node.cpt is not None]
        self._usable = all(
            (weight == 0) == (exact == 0) for weight, exact in zip(self._weights, weights, strict=True)
        ) and all(cpt.lowest_exponent >= _LOWEST_EXPONENT and not cpt.rounds_to_zero for cpt in cpts)
        self._margin = 64.0 * self._passes.tree.operations * UNIT_ROUNDOFF
        self._zeros = Zeros(self._passes.tree, self._passes.leaves)
        self._has_zeros = has_zero(cpts)
        self._worst: tuple[Question, list[int]] | None = None
        self._impossible: list[int] | None = None

    def excluded(self, region: Region, wanted: Collection[Label]) -> set[Label]:
        """Return labels, of those wanted, that no instance of the region has."""
        self._worst = self._impossible = None
        found: set[Label] = set()
        if not self._free(region):
            label = int(self._classifier.labels(np.array([first_instance(region)], dtype=np.intp))[0])
            return set(wanted) - {label}
        if self._usable:
            if self._of_nothing in wanted and self._has_zeros and not self._all_possible(region):
                return found
            for label in sorted(wanted):
                if not self._is_excluded(region, label, wanted):
                    break
                found.add(label)
        return found

    def candidate(self, region: Region, _wanted: Collection[Label]) -> list[int]:
        """Return the worst instance that was met when the region was last asked about."""
        if self._impossible is not None:
            return self._impossible
        return first_instance(region) if self._worst is None else self._worst[1]

    def split(self, region: Region, _wanted: Collection[Label]) -> int:
        """Return the feature that changes most at the worst instance; some feature that matters must be free.

        Features that several tables have come first: messages are the simpler without them.
        """
        free = self._free(region)
        for feature, column in free.items():
            if feature not in self._passes.tree.leaf_of:
                return column
        ranges = dict.fromkeys(free.values(), 0.0)
        if self._worst is not None:
            question, instance = self._worst
            with suppress(Unknown):
                for column, ratios in self._passes.changes(instance, question, region).items():
                    ranges[column] = float(np.ptp(np.log(np.clip(ratios, 1e-30, 1e30))))
        return max(ranges, key=ranges.__getitem__)

    def _free(self, region: Region) -> dict[VariableId, int]:
        """Return the columns of the features that matter and that the region leaves several states."""
        tree = self._passes.tree
        return {
            feature: column
            for feature, column in sorted(tree.column.items())
            if tree.nodes[-1].below >> feature & 1 and len(region[column]) > 1
        }

    def _is_excluded(self, region: Region, label: Label, wanted: Collection[Label]) -> bool:
        """Return whether some class that is not wanted weighs more everywhere."""
        classes = range(self._classes)
        strong = [other for other in classes if other not in wanted]
        if label == NO_CLASS:
            return any(
                all(self._is_beaten(region, Question(one, other)) for other in classes if other != one)
                for one in strong
            )
        return any(self._is_beaten(region, Question(one, label)) for one in strong)

    def _all_possible(self, region: Region) -> bool:
        """Return whether all instances are known to be possible; one that is not may be what is wanted."""
        try:
            impossible = self._zeros.impossible_instance(region)
        except Unknown:
            return False
        if impossible is not None:
            self._impossible = impossible
        return impossible is None

    def _is_beaten(self, region: Region, question: Question) -> bool:
        """Return whether the class is known to weigh more than its rival everywhere."""
        if not self._weights[question.label]:
            return False
        needed = self._weights[question.rival] / self._weights[question.label]
        try:
            for effort in EFFORTS:
                worst = self._passes.least(region, question, effort)
                if worst is None or worst.bound > needed * (1.0 + self._margin):
                    return True
                self._worst = question, worst.instance
                if effort in (EFFORTS[0], EFFORTS[-1]):
                    instance, ratio = self._climb(region, worst.instance, question)
                    self._worst = question, instance
                    if ratio <= needed * (1.0 + _NEAR):
                        return False
        except Unknown:
            pass
        return False

    def _climb(self, region: Region, instance: list[int], question: Question) -> tuple[list[int], float]:
        """Change one feature after the other while the ratio falls; return the instance and its ratio."""
        least = inf
        for _ in range(_MOST_STEPS):
            steps = [
                (float(ratios.min()), column, int(region[column][int(ratios.argmin())]))
                for column, ratios in self._passes.changes(instance, question, region).items()
            ]
            ratio, column, state = min(steps, default=(inf, 0, 0))
            if ratio >= least * (1.0 - _NEAR):
                break
            least = ratio
            instance = [*instance[:column], state, *instance[column + 1 :]]
        return instance, least
