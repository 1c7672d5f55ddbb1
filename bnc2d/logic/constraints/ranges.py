"""Ranges of numbers in constraints, ``age < 37.5`` or ``age in [20, 50)``, as states of cut columns."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import Cut, Intervals, Labels, scale_of
from bnc2d.errors import LogicError
from bnc2d.logic.constraints.tokens import Position, error_at, quoted

_THOUSAND = "k"


class Bound(NamedTuple):
    """An end of a range as it is written, and whether the number itself is in the range."""

    text: str
    closed: bool
    position: Position


class Range(NamedTuple):
    """The numbers between two ends, of which one may be None; ``unit`` is what stands behind it."""

    low: Bound | None
    high: Bound | None
    position: Position
    unit: str = ""

    @property
    def text(self) -> str:
        """The range as an interval."""
        left = "(-∞" if self.low is None else f"{'[' if self.low.closed else '('}{self.low.text}"
        right = "∞)" if self.high is None else f"{self.high.text}{']' if self.high.closed else ')'}"
        return f"{left}, {right}"


def one_sided(sign: str, number: str, position: Position) -> Range:
    """Return the numbers that are on one side of another."""
    end = Bound(number, sign.endswith("="), position)
    return Range(None, end, position) if sign[0] == "<" else Range(end, None, position)


def as_number(text: str) -> Decimal | None:
    """Return the number that a text is, with a ``k`` for thousands as reasons are printed, if it is one."""
    try:
        number = Decimal(text.removesuffix(_THOUSAND))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return number * 1000 if text.endswith(_THOUSAND) else number


def range_mask(name: str, states: Sequence[str], wanted: Range) -> int:
    """Return the states whose numbers are those of a range, exactly; where none are, that is an error.

    A missing value is in no range.
    """
    scale = scale_of(states)
    if wanted.unit and (not isinstance(scale, Intervals) or wanted.unit != scale.unit):
        unit = f"its unit {quoted(scale.unit)} or " if isinstance(scale, Intervals) and scale.unit else ""
        raise error_at(wanted.position, f"found {quoted(wanted.unit)} after a number, expected {unit}nothing")
    if isinstance(scale, Intervals):
        first = 0 if wanted.low is None else _cut_position(name, scale, wanted.low, is_low=True) + 1
        end = (
            len(scale.cuts) if wanted.high is None else _cut_position(name, scale, wanted.high, is_low=False)
        )
        mask = sum(1 << at for at in range(first, end + 1))
    elif isinstance(scale, Labels) and _are_numbers(scale):
        mask = sum(1 << at for at, group in enumerate(scale.values) if _inside(group, wanted))
    else:
        raise error_at(
            wanted.position,
            f"found a comparison of {quoted(name)} with a number, expected '=', '!=', 'in' or 'not in' and "
            "states: it is no column of numbers",
        )
    if not mask:
        raise error_at(
            wanted.position, f"found {wanted.text}, expected a range with a value of {quoted(name)}"
        )
    return mask


def _cut_position(name: str, scale: Intervals, bound: Bound, *, is_low: bool) -> int:
    """Return the position of the cut that an end of a range is, on the right side of the number."""
    below = bound.closed != is_low  # whether the number itself is in the lower part
    number = as_number(bound.text)
    found = [
        at
        for at, cut in enumerate(scale.cuts)
        if number == Decimal(as_text(cut.value)) or bound.text == scale.cut_text(cut)
    ]
    for at in found:
        if scale.cuts[at].below == below:
            return at
    if found:
        cut = scale.cuts[found[0]]
        side = "below" if cut.below else "above"
        low, high = ("<=", ">") if cut.below else ("<", ">=")
        text, name = scale.cut_text(cut), quoted(name)
        raise error_at(
            bound.position,
            f"{name} is cut at {text} with {text} itself {side}, expected {low} {text} or {high} {text}",
        )
    raise _no_cut(name, scale, bound, number)


def _no_cut(name: str, scale: Intervals, bound: Bound, number: Decimal | None) -> LogicError:
    def distance(cut: Cut) -> Decimal:
        return abs(Decimal(as_text(cut.value)) - (number or Decimal(0)))

    near = sorted(sorted(scale.cuts, key=distance)[:2])
    texts = list(dict.fromkeys(scale.cut_text(cut) for cut in near))
    nearest = " and ".join(texts)
    hint = f"; the nearest cuts are {nearest}" if len(texts) > 1 else f"; its only cut is {nearest}"
    return error_at(
        bound.position,
        f"found {quoted(bound.text)}, where {quoted(name)} is not cut{hint if near else '; it has no cuts'}",
    )


def _are_numbers(scale: Labels) -> bool:
    values = [value for at, group in enumerate(scale.values) for value in group if at != scale.other]
    return bool(values) and all(map(_is_number, values))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _inside(group: tuple[object, ...], wanted: Range) -> bool:
    """Return whether all numbers of a group are in a range."""
    numbers = [Decimal(as_text(value)) for value in group if _is_number(value)]
    return len(numbers) == len(group) > 0 and all(
        _above(number, wanted.low) and _below(number, wanted.high) for number in numbers
    )


def _above(number: Decimal, low: Bound | None) -> bool:
    end = None if low is None else as_number(low.text)
    return low is None or end is None or number > end or (low.closed and number == end)


def _below(number: Decimal, high: Bound | None) -> bool:
    end = None if high is None else as_number(high.text)
    return high is None or end is None or number < end or (high.closed and number == end)
