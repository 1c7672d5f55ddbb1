"""What bounds on the ratios of classes exclude from a region, where hidden variables are in the way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from threading import RLock

import numpy as np

from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.messages.message import Unknown, Values
from bnc2d.regions.messages.passes import Effort, Passes, Question
from bnc2d.regions.messages.possible import Zeros
from bnc2d.regions.odds.branching import Branching, Claim, Look
from bnc2d.regions.odds.passes import OddsPasses
from bnc2d.regions.pairs import class_weights
from bnc2d.regions.region import Label, Region, first_instance
from bnc2d.regions.search import among
from bnc2d.regions.tables import has_zero

# Bounds on what is said, one after the other, before regions are split.
EFFORTS = (Effort(16, 1 << 18), Effort(128, 1 << 19))
# Tables with positive entries below this power of two are not bounded.
_LOWEST_EXPONENT = -300
# An instance whose ratio is within this of the least that is allowed is looked at exactly.
_NEAR = 1e-9
# Steps of a climb.
_MOST_STEPS = 30
# Layouts of messages that are kept.
_MOST_LAYOUTS = 8


class HiddenBounds:
    """Excludes a label from a region where some class weighs more at every instance.

    At an instance at which all classes weigh nothing none weighs more, and the rule for ties decides; so its
    label is not excluded unless some class is known to weigh something everywhere. ``classes`` is how many
    there are.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        self.lock = RLock()
        self._classifier = classifier
        rule, self.classes = classifier.rule, len(classifier.classes)
        weights = class_weights(rule, self.classes)
        self._weights = [float(weight) for weight in weights]
        self._of_nothing = rule.exact_label([0] * self.classes)
        self._passes = Passes(classifier)
        self._tree, self._leaves = self._passes.tree, self._passes.leaves
        cpts = [node.cpt for node in self._tree.nodes if node.cpt is not None]
        self._usable = all(
            (weight == 0) == (exact == 0) for weight, exact in zip(self._weights, weights, strict=True)
        ) and all(cpt.lowest_exponent >= _LOWEST_EXPONENT and not cpt.rounds_to_zero for cpt in cpts)
        self._zeros = Zeros(self._tree, self._leaves)
        self._has_zeros = has_zero(cpts)
        self._layouts: dict[tuple[object, ...], OddsPasses] = {}
        self._found: list[int] | None = None
        self._worst: dict[Question, list[int]] = {}
        self._branching: Branching | None = None

    @property
    def settled(self) -> float:
        """The share of the region asked about last in which the label looked at is known not to be."""
        return 0.0 if self._branching is None else min(1.0, self._branching.settled)

    def excluded(self, region: Region, wanted: Collection[Label], few: int) -> set[Label]:
        """Return labels, of those wanted, that no instance of the region has."""
        self._found = self._branching = None
        self._worst = {}
        found: set[Label] = set()
        if not self._free(region):
            label = int(self._classifier.labels(np.array([first_instance(region)], dtype=np.intp))[0])
            return set(wanted) - {label}
        if self._usable:
            if self._of_nothing in wanted and self._has_zeros and not self._all_possible(region):
                return found
            for label in sorted(wanted):
                if not self._is_excluded(region, label, wanted, few):
                    break
                found.add(label)
        return found

    def candidate(self, region: Region, _wanted: Collection[Label]) -> list[int]:
        """Return the instance that was found when the region was last asked about, or else some."""
        return first_instance(region) if self._found is None else self._found

    def _free(self, region: Region) -> list[int]:
        """Return the columns of the features that matter and that the region leaves several states."""
        below = self._tree.nodes[-1].below
        columns = [column for feature, column in self._tree.column.items() if below >> feature & 1]
        return [column for column in sorted(columns) if len(region[column]) > 1]

    def _all_possible(self, region: Region) -> bool:
        """Return whether all instances are known to be possible; one that is not may be what is wanted."""
        try:
            self._found = self._zeros.impossible_instance(region)
        except Unknown:
            return False
        return self._found is None

    def impossible(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an impossible instance of a region, if it has a label wanted and one is found."""
        if self._usable and self._has_zeros and self._of_nothing in wanted:
            with suppress(Unknown):
                return self._zeros.impossible_instance(region)
        return None

    def _is_excluded(self, region: Region, label: Label, wanted: Collection[Label], few: int) -> bool:
        """Return whether at each instance some class that is not wanted weighs more.

        Where it is not, an instance with a label wanted has been found, or numbers are too small to tell.
        """
        strong = [one for one in range(self.classes) if one not in wanted and self._weights[one]]
        if not strong:
            return False
        compared = list(range(self.classes)) if label == NO_CLASS else [*strong, label]
        rivals = compared if label == NO_CLASS else [label]

        def pair(one: int, rival: int) -> tuple[int, int, float]:
            weight = self._weights[rival] / self._weights[one]
            return compared.index(rival), compared.index(one), weight

        claim: Claim = [[pair(one, rival) for rival in rivals if rival != one] for one in strong]
        questions = [Question(one, rival) for one in strong for rival in rivals if rival != one]
        look = partial(among, self._classifier, wanted=wanted)
        climb = partial(self._climb, questions, look)
        for effort in EFFORTS:
            if label != NO_CLASS and self._is_beaten(region, label, strong, effort):
                return True
            self._found = climb(region)
            if self._found is not None:
                return False
        self._branching = Branching(self._odds(compared, region), claim, look, climb, few)
        self._found = self._branching.find(region, self._free(region))
        return self._found is None

    def _is_beaten(self, region: Region, label: Label, strong: Sequence[int], effort: Effort) -> bool:
        """Return whether bounds on what is said show that some class weighs more everywhere."""
        margin = 1.0 + 64.0 * self._tree.operations * UNIT_ROUNDOFF
        for one in strong:
            question = Question(one, label)
            with suppress(Unknown):
                worst = self._passes.least(region, question, effort)
                if worst is None or worst.bound > margin * self._weights[label] / self._weights[one]:
                    return True
                self._worst[question] = worst.instance
        return False

    def _odds(self, compared: Sequence[int], region: Region) -> OddsPasses:
        """Return the layout of messages; regions share it unless features of several tables differ."""
        tree = self._tree
        shared = [column for feature, column in sorted(tree.column.items()) if feature not in tree.leaf_of]
        key = (*compared, *(region[column].tobytes() for column in shared))
        if key not in self._layouts:
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.pop(next(iter(self._layouts)))
            self._layouts[key] = OddsPasses(tree, self._leaves, compared, region, zeros=self._has_zeros)
        return self._layouts[key]

    def _climb(self, questions: Sequence[Question], look: Look, region: Region) -> list[int] | None:
        """Return an instance that is looked for, if one is met on the way to the worst for some class."""
        for question in questions:
            start = self._worst.get(question) or first_instance(region)
            instance, ratio = self.worst(region, question, start)
            self._worst[question] = instance
            if ratio <= 1.0 + _NEAR:
                found = look(np.array([instance], dtype=np.intp))
                if found is not None:
                    return found
        return None

    def changes(self, instance: Sequence[int], question: Question, region: Region) -> dict[int, Values]:
        """Return by column what the class weighs, beside its rival, after a change to each state.

        Only features that the region leaves several states, and that only one table has; none where the
        tables are too large, or numbers too small.
        """
        own, rival = self._weights[question.label], self._weights[question.rival]
        if not self._usable or not own or not rival:
            return {}
        try:
            ratios = self._passes.changes(instance, question, region)
        except Unknown:
            return {}
        with np.errstate(over="ignore", invalid="ignore"):
            weighed = {column: some * (own / rival) for column, some in ratios.items()}
        return {column: np.where(np.isnan(some), np.inf, some) for column, some in weighed.items()}

    def worst(self, region: Region, question: Question, start: Sequence[int]) -> tuple[list[int], float]:
        """Change one feature after the other while the class loses weight beside its rival.

        Return the instance where that ends, and what the class weighs there beside the rival.
        """
        least = inf
        instance = [
            state if state in allowed else int(allowed[0])
            for state, allowed in zip(start, region, strict=True)
        ]
        for _ in range(_MOST_STEPS):
            steps = [
                (float(ratios.min()), column, int(region[column][int(ratios.argmin())]))
                for column, ratios in self.changes(instance, question, region).items()
            ]
            ratio, column, state = min(steps, default=(inf, 0, 0))
            if ratio >= least * (1.0 - _NEAR):
                break
            least = ratio
            instance = [*instance[:column], state, *instance[column + 1 :]]
        return instance, least
