"""Reordered diagrams are the same functions."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.logic.diagram.sifting import Sifter, sift
from tests.logic.diagram.strategies import Case, all_rows, labelled_diagrams


@given(labelled_diagrams(), st.data())
def test_swaps_keep_the_function_and_the_diagram_reduced(case: Case, data: st.DataObject) -> None:
    diagram, sizes, labels = case
    sifter = Sifter(diagram)
    levels = st.integers(0, len(sizes) - 1)
    for _ in range(3):
        sifter.move(data.draw(levels), data.draw(levels))
        swapped = sifter.diagram()
        swapped.assert_consistent()
        assert swapped.node_count == sifter.nodes
        assert (swapped.labels(all_rows(sizes)) == labels).all()
        assert sum(sifter.level_sizes().values()) == sifter.nodes


@given(labelled_diagrams(), st.sampled_from([0, 500, 10**6]))
def test_sifting_never_grows(case: Case, work: int) -> None:
    diagram, sizes, labels = case
    sifted = sift(diagram, work)
    sifted.assert_consistent()
    assert sifted.node_count <= diagram.node_count
    assert (sifted.labels(all_rows(sizes)) == labels).all()
    event(f"smaller: {sifted.node_count < diagram.node_count}")
