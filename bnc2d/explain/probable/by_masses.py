"""Chances by masses: how much of what agrees with a set keeps the decision, and how much does not.

Both masses can only shrink as a set grows. So of all sets from ``K`` to ``L`` none has a larger probability
than ``kept(K) / (kept(K) + lost(L))``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows, quiet_product
from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.shares.distribution import network_tables
from bnc2d.compile.shares.masses import Plan, Table
from bnc2d.explain.probable.chances import Chances, Exactly, Flags, Floats, Sets
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier

_ENTRIES = 1 << 21  # of a batch of tables
_SETS_AT_ONCE = 1 << 10
_UNIT = 2.0**-53
_LOWEST_EXPONENT = -900.0  # products of entries that stay above this do not vanish in float64
_TRUSTED = 1e-250  # masses below this may have lost what vanished


class MassChances(Chances):
    """Compares masses; they are right but for a share ``off``, and below ``floor`` they are not relied on."""

    off: float
    floor: float

    @abstractmethod
    def _masses(self, kept: Sets) -> tuple[Floats, Floats]:
        """Return of what agrees with each set how much keeps the decision, and how much does not."""

    def scores(self, kept: Sets) -> Floats:
        """Return the probabilities, about."""
        mine, lost = self._masses(kept)
        total = mine + lost
        return np.asarray(np.divide(mine, total, out=np.full(len(kept), -1.0), where=total > 0))

    def relevant(self, kept: Sets) -> Flags:
        """Return which sets reach the probability; close calls are decided in exact numbers."""
        return self._relevant(kept, *self._masses(kept))

    def _relevant(self, kept: Sets, mine: Floats, lost: Floats) -> Flags:
        total = mine + lost
        gap, off = mine - float(self.wanted) * total, self.off * total
        trusted = (total > 0) & (total >= self.floor)
        surely, maybe = trusted & (gap > off), ~trusted | (gap >= -off)
        if not self.floor:
            maybe &= total > 0
        return self._settle(kept, surely, maybe)

    def judged(self, kept: Sets, undecided: Sets, more: int | None) -> tuple[Flags, Flags]:
        """Return what reaches the probability, and else where the bound does."""
        mine, lost = self._masses(kept)
        reached = self._relevant(kept, mine, lost)
        alive = ~reached & undecided.any(axis=1) & ((mine > 0) | (self.floor > 0) | (self.wanted == 0))
        if more == 0:
            return reached, np.zeros(len(kept), dtype=bool)
        some = np.flatnonzero(alive)
        most = mine[some] * (1 + self.off) + self.floor
        least = self._masses(kept[some] | undecided[some])[1] * (1 - self.off)
        alive[some] = most >= float(self.wanted) * (most + least) * (1 - 4 * _UNIT)
        return reached, alive


class RowChances(MassChances):
    """Counts rows: those that agree with the instance in the same features are one pattern."""

    off, floor = 8 * _UNIT, 0.0  # counts have no rounding; one product has

    def __init__(
        self,
        features: Sequence[FeatureId],
        rows: Rows,
        positions: Sequence[int],
        is_own: NDArray[np.bool_],
        wanted: Fraction,
        exactly: Exactly,
    ) -> None:
        super().__init__(features, wanted, exactly)
        differs = rows[:, self.features] != np.array(positions, dtype=np.intp)[self.features]
        patterns, pattern_of_row = np.unique(differs, axis=0, return_inverse=True)
        self._differs = patterns.astype(np.float32).T
        where = pattern_of_row.reshape(-1)
        self._kept = np.bincount(where[is_own], minlength=len(patterns)).astype(np.float64)
        self._lost = np.bincount(where[~is_own], minlength=len(patterns)).astype(np.float64)

    def _masses(self, kept: Sets) -> tuple[Floats, Floats]:
        mine, lost = np.empty(len(kept)), np.empty(len(kept))
        size = max(1, _ENTRIES // max(1, self._differs.shape[1]))
        for start in range(0, len(kept), size):
            checkpoint()
            some = slice(start, start + size)
            disagreeing = quiet_product(kept[some].astype(np.float32), self._differs)
            agrees = (disagreeing == 0).astype(np.float64)
            mine[some], lost[some] = agrees @ self._kept, agrees @ self._lost
        return mine, lost


class NetworkChances(MassChances):
    """Sums the tables of a network along a diagram, for many sets at once.

    Each feature has a table more, of its states and the sets: 1 but where a set keeps the feature and the
    state is another one. The sets are a variable that nothing sums out.
    """

    def __init__(
        self,
        features: Sequence[FeatureId],
        classifier: BaseClassifier,
        diagram: Diagram,
        positions: Sequence[int],
        held: Mapping[FeatureId, int],
        own: int,
        outside: Collection[int],
        wanted: Fraction,
        exactly: Exactly,
    ) -> None:
        super().__init__(features, wanted, exactly)
        asked = {classifier.features[feature] for feature in range(len(positions))}
        names, self._tables = network_tables(classifier, asked, exact=False)
        for feature, state in held.items():
            self._tables = [table.at(feature, state) for table in self._tables]
        self._sizes = [len(classifier.network.variable(name)) for name in names]
        self._positions = positions
        self._plan = Plan(diagram, [table.scope for table in self._tables], self._sizes)
        self._plan.refuse_above(_ENTRIES)
        self._at_once = max(1, min(_SETS_AT_ONCE, _ENTRIES // max(1, int(self._plan.largest_table))))
        self._own = own
        self._others = [t for t in range(diagram.terminals) if t != own and t not in outside]
        # A mass is a sum of products, all of them positive: every step adds its terms and factors.
        terms = sum(level.table.size for level in diagram.walk) + sum(self._sizes) + 4 * len(self._tables)
        self.off = 8.0 * _UNIT * (terms + 8)
        cpts = [classifier.network.cpt(name) for name in names]
        lowest = sum(min(cpt.lowest_exponent, 0.0) for cpt in cpts)
        vanishing = lowest < _LOWEST_EXPONENT or any(cpt.rounds_to_zero for cpt in cpts)
        self.floor = _TRUSTED if vanishing else 0.0

    def _masses(self, kept: Sets) -> tuple[Floats, Floats]:
        mine, lost = np.empty(len(kept)), np.empty(len(kept))
        for start in range(0, len(kept), self._at_once):
            some = kept[start : start + self._at_once]
            stop = start + len(some)
            sums = self._plan.sums([*self._tables, *self._evidence(some)])
            mine[start:stop] = sums[self._own]
            lost[start:stop] = sums[self._others].sum(axis=0)
        return mine, lost

    def _evidence(self, kept: Sets) -> list[Table]:
        """Return the table of each feature's states and the sets."""
        batch, found = len(self._sizes), []
        for column, feature in enumerate(self.features):
            states = np.arange(self._sizes[feature])[:, None]
            allowed = ~kept[:, column] | (states == self._positions[feature])
            found.append(Table((feature, batch), allowed.astype(np.float64)[None]))
        return found
