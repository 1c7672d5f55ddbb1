"""Rows and layers of random graphs: children below parents, a tangle refused, edges where they belong."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bnc2d.draw.graph import Box, Edge, Graph, LineStyle
from bnc2d.draw.layered import Bundle, is_drawable, lay_out
from bnc2d.draw.rows import choose_rows, longest_paths
from bnc2d.draw.text import one_line
from tests.draw.reading import assert_no_overlap


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs whose edges lead to later boxes, a few of them thick."""
    count = draw(st.integers(1, 25))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda p: p[0] < p[1])
    ends = draw(st.lists(pairs, max_size=2 * count, unique=True)) if count > 1 else []
    widths = [draw(st.integers(1, 12)) for _ in range(count)]
    edges = [Edge(start, end, LineStyle(width=draw(st.sampled_from([1.4, 3.0])))) for start, end in ends]
    return Graph("any", [Box(one_line("N" * width)) for width in widths], edges)


@given(graphs())
def test_longest_paths(graph: Graph) -> None:
    count = len(graph.boxes)
    adjacent = np.zeros((count, count), dtype=bool)
    for edge in graph.edges:
        adjacent[edge.start, edge.end] = True
    depth = [0] * count
    paths = np.eye(count, dtype=bool)
    for length in range(1, count):
        paths = paths @ adjacent  # those of this length
        for node in np.flatnonzero(paths.any(axis=0)).tolist():
            depth[node] = length
    assert longest_paths(graph.parents) == depth


@given(graphs())
def test_rows_go_down(graph: Graph) -> None:
    rows = choose_rows(graph)
    assert all(rows[edge.start] < rows[edge.end] for edge in graph.edges)
    assert set(rows) == set(range(max(rows) + 1))


@settings(deadline=None)
@given(graphs(), st.sampled_from(["start", "end"]), st.booleans())
def test_lines_lead_along_the_edges(graph: Graph, bundle: Bundle, repeat_leaves: bool) -> None:
    """Following lines from each box down to the next boxes gives its edges, and thick edges stay thick."""
    rows = longest_paths(graph.parents)
    assert is_drawable(graph, rows, bundle, repeat_leaves)
    picture = lay_out(graph, rows, bundle, repeat_leaves)
    assert_no_overlap(picture)
    node_at = {(box.x, box.y): box.node for box in picture.boxes}
    once = [box.node for box in picture.boxes if graph.edges_from[box.node] or not repeat_leaves]
    assert len(once) == len(set(once))
    assert set(node_at.values()) == set(range(len(graph.boxes)))
    below: dict[tuple[float, float], list[tuple[tuple[float, float], float]]] = {}
    for line in picture.lines:
        below.setdefault(line.points[0], []).append((line.points[-1], line.style.width))
    found = set()
    for place, node in node_at.items():
        pending = [(end, width) for end, width in below.get(place, [])]
        while pending:
            end, width = pending.pop()
            if end in node_at:
                found.add((node, node_at[end], width))
            else:
                pending += [(further, min(width, least)) for further, least in below[end]]
    assert {(start, end) for start, end, _ in found} == {(edge.start, edge.end) for edge in graph.edges}
    assert {(edge.start, edge.end, edge.style.width) for edge in graph.edges if edge.style.width > 2} <= found


def test_a_tangle_is_refused() -> None:
    boxes = [Box(one_line(str(number))) for number in range(150)]
    edges = [Edge(start, end) for end in range(150) for start in range(end)]
    graph = Graph("tangle", boxes, edges)
    assert not is_drawable(graph, range(150), "start")
    few = Graph("long ways", boxes, [edge for edge in edges if edge.end - edge.start in (1, 140)])
    assert is_drawable(few, range(150), "start")
    assert not is_drawable(Graph("many", [boxes[0]] * 501, []), [0] * 501, "start")
