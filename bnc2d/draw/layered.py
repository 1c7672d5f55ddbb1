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

from collections.abc import Iterator, Sequence
from typing import Literal

from bnc2d.draw.graph import MARGIN, Graph, Line, Picture, PlacedBox, picture_of
from bnc2d.draw.slots import Slots, order_rows

ROW_HEIGHT = 30.0
# Beyond these a drawing is a tangle.
MAX_BOXES = 500
_MAX_EDGES = 5_000
_MAX_WAY_POINTS = 10_000

_PLACINGS = 60
_BETWEEN = 14.0

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
    slots = _slots(graph, rows, bundle, repeat_leaves)
    order_rows(slots)
    xs = _place(slots)
    ys = _row_heights(slots, xs)
    points = [(x, ys[row]) for x, row in zip(xs, slots.row_of, strict=True)]
    boxes = [
        PlacedBox(graph.boxes[node].label, graph.boxes[node].style, node, *points[slot])
        for slot, node in enumerate(slots.nodes)
        if slots.is_box[slot]
    ]
    lines = []
    for above, below in sorted(slots.links, key=lambda link: points[link[0]][::-1]):  # from the top down
        edge, ends_here = slots.links[above, below], slots.is_box[below]
        title = edge.title
        if title and not ends_here:  # other edges may share this piece
            shared = graph.boxes[getattr(edge, bundle)].label.title
            title = f"{'from' if bundle == 'start' else 'to'} {shared}"
        tip = ends_here and graph.arrows
        lines.append(Line((points[above], points[below]), edge.style, title, is_curved=True, tip=tip))
    return picture_of(graph, boxes, lines)


def _slots(graph: Graph, rows: Sequence[int], bundle: Bundle, repeat_leaves: bool) -> Slots:
    slots = Slots()
    at: dict[tuple[int, int, bool], int] = {}

    def slot_of(node: int, row: int, is_box: bool) -> int:
        key = (node, row, is_box)
        if key not in at:
            at[key] = slots.add(node, row, graph.boxes[node].width if is_box else None)
        return at[key]

    for node in _depth_first(graph):
        if graph.edges_from[node] or not repeat_leaves or not graph.parents[node]:
            slot_of(node, rows[node], True)
    for edge in graph.edges:
        first, last = rows[edge.start], rows[edge.end]
        if repeat_leaves and not graph.edges_from[edge.end]:
            last = first + 1
        above = slot_of(edge.start, first, True)
        for row in range(first + 1, last):
            below = slot_of(getattr(edge, bundle), row, False)
            slots.link(above, below, edge)
            above = below
        slots.link(above, slot_of(edge.end, last, True), edge)
    # Edges that pass a row start in its middle, so that many children of one box lie to both sides.
    for row_slots in slots.rows:
        boxes = [slot for slot in row_slots if slots.is_box[slot]]
        passing = [slot for slot in row_slots if not slots.is_box[slot]]
        row_slots[:] = [*boxes[: len(boxes) // 2], *passing, *boxes[len(boxes) // 2 :]]
    return slots


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


def _place(slots: Slots) -> list[float]:
    """Return the x of every slot: near its neighbours, in order, apart."""
    xs = [0.0] * len(slots.nodes)
    # Way points pull harder than inner boxes and these harder than leaves, which straightens long edges.
    pull = [
        3.0 if not box else 1.5 if ends else 0.3 for box, ends in zip(slots.is_box, slots.down, strict=True)
    ]
    everything = [up + down for up, down in zip(slots.up, slots.down, strict=True)]
    for row in slots.rows:
        _place_row(slots, row, xs, slots.up, pull)
    for sweep in range(6 if slots.are_many else _PLACINGS):
        for row in slots.rows[::-1] if sweep % 2 == 0 else slots.rows:
            _place_row(slots, row, xs, everything, pull)
    left = min(x - width / 2 for x, width in zip(xs, slots.widths, strict=True))
    return [x - left + MARGIN for x in xs]


def _place_row(
    slots: Slots,
    row: Sequence[int],
    xs: list[float],
    neighbours: Sequence[Sequence[int]],
    pull: Sequence[float],
) -> None:
    offset = 0.0
    offsets: list[float] = []
    blocks: list[tuple[float, float, int]] = []  # weighted sum, weight and number of slots that touch
    for position, slot in enumerate(row):
        if position:
            offset += (slots.widths[row[position - 1]] + slots.widths[slot]) / 2 + _BETWEEN
        offsets.append(offset)
        near = neighbours[slot]
        weight = sum(pull[slot] * pull[other] for other in near) or 0.01
        wish = sum(pull[slot] * pull[other] * xs[other] for other in near) / weight if near else xs[slot]
        block = (weight * (wish - offset), weight, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            total, mass, count = blocks.pop()
            block = (total + block[0], mass + block[1], count + block[2])
        blocks.append(block)
    means = [total / mass for total, mass, count in blocks for _ in range(count)]
    for slot, mean, offset in zip(row, means, offsets, strict=True):
        xs[slot] = mean + offset


def _row_heights(slots: Slots, xs: Sequence[float]) -> list[float]:
    """Return the y of each row: rows stand further apart where edges between them run far sideways."""
    ys = [MARGIN + ROW_HEIGHT / 2]
    for row in slots.rows[:-1]:
        reach = max((abs(xs[above] - xs[below]) for above in row for below in slots.down[above]), default=0.0)
        ys.append(ys[-1] + ROW_HEIGHT + 30.0 + min(90.0, 0.12 * reach))
    return ys
