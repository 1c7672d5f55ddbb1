"""Lists of reasons: lazy, in one order that depends on the case alone, the first of them at once; and counts.

The features of the reasons come from ``feature_sets``, the literals of general ones from ``boxes``. A limit
and a time limit end a list, but change neither its order nor its first member. Reasons are counted without
listing them where the sets of a ZDD can be counted in one pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bnc2d.base.budget import Budget
from bnc2d.explain.boxes import GeneralClauses, GeneralTerms, Masks, exclusions
from bnc2d.explain.feature_sets import FeatureSets
from bnc2d.explain.reasons import Case
from bnc2d.logic.primes.diagrams import MOST_STEPS, BitDiagrams, Level, Node
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term, TermOrClause


def reasons(
    kind: type[TermOrClause], case: Case, general: bool, limit: int | None, time_limit: float | None
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


def count_reasons(kind: type[TermOrClause], case: Case, general: bool, time_limit: float | None) -> int:
    """Return how many reasons of a kind there are, as ``reasons`` lists them.

    General ones are as many as the others where every feature has one group of states besides the instance's.
    Otherwise general necessary reasons are listed: for each necessary one its boxes are a question of their
    own.
    """
    clauses = kind is Clause
    with Budget(time_limit).limiting("the reasons are not counted"):
        if general and clauses:
            plain = GeneralClauses(case).own_groups
            if any(feature not in plain for feature in case.around.features):
                return sum(1 for _ in reasons(Clause, case, True, None, None))
        elif general and GeneralTerms(case).own_groups is None:
            return _count_boxes(case)
        diagrams, family = case.minimal_sets(MOST_STEPS, clauses=clauses)
        return diagrams.size(family) + (len(case.critical_masks) if clauses else 0)


def _count_boxes(case: Case) -> int:
    """Count the largest boxes that exclude something of the features of a sufficient reason only.

    Of the others a part of the features is enough: the label stays while they are kept but for one.
    """
    boxes = exclusions(case, MOST_STEPS)
    kept = case.around.kept(boxes.diagrams, boxes.level_of)
    spare = _with_spare_member(boxes.diagrams, kept, boxes.level_of.values())
    return boxes.diagrams.size(boxes.diagrams.falsify(boxes.family, spare))


def _with_spare_member(diagrams: BitDiagrams, function: Node, levels: Collection[Level]) -> Node:
    """Return the BDD of "the function holds without one of the members at these levels, too"."""
    spare: dict[Node, Node] = {0: 0, 1: 0}  # for the functions of the levels below
    at: dict[Level, list[Node]] = {level: [] for level in levels}
    for node in diagrams.below(function):
        at[diagrams.nodes[node][0]].append(node)
    for level in sorted(levels, reverse=True):
        fresh = {}
        for node in at[level]:
            _, low, high = diagrams.nodes[node]
            fresh[node] = diagrams.choice(level, spare[low], diagrams.join(True, (spare[high], low)))
        for node, other in spare.items():  # they do not depend on this member
            fresh[node] = diagrams.choice(level, other, diagrams.join(True, (other, node)))
        spare = fresh
    return spare[function]
