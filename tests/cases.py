"""How many random cases a test tries: a part in every run, all of them in ``make long``."""

import os

LONG = os.environ.get("BNC2D_LONG") == "1"


def cases(few: int, many: int) -> int:
    """Return how many to try here; ``python -m tests.long --suite`` runs the same tests with the larger."""
    return many if LONG else few
