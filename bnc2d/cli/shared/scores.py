"""Scores beside explanations, as ``--scores`` asks for them: in words, as data and as the cells of a line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.explanation import Explanation
from bnc2d.base.readers.arguments import named
from bnc2d.base.readers.choices import GAMES, SCORE_KINDS, ScoreKind
from bnc2d.cli.shared.options import split_names
from bnc2d.errors import ArgumentError, LogicError, NotCompiledError, TimeLimitExceeded, did_you_mean
from bnc2d.explain.scores.scores import Scores
from bnc2d.explain.text import Answer, Line

ROWS_AT_ONCE = 64


def add_scores_option(command: argparse.ArgumentParser) -> None:
    """Add ``--scores``."""
    kinds = f"numbers for the features, too: {', '.join(SCORE_KINDS)}"
    command.add_argument("--scores", default="", metavar="KIND,...", help=kinds)


class Scoring:
    """Asks for the scores that the options want; ``kinds`` is empty where they want none.

    Scores that are not found in time are None.
    """

    def __init__(self, options: argparse.Namespace, model: CompiledModel | Classifier, given: object) -> None:
        self.kinds: list[ScoreKind] = []
        for name in split_names(options.scores, SCORE_KINDS):
            if name not in SCORE_KINDS:
                raise ArgumentError(f"--scores: unknown kind {named(name)}{did_you_mean(name, SCORE_KINDS)}")
            self.kinds += [kind for kind in SCORE_KINDS if kind == name and kind not in self.kinds]
        self.features = model.features
        self._model, self._given = model, given
        self._exact: bool = options.exact

    @property
    def columns(self) -> list[str]:
        """The columns of CSV."""
        return [f"{kind}({name})" for kind in self.kinds for name in self.features]

    def of_many(
        self, instances: Sequence[dict[str, str]], distribution: Any, seconds: float | None
    ) -> list[dict[str, Scores | None]]:
        """Return the scores of rows by kind, all rows together, each with some seconds."""
        asked: dict[str, Any] = {
            "kinds": self.kinds,
            "distribution": distribution if any(kind in GAMES for kind in self.kinds) else None,
            "time_limit": None if seconds is None else seconds * len(instances),
        }
        if isinstance(self._model, Classifier):
            asked["given"] = self._given
        try:
            rows = self._model.explain_many(instances, **asked)
        except NotCompiledError as error:
            raise self._needs_compiling(error) from None
        return [{kind: row.scores.get(kind) for kind in self.kinds} for row in rows]

    def of_one(
        self, explanation: Explanation, distribution: Any, seconds: float | None
    ) -> dict[str, Scores | None]:
        """Return the scores of one decision by kind, each within some seconds."""
        found: dict[str, Scores | None] = dict.fromkeys(self.kinds)
        for kind in self.kinds:
            is_game = kind in GAMES
            exact = True if is_game and self._exact else None
            try:
                drawn = distribution if is_game else None
                found[kind] = explanation.scores(kind, drawn, exact=exact, time_limit=seconds)
            except TimeLimitExceeded:
                continue
            except NotCompiledError as error:
                raise self._needs_compiling(error) from None
        return found

    def _needs_compiling(self, error: NotCompiledError) -> LogicError:
        return LogicError(f"--scores: {error.what} needs a compiled model; --route compiled makes one")

    def data(self, found: dict[str, Scores | None]) -> dict[str, Any]:
        """Return scores as plain data, ready for JSON; None where the time came first."""
        return {kind: None if one is None else one.to_dict(exact=self._exact) for kind, one in found.items()}

    def cells(self, found: dict[str, Scores | None]) -> dict[str, Any]:
        """Return scores as cells of a line; none where a feature is missing, or the time came first."""
        cells: dict[str, Any] = {}
        for kind, one in found.items():
            if one is not None:
                data = one.to_dict(exact=self._exact)
                numbers: dict[str, Any] = (self._exact and data["scores_exact"]) or data["scores"]
                cells.update({f"{kind}({name})": number for name, number in numbers.items()})
        return cells

    def answers(self, found: dict[str, Scores | None]) -> list[Answer]:
        """Return scores in words."""
        answers = []
        for kind, one in found.items():
            question = "How much does each feature count?"
            if one is None:
                answers.append(Answer(question, "", f"Its {kind} is not known: the time came first."))
                continue
            lines = tuple(Line(name, text) for name, text in one.lines())
            answers.append(Answer(question, kind, f"{one.title}:", lines, "; ".join(one.notes())))
        return answers
