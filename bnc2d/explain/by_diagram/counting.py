"""How many reasons of each kind there are: counted without listing them where sets of a ZDD can be."""

from __future__ import annotations

from collections.abc import Collection

from bnc2d.base.budget import Budget
from bnc2d.explain.by_diagram.boxes import GeneralClauses, GeneralTerms, exclusions
from bnc2d.explain.by_diagram.feature_sets import DiagramSets
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.logic.primes.diagrams import MOST_STEPS, BitDiagrams, Level, Node


def count_reasons(case: Surroundings, *, clauses: bool, general: bool, time_limit: float | None) -> int:
    """Return how many reasons of a kind there are.

    General ones are as many as the others where every feature has one group of states besides the instance's.
    Otherwise general necessary reasons are listed: for each necessary one its boxes are a question of their
    own.
    """
    with Budget(time_limit).limiting("the reasons are not counted"):
        if general and clauses:
            boxes = GeneralClauses(case)
            if any(feature not in boxes.own_groups for feature in case.around.features):
                sets = DiagramSets(case, clauses=True)
                return sum(1 for features in sets for _ in boxes.over(features))
        elif general and GeneralTerms(case).own_groups is None:
            return _count_boxes(case)
        diagrams, family = case.minimal_sets(MOST_STEPS, clauses=clauses)
        return diagrams.size(family) + (len(case.critical_masks) if clauses else 0)


def _count_boxes(case: Surroundings) -> int:
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
