"""One classifier, and how far its numbers can move: confirmed by compiling changed networks."""

from __future__ import annotations

from tests.explain.whole.sensitivity_check import check_seed
from tests.long.outcome import Outcome


def check_sensitivity(seed: int, outcome: Outcome) -> None:
    """Raise ``AssertionError`` where an interval is wrong."""
    check_seed(seed, outcome.met)
    outcome.compared += 1
