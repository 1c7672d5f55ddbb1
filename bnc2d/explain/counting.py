"""How many reasons there are, without listing them: the sets of a ZDD are counted in one pass."""

from __future__ import annotations

from collections.abc import Collection

from bnc2d.base.budget import Budget
from bnc2d.explain.boxes import GeneralClauses, GeneralTerms, exclusions
from bnc2d.explain.listing import reasons
from bnc2d.explain.reasons import Case
from bnc2d.logic.primes.diagrams import MOST_STEPS, BitDiagrams, Level, Node
from bnc2d.logic.terms import Clause


def count_reasons(case: Case, time_limit: float | None, *, clauses: bool, general: bool) -> int:
    """Return the number of sufficient reasons, or (``clauses``) necessary ones, or the general ones.

    General ones are as many where every feature has one group of states besides the instance's. Otherwise
    general necessary reasons are listed: for each necessary one its boxes are a question of their own.
    """
    with Budget(time_limit).limiting("the reasons are not counted"):
        if not general:
            return _count(case, clauses)
        if clauses:
            plain = GeneralClauses(case).own_groups
            if all(feature in plain for feature in case.around.features):
                return _count(case, True)
            return sum(1 for _ in reasons(Clause, case, general=True, limit=None, time_limit=None))
        return _count(case, False) if GeneralTerms(case).own_groups is not None else _count_boxes(case)


def _count(case: Case, clauses: bool) -> int:
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
