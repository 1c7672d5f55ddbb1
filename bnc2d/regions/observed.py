"""Comparisons of classes all over a region, where no hidden variable is in the way; exact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from math import inf, log
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS, Labels
from bnc2d.regions.exact import least_instance, least_ratio
from bnc2d.regions.margins import Margins, Values
from bnc2d.regions.pairs import class_weights, pairs_of
from bnc2d.regions.questions import Choices, Questions
from bnc2d.regions.region import Label, Region, States
from bnc2d.regions.tables import ClassTables


class Comparisons:
    """One class against all others, over regions that are a choice of one option a feature.

    ``weights`` are what the joint probability of each class is multiplied by. An option is a set of states.
    Many regions are asked at once, and what they share with those asked before is not done again.
    """

    def __init__(self, classifier: BaseClassifier, tables: ClassTables, label: Label) -> None:
        classes = len(classifier.classes)
        self.weights = class_weights(classifier.rule, classes)
        logs = _logs(self.weights)
        sizes = [len(variable) for variable in classifier.feature_variables]
        self._margins = Margins(tables, pairs_of(classifier.rule, label, classes), logs, sizes)
        self.others = [pair.second for pair in self._margins.pairs]

    @property
    def margins(self) -> Margins:
        """The margins of the class over the others."""
        return self._margins

    def questions(self, options: Sequence[Sequence[States]]) -> Questions:
        """Return what ``behind`` asks."""
        return Questions(self._margins, options)

    def behind(self, questions: Questions, choices: Choices) -> NDArray[np.bool_]:
        """Return for each region and other class whether the class falls behind it somewhere there."""
        return self._signs(questions.least(choices), lambda at: questions.region(choices[at]))

    def behind_in(self, region: Region) -> NDArray[np.bool_]:
        """Return for each other class whether the class falls behind it somewhere in one region."""
        questions = self.questions([[allowed] for allowed in region])
        answer: NDArray[np.bool_] = self.behind(questions, _only(region))[0]
        return answer

    def behind_along(self, region: Region, feature: int) -> NDArray[np.bool_]:
        """Return for each state of a feature and other class whether the class falls behind it somewhere.

        The feature has that state there, the others those that the region allows.
        """
        least = self.questions([[allowed] for allowed in region]).along(region, feature)
        states = np.arange(len(least))
        return self._signs(least, lambda at: [*region[:feature], states[at : at + 1], *region[feature + 1 :]])

    def _signs(self, least: Values, region: Callable[[int], Region]) -> NDArray[np.bool_]:
        """Return whether the class falls behind where margins are least; exactly where they are too close."""
        answer = least < 0
        for at, pair in np.argwhere(np.abs(least) <= self._margins.errors).tolist():
            ratio, _ = least_ratio(self._margins, pair, self.weights, region(at))
            answer[at, pair] = ratio < 1 or (ratio == 1 and self._margins.pairs[pair].behind_at_ties)
        return answer

    def instance_behind(self, pair: int, region: Region) -> list[int]:
        """Return where in a region the class falls behind; that it does so somewhere must be known."""
        margins = self._margins
        for scope, positive in margins.positive:
            zero = ~positive[pair][np.ix_(*(region[feature] for feature in scope))]
            if zero.any():
                instance = [int(allowed[0]) for allowed in region]
                for feature, place in zip(scope, np.argwhere(zero)[0].tolist(), strict=True):
                    instance[feature] = int(region[feature][place])
                return instance
        least = self.questions([[allowed] for allowed in region]).least(_only(region))[0, pair]
        if abs(least) > margins.errors[pair]:
            return least_instance(margins, pair, region)
        return least_ratio(margins, pair, self.weights, region)[1]


def _logs(weights: Sequence[Fraction]) -> list[float]:
    return [log(weight.numerator) - log(weight.denominator) if weight else -inf for weight in weights]


def _only(region: Region) -> Choices:
    return np.zeros((1, len(region)), dtype=np.intp)


class ObservedBounds:
    """Excludes a label from a region where some class never falls behind it.

    Where all labels but one class are wanted, nothing is left open. ``HiddenVariables`` where hidden ones
    stand in the way, ``LimitExceeded`` where the features depend on each other too much.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        self.lock = RLock()
        self.classifier = classifier
        self._tables = ClassTables(classifier)
        weights = class_weights(classifier.rule, len(classifier.classes))
        self._log_weights = np.array(_logs(weights))
        self._of_class: dict[Label, Comparisons] = {}
        self.of_class(0)  # says at once where it takes too much

    def of_class(self, label: Label) -> Comparisons:
        """Return the comparisons of a class with the others."""
        if label not in self._of_class:
            self._of_class[label] = Comparisons(self.classifier, self._tables, label)
        return self._of_class[label]

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance: by logarithms, by inference where these are too close."""
        labels = np.empty(len(rows), dtype=np.intp)
        error = 2.0 * self.of_class(0).margins.error_of_sums
        for piece in pieces(len(rows), PIECE // len(self.classifier.classes)):
            some = rows[piece]
            total = np.repeat(self._log_weights[None], len(some), axis=0)
            for scope, logs in zip(self._tables.scopes, self._tables.logs, strict=True):
                at: tuple[Any, ...] = (slice(None), *(some[:, feature] for feature in scope))
                total = total + logs[at].T
            labels[piece] = total.argmax(axis=1)
            best = total.max(axis=1)
            total[np.arange(len(some)), labels[piece]] = -inf
            close = np.flatnonzero(~(best > total.max(axis=1, initial=-inf) + error))
            if close.size:
                labels[piece.start + close] = self.classifier.labels(some[close])
        return labels

    settled = 0.0

    def excluded(self, region: Region, wanted: Collection[Label], _few: int = 1) -> set[Label]:
        """Return labels, of those wanted, that no instance of the region has."""
        classes = range(len(self.classifier.classes))
        found: set[Label] = set()
        for label in sorted(classes, key=lambda label: label in wanted):
            comparisons = self.of_class(label)
            behind = comparisons.behind_in(region)
            pairs = zip(comparisons.others, behind.tolist(), strict=True)
            found.update(other for other, is_behind in pairs if not is_behind and other in wanted)
            if NO_CLASS in wanted and not behind.any():
                found.add(NO_CLASS)
            if len(found) == len(set(wanted)):
                break
        return found

    def candidate(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return where a class that is not wanted falls behind one that is, if it does."""
        for label in range(len(self.classifier.classes)):
            if label not in wanted:
                comparisons = self.of_class(label)
                for pair in np.flatnonzero(comparisons.behind_in(region)).tolist():
                    if comparisons.others[pair] in wanted or NO_CLASS in wanted:
                        return comparisons.instance_behind(pair, region)
        return None
