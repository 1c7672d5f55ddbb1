"""Whether a classifier decides as the model that it was made from, and why not where it does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import items, wrong
from bnc2d.base.readers.instances import AnyInstances
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.base.readers.states import find_state
from bnc2d.base.scales import Label
from bnc2d.errors import ArgumentError

Why: TypeAlias = Literal["tie", "rounding", "impossible", "not a number", "unexplained"]

_MOST_SHOWN = 5
_WORDS: dict[Why, str] = {
    "tie": "by a tie",
    "rounding": "by rounding",
    "impossible": "on rows of probability 0",
    "not a number": "where the source has no number",
    "unexplained": "for no such reason",
}


@dataclass(frozen=True)
class Difference:
    """A row that two models decide differently: its position, both decisions, and why.

    ``margin`` is how far the exact decision is from the other one: the difference between the exact
    posteriors of the two classes, or that between the posterior and the threshold. ``why`` is ``"tie"``
    where it is 0, ``"rounding"`` where it is at most the tolerance, ``"impossible"`` where the row has
    probability 0, and ``"not a number"`` where the source's own probabilities are NaN; else
    ``"unexplained"``.
    """

    row: int
    decision: Label | None
    source: Label | None
    why: Why
    margin: Fraction
    instance: dict[str, str]

    def __str__(self) -> str:
        decided = f"{decision_words(self.decision)}, the source says {decision_words(self.source)}"
        return f"row {self.row}: {decided} ({self.why}, exact margin {float(self.margin):.3g})"


@dataclass(frozen=True)
class Agreement(Finding):
    """How often two models decide alike; true where every difference is a tie, a rounding or the like.

    Of ``rows`` rows, ``equal`` are decided alike; ``differences`` lists the others.
    """

    rows: int
    differences: tuple[Difference, ...]

    @property
    def equal(self) -> int:
        """How many rows are decided alike."""
        return self.rows - len(self.differences)

    @property
    def counts(self) -> dict[Why, int]:
        """How many rows are decided differently, by why."""
        return {why: sum(one.why == why for one in self.differences) for why in _WORDS}

    @property
    def holds(self) -> bool:
        """Whether no difference is left unexplained."""
        return not self.counts["unexplained"]

    @property
    def witness(self) -> dict[str, str] | None:
        """The first instance with a difference that is not explained."""
        return next((one.instance for one in self.differences if one.why == "unexplained"), None)

    def __str__(self) -> str:
        counted = [f"{count} differ {_WORDS[why]}" for why, count in self.counts.items() if count]
        lines = [f"{self.equal} of {self.rows} rows are decided alike", *counted]
        worst_first = sorted(self.differences, key=lambda one: (one.why != "unexplained", -one.margin))
        return "\n  ".join(["; ".join(lines), *map(str, worst_first[:_MOST_SHOWN])])


def agreement(
    classifier: Classifier | CompiledModel,
    source: Any,
    instances: AnyInstances,
    *,
    rows: AnyInstances | None = None,
    tolerance: Number = 1e-9,
) -> Agreement:
    """Return how often a classifier decides as the model that it was made from, and why it does not.

    ``source`` is what has ``predict``, such as a fitted pipeline, or a function, called with ``instances`` as
    they are; or a list of the classes that it decided. ``rows`` are the same instances as the classifier
    reads them, where these differ (an array without the columns that a pipeline drops, say). A difference is
    a tie where the exact posteriors of the two classes are equal, and a rounding where they differ by at most
    ``tolerance``; what is neither is unexplained, and then the answer is false.
    """
    if not isinstance(classifier, Classifier | CompiledModel):
        raise wrong("classifier", classifier, "a Classifier or a compiled model")
    exactly = classifier.classifier if isinstance(classifier, CompiledModel) else classifier
    try:
        allowed = exact(tolerance)
    except ValueError as error:
        raise ArgumentError(f"tolerance must be a number: {error}") from None
    encoded, labels = classifier._decided(instances if rows is None else rows)
    answers = _answers(source, instances, len(labels))
    found = []
    for row, (label, answer) in enumerate(zip(labels.tolist(), answers, strict=True)):
        own = label if 0 <= label < len(exactly.classes) else None
        other = find_state(exactly.classes, answer)
        if own == other and (own is not None or answer is None):
            continue
        checkpoint()
        instance = _instance(exactly, encoded.rows[row].tolist())
        posterior = list(exactly.posterior(instance).values())
        margin = _margin(exactly, posterior, own, other)
        why: Why = "unexplained"
        if other is None and answer is not None:  # a class that there is none of
            pass
        elif not any(posterior):
            why = "impossible"
        elif margin <= allowed:
            why = "rounding" if margin else "tie"
        decision = None if own is None else exactly.class_labels[own]
        found.append(Difference(row, decision, answer, why, margin, instance))
    if any(one.why == "unexplained" for one in found):
        without = _rows_without_numbers(source, instances)
        found = [replace(one, why="not a number") if one.row in without else one for one in found]
    return Agreement(len(labels), tuple(found))


def _answers(source: Any, instances: Any, size: int) -> list[Any]:
    """Return what a source decides, a class for each instance."""
    if callable(getattr(source, "predict", None)):
        given = source.predict(instances)
    else:
        given = source(instances) if callable(source) else source
    expected = "an object with predict, a function, or a list of classes"
    answers = [given] if isinstance(given, str) else items(given, "source", expected)
    if len(answers) != size:
        raise ArgumentError(f"the source decided {len(answers)} instances, but there are {size}")
    return [answer.item() if isinstance(answer, np.generic) else answer for answer in answers]


def _instance(classifier: Classifier, row: list[int]) -> dict[str, str]:
    """Return the names of the states of a row, those that are known."""
    pairs = zip(classifier.feature_variables, row, strict=True)
    return {feature.name: feature.states[state] for feature, state in pairs if state != MISSING}


def _margin(
    classifier: Classifier, posterior: list[Fraction], own: int | None, other: int | None
) -> Fraction:
    """Return how far the exact decision is from another one."""
    if classifier.threshold is not None:
        return abs(posterior[classifier.rule.positive] - classifier.threshold)
    best = max(posterior)
    if own is None or other is None:  # in no class: the two best are tied
        return best - (
            sorted(posterior)[-2] if other is None and len(posterior) > 1 else posterior[other or 0]
        )
    return abs(posterior[own] - posterior[other])


def _rows_without_numbers(source: Any, instances: Any) -> set[int]:
    """Return the rows of which the source's own probabilities are no numbers."""
    if not callable(getattr(source, "predict_proba", None)):
        return set()
    found = np.asarray(source.predict_proba(instances), dtype=np.float64)
    return set(np.flatnonzero(np.isnan(found.reshape(-1, found.shape[-1])).any(axis=1)).tolist())
