"""A CNF over one-hot variables, as python-sat holds it or as lists of numbers, as a circuit.

The variables of the features come first, feature by feature, state by state, as in ``NNF.to_cnf``. Others are
helpers: an instance is allowed where some values of theirs satisfy all clauses. They are eliminated by
resolution (Davis and Putnam 1960), the one with the fewest resolvents first.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, TypeAlias

from bnc2d.base.checkpoints import checked
from bnc2d.base.readers.arguments import shown
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import Manager, NodeId

_Clause: TypeAlias = frozenset[int]
# Clauses while helpers are eliminated.
MOST_CLAUSES = 20_000


def is_cnf(given: object) -> bool:
    """Return whether this is python-sat's CNF (nothing is imported for it) or a list of lists of numbers."""
    if isinstance(given, list | tuple):
        return bool(given) and all(
            isinstance(clause, list | tuple)
            and bool(clause)
            and all(type(literal) is int for literal in clause)
            for clause in given
        )
    return any(base.__module__ == "pysat.formula" and base.__name__ == "CNF" for base in type(given).__mro__)


def from_cnf(manager: Manager, cnf: Any) -> NodeId:
    """Return the circuit of the instances that satisfy a CNF for some values of its helpers."""
    from bnc2d.logic.convert.one_hot import OneHot  # only who has a CNF needs conversions

    hot = OneHot(manager.domain)
    given = cnf if isinstance(cnf, list | tuple) else cnf.clauses
    clauses = _without_helpers({_read(clause) for clause in checked(given)}, hot.count)
    nodes = []
    for clause in checked(sorted(clauses, key=sorted)):
        masks: dict[int, int] = {}
        for literal in clause:
            feature, state = hot.owner(abs(literal))
            states = 1 << state if literal > 0 else manager.domain.full(feature) & ~(1 << state)
            masks[feature] = masks.get(feature, 0) | states
        nodes.append(manager.add_or([manager.add_literal(f, mask) for f, mask in sorted(masks.items())]))
    return manager.add_and(nodes)


def _read(clause: Iterable[object]) -> _Clause:
    found = set()
    for literal in clause:
        if type(literal) is not int or literal == 0:
            raise LogicError(f"a clause of the CNF has {shown(literal)}, which is no literal")
        found.add(literal)
    return frozenset(found)


def _without_helpers(clauses: set[_Clause], count: int) -> set[_Clause]:
    """Return clauses over the variables up to ``count`` that say the same of them."""
    clauses = {clause for clause in clauses if not _is_true(clause)}
    helpers = {abs(literal) for clause in clauses for literal in clause if abs(literal) > count}
    while helpers:
        cost = {helper: (_with(clauses, helper), _with(clauses, -helper)) for helper in sorted(helpers)}
        helper = min(helpers, key=lambda one: (len(cost[one][0]) * len(cost[one][1]), one))
        positive, negative = cost[helper]
        resolvents = {
            (one | other) - {helper, -helper} for one, other in checked(list(product(positive, negative)))
        }
        clauses = clauses.difference(positive, negative) | {c for c in resolvents if not _is_true(c)}
        if len(clauses) > MOST_CLAUSES:
            variables = f"variables of features are 1 to {count}"
            raise LogicError(f"the CNF has helper variables that take too much to eliminate ({variables})")
        helpers.remove(helper)
    return clauses


def _with(clauses: Iterable[_Clause], literal: int) -> list[_Clause]:
    return [clause for clause in clauses if literal in clause]


def _is_true(clause: _Clause) -> bool:
    return any(-literal in clause for literal in clause)
