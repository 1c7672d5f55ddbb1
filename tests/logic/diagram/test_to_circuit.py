"""The plain formula of a diagram, made level by level in arrays, against the definition node by node."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import evaluate_rows, is_or_decomposable
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.to_circuit import class_formula
from tests.logic.diagram.strategies import all_rows, diagram_of, domain_of, labelled_diagrams, random_labels


def node_by_node(diagram: Diagram, manager: Manager, label: int, negated: bool) -> NodeId:
    """The AND, for each child, of "the feature has a state that does not lead there, or the child"."""
    nodes: list[NodeId] = [TRUE if (end == label) != negated else FALSE for end in range(diagram.terminals)]
    for feature, table, _ in reversed(diagram.walk):
        full = manager.domain.full(feature)
        for row in table.tolist():
            masks: dict[NodeId, int] = {}
            for state, child in enumerate(row):
                masks[nodes[child]] = masks.get(nodes[child], 0) | 1 << state
            excluded = masks.pop(FALSE, 0)
            masks.pop(TRUE, None)
            clauses = [manager.add_literal(feature, full & ~excluded)]
            for child, mask in masks.items():
                literal = manager.add_literal(feature, full & ~mask & ~excluded)
                clauses.append(manager.add_or([literal, child]))
            nodes.append(manager.add_and(clauses))
    return nodes[diagram.root]


@given(labelled_diagrams(), st.booleans())
def test_the_plain_formula_is_that_of_the_definition(
    case: tuple[Diagram, list[int], NDArray[np.int64]], negated: bool
) -> None:
    diagram, sizes, labels = case
    manager = Manager(domain_of(sizes))
    for label in range(diagram.terminals):
        root = class_formula(diagram, manager, label, negated)
        assert (evaluate_rows(manager, root, all_rows(sizes)) == ((labels == label) != negated)).all()
        assert is_or_decomposable(manager, root)
        assert node_by_node(diagram, manager, label, negated) == root
    manager.assert_consistent()


def test_the_plain_formula_of_a_feature_with_more_states_than_bits_in_a_word() -> None:
    sizes = [2, 70, 3]
    diagram = diagram_of(random_labels(5, sizes, 3, "random"), sizes, 3, [1, 0, 2])
    manager = Manager(domain_of(sizes))
    for label in range(3):
        root = class_formula(diagram, manager, label)
        assert node_by_node(diagram, manager, label, negated=False) == root
