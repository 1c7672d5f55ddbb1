"""From a diagram to the OR-decomposable formula of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnc2d.base.checkpoints import checked
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId

if TYPE_CHECKING:
    from bnc2d.logic.diagram.diagram import Diagram


def class_formula(diagram: Diagram, manager: Manager, label: int, negated: bool = False) -> NodeId:
    """Return the circuit of the instances that lead to ``label`` (or to any other), OR-decomposable.

    A node that sends the states ``m_g`` of its feature to the child ``g`` says ``x ∈ m_g → g`` for each
    child, so it is the AND of the clauses ``x ∉ m_g ∨ g``. No child mentions the feature again. Where a child
    is false its clause is a literal, and the states it rules out need no mention in the others.
    """
    nodes: list[NodeId] = [
        TRUE if (terminal == label) != negated else FALSE for terminal in range(diagram.terminals)
    ]
    for feature, table, _ in reversed(diagram.walk):
        full = manager.domain.full(feature)
        for row in checked(table.tolist()):
            masks: dict[NodeId, int] = {}
            for state, child in enumerate(row):
                masks[nodes[child]] = masks.get(nodes[child], 0) | 1 << state
            excluded = masks.pop(FALSE, 0)
            masks.pop(TRUE, None)
            clauses = [manager.add_literal(feature, full & ~excluded)]
            for child, mask in masks.items():
                # Where every state that is left leads to this child, the clause is the child itself.
                others = full & ~mask & ~excluded
                clauses.append(manager.add_or([manager.add_literal(feature, others), child]))
            nodes.append(manager.add_and(clauses))
    return nodes[diagram.root]
