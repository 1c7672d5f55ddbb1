"""Rows of slots, each a box or a way point of edges that pass the row, in an order with few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

from bnc2d.draw.graph import Edge

_SWEEPS = 24
_WAY_POINT = 10.0
# Beyond this many slots the finer steps of a layout are done less often.
_MANY = 3_000


class Slots:
    """Boxes and way points with their rows and neighbours; slot numbers are positions in these lists."""

    def __init__(self) -> None:
        self.nodes: list[int] = []  # what a slot draws, or what its edges share
        self.is_box: list[bool] = []
        self.widths: list[float] = []
        self.up: list[list[int]] = []
        self.down: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.row_of: list[int] = []
        self.links: dict[tuple[int, int], Edge] = {}  # of the edges that share a piece, the widest

    @property
    def are_many(self) -> bool:
        """Whether a layout should save time."""
        return len(self.nodes) > _MANY

    def add(self, node: int, row: int, width: float | None) -> int:
        """Add a box of this width, or (without a width) a way point, and return its slot."""
        slot = len(self.nodes)
        self.nodes.append(node)
        self.is_box.append(width is not None)
        self.widths.append(_WAY_POINT if width is None else width)
        self.up.append([])
        self.down.append([])
        self.row_of.append(row)
        while len(self.rows) <= row:
            self.rows.append([])
        self.rows[row].append(slot)
        return slot

    def link(self, above: int, below: int, edge: Edge) -> None:
        """Add a piece of an edge between neighbouring rows."""
        known = self.links.get((above, below))
        if known is None:
            self.down[above].append(below)
            self.up[below].append(above)
        if known is None or known.style.width < edge.style.width:
            self.links[above, below] = edge


def order_rows(slots: Slots) -> None:
    """Reorder the rows so that edges cross little."""
    rows = slots.rows
    place = [0.0] * len(slots.nodes)
    for row in rows:
        _number(row, place)
    best, fewest = [list(row) for row in rows], count_crossings(slots, place)
    for sweep in range(6 if slots.are_many else _SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        for row in rows[1:] if downwards else rows[-2::-1]:
            _sort_row(row, slots.up if downwards else slots.down, place)
        if not slots.are_many:
            _exchange(slots, place)
        crossings = count_crossings(slots, place)
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

    def mean(slot: int) -> float:
        return sum(place[near] for near in neighbours[slot]) / len(neighbours[slot])

    for position, slot in zip(held, sorted((row[position] for position in held), key=mean), strict=True):
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


def count_crossings(slots: Slots, place: Sequence[float]) -> int:
    """Return how many pairs of edges cross; ``place`` orders the slots of each row."""
    total = 0
    for row in slots.rows:
        passed: list[float] = []
        for slot in sorted(row, key=place.__getitem__):
            ends = sorted(place[near] for near in slots.down[slot])
            total += _inversions(passed, ends)
            for end in ends:
                insort(passed, end)
    return total
