"""One classifier, instance and distribution: probable reasons and probabilities by definition."""

from __future__ import annotations

from tests.explain.probable.against_definition import compare
from tests.long.outcome import Outcome


def check_probable(seed: int, outcome: Outcome) -> None:
    """Raise ``AssertionError`` where a probability or a set of features is wrong."""
    compare(seed, outcome.met)
    outcome.compared += 1
