"""Scores by their definitions, over the explicit list of all decisions; nothing of the package is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import factorial

from bnc2d import Classifier

States = tuple[int, ...]
Set = tuple[int, ...]


def table_of(classifier: Classifier) -> dict[States, object]:
    """Return the decision on every instance, by state positions."""
    sizes = [len(feature) for feature in classifier.feature_variables]
    rows = list(product(*map(range, sizes)))
    named = [
        {f.name: f.states[s] for f, s in zip(classifier.feature_variables, row, strict=True)} for row in rows
    ]
    return dict(zip(rows, classifier.predict(named), strict=True))


@dataclass(frozen=True)
class Definition:
    """A decision; only the instances of ``table`` count, and ``fixed`` features do not change."""

    table: Mapping[States, object]
    own: States
    fixed: frozenset[int] = frozenset()

    @cached_property
    def players(self) -> Set:
        return tuple(f for f in range(len(self.own)) if f not in self.fixed)

    def sets(self, players: Sequence[int]) -> Iterator[Set]:
        for size in range(len(players) + 1):
            yield from combinations(players, size)

    def _minimal(self, holds: Callable[[Set], bool]) -> list[Set]:
        found: list[Set] = []
        for one in self.sets(self.players):  # the smaller come first
            if not any(set(other) <= set(one) for other in found) and holds(one):
                found.append(one)
        return found

    def _agreeing(self, held: Collection[int]) -> Iterator[States]:
        held = self.fixed.union(held)
        return (row for row in self.table if all(row[f] == self.own[f] for f in held))

    @cached_property
    def sufficient(self) -> list[Set]:
        decision = self.table[self.own]
        return self._minimal(lambda held: all(self.table[row] == decision for row in self._agreeing(held)))

    @cached_property
    def necessary(self) -> list[Set]:
        decision = self.table[self.own]

        def changes(free: Set) -> bool:
            held = [f for f in self.players if f not in free]
            return any(self.table[row] != decision for row in self._agreeing(held))

        return self._minimal(changes)

    def occurrence(self, *, weighted: bool = False) -> list[Fraction]:
        reasons = self.sufficient
        return [
            sum((Fraction(1, len(one) if weighted else 1) for one in reasons if f in one), Fraction(0))
            / len(reasons)
            for f in range(len(self.own))
        ]

    def responsibility(self) -> list[Fraction]:
        sizes = [[len(one) for one in self.necessary if f in one] for f in range(len(self.own))]
        return [Fraction(1, min(some)) if some else Fraction(0) for some in sizes]

    def worths(
        self, number: Callable[[States], Fraction], marginals: Sequence[Sequence[Fraction]]
    ) -> dict[Set, Fraction]:
        """Return the mean of a function for each set of features that is held, others being drawn."""
        found = {}
        for held in self.sets(self.players):
            total = Fraction(0)
            for row in self._agreeing(held):
                share = number(row)
                for f in self.players:
                    if share and f not in held:
                        share *= marginals[f][row[f]]
                total += share
            found[held] = total
        return found

    def values(self, worths: Mapping[Set, Fraction], kind: str) -> list[Fraction]:
        count = len(self.players)
        found = [Fraction(0)] * len(self.own)
        for held, worth in worths.items():
            for f in self.players:
                if f in held:
                    continue
                more = worths[tuple(sorted((*held, f)))] - worth
                if kind == "banzhaf":
                    found[f] += more / 2 ** (count - 1)
                else:
                    orders = factorial(len(held)) * factorial(count - len(held) - 1)
                    found[f] += more * orders / factorial(count)
        return found
