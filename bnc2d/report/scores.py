"""Scores of a row whose answers are computed beforehand, as a page has them (``assets/scores.js``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import GAMES, SCORE_KINDS, ScoreKind
from bnc2d.errors import LimitExceeded, NotCompiledError
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.scores.asking import Question
from bnc2d.explain.scores.numbers import Score

_NO_PRODUCT = (
    "These values are of features that are drawn independently, which a constraint does not leave: choose "
    "the share of the reasons or the responsibility, which are about what the constraint allows."
)
_NOT_COMPILED = "These values take a compiled model, and these rows were explained without compiling."
_LATE = "These values were not found in time."


def scores_data(explanation: BaseExplanation, features: Sequence[str], budget: Budget) -> dict[str, Any]:
    """Return the scores of each kind, by feature, or why there are none, each within a share of the time.

    A feature that is missing in the row has None.
    """
    shares = budget.shares(len(SCORE_KINDS))
    return {
        kind: _scores(explanation, features, kind, share)
        for kind, share in zip(SCORE_KINDS, shares, strict=True)
    }


def _scores(
    explanation: BaseExplanation, features: Sequence[str], kind: ScoreKind, budget: Budget
) -> dict[str, Any]:
    if kind in GAMES and explanation.route.allowed is not None:
        return {"without": _NO_PRODUCT}
    question = Question(explanation.whole.classifier, kind, exact=False if kind in GAMES else None)
    try:
        scores = question.about(explanation._asked, budget.left())
    except NotCompiledError:
        return {"without": _NOT_COMPILED}
    except LimitExceeded:
        return {"without": _LATE}
    found: dict[str, Any] = {
        "numbers": [_short(scores[name]) if name in scores else None for name in features],
        "bounds": None,
        "reasons": scores.reasons,
    }
    if scores.bounds is not None:
        bounds = {name: [_short(low), _short(high)] for name, (low, high) in scores.bounds.items()}
        found["bounds"] = [bounds.get(name) for name in features]
    if scores.baseline is not None and scores.value is not None:
        found |= {"baseline": _short(scores.baseline), "value": _short(scores.value)}
    return found


def _short(number: Score) -> float:
    """Return a number with more digits than are seen, but not all: a page may have many thousands."""
    return round(float(number), 10)
