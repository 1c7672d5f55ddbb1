"""Constraints on the instances of a classifier, one of which the network itself knows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.missing import MISSING
from bnc2d.compile.result import feature_domain
from bnc2d.errors import InstanceError, LogicError
from bnc2d.logic.circuit.manager import Kind, Manager
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

# The constraint that the network itself knows: instances that have a positive probability.
POSSIBLE = "possible"
# Seconds for finding out which instances are possible, where nothing is compiled.
_POSSIBLE_SECONDS = 60.0


def allowed_instances(classifier: BaseClassifier, given: object) -> tuple[Diagram, str]:
    """Return the diagram that leads to 1 where a constraint holds, else to 0, and the constraint in words.

    A constraint that no instance satisfies is a ``LogicError``.
    """
    from bnc2d.logic.constraints.reader import read_constraint

    if is_possible(given):
        from bnc2d.compile.zeros.possible import possible_instances

        return possible_instances(classifier, _POSSIBLE_SECONDS), POSSIBLE
    constraint = read_constraint(given, Manager(feature_domain(classifier)))
    return allowed_by(constraint, _as_they_come(constraint)), str(constraint)


def _as_they_come(constraint: NNF) -> list[FeatureId]:
    """Return the features in the order in which a constraint mentions them, and then the others.

    Features that go together in a part of it come together, which keeps its diagram small.
    """
    manager = constraint.manager
    order: dict[FeatureId, None] = {}
    waiting, seen = [constraint.root], {constraint.root}
    while waiting:
        node = waiting.pop()
        kind = manager.kind(node)
        if kind == Kind.LITERAL:
            order.setdefault(manager.literal_of(node)[0])
        elif kind != Kind.CONSTANT:
            further = [child for child in reversed(manager.children(node)) if child not in seen]
            seen.update(further)
            waiting += further
    return [*order, *(f for f in range(len(manager.domain)) if f not in order)]


def allowed_by(constraint: NNF, order: Sequence[FeatureId]) -> Diagram:
    """Return the diagram of a constraint, with the features in this order; see ``allowed_instances``."""
    budget = Budget()
    with budget.limiting():
        allowed = diagram_of_circuit(constraint.manager, constraint.root, order, budget.progress)
    if not allowed.root:
        raise LogicError("no instance satisfies the constraint, so that nothing is left to explain")
    return allowed


def may_be_allowed(allowed: Diagram | None, row: Sequence[int]) -> bool:
    """Return whether an instance, or some completion of a partial one, is allowed (None: all are)."""
    if allowed is None:
        return True
    if MISSING not in row:
        return bool(allowed.labels(np.array([row], dtype=np.intp))[0])
    known = {feature: state for feature, state in enumerate(row) if state != MISSING}
    return with_fixed(allowed, known).root != 0


def violation(row: int | None = None) -> InstanceError:
    """Return (not raise) the error that an instance, or a row of several, is ruled out by the constraint."""
    which = "the instance" if row is None else f"row {row}"
    return InstanceError(f"{which} violates the constraint, which says that it cannot be")


def is_possible(given: object) -> bool:
    """Return whether a constraint is the one that the network itself knows."""
    return isinstance(given, str) and given.strip() == POSSIBLE


def constraint_of(classifier: BaseClassifier, given: object, manager: Manager) -> NNF:
    """Return a constraint in any of its forms as a circuit; ``"possible"`` is what the network knows."""
    if is_possible(given):
        from bnc2d.compile.zeros.possible import possible_instances

        return possible_instances(classifier).to_nnf(1, manager=manager)
    from bnc2d.logic.constraints.reader import read_constraint

    return read_constraint(given, manager)
