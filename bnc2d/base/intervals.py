"""Intervals: how numbers of a column read as the states of a variable."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from math import floor, inf, isfinite, log10, nextafter
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.number_texts import in_thousands, rounded
from bnc2d.base.readers.arguments import as_text, count, items, shown, wrong
from bnc2d.base.readers.missing import UNKNOWN, is_missing
from bnc2d.errors import NetworkError

MISSING_STATE = "missing"


class Cut(NamedTuple):
    """A number that parts a column in two; ``below`` says whether the number itself is in the lower part."""

    value: float
    below: bool = False

    @property
    def first_above(self) -> float:
        """The smallest float of the upper part."""
        return nextafter(self.value, inf) if self.below else self.value


class Run(NamedTuple):
    """Neighbouring intervals as one: its cuts, None where it has no end."""

    low: Cut | None
    high: Cut | None


class Intervals:
    """The states of a numeric column: the intervals between its cuts, from the lowest to the highest.

    ``cuts`` are numbers, or pairs of a number and whether it is itself in the lower part (default: in the
    upper one, ``[37.5, 50)``). A missing value reads as the state at position ``missing``, where that is
    given; the position after the last interval is a state of its own, called ``missing``. ``unit`` is shown
    behind numbers.

    Texts show a cut with few digits, rounded so that what they say is true of every value with no more
    decimals than the text has; ``cuts`` are exact.

    >>> age = Intervals([37.5, 50])
    >>> age.names, age.position(41), age.symbols("age", 0b001), age.symbols("age", 0b101)
    (('<37.5', '[37.5, 50)', '≥50'), 1, 'age < 37.5', 'age ∉ [37.5, 50)')
    """

    def __init__(
        self,
        cuts: Iterable[float | tuple[float, bool]],
        *,
        unit: str = "",
        missing: int | None = None,
    ) -> None:
        self.cuts = tuple(map(_cut, items(cuts, "cuts", "a list of numbers", NetworkError)))
        edges = [cut.first_above for cut in self.cuts]
        if not all(isfinite(cut.value) for cut in self.cuts) or sorted(set(edges)) != edges:
            raise NetworkError(f"cuts must be finite numbers that increase, not {shown(list(self.cuts))}")
        self._edges = edges
        if not isinstance(unit, str):
            raise wrong("unit", unit, "a text", NetworkError)
        self.unit = unit
        self.missing = checked_position(missing, len(self.cuts) + 2)

    @property
    def has_missing_state(self) -> bool:
        """Whether missing values have a state of their own, the last."""
        return self.missing == len(self.cuts) + 1

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the states."""
        own = (MISSING_STATE,) if self.has_missing_state else ()
        if not self.cuts:
            return ("any number", *own)
        return (*(self._run_text(self._run(at, at), "", "") for at in range(len(self.cuts) + 1)), *own)

    def position(self, value: object) -> int | None:
        """Return the position of the state that a number, or a text that reads as one, lies in, if any."""
        if isinstance(value, str) and value != UNKNOWN:
            try:
                value = float(value)
            except ValueError:
                return None
        if is_missing(value):
            return self.missing
        value = plain(value)  # numpy's bools are no numbers
        if not isinstance(value, Real | Decimal):
            return None
        return bisect_right(self._edges, value)  # numbers compare exactly

    def positions(self, column: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return the states of a whole column of numbers, -1 for none; None where it has other values."""
        is_column = isinstance(column, np.ndarray) and column.ndim == 1
        if not is_column or column.dtype.kind not in "iuf" or column.dtype.itemsize > 8:
            return None
        if column.dtype.kind != "f" and column.size and max(-int(column.min()), int(column.max())) > 2**53:
            return None  # float64 does not hold them all
        values = column.astype(np.float64)
        found = np.searchsorted(self._edges, values, side="right").astype(np.intp)
        found[np.isnan(values)] = -1 if self.missing is None else self.missing
        return found

    def symbols(self, name: str, mask: int) -> str:
        """Return that a feature is in the states of a mask, in symbols."""
        name = as_text(name)
        if not self.has_missing_state:
            return self._said(name, mask, "∈", "∉", "=", " ∪ ")
        known, rest, with_missing = self._parted(mask)
        if not known or not (rest or with_missing):
            return f"{name} {'≠' if known else '='} {MISSING_STATE}"
        outside = self.runs(rest)
        if with_missing and not (len(outside) == 1 and outside[0].low and outside[0].high):
            parts = [*map(self._bracketed, self.runs(known)), f"{{{MISSING_STATE}}}"]
            return f"{name} ∈ {' ∪ '.join(parts)}{self._unit_text}"
        return self._said(name, known, "∈", "∉", "=", " ∪ ", may_exclude=with_missing)

    def words(self, name: str, mask: int, verb: str = "is") -> str:
        """Return that a feature is in the states of a mask, in words: ``age < 37.5``, ``age were < 37.5``."""
        name, verb = as_text(name), as_text(verb)
        subject = name if verb == "is" else f"{name} {verb}"
        if not self.has_missing_state:
            return self._said(subject, mask, "in", "not in", "=", " or ")
        known, rest, with_missing = self._parted(mask)
        if not known or not (rest or with_missing):
            return f"{name} {verb} {'not ' if known else ''}{MISSING_STATE}"
        said = self._said(subject, known, "in", "not in", "=", " or ", may_exclude=False)
        return f"{said} or {MISSING_STATE}" if with_missing else said

    def to_data(self) -> dict[str, object]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {"cuts": [list(cut) for cut in self.cuts]}
        if self.unit:
            data["unit"] = self.unit
        return data if self.missing is None else {**data, "missing": self.missing}

    def runs(self, mask: int) -> list[Run]:
        """Return the states of a mask as intervals, neighbours as one."""
        mask = count(mask, "mask", most=(1 << len(self.names)) - 1, error=NetworkError)
        found, start = [], None
        for at in range(len(self.cuts) + 2):
            inside = at <= len(self.cuts) and mask >> at & 1
            if inside and start is None:
                start = at
            elif not inside and start is not None:
                found.append(self._run(start, at - 1))
                start = None
        return found

    def value_text(self, value: object) -> str:
        """Return a raw value as people read it, with its unit."""
        text = in_thousands(as_text(value)) if isinstance(value, Real) else as_text(value)
        return f"{text} {self.unit}".rstrip()

    def cut_text(self, cut: Cut) -> str:
        """Return one of the cuts with few digits."""
        if not isinstance(cut, Cut) or cut not in self._texts:
            raise wrong("cut", cut, "one of the cuts of this scale", NetworkError)
        return self._texts[cut]

    def _run(self, first: int, last: int) -> Run:
        low = self.cuts[first - 1] if first else None
        return Run(low, self.cuts[last] if last < len(self.cuts) else None)

    def _parted(self, mask: int) -> tuple[int, int, bool]:
        """Return the intervals of a mask, the other intervals, and whether the missing state is in it."""
        every = (1 << len(self.cuts) + 1) - 1
        return mask & every, every & ~mask, bool(mask >> len(self.cuts) + 1)

    @property
    def _unit_text(self) -> str:
        return f" {self.unit}" if self.unit else ""

    def _said(
        self,
        name: str,
        mask: int,
        inside: str,
        outside: str,
        equal: str,
        union: str,
        may_exclude: bool = True,
    ) -> str:
        unit = self._unit_text
        runs, others = self.runs(mask), self.runs(((1 << len(self.cuts) + 1) - 1) & ~mask)
        if len(runs) == 1:
            run = runs[0]
            relation = inside if run.low and run.high else ""
            text = self._run_text(run, equal, " ")
            return f"{name} {f'{relation} ' if relation and text[0] in '[(' else ''}{text}{unit}"
        if len(others) == 1 and may_exclude:
            text = self._run_text(others[0], "", " ")
            return f"{name} {f'{outside} ' if text[0] in '[(' else '≠ '}{text}{unit}"
        return f"{name} {inside} {union.join(self._bracketed(run) for run in runs)}{unit}"

    def _run_text(self, run: Run, equal: str, space: str) -> str:
        low, high = run
        if low is None or high is None:
            cut, sign = (
                (high, "≤" if high and high.below else "<")
                if low is None
                else (low, ">" if low.below else "≥")
            )
            return "" if cut is None else f"{sign}{space}{self._texts[cut]}"
        if low.value == high.value:
            return f"{equal}{space if equal else ''}{self._texts[low]}"
        return self._bracketed(run)

    def _bracketed(self, run: Run) -> str:
        low, high = run
        if low is not None and high is not None and low.value == high.value:
            return f"{{{self._texts[low]}}}"
        left = "(-∞" if low is None else f"{'(' if low.below else '['}{self._texts[low]}"
        right = "∞)" if high is None else f"{self._texts[high]}{']' if high.below else ')'}"
        return f"{left}, {right}"

    @cached_property
    def _texts(self) -> dict[Cut, str]:
        values = sorted({cut.value for cut in self.cuts})
        widths = [high - low for low, high in pairwise(values)] or [abs(values[0]) or 1.0]
        decimals = max(2, 4 - floor(log10(min(widths)))) if min(widths) > 0 else 17
        found = {cut: rounded(cut.value, cut.below, decimals) for cut in self.cuts}
        by_value = {(cut.value, text) for cut, text in found.items()}
        if len({text for _, text in by_value}) < len(values) or len(by_value) > len(values):
            found = {cut: as_text(cut.value) for cut in self.cuts}
        return {cut: in_thousands(text) for cut, text in found.items()}


def _cut(given: object) -> Cut:
    """Return a cut, given as a number or as a pair of a number and whether it is in the lower part."""
    value, below = given if isinstance(given, tuple) and len(given) == 2 else (given, False)
    if not isinstance(value, Real) or isinstance(value, bool) or not isinstance(below, bool | np.bool_):
        raise wrong("a cut", given, "a number, or a pair of a number and True or False", NetworkError)
    try:
        return Cut(float(value), bool(below))
    except OverflowError:
        raise wrong("a cut", given, "a number that a float holds", NetworkError) from None


def checked_position(position: int | None, size: int) -> int | None:
    """Return the position of a state, or None; another value is an error."""
    if position is None:
        return None
    return count(position, "the position of a state", most=size - 1, error=NetworkError)


def plain(value: object) -> object:
    """Return a number or text of numpy as Python's own."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value
