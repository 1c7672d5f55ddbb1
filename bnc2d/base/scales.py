"""Scales: how values of a column, numbers or labels of any type, read as the states of a variable.

States that were made from data carry their scale with them (``States``), so whatever reads a state also
reads a raw value, and whatever shows a set of states shows it in the unit of the column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias, cast

from numpy.typing import NDArray

from bnc2d.base.intervals import MISSING_STATE, checked_position, plain
from bnc2d.base.intervals import Cut as Cut
from bnc2d.base.intervals import Intervals as Intervals
from bnc2d.base.intervals import Run as Run
from bnc2d.base.readers.arguments import as_text, count, items, wrong
from bnc2d.base.readers.missing import UNKNOWN, is_missing
from bnc2d.errors import NetworkError

_ONE_SIDED = re.compile(r"[<≤≥>]-?\d")
_TWO_SIDED = re.compile(r"[\[(]-?\d[^,]*, -?\d[^,]*[\])]")


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
        self.values: tuple[tuple[object, ...], ...] = tuple(tuple(map(plain, group)) for group in groups)
        self.names: tuple[str, ...] = tuple(map(_group_name, self.values))
        if names is not None:
            self.names = tuple(map(as_text, items(names, "names", "a list of names", NetworkError)))
        if len(self.names) != len(self.values):
            raise NetworkError(f"{len(self.names)} names for {len(self.values)} states")
        self.other = checked_position(other, len(self.values))
        self.missing = checked_position(missing, len(self.values))
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

    def label(self, position: int) -> Label:
        """Return the value that stands for a state, of the type that it has in the data."""
        group = self.values[count(position, "position", most=len(self.values) - 1, error=NetworkError)]
        return cast(Label, group[0]) if group else self.names[position]  # rarely of another type

    def position(self, value: object) -> int | None:
        """Return the position of the state of a value, or of a text that reads as it, if any."""
        if is_missing(value) and not (isinstance(value, str) and value in self._known):
            return self.missing
        try:
            found = self._known.get(plain(value))
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

    def to_data(self) -> dict[str, object]:
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
# A class as the data has it: a name, a number, a bool.
Label: TypeAlias = str | int | float


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


def json_value(value: object) -> Any:
    """Return a label or a raw value as JSON has it: what is no number, bool or text becomes its text."""
    value = plain(value)
    if is_missing(value):
        return None
    is_known = isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))
    return value if is_known else as_text(value)


def _group_name(group: tuple[object, ...]) -> str:
    texts = [MISSING_STATE if is_missing(value) else as_text(value) or "(empty)" for value in group]
    return " or ".join(texts) or "other"
