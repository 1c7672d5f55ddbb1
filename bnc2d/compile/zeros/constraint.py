"""Constraints on the instances of a classifier, one of which the network itself knows."""

from __future__ import annotations

from bnc2d.compile.zeros.possible import possible_instances
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

# The constraint that the network itself knows: instances that have a positive probability.
POSSIBLE = "possible"


def constraint_of(classifier: BaseClassifier, given: object, manager: Manager) -> NNF:
    """Return a constraint in any of its forms as a circuit; ``"possible"`` is what the network knows."""
    if isinstance(given, str) and given.strip() == POSSIBLE:
        return possible_instances(classifier).to_nnf(1, manager=manager)
    return read_constraint(given, manager)
