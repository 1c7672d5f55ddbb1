"""Lists of reasons: lazy, in one order that depends on the case alone, the first of them at once.

The features of the reasons come from ``feature_sets``, the literals of general ones from ``boxes``. A limit
and a time limit end a list, but change neither its order nor its first member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from bnc2d.base.budget import Budget
from bnc2d.explain.boxes import GeneralClauses, GeneralTerms, Masks
from bnc2d.explain.feature_sets import FeatureSets
from bnc2d.explain.reasons import Case
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term

Prime = TypeVar("Prime", Term, Clause)


def implicants(case: Case, *, general: bool, limit: int | None, time_limit: float | None) -> Primes[Term]:
    """Return the sufficient reasons, or the general ones."""
    return _reasons(Term, case, GeneralTerms(case) if general else None, limit, time_limit)


def implicates(case: Case, *, general: bool, limit: int | None, time_limit: float | None) -> Primes[Clause]:
    """Return the necessary reasons, or the general ones."""
    return _reasons(Clause, case, GeneralClauses(case) if general else None, limit, time_limit)


def _reasons(
    kind: type[Prime],
    case: Case,
    general: GeneralTerms | GeneralClauses | None,
    limit: int | None,
    time_limit: float | None,
) -> Primes[Prime]:
    sets = FeatureSets(case, clauses=kind is Clause)

    def listed() -> Iterator[Masks]:
        for features in sets:
            if general is None:
                yield {feature: case.instance_masks[feature] for feature in features}
            else:
                yield from general.over(features)

    def make(budget: Budget) -> Iterator[Prime]:
        budget.left()  # the time starts to run
        reasons = (kind.from_masks(case.domain, masks) for masks in listed())
        first = next(reasons, None)
        if first is not None:
            yield first
            if first:  # else nothing is needed, and there is no other reason
                yield from budget.within(reasons)

    return Primes(make, limit, time_limit, lambda: sets.ordered and (general is None or general.ordered))
