"""Instances from the command line: NAME=STATE words, a CSV table, a JSON file; ``-`` is standard input.

In a table each row stands for itself: one that is wrong says why and where, and the others are not touched.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from bnc2d.base.readers.instances import encode_partial_one
from bnc2d.base.readers.missing import MISSING
from bnc2d.cli.shared.tables import read_table
from bnc2d.errors import FormatError, InstanceError, UnknownNameError
from bnc2d.formats.files import decode, read_bytes, read_stream
from bnc2d.model.variable import Variable

MAX_BYTES = 2**28
_STANDARD_INPUT = "-"
_REMEMBERED_ROWS = 2**16


@dataclass(frozen=True)
class Row:
    """An instance with its number, from 1, and where it is from; without one, ``error`` says why.

    The instance has the known features, in their order. ``line`` is that of a table, ``name`` what the column
    or key of ``--id`` calls the row.
    """

    number: int
    place: str
    line: int | None = None
    name: object = None
    instance: dict[str, str] | None = None
    error: str = ""


@dataclass(frozen=True)
class Given:
    """The rows, and whether the question was about a single instance; ``lines`` of a table, or 0."""

    rows: Iterable[Row]
    single: bool
    lines: int = 0


def add_instance_options(command: argparse.ArgumentParser) -> None:
    """Add NAME=STATE words, ``--csv``, ``--instance`` and ``--id``."""
    add = command.add_argument
    add("instance", nargs="*", metavar="NAME=STATE", help="states of features; others are unknown")
    add("--csv", metavar="FILE", help="instances, one a row; the header names the features; - is a pipe")
    add("--instance", dest="instance_file", metavar="FILE.json", help="an object, or a list of objects")
    add("--id", metavar="COLUMN", help="a column (or key) that names the rows in answers")


def read_instances(options: argparse.Namespace, features: Sequence[Variable]) -> Given:
    """Return the instances that the options give, each checked to set features to states of theirs.

    What is left out, ``?``, an empty cell or null is missing. A single instance that is wrong is an error, as
    is a file that is no table or list; in a table or list, the row has its error.
    """
    given = [bool(options.instance), options.csv is not None, options.instance_file is not None]
    if sum(given) != 1:
        many = "one of these at a time" if any(given) else "an instance is missing"
        raise InstanceError(f"{many}: NAME=STATE words, --csv FILE or --instance FILE.json")
    max_bytes = options.max_bytes or MAX_BYTES
    if options.csv is not None:
        return _from_table(options.csv, features, options.id, max_bytes)
    if options.instance_file is not None:
        return _from_json(options.instance_file, features, options.id, max_bytes)
    if options.id is not None:
        raise InstanceError("--id names a column of --csv or a key of --instance, and neither is given")
    words = parse_instance(options.instance, [feature.name for feature in features])
    return Given([Row(1, "", instance=_by_name(words, features))], single=True)


def read_csv(path: str, features: Sequence[Variable], max_bytes: int | None) -> Given:
    """Return the rows of a table (``-``: of standard input)."""
    return _from_table(path, features, None, max_bytes or MAX_BYTES)


def parse_instance(words: Sequence[str], features: Sequence[str]) -> dict[str, str]:
    """Return the instance that ``NAME=STATE`` words describe; a name may hold ``=`` if it is a feature."""
    instance: dict[str, str] = {}
    for word in words:
        name = next((f for f in features if word.startswith(f + "=")), word.partition("=")[0])
        if not word.startswith(name + "="):
            raise InstanceError(f"{word!r} is not of the form NAME=STATE")
        if name in instance:
            raise InstanceError(f"the feature {name!r} is set twice")
        instance[name] = word[len(name) + 1 :]
    return instance


def _by_name(instance: object, features: Sequence[Variable]) -> dict[str, str]:
    """Return the known features of an instance with their states by name."""
    if not isinstance(instance, Mapping):
        found = type(instance).__name__
        raise InstanceError(f"an instance is an object from feature to state, not {found}")
    pairs = zip(features, encode_partial_one(features, instance), strict=True)
    return {feature.name: feature.states[state] for feature, state in pairs if state != MISSING}


def _checked(instance: object, features: Sequence[Variable]) -> tuple[dict[str, str] | None, str]:
    """Return the instance with its states by name, or what is wrong with it."""
    try:
        return _by_name(instance, features), ""
    except (InstanceError, UnknownNameError) as error:
        return None, str(error)


def _read(path: str, max_bytes: int, *, may_be_empty: bool = False) -> tuple[str, bytes]:
    """Return the name of the source in messages, and its content."""
    if path == _STANDARD_INPUT:
        name = "standard input"
        if sys.stdin is None:
            raise FormatError("cannot read: it is closed", name)
        return name, read_stream(sys.stdin.buffer, name, max_bytes, may_be_empty=may_be_empty)
    return path, read_bytes(path, max_bytes, may_be_empty=may_be_empty)


def _from_table(path: str, features: Sequence[Variable], name_column: str | None, max_bytes: int) -> Given:
    """Return the rows of a table; columns that are no features are ignored, as in a data frame."""
    path, data = _read(path, max_bytes, may_be_empty=True)
    names = [feature.name for feature in features]
    table = read_table(data, path, names if name_column is None else [*names, name_column], names)

    @lru_cache(_REMEMBERED_ROWS)  # tables hold many equal rows
    def checked(cells: tuple[str, ...]) -> tuple[dict[str, str] | None, str]:
        filled = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
        return _checked(filled, features)

    def rows() -> Iterator[Row]:
        for number, record in enumerate(table, start=1):
            name = record.cells[-1] if name_column is not None and record.cells else None
            found = (None, record.error) if record.error else checked(record.cells[: len(names)])
            yield Row(number, f"{path}:{record.line}", record.line, name, *found)

    found = rows()
    first = next(found, None)
    if first is None:
        raise InstanceError(f"{path}: no instance in the file")
    return Given(chain([first], found), single=False, lines=max(1, data.count(b"\n")))


def _from_json(path: str, features: Sequence[Variable], key: str | None, max_bytes: int) -> Given:
    path, content = _read(path, max_bytes)
    text = decode(content, path)
    try:
        data: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None
    single = not isinstance(data, list)
    objects = data if isinstance(data, list) else [data]
    if not objects:
        raise InstanceError(f"{path}: no instance in the file")
    kept = {feature.name for feature in features}
    rows = []
    for number, found in enumerate(objects, start=1):
        name: object = None
        if key is not None and isinstance(found, Mapping) and key in found:
            name = found[key]
            found = {other: state for other, state in found.items() if other != key or key in kept}
        place = "" if single else f"{path}: instance {number}"
        rows.append(Row(number, place, None, name, *_checked(found, features)))
    if single and rows[0].error:
        raise InstanceError(f"{path}: {rows[0].error}")
    return Given(rows, single)
