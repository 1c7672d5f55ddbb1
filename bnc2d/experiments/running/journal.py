"""Results as JSON lines in a file that grows a line at a time, so that an interrupted run can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeAlias

from bnc2d.base.atomic import atomic_write
from bnc2d.errors import FormatError
from bnc2d.experiments.running.jobs import Job, Record

Key: TypeAlias = tuple[str, str, str]
Records: TypeAlias = Mapping[Key, Record]


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
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror}", path) from None
    *lines, cut_short = text.split("\n")
    if cut_short:
        atomic_write(path, "".join(line + "\n" for line in lines).encode())
    records: dict[Key, Record] = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            record = json.loads(line)
            records[record["problem"], record["which"], record.get("method", "fast")] = record
    return records
