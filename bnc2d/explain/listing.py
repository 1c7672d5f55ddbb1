"""Lists of reasons, shortest first.

Where every feature has one literal, as in complete reasons, a reason is a set of features: a minimal one that
makes a monotone function true. A ZDD holds them all (``monotone_diagrams``) and gives them by length. Where a
feature has several literals, or the diagram grows too large, the primes are made bottom-up from the
circuit or, when these are too many as well, one after another (``bnc2d.logic.primes``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias, TypeVar, cast

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.explain.reasons import Case
from bnc2d.explain.single import one_clause, one_term
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes import direct
from bnc2d.logic.primes.diagrams import Diagrams, Node, TooLarge
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term

Prime = TypeVar("Prime", Term, Clause)
Literals: TypeAlias = Mapping[FeatureId, StateMask]

_MOST_STEPS = 1_000_000  # of a diagram, before the primes are made in another way
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
    search = _Search(case, clauses=kind is Clause, general=general, limit=limit)

    def make(budget: Budget) -> Iterator[Prime]:
        return (cast("Prime", kind.from_masks(case.domain, literals)) for literals in search.run(budget))

    return Primes(make, limit, time_limit, lambda: search.ordered)


def only_literals(reason: NNF) -> dict[FeatureId, StateMask] | None:
    """Return the one literal of each feature that occurs, or None where a feature has several."""
    literals = reason.manager.literals(reason.root)
    masks = {feature: mask for _, feature, mask in literals}
    return masks if len(masks) == len(literals) else None


class _Search:
    """Finds the reasons of a case, as literals; ``ordered`` is known once the first is given."""

    def __init__(self, case: Case, *, clauses: bool, general: bool, limit: int | None) -> None:
        self.ordered = False
        self._case = case
        self._clauses = clauses
        self._general = general
        self._limit = limit

    def run(self, budget: Budget) -> Iterator[Literals]:
        """Yield the reasons; where the time is up before the first, one that the diagram gives at once."""
        none_yet = True
        try:
            for literals in budget.within(self._listed(budget)):
                none_yet = False
                yield literals
        except OutOfTime as signal:
            if none_yet and signal.budget is budget:
                found = (one_clause if self._clauses else one_term)(self._case, general=self._general)
                if found is None:
                    return  # nothing leads out: there is no reason to list
                yield found
                if not found:
                    return  # nothing is needed: there is no other reason
            raise

    def _listed(self, budget: Budget) -> Iterator[Literals]:
        reason = self._case.general if self._general else self._case.complete
        masks = only_literals(reason)
        found = None
        if masks is not None:
            with suppress(TooLarge):
                found = self._by_length(reason, masks, budget)
        yield from self._by_circuit(reason, budget) if found is None else found

    def _by_length(
        self, reason: NNF, masks: Mapping[FeatureId, StateMask], budget: Budget
    ) -> Iterator[Literals]:
        """Return the reasons of a circuit with one literal a feature; raises ``TooLarge``."""
        order = self._case.diagram.order
        rank = {feature: level for level, feature in enumerate(order)}
        diagrams = Diagrams(len(order), budget, _MOST_STEPS)
        function = diagrams.function(
            reason, lambda feature, _: diagrams.cube([rank[feature]]), dual=self._clauses
        )
        family = diagrams.minimal(function)
        self.ordered = diagrams.size(family) <= _MOST_SORTED
        # The earliest feature has the highest bit.
        bit_of_level = [1 << len(order) - 1 - feature for feature in order]
        literals = [(1 << len(order) - 1 - f, f, masks[f]) for f in sorted(masks)]
        lengths = _Lengths(diagrams)

        def listed() -> Iterator[Literals]:
            for length in range(len(order) + 1):
                sets = lengths.sets(family, length, bit_of_level)
                for bits in sorted(sets, reverse=True) if self.ordered else sets:
                    budget.check()
                    yield {feature: mask for bit, feature, mask in literals if bits & bit}

        return listed()

    def _by_circuit(self, reason: NNF, budget: Budget) -> Iterator[Literals]:
        # One more than the limit, which shows that there are more.
        enough = None if self._limit is None else self._limit + 1
        find = direct.prime_implicates if self._clauses else direct.prime_implicants
        found = find(
            reason.manager,
            reason.root,
            positions=self._case.positions,
            limit=enough,
            time_limit=budget.left(),
            variable_minimal=True,
        )
        for prime in found:
            self.ordered = found.ordered
            yield prime.masks
        if found.cut == "time":
            raise OutOfTime(budget)


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
