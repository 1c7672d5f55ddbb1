"""From a diagram to the OR-decomposable formula of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, take
from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.base.hashing import grouped
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.builder import CircuitBuilder
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.diagram.parts import parts_of
from bnc2d.logic.domain import FeatureId

if TYPE_CHECKING:
    from bnc2d.logic.diagram.diagram import Diagram


def class_formula(diagram: Diagram, manager: Manager, label: int, negated: bool = False) -> NodeId:
    """Return the circuit of the instances that lead to ``label`` (or to any other), OR-decomposable."""
    return to_circuit(diagram.two_terminal(label), negated).add_to(manager, simplify=False)[0]


def to_circuit(diagram: Diagram, negated: bool = False) -> CircuitArrays:
    """Return the OR-decomposable circuit of a diagram with two terminals, or of its complement.

    A node that sends the states ``m_g`` of its feature to the child ``g`` says ``x ∈ m_g → g`` for each
    child, so it is the AND of the clauses ``x ∉ m_g ∨ g``. No child mentions the feature again. Where a child
    is false its clause is a literal, and the states it rules out need no mention in the others.
    """
    builder = CircuitBuilder()
    formulas = np.zeros(diagram.size, dtype=np.int64)
    formulas[:2] = (TRUE, FALSE) if negated else (FALSE, TRUE)
    false, true = (1, 0) if negated else (0, 1)
    for feature, table, first in reversed(diagram.walk):
        checkpoint()
        size = table.shape[1]
        rows, targets, masks = parts_of(np.ascontiguousarray(table.T, dtype=np.int32))
        allowed = np.full(len(table), (1 << size) - 1, dtype=masks.dtype)  # states that do not lead to false
        refused = np.flatnonzero(targets == false)
        allowed[rows[refused]] &= ~masks[refused]
        guards = take(allowed, rows)
        guards[targets != false] &= ~masks[targets != false]
        kept = np.flatnonzero(targets != true)
        checkpoint()
        literals = _literals(builder, feature, take(guards, kept))
        clauses = builder.clauses(literals, take(formulas, take(targets, kept)))
        formulas[first : first + len(table)] = builder.conjunctions(take(rows, kept), clauses, len(table))
    return builder.finish(int(formulas[diagram.root]))


def _literals(builder: CircuitBuilder, feature: FeatureId, masks: NDArray[Any]) -> Numbers:
    """Return the literals of a feature with these masks."""
    if masks.dtype == object:
        return np.array([builder.literal(feature, mask) for mask in checked(masks.tolist())], dtype=np.int64)
    group_ids, first = grouped(masks)
    found = [builder.literal(feature, mask) for mask in masks[first].tolist()]
    return take(np.array(found, dtype=np.int64), group_ids)
