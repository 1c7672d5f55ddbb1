"""One classifier: scores of a decision by every distribution, and of several rows at once, by definition."""

from __future__ import annotations

from tests.explain.scores.drawn import compare, compare_many
from tests.long.outcome import Outcome


def check_scores(seed: int, outcome: Outcome) -> None:
    """Raise ``AssertionError`` where a score is wrong."""
    outcome.met[compare(seed)] += 1
    compare_many(seed)
    outcome.compared += 5
