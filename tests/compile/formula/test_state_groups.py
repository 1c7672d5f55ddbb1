"""States that are alike are one while formulas are made; literals name all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnc2d import Classifier
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.formula import state_groups
from bnc2d.compile.formula.state_groups import StateGroups
from bnc2d.logic.circuit.manager import Kind
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.testing import learnt_naive_bayes
from tests.compile.meet.test_method import check_against_enumeration
from tests.logic.diagram.strategies import domain_of


@st.composite
def wide_diagrams(draw: st.DrawFn) -> tuple[Diagram, list[int]]:
    """Two levels over three features, whose states are drawn from few columns of edges."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    sizes = rng.integers(2, 9, size=3).tolist()
    columns = rng.integers(0, 2, size=(4, 3))
    last = columns[:, rng.integers(0, 3, size=sizes[2])]
    head = rng.integers(0, 6, size=(1, 3))[:, rng.integers(0, 3, size=sizes[0])]
    order = (0, 1, 2)
    return Diagram(
        domain_of(sizes), order, 2, (head, np.zeros((0, sizes[1]), dtype=np.int64), last), 6
    ), sizes


@given(wide_diagrams())
def test_groups_are_the_different_columns(case: tuple[Diagram, list[int]]) -> None:
    diagram, sizes = case
    groups = StateGroups.of(diagram, domain_of(sizes))
    for feature, (level, narrow) in enumerate(zip(diagram.levels, groups.diagram.levels, strict=True)):
        size = narrow.shape[1]
        assert groups.domain.cardinalities[feature] == size
        if len(level) and sizes[feature] > 2:
            assert size == len(np.unique(level, axis=1).T)
        seen = 0
        for group in range(size):
            states = groups.states(feature, 1 << group)
            assert not seen & states
            seen |= states
            for state in range(sizes[feature]):
                if states >> state & 1:
                    assert level[:, state].tolist() == narrow[:, group].tolist()
        assert seen == (1 << sizes[feature]) - 1 == groups.states(feature, (1 << size) - 1)


def test_a_collision_of_hashes_merges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_groups, "row_hashes", lambda rows: np.zeros(len(rows), dtype=np.uint64))
    level = np.array([[0, 1, 0, 1]])
    diagram = Diagram(domain_of([4]), (0,), 2, (level,), 2)
    assert StateGroups.of(diagram, domain_of([4])).diagram is diagram


@pytest.mark.parametrize("ties", ["lowest", "none"])
def test_formulas_of_wide_features(ties: str) -> None:
    """More than 64 states, few of them different: every instance, and literals of whole groups only."""
    network = learnt_naive_bayes(4, [70, 9, 13], rows=20, share=0.5)
    classifier = Classifier(network, "Y", ties="none" if ties == "none" else "lowest")
    model = classifier.compile()
    check_against_enumeration(classifier, model)
    groups = StateGroups.of(model.diagram, model.domain)
    assert groups.domain.cardinalities[0] < 12
    manager = model.manager
    for node in range(len(manager)):
        if manager.kind(node) == Kind.LITERAL:
            feature, mask = manager.literal_of(node)
            for group in groups.masks.get(feature, ()):
                assert mask & group in (0, group)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert model.diagram.labels(rows).tolist() == (classifier.labels(rows) % 3).tolist()
