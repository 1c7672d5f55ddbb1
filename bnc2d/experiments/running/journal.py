"""Results as JSON lines in a file that grows a line at a time, so that an interrupted run can go on.

And what is read off them: which are solved, how long they took, where methods disagree.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from bnc2d.base.atomic import atomic_write
from bnc2d.errors import FormatError
from bnc2d.experiments.running.jobs import NOT_APPLICABLE, Job, Record
from bnc2d.formats.files import read_bytes

Key: TypeAlias = tuple[str, str, str]
Records: TypeAlias = Mapping[Key, Record]

_PUBLISHED_PHASES = ("order", "tables", "formulas")


class Journal(AbstractContextManager["Journal"]):
    """The records of a file by the key of their job, and the file open for more; a context manager.

    A last line without an end, as a killed run leaves it, is dropped from the file. Lines that are no records
    are left alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = _read(path)
        try:
            # A name that is no Unicode text (half a surrogate pair) becomes its JSON escape.
            self._stream = path.open("a", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise FormatError(f"cannot write: {error.strerror}", path) from None

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def add(self, job: Job, record: Record) -> None:
        """Write the record of a job, at once and as one whole line."""
        self._stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._stream.flush()
        self.records[job.key] = record


def _read(path: Path) -> dict[Key, Record]:
    if not path.exists():
        return {}
    text = read_bytes(str(path), sys.maxsize, may_be_empty=True).decode(errors="replace")
    *lines, cut_short = text.split("\n")
    if cut_short:
        atomic_write(path, "".join(line + "\n" for line in lines).encode())
    records: dict[Key, Record] = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            record = json.loads(line)
            records[record["problem"], record["which"], record.get("method", "fast")] = record
    return records


def is_solved(record: Record) -> bool:
    """Return whether the job ended with a model."""
    return bool(record["status"] == "ok")


def is_not_applicable(record: Record) -> bool:
    """Return whether the method is not made for such classifiers, which says nothing about its speed."""
    return record["status"] == "error" and str(record["message"]).startswith(NOT_APPLICABLE)


def is_refused(record: Record) -> bool:
    """Return whether there was nothing to compile: a bad problem or a damaged network."""
    return record["status"] == "error" and not is_not_applicable(record)


def seconds_of(record: Record) -> float:
    """Return the time of a solved job.

    For the method ``paper`` it is what Zhang and Darwiche measure, the trees, the tables and the class
    formulas without their negations; for every other method the whole compilation.
    """
    phases = record["phases"] or {}
    if record["method"] == "paper" and all(phase in phases for phase in _PUBLISHED_PHASES):
        return max(float(sum(phases[phase] for phase in _PUBLISHED_PHASES)), 1e-4)
    return max(float(record["seconds"]), 1e-4)  # records round to this


def disagreements(records: Records) -> list[tuple[str, str, dict[str, Any]]]:
    """Return problems that methods decide differently: the sizes of all classes by method.

    No two solved runs of a problem may differ in them, whatever the method.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for (problem, which, method), record in records.items():
        if is_solved(record):
            found.setdefault((problem, which), {})[method] = record["class_models"]
    return [
        (problem, which, models)
        for (problem, which), models in found.items()
        if any(one != next(iter(models.values())) for one in models.values())
    ]


def failed_checks(records: Records) -> list[Record]:
    """Return runs on real data whose routes to explanations disagree, or some reason of which is wrong."""

    def failures(data: Record) -> int:
        parts = ((data.get("agreement"), "differ"), (data.get("checked"), "wrong"))
        return sum(part[name] for part, name in parts if part)

    return [record for record in records.values() if failures(record.get("data") or {})]
