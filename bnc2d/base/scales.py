"""Scales: how values of a column, numbers or labels of any type, read as the states of a variable.

States that were made from data carry their scale with them (``States``), so whatever reads a state also
reads a raw value, and whatever shows a set of states shows it in the unit of the column.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from itertools import pairwise
from math import floor, inf, isfinite, log10, nextafter
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import as_text, count, items, shown, wrong
from bnc2d.base.readers.missing import UNKNOWN, is_missing
from bnc2d.errors import NetworkError

_MOST_DIGITS = 6  # of a number that is shown as it is
_SHORT_DIGITS = 4  # of one that is shown in thousands
_FIRST_THOUSAND = 10_000
_ONE_SIDED = re.compile(r"[<≤≥>]-?\d")
_TWO_SIDED = re.compile(r"[\[(]-?\d[^,]*, -?\d[^,]*[\])]")


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
    given. ``unit`` is shown behind numbers.

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
        self.missing = _checked_position(missing, len(self.cuts) + 1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the states."""
        if not self.cuts:
            return ("any number",)
        return tuple(self._run_text(self._run(at, at), "", "") for at in range(len(self.cuts) + 1))

    def position(self, value: object) -> int | None:
        """Return the position of the state that a number, or a text that reads as one, lies in, if any."""
        if isinstance(value, str) and value != UNKNOWN:
            try:
                value = float(value)
            except ValueError:
                return None
        if is_missing(value):
            return self.missing
        value = _plain(value)  # numpy's bools are no numbers
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
        return self._said(as_text(name), mask, "∈", "∉", "=", " ∪ ")

    def words(self, name: str, mask: int, verb: str = "is") -> str:
        """Return that a feature is in the states of a mask, in words: ``age < 37.5``, ``age were < 37.5``."""
        name, verb = as_text(name), as_text(verb)
        name = name if verb == "is" else f"{name} {verb}"
        return self._said(name, mask, "in", "not in", "=", " or ")

    def to_data(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {"cuts": [list(cut) for cut in self.cuts]}
        if self.unit:
            data["unit"] = self.unit
        return data if self.missing is None else {**data, "missing": self.missing}

    def runs(self, mask: int) -> list[Run]:
        """Return the states of a mask as intervals, neighbours as one."""
        mask = count(mask, "mask", most=(1 << len(self.cuts) + 1) - 1, error=NetworkError)
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
        text = _thousands(as_text(value)) if isinstance(value, Real) else as_text(value)
        return f"{text} {self.unit}".rstrip()

    def cut_text(self, cut: Cut) -> str:
        """Return one of the cuts with few digits."""
        if not isinstance(cut, Cut) or cut not in self._texts:
            raise wrong("cut", cut, "one of the cuts of this scale", NetworkError)
        return self._texts[cut]

    def _run(self, first: int, last: int) -> Run:
        low = self.cuts[first - 1] if first else None
        return Run(low, self.cuts[last] if last < len(self.cuts) else None)

    def _said(self, name: str, mask: int, inside: str, outside: str, equal: str, union: str) -> str:
        unit = f" {self.unit}" if self.unit else ""
        runs, others = self.runs(mask), self.runs(((1 << len(self.cuts) + 1) - 1) & ~mask)
        if len(runs) == 1:
            run = runs[0]
            relation = inside if run.low and run.high else ""
            text = self._run_text(run, equal, " ")
            return f"{name} {f'{relation} ' if relation and text[0] in '[(' else ''}{text}{unit}"
        if len(others) == 1:
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
        found = {cut: _rounded(cut, decimals) for cut in self.cuts}
        by_value = {(cut.value, text) for cut, text in found.items()}
        if len({text for _, text in by_value}) < len(values) or len(by_value) > len(values):
            found = {cut: as_text(cut.value) for cut in self.cuts}
        return {cut: _thousands(text) for cut, text in found.items()}


class Labels:
    """The states of a column of labels of any type: each has one value or more.

    A value that is not listed reads as the state at position ``other``, a missing one as that at ``missing``,
    where these are given. The first value of a state is the label that stands for it.

    >>> grade = Labels([1, 2, 3])
    >>> grade.names, grade.position(2.0), grade.position("3"), grade.label(0)
    (('1', '2', '3'), 1, 2, 1)
    """

    def __init__(
        self,
        values: Iterable[object],
        *,
        names: Sequence[str] | None = None,
        other: int | None = None,
        missing: int | None = None,
    ) -> None:
        listed = items(values, "values", "a list of labels", NetworkError)
        groups = [value if isinstance(value, tuple) else (value,) for value in listed]
        self.values: tuple[tuple[object, ...], ...] = tuple(tuple(map(_plain, group)) for group in groups)
        self.names: tuple[str, ...] = tuple(map(_group_name, self.values))
        if names is not None:
            self.names = tuple(map(as_text, items(names, "names", "a list of names", NetworkError)))
        if len(self.names) != len(self.values):
            raise NetworkError(f"{len(self.names)} names for {len(self.values)} states")
        self.other = _checked_position(other, len(self.values))
        self.missing = _checked_position(missing, len(self.values))
        self._known: dict[object, int] = {}
        for at, group in enumerate(self.values):
            for value in group:
                if is_missing(value) and value != UNKNOWN:
                    self.missing = at if self.missing is None else self.missing
                    continue
                try:
                    self._known.setdefault(value, at)
                except TypeError:
                    raise wrong("a label", value, "a value that a dict can hold", NetworkError) from None

    def label(self, position: int) -> Any:
        """Return the value that stands for a state, of the type that it has in the data."""
        group = self.values[count(position, "position", most=len(self.values) - 1, error=NetworkError)]
        return group[0] if group else self.names[position]

    def position(self, value: object) -> int | None:
        """Return the position of the state of a value, or of a text that reads as it, if any."""
        if is_missing(value) and not (isinstance(value, str) and value in self._known):
            return self.missing
        try:
            found = self._known.get(_plain(value))
        except TypeError:  # no dict can hold it
            return None
        if found is None and isinstance(value, str):
            found = self._by_text.get(value)
            if found is None and self._has_numbers:
                try:
                    found = self._known.get(float(value))
                except ValueError:
                    found = None
        return self.other if found is None else found

    def positions(self, column: NDArray[Any]) -> None:  # noqa: ARG002 # as the other scale has it
        """Return nothing: labels are read one at a time."""
        return

    def to_data(self) -> dict[str, Any]:
        """Return plain data for JSON; a value of another type than JSON has becomes its text."""
        values = [[json_value(value) for value in group] for group in self.values]
        data = {"values": values, "names": list(self.names), "other": self.other, "missing": self.missing}
        return {key: value for key, value in data.items() if value is not None}

    @cached_property
    def _by_text(self) -> dict[str, int]:
        texts = {as_text(value): at for value, at in self._known.items()}
        return {**texts, **{name: at for at, name in enumerate(self.names)}}

    @cached_property
    def _has_numbers(self) -> bool:
        return any(isinstance(value, Real) and not isinstance(value, bool) for value in self._known)


Scale: TypeAlias = Intervals | Labels
# A class as the data has it: a name, or a number or whatever its column holds.
Label: TypeAlias = Any


class States(tuple[str, ...]):
    """The names of states together with the scale of the column that they were made from."""

    scale: Scale

    def __new__(cls, scale: Scale, names: Iterable[str] | None = None) -> States:
        """Return the states of a scale; other ``names`` than its own stand for the same intervals."""
        if not isinstance(scale, Intervals | Labels):
            raise wrong("scale", scale, "Intervals or Labels", NetworkError)
        chosen = scale.names if names is None else items(names, "names", "a list of names", NetworkError)
        made = super().__new__(cls, chosen)
        if len(made) != len(scale.names):
            raise NetworkError(f"{len(made)} names for a scale of {len(scale.names)} states")
        made.scale = scale
        return made

    def __getnewargs__(self) -> tuple[Scale, tuple[str, ...]]:
        return self.scale, tuple(self)


def scale_of(states: Sequence[str]) -> Scale | None:
    """Return the scale of states, None where they are names alone."""
    return states.scale if isinstance(states, States) else None


def labels_of(states: Sequence[str]) -> tuple[Label, ...]:
    """Return the labels that states stand for, in their own type; without a scale, their names."""
    scale = scale_of(states)
    return tuple(map(scale.label, range(len(states)))) if isinstance(scale, Labels) else tuple(states)


def state_words(name: str, state: str) -> str:
    """Return that a feature has a state, given by its name.

    >>> state_words("BP", "Low"), state_words("age", "<37.5"), state_words("age", "[20, 50)")
    ('BP=Low', 'age < 37.5', 'age in [20, 50)')
    """
    if _ONE_SIDED.match(state):
        return f"{name} {state[0]} {state[1:]}"
    return f"{name} in {state}" if _TWO_SIDED.fullmatch(state) else f"{name}={state}"


def scale_from_data(data: Mapping[str, Any]) -> Scale:
    """Return the scale of such plain data; what does not fit together is an error of any kind."""
    if "cuts" in data:
        cuts = [(float(value), bool(below)) for value, below in data["cuts"]]
        return Intervals(cuts, unit=data.get("unit", ""), missing=data.get("missing"))
    values = [tuple(group) for group in data["values"]]
    return Labels(values, names=data["names"], other=data.get("other"), missing=data.get("missing"))


def _cut(given: object) -> Cut:
    """Return a cut, given as a number or as a pair of a number and whether it is in the lower part."""
    value, below = given if isinstance(given, tuple) and len(given) == 2 else (given, False)
    if not isinstance(value, Real) or isinstance(value, bool) or not isinstance(below, bool | np.bool_):
        raise wrong("a cut", given, "a number, or a pair of a number and True or False", NetworkError)
    try:
        return Cut(float(value), bool(below))
    except OverflowError:
        raise wrong("a cut", given, "a number that a float holds", NetworkError) from None


def _rounded(cut: Cut, decimals: int) -> str:
    """Return a cut with at most so many decimals, true of every number that has no more.

    A number on that grid is at least the cut iff it is at least the cut rounded up, and at most the cut iff
    it is at most the cut rounded down.
    """
    exact = Decimal(as_text(cut.value))
    if len(exact.normalize().as_tuple().digits) <= _MOST_DIGITS:
        return _plain_decimal(exact)
    step = Decimal(1).scaleb(-decimals)
    if exact.adjusted() + decimals > 25:
        return _plain_decimal(exact)
    return _plain_decimal(exact.quantize(step, ROUND_FLOOR if cut.below else ROUND_CEILING))


def _plain_decimal(number: Decimal) -> str:
    number = number.normalize()
    return f"{number:f}" if -7 < number.adjusted() < 16 else str(number)


def _thousands(text: str) -> str:
    """Return a number in thousands where that is exact and short: ``20k``."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    if not number.is_finite() or abs(number) < _FIRST_THOUSAND:
        return text.removesuffix(".0")
    thousands = (number / 1000).normalize()
    is_short = (
        thousands * 1000 == number and len(f"{thousands:f}".strip("-").replace(".", "")) <= _SHORT_DIGITS
    )
    return f"{thousands:f}k" if is_short else text.removesuffix(".0")


def json_value(value: object) -> Any:
    """Return a label or a raw value as JSON has it: what is no number, bool or text becomes its text."""
    value = _plain(value)
    if is_missing(value):
        return None
    is_known = isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))
    return value if is_known else as_text(value)


def _group_name(group: tuple[object, ...]) -> str:
    texts = ["missing" if is_missing(value) else as_text(value) or "(empty)" for value in group]
    return " or ".join(texts) or "other"


def _plain(value: object) -> object:
    """Return a number or text of numpy as Python's own."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


def _checked_position(position: int | None, size: int) -> int | None:
    if position is None:
        return None
    return count(position, "the position of a state", most=size - 1, error=NetworkError)
