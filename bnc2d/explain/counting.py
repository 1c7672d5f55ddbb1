"""How many reasons there are, without listing them.

Reasons are minimal sets of bits that make a monotone function true (see ``bnc2d.logic.primes.cells``). The
function becomes a BDD, its minimal sets a ZDD (``monotone_diagrams``), and the sets of a ZDD are counted in
one pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.listing import implicates, only_literals
from bnc2d.explain.reasons import Case
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.cells import Cells
from bnc2d.logic.primes.diagrams import Diagrams, Level, Node


def count_reasons(
    case: Case, order: Sequence[FeatureId], *, clauses: bool, general: bool, time_limit: float | None
) -> int:
    """Return the number of sufficient reasons, or (``clauses``) necessary ones, or the general ones.

    ``order`` has the features as the levels of the diagrams. General necessary reasons are counted through
    diagrams where they are as many as the necessary ones: when no feature has two literals; otherwise they
    are enumerated, one at a time, because which clauses resolution adds is not a minimal-set question.
    """
    budget = Budget(time_limit)
    with budget.limiting("the reasons are not counted"):
        if not general:
            return _count_minimal(case.complete, order, clauses, budget)
        if not clauses:
            return _count_general_sufficient(case, order, budget)
        if only_literals(case.general) is not None:
            return _count_minimal(case.complete, order, True, budget)
        return sum(1 for _ in implicates(case, general=True, limit=None, time_limit=None))


def _count_minimal(complete: NNF, order: Sequence[FeatureId], dual: bool, budget: Budget) -> int:
    diagrams = Diagrams(len(order), budget)
    rank = {feature: level for level, feature in enumerate(order)}
    function = diagrams.function(complete, lambda feature, _: diagrams.cube([rank[feature]]), dual=dual)
    return diagrams.size(diagrams.minimal(function))


def _count_general_sufficient(case: Case, order: Sequence[FeatureId], budget: Budget) -> int:
    """Count the prime implicants whose features are those of a sufficient reason.

    A prime implicant of the general reason is a minimal set of cells that it excludes. Each feature has a
    level for itself, used by the sufficient reasons, and right below a level for each of its cells.
    """
    reason = case.general
    cells = Cells(reason.manager, reason.root, case.positions, clauses=False)
    own_level: dict[FeatureId, Level] = {}
    level_of_bit: dict[int, Level] = {}
    owner: list[Level] = []  # for each level that of its feature
    for feature in order:
        if feature in cells.fields:
            own_level[feature] = len(owner)
            bits = [bit for bit in range(len(cells)) if cells.fields[feature].bits >> bit & 1]
            level_of_bit.update((bit, len(owner) + 1 + position) for position, bit in enumerate(bits))
            owner += [len(owner)] * (1 + len(bits))
    diagrams = Diagrams(len(owner), budget)

    def leaf(feature: FeatureId, mask: StateMask) -> Node:
        code = cells.encode(feature, mask)
        return diagrams.cube([level for bit, level in level_of_bit.items() if code >> bit & 1])

    terms = diagrams.minimal(diagrams.function(reason, leaf))
    feature_sets = diagrams.minimal(diagrams.function(reason, lambda f, _: diagrams.cube([own_level[f]])))
    return _count_over(diagrams, terms, feature_sets, [*owner, len(owner)])


def _count_over(diagrams: Diagrams, terms: Node, feature_sets: Node, owner: Sequence[Level]) -> int:
    """Count the sets of ``terms`` whose features are a member of ``feature_sets``."""
    nodes = diagrams.nodes
    known: dict[tuple[Node, Node, Level], int] = {}

    def count(term: Node, chosen: Node, used: Level) -> int:
        """Count on; ``used`` is the feature that already has a cell and is already taken from ``chosen``."""
        if term == 0 or chosen == 0:
            return 0
        level, without, with_cell = nodes[term]
        here = owner[level]
        if here != used:
            used = -1
            while nodes[chosen][0] < here:  # features in between have no cell
                chosen = nodes[chosen][1]
        if term == 1 or chosen == 0:
            return int(term == 1 and chosen == 1)
        key = (term, chosen, used)
        if key not in known:
            checkpoint()
            taken = chosen if used == here else nodes[chosen][2] if nodes[chosen][0] == here else 0
            known[key] = count(without, chosen, used) + count(with_cell, taken, here)
        return known[key]

    return count(terms, feature_sets, -1)
