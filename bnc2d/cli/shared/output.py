"""Answers to many rows: in text, as one JSON document, as lines of JSON or as CSV, to a file or as they come.

Equal instances are answered once. A row without an answer is reported by one line on standard error, keeps
its place in the data with its error, and makes the exit code 3.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import TextIOWrapper
from itertools import islice
from typing import Any, TextIO, TypeAlias

from bnc2d.base.atomic import atomic_open
from bnc2d.cli.shared.instances import Given, Row, add_instance_options
from bnc2d.cli.shared.models import add_model_options
from bnc2d.cli.shared.printing import print_json, printable, say, working
from bnc2d.cli.shared.writers import CsvTable, JsonDocument, JsonLines, Writer
from bnc2d.errors import Bnc2dError, LimitExceeded

_Answer: TypeAlias = Callable[[Sequence[dict[str, str]]], Sequence[Any]]
_Progress: TypeAlias = Callable[[Row], AbstractContextManager[object]]

FORMATS = ("text", "json", "jsonl", "csv")

MOST_REPORTED = 20  # rows without an answer that have a line on standard error
_REMEMBERED_ANSWERS = 10_000


def add_row_options(command: argparse.ArgumentParser) -> None:
    """Add a model, instances, and for the answers ``--format``, ``-o`` and ``--exact``."""
    command.description = f"{command.description} Exit code 3: the good rows are answered, some rows are not."
    add_model_options(command)
    add_instance_options(command)
    add = command.add_argument
    default = "default: that of the ending of -o, else text; --json is --format json"
    add("--format", choices=FORMATS, help=default)
    add("-o", "--output", metavar="FILE", help="write to this file, whole or not at all")
    add("--exact", action="store_true", help="fractions of any length beside decimals")


class Answers:
    """Writes the answers to some rows in one format.

    ``columns`` are those of CSV between the names of the row and its error.
    """

    def __init__(self, options: argparse.Namespace, given: Given, columns: Sequence[str]) -> None:
        if options.json and options.format not in (None, "json"):
            raise Bnc2dError(f"--json is --format json, so it does not go with --format {options.format}")
        ending = str(options.output or "").rpartition(".")[2].lower()
        wanted = "json" if options.json else options.format or ending
        self.format = wanted if wanted in FORMATS else "text"
        self._options = options
        self._given = given
        self._named = options.id is not None
        self._columns = [*self._place(Row(1, "", line=1)), *columns, "error"]
        self._count = self._failed = 0

    def write(
        self, answer: _Answer, text: Callable[[TextIO, Row, Any], None], doing: str, at_once: int = 1
    ) -> int:
        """Answer every row and return the exit code.

        ``answer`` gets up to ``at_once`` different instances and returns, for each, a dict of data or cells,
        or for the format text whatever ``text`` writes. It may raise ``LimitExceeded``.
        """
        with self._opened() as stream, self._progress(doing) as working_on:
            writer: Writer | None = None  # text writes itself
            if self.format == "json":
                writer = JsonDocument(stream, self._given.single)
            elif self.format == "jsonl":
                writer = JsonLines(stream)
            elif self.format == "csv":
                writer = CsvTable(stream, self._columns)
            for row, found in self._answered(answer, writer, at_once, working_on):
                self._count += 1
                failed = isinstance(found, LimitExceeded) or row.instance is None
                if failed:
                    self._failed += 1
                    if self._failed <= MOST_REPORTED:
                        say("error", f"{row.place}: {found}")
                if writer is not None:
                    writer.put(self._place(row), writer.render({"error": str(found)}) if failed else found)
                elif not failed:
                    text(stream, row, found)
                    stream.flush()
            if writer is not None:
                writer.end()
        return self._finish()

    def _answered(
        self, answer: _Answer, writer: Writer | None, at_once: int, working_on: _Progress
    ) -> Iterator[tuple[Row, Any]]:
        """Yield every row with its answer as the writer renders it, or with the error that it has instead."""
        known: dict[tuple[tuple[str, str], ...], Any] = {}
        rows = iter(self._given.rows)
        while batch := list(islice(rows, at_once)):
            keys = {tuple(row.instance.items()): row.instance for row in batch if row.instance is not None}
            fresh = [key for key in keys if key not in known]
            if fresh:
                with working_on(batch[0]):
                    found = self._answers(answer, [keys[key] for key in fresh])
                if writer is not None:
                    found = [one if isinstance(one, LimitExceeded) else writer.render(one) for one in found]
                known.update(zip(fresh, found, strict=True))
            for row in batch:
                yield row, row.error if row.instance is None else known[tuple(row.instance.items())]
            while len(known) > _REMEMBERED_ANSWERS:
                del known[next(iter(known))]  # the oldest

    def _answers(self, answer: _Answer, instances: list[dict[str, str]]) -> Sequence[Any]:
        """Return the answers; where a limit ends them, each instance has its own chance."""
        try:
            return answer(instances)
        except LimitExceeded as error:
            if self._given.single:
                raise
            if len(instances) == 1:
                return [error]
        return [found for instance in instances for found in self._answers(answer, [instance])]

    def _place(self, row: Row) -> dict[str, Any]:
        """Return what identifies a row in data."""
        place = {} if self._given.single else {"row": row.number}
        line = {"line": row.line} if self._given.lines else {}
        return {**place, **line, **({"id": row.name} if self._named else {})}

    def _finish(self) -> int:
        """Say what was written and what was not; return the exit code."""
        options = self._options
        if options.output is not None and (options.json or options.format in ("json", "jsonl")):
            print_json({"file": options.output, "rows": self._count, "errors": self._failed})
        elif options.output is not None:
            rows = f"{self._count} row{'' if self._count == 1 else 's'}"
            print(printable(f"wrote {options.output}: {rows}"))
        if not self._failed:
            return 0
        more = "" if self._failed <= MOST_REPORTED else f"; the first {MOST_REPORTED} are named above"
        were = "was" if self._failed == 1 else "were"
        say("error", f"{self._failed} of {self._count} rows {were} not answered{more}")
        return 3

    @contextmanager
    def _opened(self) -> Iterator[TextIO]:
        """Yield standard output, or the file, which gets its name when everything is written."""
        if self._options.output is None:
            yield sys.stdout
            return
        with atomic_open(self._options.output) as file:
            stream = TextIOWrapper(file, encoding="utf-8", newline="")
            try:
                yield stream
            finally:
                stream.detach()

    @contextmanager
    def _progress(self, doing: str) -> Iterator[_Progress]:
        """Show on a terminal how far it is: all the time, or between answers that appear there too."""
        end = f" of {self._given.lines}" if self._given.lines else ""

        def at(row: Row) -> str:
            if self._given.single:
                return doing
            return f"{doing} line {row.line}{end}" if row.line else f"{doing} row {row.number}"

        if self._options.output is None and sys.stdout.isatty():
            yield lambda row: working(at(row))
            return
        with working(doing) as now:
            yield lambda row: nullcontext(now(at(row)))
