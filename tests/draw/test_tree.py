"""Trees of any form: no box over another, no line over a foreign box."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bnc2d.draw.graph import Box, Edge, Graph
from bnc2d.draw.text import name_list
from bnc2d.draw.tree import lay_out_tree
from tests.cases import cases
from tests.draw.reading import assert_no_overlap


@st.composite
def trees(draw: st.DrawFn) -> Graph:
    """Trees of any form with labels of any size."""
    count = draw(st.integers(1, 120))
    chain = draw(st.floats(0, 1))
    random = draw(st.randoms(use_true_random=False))
    boxes, edges = [], []
    for node in range(count):
        names = [f"N{number}" * random.randint(1, 4) for number in range(random.randint(0, 12))]
        boxes.append(Box(name_list(names)))
        if node:
            parent = node - 1 if random.random() < chain else random.randrange(node)
            separator = Box(name_list(names[:3], small=True, max_lines=3))
            edges.append(Edge(parent, node, box=separator))
    return Graph("tree", boxes, edges)


@settings(max_examples=cases(14, 60), deadline=None)
@given(trees(), st.booleans())
def test_no_box_of_a_tree_over_another(tree: Graph, mirrored: bool) -> None:
    picture = lay_out_tree(tree, mirrored=mirrored)
    assert_no_overlap(picture)
    assert len(picture.boxes) == 2 * len(tree.boxes) - 1
    assert len(picture.lines) == len(tree.boxes) - 1
    assert sorted(box.node for box in picture.boxes if box.node >= 0) == list(range(len(tree.boxes)))


@settings(max_examples=cases(14, 60), deadline=None)
@given(trees(), st.booleans())
def test_edges_of_a_tree_pass_no_foreign_box(tree: Graph, mirrored: bool) -> None:
    picture = lay_out_tree(tree, mirrored=mirrored)
    for line in picture.lines:
        touched = 0
        for box in picture.boxes:
            left, right = box.x - box.width / 2 + 1, box.x + box.width / 2 - 1
            top, bottom = box.y - box.height / 2 + 1, box.y + box.height / 2 - 1
            touched += any(
                min(x1, x2) < right and max(x1, x2) > left and min(y1, y2) < bottom and max(y1, y2) > top
                for (x1, y1), (x2, y2) in pairwise(line.points)
            )
        assert touched == 3  # the node, the separator and the child
