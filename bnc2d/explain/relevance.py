"""Which features matter: those that some sufficient reason has."""

from __future__ import annotations

from typing import Any

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checked
from bnc2d.explain.reasons import Case
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.nnf import NNF

_CONFLICTS_AT_ONCE = 2_000


def relevant(case: Case, time_limit: float | None) -> list[FeatureId]:
    """Return the features that some sufficient reason has: those on which the complete reason depends.

    A set from which a feature cannot be dropped lies above a sufficient reason with that feature. One is
    found by SAT, with the reason in two copies that differ in the feature, and shrunk; every feature of the
    result is relevant. Only features that occur in the circuit come into question.
    """
    budget = Budget(time_limit)
    with budget.limiting("relevance is not settled"):
        return sorted(_relevant(case.complete, budget))


def _relevant(complete: NNF, budget: Budget) -> set[FeatureId]:
    features = [complete.domain.index(name) for name in complete.features]
    if not features:
        return set()
    found = _shrunk(complete, features, budget)
    left = [feature for feature in features if feature not in found]
    if not left:
        return found
    from pysat.solvers import Solver

    with Solver(name="glucose4") as solver:
        kept, dropped, same = _two_copies(complete, solver, features)
        for feature in left:
            if feature in found:
                continue
            alike = [same[other] for other in features if other != feature]
            answer = None
            while answer is None:
                budget.check()
                solver.conf_budget(_CONFLICTS_AT_ONCE)
                answer = solver.solve_limited([*alike, -dropped[feature]])
            if answer:
                model = solver.get_model()
                members = [other for other in features if model[kept[other] - 1] > 0]
                found |= _shrunk(complete, members, budget)
    return found


def _two_copies(
    complete: NNF, solver: Any, features: list[FeatureId]
) -> tuple[dict[FeatureId, int], dict[FeatureId, int], dict[FeatureId, int]]:
    """Say that the reason holds for the kept features and fails for the dropped copy of them.

    Returns the variables of both copies and, for each feature, the one that makes the copies alike there. The
    reason is monotone, so each copy needs only the implications towards its value.
    """
    count = len(features)
    kept, dropped, same = (
        {feature: 1 + turn * count + place for place, feature in enumerate(features)} for turn in range(3)
    )
    for feature in features:
        solver.add_clause([-same[feature], -kept[feature], dropped[feature]])
    top = 3 * count
    literals, gates = complete.manager.literals(complete.root), complete.manager.levels(complete.root).gates
    true = {node: kept[feature] for node, feature, _ in literals}
    false = {node: dropped[feature] for node, feature, _ in literals}
    for node, is_or, children in checked(gates):
        true[node], false[node] = top + 1, top + 2
        top += 2
        above, below = [true[child] for child in children], [false[child] for child in children]
        if is_or:
            solver.add_clause([-true[node], *above])
            for child in below:
                solver.add_clause([false[node], -child])
        else:
            for child in above:
                solver.add_clause([-true[node], child])
            solver.add_clause([false[node], *(-child for child in below)])
    solver.add_clause([true[complete.root]])
    solver.add_clause([-false[complete.root]])
    return kept, dropped, same


def _shrunk(complete: NNF, features: list[FeatureId], budget: Budget) -> set[FeatureId]:
    """Return a sufficient reason among the features; one that cannot be dropped from them stays."""
    kept = sum(1 << feature for feature in features)
    while True:
        budget.check()
        droppable = _without_one(complete, kept) & kept
        if not droppable:
            return {feature for feature in features if kept >> feature & 1}
        kept &= ~(droppable & -droppable)


def _without_one(complete: NNF, kept: int) -> int:
    """Return as bit i whether the reason holds for the kept features without feature i; no constant."""
    everything = (1 << len(complete.domain)) - 1
    literals, gates = complete.manager.literals(complete.root), complete.manager.levels(complete.root).gates
    holds = {node: everything & ~(1 << f) if kept >> f & 1 else 0 for node, f, _ in literals}
    for node, is_or, children in checked(gates):
        value = 0 if is_or else everything
        for child in children:
            value = value | holds[child] if is_or else value & holds[child]
        holds[node] = value
    return holds[complete.root]
