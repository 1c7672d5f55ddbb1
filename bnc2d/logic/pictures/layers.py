"""The layered method: slots in rows are ordered to cross little, and placed near their neighbours.

The steps are those of Sugiyama, Tagawa and Toda (1981); see ``layout`` for circuits. A slot is a box or a way
point of an edge that passes its row.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence

ROW_HEIGHT = 30.0
MARGIN = 16.0
WAY_POINT = 10.0
_BETWEEN = 14.0
_SWEEPS = 24
_PLACINGS = 60
# Beyond this many slots (boxes and way points) the finer steps are done less often.
_MANY_SLOTS = 3_000


class Slots:
    """Boxes and way points with their rows and neighbours; slot numbers are positions in these lists."""

    def __init__(self) -> None:
        self.nodes: list[int] = []  # what a slot draws, or what its edge leads to or comes from
        self.is_box: list[bool] = []
        self.widths: list[float] = []
        self.up: list[list[int]] = []
        self.down: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.row_of: list[int] = []

    def add(self, node: int, row: int, width: float | None) -> int:
        """Add a box of this width, or (without a width) a way point, and return its slot."""
        slot = len(self.nodes)
        self.nodes.append(node)
        self.is_box.append(width is not None)
        self.widths.append(WAY_POINT if width is None else width)
        self.up.append([])
        self.down.append([])
        self.row_of.append(row)
        while len(self.rows) <= row:
            self.rows.append([])
        self.rows[row].append(slot)
        return slot

    def link(self, above: int, below: int) -> None:
        """Add a piece of an edge between neighbouring rows."""
        self.down[above].append(below)
        self.up[below].append(above)


def order(slots: Slots) -> None:
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


def _exchange(slots: Slots, place: list[float]) -> None:
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


def _crossings(slots: Slots, place: Sequence[float]) -> int:
    total = 0
    for row in slots.rows:
        passed: list[float] = []
        for slot in sorted(row, key=place.__getitem__):
            ends = sorted(place[near] for near in slots.down[slot])
            total += _inversions(passed, ends)
            for end in ends:
                insort(passed, end)
    return total


def place_slots(slots: Slots) -> list[float]:
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
    slots: Slots,
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


def row_heights(slots: Slots, xs: Sequence[float]) -> list[float]:
    """Return the y of each row: rows stand further apart where edges between them run far sideways."""
    reach = [0.0] * len(slots.rows)
    for above, ends in enumerate(slots.down):
        row = slots.row_of[above]
        reach[row] = max([reach[row], *(abs(xs[above] - xs[below]) for below in ends)])
    ys = [MARGIN + ROW_HEIGHT / 2]
    for span in reach[:-1]:
        ys.append(ys[-1] + ROW_HEIGHT + 30.0 + min(90.0, 0.12 * span))
    return ys
