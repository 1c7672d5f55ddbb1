"""Fans: straight edges that meet neither another edge nor a box that is not their own."""

from __future__ import annotations

from itertools import pairwise
from math import atan2
from random import Random

import pytest

from bnc2d.draw.fan import MOST_RAYS, hub_of, lay_out_fan
from bnc2d.draw.graph import Box, Edge, Graph, Picture, PlacedBox
from bnc2d.draw.text import one_line
from tests.draw.reading import assert_no_overlap


def star(rays: int, lengths: tuple[int, int], seed: int, hub: int = 0) -> Graph:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    boxes = [Box(one_line(f"{number}" + "x" * rng.randint(*lengths))) for number in range(rays + 1)]
    edges = [Edge(hub, end) for end in range(rays + 1) if end != hub]
    return Graph("star", boxes, edges, is_directed=True, arrows=True)


def meets(start: tuple[float, float], end: tuple[float, float], box: PlacedBox) -> bool:
    """Whether a segment comes near a box (Liang and Barsky's clipping)."""
    low, high = 0.0, 1.0
    half = (box.width / 2 + 1, box.height / 2 + 1)  # edges end at a box, and keep away from others
    for axis, centre in enumerate((box.x, box.y)):
        way = end[axis] - start[axis]
        ends = [centre + side * half[axis] - start[axis] for side in (-1, 1)]
        if way == 0:
            if not ends[0] <= 0 <= ends[1]:
                return False
            continue
        near, far = sorted(limit / way for limit in ends)
        low, high = max(low, near), min(high, far)
    return low <= high


def assert_a_fan(picture: Picture, hub: int) -> None:
    assert_no_overlap(picture)
    (top,) = [box for box in picture.boxes if box.node == hub]
    slopes = []
    for line in picture.lines:
        start, end = line.points
        assert start == (top.x, top.y)
        assert line.tip
        slopes.append(atan2(end[1] - start[1], end[0] - start[0]))
        own = [box.node for box in picture.boxes if box is not top and meets(start, end, box)]
        assert len(own) == 1
    assert min(abs(one - other) for one, other in pairwise(sorted(slopes))) > 1e-3
    # Balanced: as many boxes on either side, but for the widths of those below, and as much room.
    left, right = (sum(side * (box.x - top.x) > 1 for box in picture.boxes) for side in (-1, 1))
    assert abs(left - right) <= max(2, len(picture.lines) // 12)
    room = [max(side * (box.x - top.x) + box.width / 2 for box in picture.boxes) for side in (-1, 1)]
    assert abs(room[0] - room[1]) <= max(box.width for box in picture.boxes)


@pytest.mark.parametrize("rays", [2, 3, 4, 5, 16, 36, 60, 61, MOST_RAYS])
@pytest.mark.parametrize("lengths", [(0, 2), (0, 25), (30, 60)])
def test_edges_meet_their_own_boxes_alone(rays: int, lengths: tuple[int, int]) -> None:
    for seed in range(3):
        hub = seed * rays // 2
        graph = star(rays, lengths, seed, hub)
        assert hub_of(graph) == hub
        picture = lay_out_fan(graph, hub)
        assert_a_fan(picture, hub)
        assert picture.width < 2_600
        assert picture.height < 1.2 * max(picture.width, 1_000)


def test_other_graphs_are_no_fans() -> None:
    graph = star(5, (0, 3), 1)
    assert hub_of(star(MOST_RAYS + 1, (0, 3), 1)) is None
    assert hub_of(star(1, (0, 3), 1)) is None
    assert hub_of(Graph("none", graph.boxes, [])) is None
    assert hub_of(Graph("tan", graph.boxes, [*graph.edges, Edge(1, 2)])) is None
    assert hub_of(Graph("chain", graph.boxes, [Edge(0, 1), *(Edge(1, end) for end in (2, 3, 4, 5))])) is None
    assert hub_of(Graph("apart", graph.boxes, graph.edges[1:])) is None
