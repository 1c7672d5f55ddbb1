"""Chances where features are independent: expected values on a decision diagram, bottom-up.

Let ``g`` be 1 at instances that keep the decision and 0 at others. Where some do not count, it is ``1 - d``
at those that keep it, ``-d`` at those that do not, and 0 at what does not count, so that its expectation is
at least 0 exactly where the probability among those that count is at least ``d``. Expectations of all sets of
a batch take one pass: a kept feature leads to its own child, any other to the mean of the children.

An undecided feature leads to the larger of the two. So each node has at least what it has for any way to
decide them, and the root bounds the expectation of all sets between. If at most ``m`` may be kept, there is
one such number for each of ``0 .. m``, and what is kept takes one from what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.probable.chances import Chances, Exactly, Flags, Floats, Sets
from bnc2d.logic.diagram.diagram import Diagram

_ENTRIES = 1 << 20  # of a batch
_UNIT = 2.0**-53
_EXACT_BITS = 50  # of expectations that float64 holds without rounding


class ProductChances(Chances):
    """Reads a diagram in which fixed features are as in the instance; ``own``, ``outside`` are terminals."""

    def __init__(
        self,
        diagram: Diagram,
        positions: Sequence[int],
        marginals: Sequence[Sequence[Fraction]],
        own: int,
        outside: Collection[int],
        wanted: Fraction,
        exactly: Exactly,
    ) -> None:
        # A feature whose own state never is drawn is in no set that has any weight.
        features = [level.feature for level in diagram.walk]
        kept = [feature for feature in features if marginals[feature][positions[feature]]]
        super().__init__(kept, wanted, exactly)
        self._diagram, self._positions = diagram, positions
        self._weights = {feature: [float(one) for one in marginals[feature]] for feature in features}
        self._column = {feature: column for column, feature in enumerate(kept)}
        self._values = np.zeros(diagram.terminals)
        self._least = _least_float(wanted)
        self._values[own] = 1.0
        states = sum(len(weights) + 4 for weights in self._weights.values())
        bits = [_bits(weights) for feature in features if (weights := marginals[feature])]
        is_exact = not outside and None not in bits and sum(bit or 0 for bit in bits) <= _EXACT_BITS
        # Every value is in [-1, 1] and a convex combination of those below: errors add up, and do not grow.
        self._off = 0.0 if is_exact else 4.0 * _UNIT * (states + 8)
        if outside:
            self._values[:] = -float(wanted)
            self._values[own] = float(1 - wanted)
            self._values[list(outside)] = 0.0
            self._least = 0.0

    def scores(self, kept: Sets) -> Floats:
        """Return the expectations; those of sets among what counts are moved to be positive."""
        return self._expected(kept, np.zeros_like(kept), 0) + 1.0

    def relevant(self, kept: Sets) -> Flags:
        """Return which sets reach the probability; close calls are decided in exact numbers."""
        found = self._expected(kept, np.zeros_like(kept), 0)
        surely, maybe = found >= self._least + self._off, found >= self._least - self._off
        return self._settle(kept, surely, maybe)

    def judged(self, kept: Sets, undecided: Sets, more: int | None) -> tuple[Flags, Flags]:
        """Return what reaches the probability, and else where the bound does."""
        most = int(undecided.sum(axis=1).max(initial=0))
        if more == 0 or not most:
            return self.relevant(kept), np.zeros(len(kept), dtype=bool)
        few = None if more is None or more >= most else more
        alive = np.asarray(self._expected(kept, undecided, few) >= self._least - self._off)
        reached = np.zeros(len(kept), dtype=bool)
        reached[alive] = self.relevant(kept[alive])
        return reached, alive & ~reached & undecided.any(axis=1)

    def _expected(self, kept: Sets, undecided: Sets, more: int | None) -> Floats:
        """Return the expectation of each set, with the larger where undecided, at most ``more`` times."""
        found = np.empty(len(kept))
        layers = 1 if more is None else more + 1
        size = max(1, _ENTRIES // (self._diagram.size * layers))
        for start in range(0, len(kept), size):
            some = slice(start, start + size)
            found[some] = self._pass(kept[some], undecided[some], layers, more is None)
        return found

    def _pass(self, kept: Sets, undecided: Sets, layers: int, unlimited: bool) -> Floats:
        diagram = self._diagram
        values = np.empty((diagram.size, layers, len(kept)))
        values[: diagram.terminals] = self._values[:, None, None]
        for level in reversed(diagram.walk):
            checkpoint()
            feature, table = level.feature, level.table
            column = self._column.get(feature)
            mean = np.zeros((len(table), layers, len(kept)))
            for state, weight in enumerate(self._weights[feature]):
                if weight:
                    mean += weight * values[table[:, state]]
            if column is not None:
                own = values[table[:, self._positions[feature]]]
                here = kept[:, column]
                mean[..., here] = own[..., here]
                free = undecided[:, column]
                if unlimited:
                    mean[..., free] = np.maximum(mean[..., free], own[..., free])
                elif layers > 1:
                    mean[:, 1:, free] = np.maximum(mean[:, 1:, free], own[:, :-1, free])
            values[level.nodes] = mean
        found: Floats = values[diagram.root, -1]
        return found


def _bits(weights: Sequence[Fraction]) -> int | None:
    """Return how many binary digits the weights have after the point; None where they never end."""
    denominators = [weight.denominator for weight in weights]
    if any(one & one - 1 for one in denominators):
        return None
    return max(one.bit_length() - 1 for one in denominators)


def _least_float(wanted: Fraction) -> float:
    """Return the least float that is not below a number."""
    near = float(wanted)
    return near if Fraction(near) >= wanted else float(np.nextafter(near, 2.0))
