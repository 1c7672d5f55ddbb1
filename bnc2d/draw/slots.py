"""Rows of slots, each a box or a way point of edges that pass the row, in an order with few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

_SWEEPS = 24
# Beyond this many slots the finer steps of a layout are done less often.
_MANY = 3_000


@dataclass(eq=False)
class Slot:
    """A box or a way point, with those that it is linked to in the rows above and below."""

    node: int  # what is drawn there, or what the edges share
    row: int
    width: float
    is_box: bool
    up: list[Slot] = field(default_factory=list)
    down: list[Slot] = field(default_factory=list)
    place: float = 0.0  # in the row, from 0 to 1 so that rows of different length compare
    x: float = 0.0

    @cached_property
    def pull(self) -> float:
        """Way points pull harder than inner boxes and these harder than leaves: long edges are straight."""
        return 3.0 if not self.is_box else 1.5 if self.down else 0.3

    @cached_property
    def near(self) -> list[Slot]:
        """The slots that it is linked to."""
        return self.up + self.down


Row = list[Slot]


def are_many(rows: Sequence[Row]) -> bool:
    """Return whether a layout should save time."""
    return sum(map(len, rows)) > _MANY


def order_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows in an order in which edges cross little."""
    rows = [list(row) for row in rows]
    for row in rows:
        _number(row)
    best, fewest, many = [list(row) for row in rows], _crossings(rows), are_many(rows)
    for sweep in range(6 if many else _SWEEPS):
        if fewest == 0:
            break
        if sweep % 2 == 0:
            for row in rows[1:]:
                _sort(row, lambda slot: slot.up)
        else:
            for row in rows[-2::-1]:
                _sort(row, lambda slot: slot.down)
        if not many:
            _exchange(rows)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _number(row: Row) -> None:
    for position, slot in enumerate(row):
        slot.place = (position + 0.5) / len(row)


def _sort(row: Row, neighbours: Callable[[Slot], Row]) -> None:
    """Sort the slots that have neighbours by their barycentre, among the positions these slots hold."""
    held = [position for position, slot in enumerate(row) if neighbours(slot)]

    def mean(slot: Slot) -> float:
        return sum(near.place for near in neighbours(slot)) / len(neighbours(slot))

    for position, slot in zip(held, sorted((row[position] for position in held), key=mean), strict=True):
        row[position] = slot
    _number(row)


def _exchange(rows: Sequence[Row]) -> None:
    """Exchange neighbours in a row while that removes crossings."""
    for row in rows:
        for _ in range(4):
            changed = False
            for position in range(len(row) - 1):
                left, right = row[position], row[position + 1]
                gain = 0
                for first, second in ((left.up, right.up), (left.down, right.down)):
                    ends, others = _places(first), _places(second)
                    gain += _inversions(ends, others) - _inversions(others, ends)
                if gain > 0:
                    row[position], row[position + 1] = right, left
                    left.place, right.place = right.place, left.place
                    changed = True
            if not changed:
                break


def _places(slots: Row) -> list[float]:
    return sorted(slot.place for slot in slots)


def _inversions(left: Sequence[float], right: Sequence[float]) -> int:
    """Return how many edges cross when a slot with neighbours ``left`` stands before one with ``right``."""
    return sum(len(left) - bisect_right(left, place) for place in right)


def _crossings(rows: Sequence[Row]) -> int:
    """Return how many pairs of edges cross."""
    total = 0
    for row in rows:
        passed: list[float] = []
        for slot in row:
            ends = _places(slot.down)
            total += _inversions(passed, ends)
            for end in ends:
                insort(passed, end)
    return total
