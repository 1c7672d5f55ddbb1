"""What a long run found, and the loop over its seeds."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """How much was compared, which hard cases were met, and what was wrong, by seed."""

    compared: int = 0
    met: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, str] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        self.compared += other.compared
        self.met += other.met
        self.wrong |= other.wrong


def run_seeds(check: Callable[[int, Outcome], None], first: int, count: int) -> Outcome:
    """Check a range of seeds; whatever is raised is a finding too."""
    outcome = Outcome()
    for seed in range(first, first + count):
        try:
            check(seed, outcome)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            outcome.wrong[seed] = f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
    return outcome
