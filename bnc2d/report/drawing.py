"""The drawing of a circuit as plain data, so that a page can light up its active part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.pictures.layout import is_drawable, lay_out

# Beyond this a drawing is too large to read on a page.
MAX_DRAWN = 300


def drawing_data(manager: Manager, root: NodeId, place: Mapping[NodeId, int]) -> dict[str, Any] | None:
    """Return boxes and edges with the positions of their nodes in a page's list; None for a large circuit.

    Points are the boxes, then the way points of long edges, which stand for the node that they lead to.
    Edges go from point to point and are listed from the top down.
    """
    if len(manager.reachable(root)) > MAX_DRAWN or not is_drawable(manager, root):
        return None
    drawing = lay_out(manager, root)
    points = {(box.x, box.y): number for number, box in enumerate(drawing.boxes)}
    nodes = [place[box.node] for box in drawing.boxes]
    for segment in drawing.segments:
        points.setdefault((segment.x2, segment.y2), len(points))
    edges = [(points[s.x1, s.y1], points[s.x2, s.y2]) for s in drawing.segments]
    below = dict(edges)  # a way point has one edge downwards
    for number in range(len(nodes), len(points)):
        end = number
        while end >= len(drawing.boxes):
            end = below[end]
        nodes.append(nodes[end])
    return {
        "width": _number(drawing.width),
        "height": _number(drawing.height),
        "boxes": [
            [int(box.kind), _number(box.width), _number(box.height), box.label, box.title]
            for box in drawing.boxes
        ],
        "points": [[_number(x), _number(y)] for x, y in points],
        "nodes": nodes,
        "edges": [list(edge) for edge in edges],
    }


def _number(value: float) -> float:
    return round(value, 1)
