"""A layered drawing of a circuit: rows from the root down, few crossings, no label over another.

The steps are those of Sugiyama, Tagawa and Toda (1981):

1. A gate's row is the longest path from the root. A literal is drawn below its parents, once for each row
   that has parents of it, so that no edge to a literal is long.
2. Edges to one gate that pass rows share a chain of way points, which take room in their rows like boxes.
3. Rows are ordered by barycentres and by exchanges of neighbours; the order with fewest crossings stays.
4. Each row in turn is placed as near to its neighbours' mean as the order and the widths allow (a weighted
   isotonic regression, so the best place for the row given the others).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.pictures.labels import labels, text_width
from bnc2d.logic.pictures.layers import MARGIN, ROW_HEIGHT, Slots, order, place_slots, row_heights

# Beyond these a drawing is a tangle.
MAX_NODES = 500
MAX_EDGES = 5_000
MAX_WAY_POINTS = 10_000

GATE_SIZE = ROW_HEIGHT
BOX_HEIGHT = 28.0
PADDING = 9.0


@dataclass(frozen=True, slots=True)
class Box:
    """A drawn node: its centre, size, the text it shows and the full text."""

    node: NodeId
    kind: Kind
    label: str
    title: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an edge, from one row to the next; it fires where both nodes of some edge in it are true."""

    x1: float
    y1: float
    x2: float
    y2: float
    fires: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and edges in the order to draw them, in a rectangle that starts at (0, 0)."""

    boxes: tuple[Box, ...]
    segments: tuple[Segment, ...]
    width: float
    height: float


def levels(manager: Manager, root: NodeId) -> dict[NodeId, int]:
    """Return the longest path from the root to each node below it."""
    level = {root: 0}
    for node in reversed(manager.reachable(root)):
        below = level[node] + 1
        for child in manager.children(node):
            if level.get(child, 0) < below:
                level[child] = below
    return level


def _slots(manager: Manager, root: NodeId) -> Slots:
    level = levels(manager, root)
    slots = Slots()
    at: dict[tuple[NodeId, int, bool], int] = {}

    def slot_of(node: NodeId, row: int, is_box: bool) -> int:
        key = (node, row, is_box)
        if key not in at:
            at[key] = slots.add(node, row, _width(manager, node) if is_box else None)
        return at[key]

    # Depth first, so that the first order keeps what belongs together side by side.
    slot_of(root, 0, True)
    pending = [root]
    seen = {root}
    while pending:
        node = pending.pop()
        parent = at[node, level[node], True]
        children = manager.children(node)
        for child in children:
            bottom = level[child] if manager.kind(child) >= Kind.AND else level[node] + 1
            above = parent
            for row in range(level[node] + 1, bottom + 1):
                known = len(slots.nodes)
                below = slot_of(child, row, row == bottom)
                slots.link(above, below)
                if below < known:
                    break  # the way from here on is there already
                above = below
        unseen = [child for child in children if manager.children(child) and child not in seen]
        seen.update(unseen)
        pending.extend(reversed(unseen))
    return slots


def _width(manager: Manager, node: NodeId) -> float:
    if manager.kind(node) != Kind.LITERAL:
        return GATE_SIZE
    return max(GATE_SIZE, 2 * PADDING + text_width(labels(manager, node)[0]))


def is_drawable(manager: Manager, root: NodeId) -> bool:
    """Return whether a drawing would show more than a tangle."""
    nodes = manager.reachable(root)
    if len(nodes) > MAX_NODES or sum(len(manager.children(node)) for node in nodes) > MAX_EDGES:
        return False
    level = levels(manager, root)
    longest: dict[NodeId, int] = {}
    for node in nodes:
        for child in manager.children(node):
            if manager.kind(child) >= Kind.AND:
                longest[child] = max(longest.get(child, 0), level[child] - level[node] - 1)
    return sum(longest.values()) <= MAX_WAY_POINTS


def lay_out(manager: Manager, root: NodeId, true: Set[NodeId] = frozenset()) -> Drawing:
    """Return the drawing of a circuit; the same circuit always gives the same drawing.

    ``true`` are the nodes that hold for an instance; the edges between them fire.
    """
    slots = _slots(manager, root)
    order(slots)
    xs = place_slots(slots)
    ys = row_heights(slots, xs)
    boxes = []
    for slot, node in enumerate(slots.nodes):
        if slots.is_box[slot]:
            kind = manager.kind(node)
            height = BOX_HEIGHT if kind == Kind.LITERAL else GATE_SIZE
            position = (xs[slot], ys[slots.row_of[slot]])
            boxes.append(Box(node, kind, *labels(manager, node), *position, slots.widths[slot], height))
    segments = []
    fires = [node in true for node in slots.nodes]
    for row in slots.rows:
        for slot in row:
            if not slots.is_box[slot]:
                fires[slot] = any(fires[above] for above in slots.up[slot])
            for below in slots.down[slot]:
                top, bottom = ys[slots.row_of[slot]], ys[slots.row_of[below]]
                segment_fires = fires[slot] and slots.nodes[below] in true
                segments.append(Segment(xs[slot], top, xs[below], bottom, segment_fires))
    width = max(box.x + box.width / 2 for box in boxes)
    width = max([width, *(xs[slot] for slot in range(len(xs)))]) + MARGIN
    return Drawing(tuple(boxes), tuple(segments), width, ys[-1] + GATE_SIZE / 2 + MARGIN)
