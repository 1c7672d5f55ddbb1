"""Bounds on how many completions keep a decision, and with what probability: splitting, the heaviest first.

A *part* of the completions fixes some of the missing features and leaves the others open. It is settled where
all its completions keep the decision, or none does, or none counts. The heaviest part that is not settled is
split by a feature; what is open when time is up lies between all and nothing. So the bounds are sound
whenever the splitting ends, and meet where nothing is left open.

Masses, ``P(part | known)``, are floats with proven bounds (``masses.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import fsum
from typing import Any, NamedTuple, Protocol

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.missing.masses import Masses
from bnc2d.logic.domain import FeatureId

# Parts that are split together, at first and at most; parts there are at most; how near bounds are enough.
_FIRST, _AT_ONCE = 8, 256
_MOST_PARTS = 1 << 17
_NEAR = 1e-6
# Covers the rounding of a sum.
_DOWN, _UP = 1 - 2.0**-50, 1 + 2.0**-50


class Verdict(Enum):
    """What is known of all completions of a part."""

    KEPT = "kept"
    LOST = "lost"
    OUTSIDE = "outside"
    OPEN = "open"


class Tree(Protocol):
    """How the completions are split: nodes stand for parts, in any form."""

    @property
    def root(self) -> Any:
        """All completions."""

    def verdicts(self, nodes: Sequence[Any]) -> Sequence[Verdict]:
        """Return what is known of the parts."""

    def feature(self, node: Any) -> FeatureId:
        """Return the missing feature by which an open part is split."""

    def children(self, node: Any) -> Sequence[Any]:
        """Return what is left of a part for each state of this feature."""


class Part(NamedTuple):
    """Completions that a row fixes, with bounds on their mass and their share of all completions."""

    row: tuple[int, ...]
    low: float
    high: float
    share: Fraction


class Splitting:
    """Splits the completions of ``row``, in which every missing feature is "any"; goes on where it stopped.

    Without ``masses`` it is about shares alone.
    """

    def __init__(
        self, tree: Tree, row: Sequence[int], sizes: Sequence[int], masses: Masses | None, most_exact: int
    ) -> None:
        self._tree = tree
        self._sizes = sizes
        self._masses = masses
        self._most_exact = most_exact
        self.settled: dict[Verdict, list[Part]] = {verdict: [] for verdict in Verdict}
        self._numbers = count()
        self._open: list[tuple[float, int, Part, Any]] = []  # a heap, the heaviest first
        self._whole = tuple(row)
        self._add([(Part(self._whole, 1.0, 1.0, Fraction(1)), tree.root)])

    def run(self) -> None:
        """Split until nothing is open, bounds are near, or parts are too many; a budget may end it before."""
        at_once = _FIRST
        while self._open and self._parts <= _MOST_PARTS:
            checkpoint()
            at_once = min(2 * at_once, _AT_ONCE)
            if self._parts > self._most_exact and self._is_near():
                return
            batch = self._open[:0]
            while self._open and len(batch) < at_once:
                batch.append(heappop(self._open))
            try:
                self._add(self._split([(part, node) for *_, part, node in batch]))
            except BaseException:  # what is not split stays open
                for one in batch:
                    heappush(self._open, one)
                raise

    @property
    def complete(self) -> bool:
        """Whether nothing is left open."""
        return not self._open

    @property
    def _parts(self) -> int:
        return len(self._open) + sum(map(len, self.settled.values()))

    def share_bounds(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest share of the completions that keep the decision."""
        kept, lost = (self._share(verdict) for verdict in (Verdict.KEPT, Verdict.LOST))
        counting = 1 - self._share(Verdict.OUTSIDE)  # and what is open, if it counts
        if not counting:
            return Fraction(0), Fraction(1)
        return kept / counting, (counting - lost) / counting

    def probability_bounds(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest probability that the decision is kept, given that it counts."""
        kept_low, kept_high = self._mass(Verdict.KEPT)
        lost_low, lost_high = self._mass(Verdict.LOST)
        outside_low, outside_high = self._mass(Verdict.OUTSIDE)
        open_high = Fraction(fsum(part.high for _, _, part, _ in self._open)) * Fraction(_UP)
        # What is not known to be elsewhere may be kept, or lost.
        kept_high = min(kept_high + open_high, 1 - lost_low - outside_low)
        lost_high = min(lost_high + open_high, 1 - kept_low - outside_low)
        if not outside_high:
            kept_low = max(kept_low, 1 - lost_high)
            kept_high = min(kept_high, 1 - lost_low)
            return max(kept_low, Fraction(0)), min(kept_high, Fraction(1))
        low = kept_low / (kept_low + lost_high) if kept_low else Fraction(0)
        high = kept_high / (kept_high + lost_low) if lost_low else Fraction(1)
        return low, min(high, Fraction(1))

    def _mass(self, verdict: Verdict) -> tuple[Fraction, Fraction]:
        """Return bounds on the mass of the parts of a verdict; ``fsum`` rounds once."""
        parts = self.settled[verdict]
        low, high = fsum(part.low for part in parts), fsum(part.high for part in parts)
        return Fraction(low) * Fraction(_DOWN), Fraction(high) * Fraction(_UP)

    def _share(self, verdict: Verdict) -> Fraction:
        return sum((part.share for part in self.settled[verdict]), Fraction(0))

    def _is_near(self) -> bool:
        low, high = self.share_bounds() if self._masses is None else self.probability_bounds()
        return high - low < _NEAR

    def _add(self, parts: Sequence[tuple[Part, Any]]) -> None:
        verdicts = self._tree.verdicts([node for _, node in parts])
        for (part, node), verdict in zip(parts, verdicts, strict=True):
            if verdict is Verdict.OPEN:
                weight = part.high if self._masses is not None else float(part.share)
                heappush(self._open, (-weight, next(self._numbers), part, node))
            else:
                self.settled[verdict].append(part)

    def _split(self, parts: Sequence[tuple[Part, Any]]) -> list[tuple[Part, Any]]:
        """Return the parts of parts, each with its node."""
        rows, shares, nodes, above = [], [], [], []
        for part, node in parts:
            feature = self._tree.feature(node)
            for state, child in enumerate(self._tree.children(node)):
                rows.append((*part.row[:feature], state, *part.row[feature + 1 :]))
                shares.append(part.share / self._sizes[feature])
                nodes.append(child)
                above.append(part.high)
        low, high = np.zeros(len(rows)), np.array(above)
        if self._masses is not None:
            low, high = self._masses.bounds(np.array(rows, dtype=np.intp))
            high = np.minimum(high, above)
        found = map(Part, rows, low.tolist(), high.tolist(), shares)
        return list(zip(found, nodes, strict=True))
