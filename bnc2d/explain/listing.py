"""Lists of reasons: lazy, in one order that depends on the case alone, the first of them at once.

The features of the reasons come from ``feature_sets``, the literals of general ones from ``boxes``. A limit
and a time limit end a list, but change neither its order nor its first member.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnc2d.base.budget import Budget
from bnc2d.explain.boxes import GeneralClauses, GeneralTerms, Masks
from bnc2d.explain.feature_sets import FeatureSets
from bnc2d.explain.reasons import Case
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term, TermOrClause


def reasons(
    kind: type[TermOrClause], case: Case, *, general: bool, limit: int | None, time_limit: float | None
) -> Primes[TermOrClause]:
    """Return the sufficient reasons (terms) or the necessary ones (clauses), or the general ones."""
    boxes = (GeneralTerms(case) if kind is Term else GeneralClauses(case)) if general else None
    sets = FeatureSets(case, clauses=kind is Clause)

    def listed() -> Iterator[Masks]:
        for features in sets:
            if boxes is None:
                yield {feature: case.instance_masks[feature] for feature in features}
            else:
                yield from boxes.over(features)

    def make(budget: Budget) -> Iterator[TermOrClause]:
        budget.left()  # the time starts to run
        found = (kind.from_masks(case.domain, masks) for masks in listed())
        first = next(found, None)
        if first is not None:
            yield first
            if first:  # else nothing is needed, and there is no other reason
                yield from budget.within(found)

    return Primes(make, limit, time_limit, lambda: sets.ordered and (boxes is None or boxes.ordered))
