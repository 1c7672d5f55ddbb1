"""Shares of the work: made when they are needed, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from bnc2d.compile.meet.work_share import decide_all


class ManyPatterns:
    """Many patterns, of which it counts those taken."""

    def __init__(self) -> None:
        self.sliced = 0

    def __len__(self) -> int:
        return 10**6

    def __getitem__(self, chosen: slice) -> slice:
        self.sliced += 1
        return chosen


class OneLabel:
    """Decides that every instance is in class 0."""

    columns = 8
    terms = terms_in_all = 1 << 40  # so many that a share is a single pattern
    boxes = None

    def decide(self, patterns: slice, _share: object = None) -> Iterator[tuple[Any, tuple[Any, Any]]]:
        none = np.zeros(0, dtype=np.intp)
        yield np.zeros((patterns.stop - patterns.start, self.columns), dtype=np.uint8), (none, none)


def test_a_share_is_made_when_it_is_its_turn() -> None:
    """Otherwise a time limit waits until millions are listed, as a naive Bayes of 60 features had it."""
    patterns = ManyPatterns()
    shares = decide_all(cast("Any", OneLabel()), cast("Any", patterns), 2, None)
    for _ in range(3):
        next(shares)
    assert patterns.sliced == 3
