"""What is measured on one data set: how good the classifier is, and its explanations by both routes.

Every reason of a sample is checked in a third way (``worst_case``), and completions of reasons are put before
the library that trained the classifier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.explanation import Explanation
from bnc2d.base.arrays import Rows
from bnc2d.errors import LimitExceeded
from bnc2d.experiments.data.keel import read_keel
from bnc2d.experiments.data.sets import data_path
from bnc2d.experiments.data.train import Structure, Trained, train
from bnc2d.experiments.data.worst_case import WorstCase
from bnc2d.logic.terms import Term

Measured: TypeAlias = dict[str, Any]  # plain data for a record

ROWS = 20  # held-out rows that are explained
LISTED = 1000  # reasons of a row that are listed at most
_CHECKED = 10  # of these
_PARTS = 2000  # that are tried at most, to see that nothing is shorter than the shortest
_COMPLETIONS = 64  # of a reason that are put before the library
_DIGITS = 6


@dataclass(frozen=True)
class Answer:
    """What a route says of one row, and how long it took; no ``shortest`` where time ended the search."""

    decision: str | None
    first: Term
    first_seconds: float
    shortest: Term | None
    shortest_seconds: float
    reasons: tuple[Term, ...]
    complete: bool  # whether these are all

    def terms(self) -> Iterable[Term]:
        """Give the reasons to check, each once."""
        found = [self.first, *([] if self.shortest is None else [self.shortest]), *self.reasons[:_CHECKED]]
        return dict.fromkeys(found)


class DataRun:
    """A data set and a structure: trained, explained without compiling, checked; then with a model as well.

    ``facts`` are what is known so far, as plain data. ``time_limit`` (seconds) is that of each stage; a
    single question may take a tenth of it, but at least a second.
    """

    def __init__(self, name: str, structure: Structure, time_limit: float, seed: int = 0) -> None:
        data = read_keel(data_path(name))
        self._trained = train(data, structure, seed=seed)
        self._limit = time_limit
        order = np.random.default_rng(seed).permutation(len(self._trained.rows))
        self._rows = self._trained.rows[np.sort(order[:ROWS])]
        self._seed = seed
        missing = sum(value is None for column in data.columns.values() for value in column)
        self.facts: Measured = {
            "set": name,
            "structure": structure,
            "rows": data.row_count,
            "missing": missing,
            **_quality(self._trained),
        }

    @property
    def classifier(self) -> Classifier:
        """The classifier that was trained."""
        return self._trained.classifier

    def ask_network(self) -> None:
        """Explain the rows without compiling, and check what comes."""
        self._by_network = self._ask(self.classifier.explain)
        self.facts["network"] = summary_of(self._by_network)
        self.facts["checked"] = self._check(self._by_network)

    def ask_model(self, model: CompiledModel) -> None:
        """Explain the same rows by the compiled model, check, and compare with what the network said."""
        by_model = self._ask(model.explain)
        self.facts["compiled"] = summary_of(by_model)
        self.facts["agreement"] = agreement(self._by_network, by_model)
        more = self._check(by_model)
        self.facts["checked"] = {name: count + more[name] for name, count in self.facts["checked"].items()}

    def _ask(self, explain: Callable[..., Explanation]) -> list[Answer]:
        """Return what a route says of the rows, of at least one and of as many as the time is enough for."""
        until = time.monotonic() + self._limit
        answers: list[Answer] = []
        for row in self._rows:
            if answers and time.monotonic() > until:
                break
            answers.append(_answer(explain, row, max(1.0, self._limit / 10)))
        return answers

    def _check(self, answers: Sequence[Answer]) -> Measured:
        return check(self._trained, self._rows, answers, self._limit, self._seed)


def _quality(trained: Trained) -> Measured:
    """Return the size of a classifier and how many held-out rows it decides right, like its source or not."""
    classifier, truth = trained.classifier, trained.labels
    decided = [str(name) for name in classifier.predict(trained.rows)]
    source = trained.source(trained.rows)
    return {
        "features": len(classifier.features),
        "states": max(len(variable.states) for variable in classifier.feature_variables),
        "classes": len(classifier.classes),
        "log2_instances": round(
            float(np.sum([np.log2(len(v.states)) for v in classifier.feature_variables])), 1
        ),
        "held_out": len(truth),
        "most_frequent": round(max(map(truth.count, set(truth))) / len(truth), 4),
        "accuracy": round(_share(decided, truth), 4),
        "source_accuracy": round(_share(source, truth), 4),
        "source_differs": sum(one != other for one, other in zip(decided, source, strict=True)),
    }


def _share(decided: Sequence[str], truth: Sequence[str]) -> float:
    return sum(one == other for one, other in zip(decided, truth, strict=True)) / len(truth)


def _answer(explain: Callable[..., Explanation], row: Rows, limit: float) -> Answer:
    """Ask three questions about a row, each of an explanation of its own: none profits from another.

    Seconds are those of the processor: other work on the machine counts for little.
    """
    started = time.process_time()
    first = explain(row).a_sufficient_reason(time_limit=limit)
    first_seconds = time.process_time() - started
    shortest: Term | None = None
    started = time.process_time()
    with suppress(LimitExceeded):
        shortest = explain(row).shortest_sufficient_reason(time_limit=limit)
    shortest_seconds = time.process_time() - started
    explanation = explain(row)
    listed = explanation.sufficient_reasons(limit=LISTED, time_limit=limit)
    reasons = tuple(listed)
    complete = bool(listed.complete)
    return Answer(explanation.decision, first, first_seconds, shortest, shortest_seconds, reasons, complete)


def summary_of(answers: Sequence[Answer]) -> Measured:
    """Return medians over rows; ``shortest`` and ``complete`` say for how many rows the search ended."""
    lengths = [len(answer.shortest) for answer in answers if answer.shortest is not None]
    return {
        "rows": len(answers),
        "first_seconds": round(median(answer.first_seconds for answer in answers), _DIGITS),
        "shortest": len(lengths),
        "shortest_seconds": round(median(answer.shortest_seconds for answer in answers), _DIGITS),
        "length": median(lengths) if lengths else None,
        "longest": max(lengths, default=None),
        "reasons": median(len(answer.reasons) for answer in answers),
        "complete": sum(answer.complete for answer in answers),
    }


def agreement(first: Sequence[Answer], second: Sequence[Answer]) -> Measured:
    """Return on how much two routes could be compared, and where they differ: nowhere, if all is well."""
    pairs = list(zip(first, second, strict=False))
    short = [(a.shortest, b.shortest) for a, b in pairs if a.shortest is not None and b.shortest is not None]
    whole = [(set(a.reasons), set(b.reasons)) for a, b in pairs if a.complete and b.complete]
    return {
        "decisions": len(pairs),
        "shortest": len(short),
        "lists": len(whole),
        "differ": sum(a.decision != b.decision for a, b in pairs)
        + sum(one != other for one, other in short)
        + sum(one != other for one, other in whole),
    }


def check(trained: Trained, rows: Rows, answers: Sequence[Answer], time_limit: float, seed: int) -> Measured:
    """Check the reasons of each row; the time limit (seconds) may leave some rows out.

    ``reasons`` were checked to decide and to be minimal, ``proved_shortest`` of the shortest against all
    smaller parts; ``wrong`` counts failures. Of the ``completions`` put before the library that trained the
    classifier, ``completions_differ`` are decided otherwise: its floats may round a tie.
    """
    classifier = trained.classifier
    worst_case = WorstCase(classifier.network, classifier.target, classifier.features)
    position = {name: number for number, name in enumerate(classifier.features)}
    sizes = [len(variable.states) for variable in classifier.feature_variables]
    rng = np.random.default_rng(seed)
    found = {"reasons": 0, "proved_shortest": 0, "completions": 0, "completions_differ": 0}
    found["wrong"] = 0
    until = time.monotonic() + time_limit
    completions: list[Rows] = []
    expected: list[str] = []
    for row, answer in zip(rows, answers, strict=False):
        if found["reasons"] and time.monotonic() > until:
            break
        own = row.tolist()
        label = worst_case.label(own)
        decision = classifier.classes[label]
        found["wrong"] += decision != answer.decision
        for term in answer.terms():
            kept = [position[name] for name in term.features]
            good = worst_case.is_reason(own, kept, label)
            if term.unproved:  # then it may have features too many, and says so
                good = worst_case.decides(own, kept, label)
            found["reasons"] += 1
            found["wrong"] += not good
        if answer.shortest is not None:
            is_shortest = worst_case.is_shortest(own, len(answer.shortest), label, _PARTS)
            found["proved_shortest"] += is_shortest is True
            found["wrong"] += is_shortest is False
        shown = answer.first if answer.shortest is None else answer.shortest
        some = np.stack([rng.integers(0, size, _COMPLETIONS) for size in sizes], axis=1)
        kept = [position[name] for name in shown.features]
        some[:, kept] = row[kept]
        completions.append(some)
        expected += [decision] * _COMPLETIONS
    decided = trained.source(np.concatenate(completions))
    found["completions"] = len(expected)
    found["completions_differ"] = sum(one != other for one, other in zip(decided, expected, strict=True))
    return found
