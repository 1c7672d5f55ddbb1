"""One case under a constraint, where the same case without it has quicker ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import count

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.by_regions.observed import ObservedCase
from bnc2d.explain.case import Kept
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.logic.domain import FeatureId
from bnc2d.regions.oracle import RegionOracle


class GivenCase(RegionCase):
    """An instance under a constraint; ``free`` is its case where all instances count.

    What keeps the label there keeps it here, and what changes it here changes it there. ``narrowing`` are
    diagrams that all lead to 1 where an instance counts; one leads to 0 where it does not.
    """

    def __init__(
        self,
        oracle: RegionOracle,
        free: ObservedCase,
        narrowing: Sequence[Diagram],
        labels: Collection[int],
        others: Collection[int],
        positions: Sequence[int],
        fixed: Collection[FeatureId],
    ) -> None:
        super().__init__(oracle, labels, others, positions, fixed)
        self._free = free
        self._narrowing = narrowing

    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of a sufficient reason: of one without the constraint, those still needed.

        With ``tiers`` that one may have features that need not be, so that all are asked.
        """
        if tiers is not None:
            return super().one_sufficient(time_limit, tiers)
        budget = Budget(time_limit)
        enough = self._free.one_sufficient(budget.share(0.5).left())
        return self._given_up(enough.features, budget)

    def _least_necessary(self, keys: Keys, _budget: Budget) -> list[FeatureId] | None:
        """Return the features of the least necessary reason, by branch and bound.

        What is least without the constraint is a bound, and the answer where it is allowed. Where it is not,
        the constraint says so by the states of some features: these are set, one after another, to each of
        their states, and what is least then is found. The least bound comes first.
        """
        numbers = count()
        waiting: list[tuple[int, int, list[int], list[int], frozenset[FeatureId]]] = []

        def add(row: list[int], held: frozenset[FeatureId]) -> None:
            """Add what is least where the features held are as in a row."""
            checkpoint()
            found: list[int] | None = row
            if int(self._free.oracle.labels(np.array([row], dtype=np.intp))[0]) not in self.others:
                found = self._free.moved(row, held).cheapest(keys.coarse)
            if found is not None:
                key = sum(keys.of[feature] for feature in self.changed(found))
                heappush(waiting, (key, next(numbers), found, row, held))

        add(list(self.positions), self.fixed)
        while waiting:
            _, _, found, row, held = heappop(waiting)
            feature = self._in_the_way(found, held)
            if feature is None:
                return self.changed(found)
            for state in range(self.domain.cardinalities[feature]):
                set_to = [*row[:feature], state, *row[feature + 1 :]]
                chosen = {other: set_to[other] for other in held | {feature}}
                if all(with_fixed(diagram, chosen).root for diagram in self._narrowing):
                    add(set_to, held | {feature})
        return None

    def _in_the_way(self, instance: Sequence[int], held: Collection[FeatureId]) -> FeatureId | None:
        """Return a feature, not held, that has a say in why an instance does not count; None: it counts."""
        for diagram in self._narrowing:
            node, asked = diagram.root, []
            for feature, table, first in diagram.walk:
                if node >= first:
                    asked.append(feature)
                    node = int(table[node - first, instance[feature]])
            if node == 0:
                return next(feature for feature in asked if feature not in held)
        return None
