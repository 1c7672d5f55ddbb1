"""Lists of reasons: lazy, the first of them at once.

The case gives the features of the reasons, and the literals of general ones. A limit and a time limit end a
list; they change neither its order nor, where a compiled model answers, its first member.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnc2d.base.budget import Budget
from bnc2d.explain.case import Case
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, TermOrClause


def reasons(
    kind: type[TermOrClause],
    case: Case,
    general: bool,
    limit: int | None,
    time_limit: float | None,
    tiers: Tiers | None = None,
) -> Primes[TermOrClause]:
    """Return the sufficient reasons (terms) or the necessary ones (clauses), or the general ones.

    With ``tiers``, those of better tiers of features come first.
    """
    clauses = kind is Clause
    sets = case.feature_sets(clauses=clauses, tiers=tiers)
    boxes = case.boxes(clauses=clauses) if general else None

    def listed(budget: Budget) -> Iterator[TermOrClause]:
        for features in sets.within(budget):
            own = {feature: case.instance_masks[feature] for feature in features}
            unproved = [case.domain.names[feature] for feature in sets.unproved]
            for masks in [own] if boxes is None else boxes.over(features, budget):
                yield kind.from_masks(case.domain, masks, unproved)

    def make(budget: Budget) -> Iterator[TermOrClause]:
        budget.left()  # the time starts to run
        found = listed(budget)
        first = next(found, None)
        if first is not None:
            yield first
            if first:  # else nothing is needed, and there is no other reason
                yield from budget.within(found)

    return Primes(make, limit, time_limit, lambda: sets.ordered and (boxes is None or boxes.ordered))
