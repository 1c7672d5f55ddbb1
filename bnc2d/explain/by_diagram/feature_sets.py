"""The features of all sufficient, or of all necessary, reasons, in one order that depends on the case alone.

Both are the minimal sets of a monotone function of features (``bnc2d.logic.primes.neighbourhood``), and a ZDD
holds them all. Sizes decide how the list comes, never time, limits or what was asked before:

- Where the diagram around the instance is small and the ZDD takes few steps, the shortest come first, then
  those with earlier features.
- Otherwise one comes first that takes a pass over the diagram: the sufficient reason that giving up features
  in the order of the diagram leads to, the first of the shortest necessary ones. The others follow, shortest
  first, or as they are found where the ZDD would grow too large.

With tiers of features the list comes in stages: the sets within the first tier, those within the first two
that are not, and so on, each in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.explain.by_diagram.single import one_necessary, one_sufficient
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.diagrams import MOST_STEPS, BitDiagrams, Node, TooLarge
from bnc2d.logic.primes.dualise import Words, minimal_sets

# Nodes around the instance and steps of a ZDD that together take a few hundredths of a second.
QUICK_NODES = 1 << 16
QUICK_STEPS = 8_000
# Steps before the sets are found one after another.
_MOST_STEPS = 1_000_000
# Of more sets, those of one length come in the order of the ZDD.
_MOST_SORTED = 20_000


Found: TypeAlias = tuple[BitDiagrams, Node] | None  # the ZDD of all sets, where it is not too large


class DiagramSets:
    """Gives the features of reasons (see ``FeatureSets``), all of them proved to be needed.

    ``ordered`` is known once the first set was given; for necessary reasons of large models, once the second
    was.
    """

    unproved: Sequence[FeatureId] = ()

    def __init__(self, case: Surroundings, *, clauses: bool, tiers: Tiers | None = None) -> None:
        self.ordered = False
        self._case = case
        self._clauses = clauses
        self._tiers = tiers

    def within(self, _budget: Budget) -> Iterator[list[FeatureId]]:
        """Yield one set after another, the first without looking at the time."""
        return iter(self)

    def __iter__(self) -> Iterator[list[FeatureId]]:
        first = None
        found = self._diagram(QUICK_STEPS) if self._case.around.node_count <= QUICK_NODES else None
        if found is None:
            one = one_necessary if self._clauses else one_sufficient
            first = one(self._case, self._tiers)
            if first is None:
                return
            yield first
            found = self._diagram(_MOST_STEPS)
        few = found is not None and found[0].size(found[1]) <= _MOST_SORTED
        self.ordered = few and (first is None or self._clauses)
        sets = self._sets(found, few, set()) if self._tiers is None else self._staged(self._tiers, found, few)
        yield from (members for members in sets if members != first)

    def _staged(self, tiers: Tiers, found: Found, few: bool) -> Iterator[list[FeatureId]]:
        """Yield the sets of each tier, the best first."""
        for tier in range(tiers.count):
            within = self._sets(found, few, set(tiers.beyond(tier)))
            yield from (members for members in within if tiers.worst(members) == tier)

    def _sets(self, found: Found, few: bool, without: set[FeatureId]) -> Iterator[list[FeatureId]]:
        """Yield the sets that have none of certain features."""
        critical = sorted(self._case.critical_masks)
        sets = self._as_found(without) if found is None else self._by_length(*found, few, without)
        if self._clauses:
            yield from ([feature] for feature in critical if feature not in without)
            yield from sets
        elif without.isdisjoint(critical):
            yield from (sorted([*critical, *members]) for members in sets)

    def _diagram(self, most_steps: int) -> Found:
        try:
            return self._case.minimal_sets(most_steps, clauses=self._clauses)
        except TooLarge:
            return None

    def _by_length(
        self, diagrams: BitDiagrams, family: Node, few: bool, without: set[FeatureId]
    ) -> Iterator[list[FeatureId]]:
        left_out = {level for level, feature in enumerate(self._case.around.features) if feature in without}
        last = len(self._case.domain) - 1
        codes = [1 << last - feature for feature in self._case.around.features]
        listed = sorted(zip(codes, self._case.around.features, strict=True), reverse=True)
        for of_one_length in diagrams.sets(family, codes, left_out):
            for code in sorted(of_one_length, reverse=True) if few else of_one_length:
                yield [feature for bit, feature in listed if code & bit]

    def _as_found(self, without: set[FeatureId]) -> Iterator[list[FeatureId]]:
        around = self._case.around

        def function(words: Words) -> Words:
            """Return whether these are enough or, for clauses, whether they can change the label."""
            return ~around.holds(~words[:, None]) if self._clauses else around.holds(words[:, None])

        members = sorted(set(around.features) - without)
        return minimal_sets(function, members, len(self._case.domain))


def relevant(case: Surroundings, time_limit: float | None) -> list[FeatureId]:
    """Return the features that some sufficient reason has: those on which "these are enough" depends.

    A BDD has a node for each of them. Where it grows too large, sufficient reasons are listed until they have
    all features that can matter, or there are no more.
    """
    with Budget(time_limit).limiting("relevance is not settled"):
        order = case.around.features
        try:
            diagrams, function = case.enough(MOST_STEPS)
            found = {order[level] for level in diagrams.levels(function)}
        except TooLarge:
            found = set()
            for features in DiagramSets(case, clauses=False):
                found.update(features)
                if found.issuperset(order):
                    break
        return sorted(found.union(case.critical_masks))
