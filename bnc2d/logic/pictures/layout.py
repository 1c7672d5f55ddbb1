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

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from bnc2d.logic.manager import Kind, Manager, NodeId
from bnc2d.logic.pictures.labels import labels, text_width

# Beyond these a drawing is a tangle.
MAX_NODES = 500
MAX_EDGES = 5_000
MAX_WAY_POINTS = 10_000

GATE_SIZE = 30.0
BOX_HEIGHT = 28.0
MARGIN = 16.0
_PADDING = 9.0
_BETWEEN = 14.0
_WAY_POINT = 10.0
_SWEEPS = 24
_PLACINGS = 60
# Beyond this many slots (boxes and way points) the finer steps are done less often.
_MANY_SLOTS = 3_000


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


class _Slots:
    """Boxes and way points with their rows and neighbours; slot numbers are positions in these lists."""

    def __init__(self, manager: Manager, root: NodeId) -> None:
        self.nodes: list[NodeId] = []
        self.is_box: list[bool] = []
        self.widths: list[float] = []
        self.up: list[list[int]] = []
        self.down: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.row_of: list[int] = []
        level = levels(manager, root)
        self._at: dict[tuple[NodeId, int, bool], int] = {}
        # Depth first, so that the first order keeps what belongs together side by side.
        self._slot(manager, root, 0, True)
        pending = [root]
        seen = {root}
        while pending:
            node = pending.pop()
            parent = self._at[node, level[node], True]
            children = manager.children(node)
            for child in children:
                bottom = level[child] if manager.kind(child) >= Kind.AND else level[node] + 1
                above = parent
                for row in range(level[node] + 1, bottom + 1):
                    known = len(self.nodes)
                    below = self._slot(manager, child, row, row == bottom)
                    self.down[above].append(below)
                    self.up[below].append(above)
                    if below < known:
                        break  # the way from here on is there already
                    above = below
            unseen = [child for child in children if manager.children(child) and child not in seen]
            seen.update(unseen)
            pending.extend(reversed(unseen))

    def _slot(self, manager: Manager, node: NodeId, row: int, is_box: bool) -> int:
        key = (node, row, is_box)
        if key not in self._at:
            self._at[key] = len(self.nodes)
            self.nodes.append(node)
            self.is_box.append(is_box)
            gate = manager.kind(node) != Kind.LITERAL
            box = GATE_SIZE if gate else 2 * _PADDING + text_width(labels(manager, node)[0])
            self.widths.append(max(box, GATE_SIZE) if is_box else _WAY_POINT)
            self.up.append([])
            self.down.append([])
            self.row_of.append(row)
            while len(self.rows) <= row:
                self.rows.append([])
            self.rows[row].append(self._at[key])
        return self._at[key]


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
    slots = _Slots(manager, root)
    _order(slots)
    xs = _place(slots)
    ys = _row_heights(slots, xs)
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


def _order(slots: _Slots) -> None:
    """Reorder the rows so that edges cross little."""
    rows = slots.rows
    few = len(slots.nodes) <= _MANY_SLOTS
    place = [0.0] * len(slots.nodes)
    for row in rows:
        _number(row, place)
    best, fewest = [list(row) for row in rows], _crossings(slots, place)
    for sweep in range(_SWEEPS if few else 6):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        for row in rows[1:] if downwards else rows[-2::-1]:
            _sort_row(row, slots.up if downwards else slots.down, place)
        if few:
            _exchange(slots, place)
        crossings = _crossings(slots, place)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    slots.rows = best


def _number(row: Sequence[int], place: list[float]) -> None:
    """Set the places in a row, from 0 to 1 so that rows of different length compare."""
    for position, slot in enumerate(row):
        place[slot] = (position + 0.5) / len(row)


def _sort_row(row: list[int], neighbours: Sequence[Sequence[int]], place: list[float]) -> None:
    """Sort the slots that have neighbours by their barycentre, among the positions these slots hold."""
    held = [position for position, slot in enumerate(row) if neighbours[slot]]
    mean = {
        row[position]: sum(place[near] for near in neighbours[row[position]]) / len(neighbours[row[position]])
        for position in held
    }
    ordered = sorted((row[position] for position in held), key=mean.__getitem__)
    for position, slot in zip(held, ordered, strict=True):
        row[position] = slot
    _number(row, place)


