"""Rows of data as JSON, as lines of JSON and as CSV, one after another.

What is the same for equal rows is rendered once (``render``) and written with what identifies each (``put``).
Every row is flushed, so that a pipe sees it.
"""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TextIO, TypeAlias

from bnc2d.cli.shared.printing import pretty_entries, printable

Data: TypeAlias = Mapping[str, Any]


class Writer(ABC):
    """Writes rows: first the keys that identify a row, then what ``render`` made of the rest."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @abstractmethod
    def render(self, data: Data) -> Any:
        """Return the part of a row that equal rows have in common."""

    @abstractmethod
    def put(self, place: Data, rendered: Any) -> None:
        """Write a row, or keep it until it is known what follows."""

    def end(self) -> None:  # noqa: B027 - most formats have nothing there
        """Write what comes after the last row."""


class JsonDocument(Writer):
    """One document: an object where there is a ``single`` row, else a list of objects."""

    def __init__(self, stream: TextIO, single: bool) -> None:
        super().__init__(stream)
        self._start, self._end = ("", "\n") if single else ("[\n", "\n]\n")
        self._waiting = ""  # the last row: what comes behind it is known when the next is there

    def render(self, data: Data) -> str:
        """Return the entries, each on lines of its own."""
        return ",\n".join(pretty_entries(data, 1))

    def put(self, place: Data, rendered: str) -> None:
        """Write the row before, and keep this one."""
        if self._waiting:
            self._stream.write(self._waiting + ",\n")
            self._stream.flush()
        entries = ",\n".join(filter(None, [self.render(place), rendered]))
        self._waiting, self._start = f"{self._start}{{\n{entries}\n}}", ""

    def end(self) -> None:
        """Write the last row and close the list."""
        self._stream.write(self._waiting + self._end)


class JsonLines(Writer):
    """An object a line."""

    def render(self, data: Data) -> str:
        """Return the entries without braces."""
        return json.dumps(data, ensure_ascii=False)[1:-1]

    def put(self, place: Data, rendered: str) -> None:
        """Write the row."""
        self._stream.write("{" + ", ".join(filter(None, [self.render(place), rendered])) + "}\n")
        self._stream.flush()


class CsvTable(Writer):
    """A header and a line a row; names from files must not steer a terminal."""

    def __init__(self, stream: TextIO, columns: Sequence[str]) -> None:
        super().__init__(stream)
        self._clean = stream.isatty()
        self._table = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        self._table.writerow(self.render({name: name for name in columns}))

    def render(self, data: Data) -> dict[str, object]:
        """Return the cells by their column."""
        cells = {name: _cell(value) for name, value in data.items()}
        return {name: printable(str(cell)) for name, cell in cells.items()} if self._clean else cells

    def put(self, place: Data, rendered: dict[str, object]) -> None:
        """Write the row."""
        self._table.writerow(self.render(place) | rendered)
        self._stream.flush()


def _cell(value: object) -> object:
    """Return a value as a CSV cell: nothing for None, true and false, JSON for what has parts."""
    if value is None:
        return ""
    if isinstance(value, str | float) or type(value) is int:
        return value
    return json.dumps(value, ensure_ascii=False)
