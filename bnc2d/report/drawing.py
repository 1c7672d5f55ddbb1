"""The drawing of a circuit as plain data, so that a page can light up its active part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.circuit.picture import canonical_order, draw_circuit

# Beyond this a drawing is too large to read on a page.
MAX_DRAWN = 300


def drawing_data(manager: Manager, root: NodeId, place: Mapping[NodeId, int]) -> dict[str, Any] | None:
    """Return boxes and edges with the positions of their nodes in a page's list; None for a large circuit.

    Points are the boxes, then the way points of long edges, which stand for the node that they lead to.
    Edges go from point to point and are listed from the top down.
    """
    figure = draw_circuit(manager, root)
    if figure.nodes > MAX_DRAWN or figure.is_summary:
        return None
    picture = figure.layout(figure.graph())
    ids = canonical_order(manager, root)
    boxes = [(ids[placed.node], placed) for placed in picture.boxes]
    points = {(placed.x, placed.y): number for number, (_, placed) in enumerate(boxes)}
    for line in picture.lines:
        points.setdefault(line.points[-1], len(points))
    edges = [(points[line.points[0]], points[line.points[-1]]) for line in picture.lines]
    below = dict(edges)  # a way point has one edge downwards
    nodes = [place[node] for node, _ in boxes]
    for number in range(len(boxes), len(points)):
        end = number
        while end >= len(boxes):
            end = below[end]
        nodes.append(nodes[end])
    return {
        "width": round(picture.width, 1),
        "height": round(picture.height, 1),
        "boxes": [
            [
                int(manager.kind(node)),
                round(placed.width, 1),
                round(placed.height, 1),
                placed.label.lines[0],
                placed.label.title,
            ]
            for node, placed in boxes
        ],
        "points": [[round(x, 1), round(y, 1)] for x, y in points],
        "nodes": nodes,
        "edges": [list(edge) for edge in edges],
    }
