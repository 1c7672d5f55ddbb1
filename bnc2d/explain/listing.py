"""Lists of reasons, shortest first.

Where every feature has one literal, as in complete reasons, a reason is a set of features: a minimal one that
makes a monotone function true. A ZDD holds them all (``monotone_diagrams``) and gives them by length. Where a
feature has several literals, or the diagram grows too large, the primes are made bottom-up from the
circuit or, when these are too many as well, one after another (``bnc2d.logic.primes``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

from bnc2d.explain.monotone_diagrams import Diagrams, Node, TooLarge
from bnc2d.explain.reasons import Case
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes import direct
from bnc2d.logic.primes.stream import Clock, OutOfTime, Primes
from bnc2d.logic.terms import Clause, Term

Prime = TypeVar("Prime", Term, Clause)

_MOST_STEPS = 300_000  # of a diagram, before the primes are made in another way
_MOST_SORTED = 200_000  # of more reasons, those of one length come in no particular order


def implicants(case: Case, *, general: bool, limit: int | None, time_limit: float | None) -> Primes[Term]:
    """Return the sufficient reasons, or the general ones."""
    return _reasons(Term, case, general, limit, time_limit)


def implicates(case: Case, *, general: bool, limit: int | None, time_limit: float | None) -> Primes[Clause]:
    """Return the necessary reasons, or the general ones."""
    return _reasons(Clause, case, general, limit, time_limit)


def _reasons(
    kind: type[Prime], case: Case, general: bool, limit: int | None, time_limit: float | None
) -> Primes[Prime]:
    reason = case.general if general else case.complete
    masks = only_literals(reason)
    if masks is None:
        return _by_circuit(kind, case, reason, limit, time_limit)
    listing = _Listing(kind is Clause, case, reason, masks)

    def make(clock: Clock) -> Iterator[Prime]:
        found = listing.run(clock, limit)
        return (cast("Prime", kind.from_masks(case.domain, literals)) for literals in found)

    return Primes(make, limit, Clock(time_limit), lambda: listing.ordered)


def only_literals(reason: NNF) -> dict[FeatureId, StateMask] | None:
    """Return the one literal of each feature that occurs, or None where a feature has several."""
    literals = reason.manager.program(reason.root).literals
    masks = {feature: mask for _, feature, mask in literals}
    return masks if len(masks) == len(literals) else None


def _by_circuit(
    kind: type[Prime], case: Case, reason: NNF, limit: int | None, time_limit: float | None
) -> Primes[Prime]:
    find = direct.prime_implicants if kind is Term else direct.prime_implicates
    found = find(
        reason.manager,
        reason.root,
        positions=case.positions,
        limit=limit,
        time_limit=time_limit,
        variable_minimal=True,
    )
    return cast("Primes[Prime]", found)


class _Listing:
    """The reasons of a circuit with one literal a feature; ``ordered`` is known once the first is given."""

    def __init__(self, clauses: bool, case: Case, reason: NNF, masks: Mapping[FeatureId, StateMask]) -> None:
        self.ordered = False
        self._clauses = clauses
        self._case = case
        self._reason = reason
        # The earliest feature has the highest bit.
        count = len(case.domain)
        self._literals = [(1 << count - 1 - f, f, masks[f]) for f in sorted(masks)]

    def run(self, clock: Clock, limit: int | None) -> Iterator[Mapping[FeatureId, StateMask]]:
        order = self._case.diagram.order
        rank = {feature: level for level, feature in enumerate(order)}
        try:
            diagrams = Diagrams(len(order), clock, _MOST_STEPS)
            function = diagrams.function(
                self._reason, lambda feature, _: diagrams.cube([rank[feature]]), dual=self._clauses
            )
            family = diagrams.minimal(function)
        except TooLarge:
            yield from self._otherwise(clock, limit)
            return
        self.ordered = diagrams.size(family) <= _MOST_SORTED
        count = len(order)
        bit_of_level = [1 << count - 1 - feature for feature in order]
        lengths = _Lengths(diagrams)
        for length in range(count + 1):
            sets = lengths.sets(family, length, bit_of_level)
            for bits in sorted(sets, reverse=True) if self.ordered else sets:
                clock.check()
                yield {feature: mask for bit, feature, mask in self._literals if bits & bit}

    def _otherwise(self, clock: Clock, limit: int | None) -> Iterator[Mapping[FeatureId, StateMask]]:
        # One more than the limit, which shows that there are more.
        enough = None if limit is None else limit + 1
        found: Primes[Term] | Primes[Clause]
        if self._clauses:
            found = _by_circuit(Clause, self._case, self._reason, enough, clock.left())
        else:
            found = _by_circuit(Term, self._case, self._reason, enough, clock.left())
        for prime in found:
            self.ordered = found.ordered
            yield prime.masks
        if found.cut == "time":
            raise OutOfTime


class _Lengths:
    """Which lengths the sets of each family in some diagrams have, as bits."""

    def __init__(self, diagrams: Diagrams) -> None:
        self._nodes = diagrams.nodes
        self._known: dict[Node, int] = {0: 0, 1: 1}

    def of(self, family: Node) -> int:
        if family not in self._known:
            _, low, high = self._nodes[family]
            self._known[family] = self.of(low) | self.of(high) << 1
        return self._known[family]

    def sets(self, family: Node, length: int, bit_of_level: list[int]) -> Iterator[int]:
        """Yield the sets of one length, as bits."""
        pending = [(family, length, 0)] if self.of(family) >> length & 1 else []
        while pending:
            node, left, bits = pending.pop()
            if node == 1:
                yield bits
                continue
            level, low, high = self._nodes[node]
            if self._known[low] >> left & 1:
                pending.append((low, left, bits))
            if left and self._known[high] >> left - 1 & 1:
                pending.append((high, left - 1, bits | bit_of_level[level]))