def _exchange(slots: _Slots, place: list[float]) -> None:
    """Exchange neighbours in a row while that removes crossings."""
    for row in slots.rows:
        for _ in range(4):
            changed = False
            for position in range(len(row) - 1):
                left, right = row[position], row[position + 1]
                gain = 0
                for side in (slots.up, slots.down):
                    first = sorted(place[near] for near in side[left])
                    second = sorted(place[near] for near in side[right])
                    gain += _inversions(first, second) - _inversions(second, first)
                if gain > 0:
                    row[position], row[position + 1] = right, left
                    place[left], place[right] = place[right], place[left]
                    changed = True
            if not changed:
                break


def _inversions(left: Sequence[float], right: Sequence[float]) -> int:
    """Return how many edges cross when a slot with neighbours ``left`` stands before one with ``right``."""
    return sum(len(left) - bisect_right(left, place) for place in right)


def _crossings(slots: _Slots, place: Sequence[float]) -> int:
    total = 0
    for row in slots.rows:
        passed: list[float] = []
        for slot in sorted(row, key=place.__getitem__):
            ends = sorted(place[near] for near in slots.down[slot])
            total += _inversions(passed, ends)
            for end in ends:
                insort(passed, end)
    return total


def _place(slots: _Slots) -> list[float]:
    """Return the x of every slot: near its neighbours, in order, apart."""
    xs = [0.0] * len(slots.nodes)
    everything = [up + down for up, down in zip(slots.up, slots.down, strict=True)]
    # Way points pull harder than gates and gates harder than leaves, which straightens long edges and chains.
    pull = [
        3.0 if not box else 1.5 if ends else 0.3 for box, ends in zip(slots.is_box, slots.down, strict=True)
    ]
    for row in slots.rows:
        _place_row(slots, row, xs, lambda slot: slots.up[slot], pull)
    for sweep in range(_PLACINGS if len(slots.nodes) <= _MANY_SLOTS else 6):
        for row in slots.rows[::-1] if sweep % 2 == 0 else slots.rows:
            _place_row(slots, row, xs, lambda slot: everything[slot], pull)
    left = min(x - width / 2 for x, width in zip(xs, slots.widths, strict=True))
    return [x - left + MARGIN for x in xs]


def _place_row(
    slots: _Slots,
    row: Sequence[int],
    xs: list[float],
    neighbours: Callable[[int], Sequence[int]],
    pull: Sequence[float],
) -> None:
    offset = 0.0
    offsets: list[float] = []
    blocks: list[tuple[float, float, int]] = []  # weighted sum, weight and number of slots that touch
    for position, slot in enumerate(row):
        if position:
            before = row[position - 1]
            offset += (slots.widths[before] + slots.widths[slot]) / 2 + _BETWEEN
        offsets.append(offset)
        near = neighbours(slot)
        weight = sum(pull[slot] * pull[other] for other in near) or 0.01
        wish = sum(pull[slot] * pull[other] * xs[other] for other in near) / weight if near else xs[slot]
        block = (weight * (wish - offset), weight, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            total, mass, count = blocks.pop()
            block = (total + block[0], mass + block[1], count + block[2])
        blocks.append(block)
    position = 0
    for total, mass, count in blocks:
        for _ in range(count):
            xs[row[position]] = total / mass + offsets[position]
            position += 1


def _row_heights(slots: _Slots, xs: Sequence[float]) -> list[float]:
    """Return the y of each row: rows stand further apart where edges between them run far sideways."""
    reach = [0.0] * len(slots.rows)
    for above, ends in enumerate(slots.down):
        row = slots.row_of[above]
        reach[row] = max([reach[row], *(abs(xs[above] - xs[below]) for below in ends)])
    ys = [MARGIN + GATE_SIZE / 2]
    for span in reach[:-1]:
        ys.append(ys[-1] + GATE_SIZE + 30.0 + min(90.0, 0.12 * span))
    return ys
