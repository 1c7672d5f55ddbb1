"""A graph without cycles in rows from the top down: few crossings, no box over another.

The steps are those of Sugiyama, Tagawa and Toda (1981):

1. Each box has a row below those of its parents (``rows`` chooses them). A leaf may instead be drawn below
   its parents, once for each row that has parents of it, so that no edge to a leaf is long.
2. Edges that pass rows and share their start (or their end) share a chain of way points, which take room in
   their rows like boxes.
3. Rows are ordered by barycentres and by exchanges of neighbours; the order with fewest crossings stays.
4. Each row in turn is placed as near to its neighbours' mean as the order and the widths allow (a weighted
   isotonic regression, so the best place for the row given the others).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from bnc2d.draw.graph import MARGIN, Edge, Graph, Line, Picture, PlacedBox
from bnc2d.draw.slots import Row, Slot, are_many, order_rows

ROW_HEIGHT = 30.0
# Beyond these a drawing is a tangle.
MAX_BOXES = 500
_MAX_EDGES = 5_000
_MAX_WAY_POINTS = 10_000

_PLACINGS = 60
_BETWEEN = 14.0
_WAY_POINT = 10.0  # the width of a slot without a box

Bundle = Literal["start", "end"]


def is_drawable(graph: Graph, rows: Sequence[int], bundle: Bundle, repeat_leaves: bool = False) -> bool:
    """Return whether a drawing would show more than a tangle."""
    if len(graph.boxes) > MAX_BOXES or len(graph.edges) > _MAX_EDGES:
        return False
    longest: dict[int, int] = {}
    for edge in graph.edges:
        if graph.edges_from[edge.end] or not repeat_leaves:
            shared = getattr(edge, bundle)
            longest[shared] = max(longest.get(shared, 0), rows[edge.end] - rows[edge.start] - 1)
    return sum(longest.values()) <= _MAX_WAY_POINTS


def lay_out(graph: Graph, rows: Sequence[int], bundle: Bundle, repeat_leaves: bool = False) -> Picture:
    """Return the drawing of a graph; the same graph always gives the same drawing."""
    slots, links = _slots(graph, rows, bundle, repeat_leaves)
    by_row: list[Row] = [[] for _ in range(1 + max(slot.row for slot in slots))]
    for slot in slots:
        by_row[slot.row].append(slot)
    # Edges that pass a row start in its middle, so that many children of one box lie to both sides.
    for number, row in enumerate(by_row):
        boxes, passing = ([slot for slot in row if slot.is_box is wanted] for wanted in (True, False))
        by_row[number] = [*boxes[: len(boxes) // 2], *passing, *boxes[len(boxes) // 2 :]]
    by_row = order_rows(by_row)
    _place(by_row)
    ys = _row_heights(by_row)
    lines = []
    for (above, below), edge in sorted(links.items(), key=lambda link: (link[0][0].row, link[0][0].x)):
        title = edge.title
        if title and not below.is_box:  # other edges may share this piece
            shared = graph.boxes[getattr(edge, bundle)].label.title
            title = f"{'from' if bundle == 'start' else 'to'} {shared}"
        points = ((above.x, ys[above.row]), (below.x, ys[below.row]))
        tip = below.is_box and graph.arrows
        lines.append(Line(points, edge.style, title, is_curved=True, tip=tip))
    drawn = [(graph.boxes[slot.node], slot) for slot in slots if slot.is_box]
    placed = [PlacedBox(box.label, box.style, slot.node, slot.x, ys[slot.row]) for box, slot in drawn]
    return Picture(graph, placed, lines)


def _slots(
    graph: Graph, rows: Sequence[int], bundle: Bundle, repeat_leaves: bool
) -> tuple[list[Slot], dict[tuple[Slot, Slot], Edge]]:
    """Return the slots, linked, and of the edges that share a piece between two of them the widest."""
    slots: dict[tuple[int, int, bool], Slot] = {}
    links: dict[tuple[Slot, Slot], Edge] = {}

    def slot_of(node: int, row: int, is_box: bool) -> Slot:
        key = (node, row, is_box)
        if key not in slots:
            slots[key] = Slot(node, row, graph.boxes[node].width if is_box else _WAY_POINT, is_box)
        return slots[key]

    for node in _depth_first(graph):
        if graph.edges_from[node] or not repeat_leaves or not graph.parents[node]:
            slot_of(node, rows[node], True)
    for edge in graph.edges:
        first, last = rows[edge.start], rows[edge.end]
        if repeat_leaves and not graph.edges_from[edge.end]:
            last = first + 1
        above = slot_of(edge.start, first, True)
        for row in range(first + 1, last + 1):
            passes = row < last
            below = slot_of(getattr(edge, bundle) if passes else edge.end, row, not passes)
            known = links.get((above, below))
            if known is None:
                above.down.append(below)
                below.up.append(above)
            if known is None or known.style.width < edge.style.width:
                links[above, below] = edge
            above = below
    return list(slots.values()), links


def _depth_first(graph: Graph) -> Iterator[int]:
    """Yield the boxes so that the first order keeps what belongs together side by side."""
    seen: set[int] = set()
    pending = list(reversed(range(len(graph.boxes))))
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            near = [*graph.parents[node], *(edge.end for edge in graph.edges_from[node])]
            pending.extend(other for other in reversed(near) if other not in seen)


def _place(rows: Sequence[Row]) -> None:
    """Set the x of every slot: near its neighbours, in order, apart."""
    for row in rows:
        _place_row(row, lambda slot: slot.up)
    for sweep in range(6 if are_many(rows) else _PLACINGS):
        for row in rows[::-1] if sweep % 2 == 0 else rows:
            _place_row(row, lambda slot: slot.near)
    left = min(slot.x - slot.width / 2 for row in rows for slot in row) - MARGIN
    for row in rows:
        for slot in row:
            slot.x -= left


def _place_row(row: Row, neighbours: Callable[[Slot], Row]) -> None:
    offset = 0.0
    offsets: list[float] = []
    touching: list[tuple[float, float, int]] = []  # weighted sum, weight and number of slots that touch
    for position, slot in enumerate(row):
        if position:
            offset += (row[position - 1].width + slot.width) / 2 + _BETWEEN
        offsets.append(offset)
        near = neighbours(slot)
        weight = sum(slot.pull * other.pull for other in near) or 0.01
        wish = sum(slot.pull * other.pull * other.x for other in near) / weight if near else slot.x
        group = (weight * (wish - offset), weight, 1)
        while touching and touching[-1][0] * group[1] >= group[0] * touching[-1][1]:
            total, mass, count = touching.pop()
            group = (total + group[0], mass + group[1], count + group[2])
        touching.append(group)
    means = [total / mass for total, mass, count in touching for _ in range(count)]
    for slot, mean, offset in zip(row, means, offsets, strict=True):
        slot.x = mean + offset


def _row_heights(rows: Sequence[Row]) -> list[float]:
    """Return the y of each row: rows stand further apart where edges between them run far sideways."""
    ys = [MARGIN + ROW_HEIGHT / 2]
    for row in rows[:-1]:
        reach = max((abs(above.x - below.x) for above in row for below in above.down), default=0.0)
        ys.append(ys[-1] + ROW_HEIGHT + 30.0 + min(90.0, 0.12 * reach))
    return ys
