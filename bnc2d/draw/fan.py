"""A graph of one box with edges to all others (naive Bayes) as a fan: the one on top, the others on an arc.

The arc goes round below the hub: boxes in a column on its left, then side by side along its bottom, then in
a column on its right. Edges are straight. In a column, inner sides come nearer to the middle from box to box
downwards; along the bottom, tops come lower towards the middle. So each box lies behind the end of its edge,
and no edge meets another, nor a box that is not its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnc2d.draw.graph import MARGIN, Box, Graph, Line, Picture, PlacedBox

MOST_RAYS = 80  # the arc of more would be too long to be seen at once
_LEAST_RAYS = 2
_BETWEEN, _BELOW = 14.0, 9.0  # from box to box, sideways and downwards
_ONE_ROW = 1_000.0  # boxes that fit this width need no columns
_ASPECT = 1.8
_SAG, _MOST_SAG = 0.14, 70.0  # how far the arc bends, as a share of half its width, and at most


class _Place(NamedTuple):
    """Where a box stands, by its centre, and where its edge ends; the hub is at (0, 0)."""

    x: float
    y: float
    end: tuple[float, float]


def hub_of(graph: Graph) -> int | None:
    """Return the box from which an edge leads to each other one, where there are no further edges."""
    rays = len(graph.boxes) - 1
    if not _LEAST_RAYS <= rays <= MOST_RAYS or len(graph.edges) != rays:
        return None
    hub = graph.edges[0].start
    ends = {edge.end for edge in graph.edges if edge.start == hub}
    return hub if len(ends) == rays and hub not in ends else None


def lay_out_fan(graph: Graph, hub: int) -> Picture:
    """Return the drawing of a hub above its rays, these in their order along the arc."""
    rays = [node for node in range(len(graph.boxes)) if node != hub]
    boxes = [graph.boxes[node] for node in rays]
    placings = [list(_places(boxes, sides)) for sides in _column_lengths(boxes)]
    places = min(placings, key=lambda places: _extent(boxes, places))
    top = graph.boxes[hub]
    centres = [(0.0, 0.0), *((place.x, place.y) for place in places)]
    both = list(zip([top, *boxes], centres, strict=True))
    left = min(x - box.width / 2 for box, (x, _) in both) - MARGIN
    above = min(y - box.height / 2 for box, (_, y) in both) - MARGIN
    placed = [
        PlacedBox(box.label, box.style, node, x - left, y - above)
        for node, (box, (x, y)) in zip([hub, *rays], both, strict=True)
    ]
    ends = {
        node: (place.end[0] - left, place.end[1] - above) for node, place in zip(rays, places, strict=True)
    }
    lines = [
        Line(((-left, -above), ends[edge.end]), edge.style, edge.title, tip=graph.arrows)
        for edge in graph.edges
    ]
    return Picture(graph, placed, lines)


def _column_lengths(boxes: Sequence[Box]) -> range:
    """Return how many boxes may stand in each column."""
    return range(1) if _row_width(boxes) <= _ONE_ROW else range(1, max(1, (len(boxes) - 3) // 2) + 1)


def _row_width(boxes: Sequence[Box]) -> float:
    return sum(box.width + _BETWEEN for box in boxes) - _BETWEEN


def _extent(boxes: Sequence[Box], places: Sequence[_Place]) -> tuple[float, float]:
    """Return how large a picture is, in whichever direction is the worse; among equals, how high."""
    right = max(place.x + box.width / 2 for box, place in zip(boxes, places, strict=True))
    left = min(place.x - box.width / 2 for box, place in zip(boxes, places, strict=True))
    high = max(place.y for place in places)
    return max(right - left, _ASPECT * high, _ONE_ROW), high


def _places(boxes: Sequence[Box], side: int) -> Iterator[_Place]:
    """Yield the places of boxes of which the first and the last ``side`` ones stand in columns."""
    bottom = boxes[side : len(boxes) - side]
    half = _row_width(bottom) / 2
    step = max(box.height for box in boxes) + _BELOW
    depth = side * step + _BELOW if side else min(max(0.3 * half, 60.0), 120.0)
    sag = min(_SAG * half, _MOST_SAG)
    # No column comes nearer to the middle than the edges to the ends of the bottom row.
    left, right = bottom[0].width / 2 - half, half - bottom[-1].width / 2
    for number, box in enumerate(boxes[:side]):
        inner = left - sag * _bend(number, side)
        yield _Place(inner - box.width / 2, number * step, (inner, number * step))
    x = -half
    for number, box in enumerate(bottom):
        middle, top = (
            x + box.width / 2,
            depth + sag * (1 - abs(2 * number / max(1, len(bottom) - 1) - 1) ** 2),
        )
        yield _Place(middle, top + box.height / 2, (middle, top))
        x += box.width + _BETWEEN
    for number, box in zip(range(side - 1, -1, -1), boxes[len(boxes) - side :], strict=True):
        inner = right + sag * _bend(number, side)
        yield _Place(inner + box.width / 2, number * step, (inner, number * step))


def _bend(number: int, side: int) -> float:
    """Return how far out a box of a column stands: 1 for the first, towards 0 at the end."""
    return 1 - (number / side) ** 2
