"""Instances from the command line: NAME=STATE words, a CSV table, a JSON file; ``-`` is standard input.

In a table each row stands for itself: one that is wrong says why and where, and the others are not touched.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from bnc2d.base.readers.instances import encode_partial_one
from bnc2d.base.readers.missing import MISSING, is_missing
from bnc2d.base.records import record
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.cli.shared.printing import say
from bnc2d.cli.shared.tables import as_number, is_no_number, is_table, read_table
from bnc2d.errors import FormatError, InstanceError, UnknownNameError
from bnc2d.formats.files import decode, read_bytes, read_stream
from bnc2d.model.variable import Variable

MAX_BYTES = 2**28
_STANDARD_INPUT = "-"
_REMEMBERED_ROWS = 2**16


@record
class Row:
    """An instance with its number, from 1, and where it is from; without one, ``error`` says why.

    The instance has the known features, in their order, by the names of their states; numbers of columns that
    are cut stay numbers. ``line`` is that of a table, ``name`` what the column or key of ``--id`` calls it.
    """

    number: int
    place: str
    line: int | None = None
    name: object = None
    instance: dict[str, Any] | None = None
    error: str = ""


@record
class Given:
    """The rows, and whether the question was about a single instance; ``lines`` of a table, or 0."""

    rows: Iterable[Row]
    single: bool
    lines: int = 0


def add_instance_options(command: argparse.ArgumentParser) -> None:
    """Add NAME=STATE words, ``--csv``, ``--row``, ``--instance`` and ``--id``."""
    add = command.add_argument
    add("instance", nargs="*", metavar="NAME=STATE", help="states of features; others are unknown")
    rows = "instances, one a row; the header names the features; - is a pipe"
    add("--csv", "--rows", metavar="FILE", help=rows)
    one = "only this row of the table, counted from 0 below the header as frame.iloc does; of MODEL itself"
    add("--row", type=row_number, metavar="N", help=f"{one} where that is a table")
    add("--instance", dest="instance_file", metavar="FILE.json", help="an object, or a list of objects")
    add("--id", metavar="COLUMN", help="a column (or key) that names the rows in answers")


def read_instances(options: argparse.Namespace, features: Sequence[Variable]) -> Given:
    """Return the instances that the options give, each checked to set features to states of theirs.

    What is left out, ``?``, an empty cell or null is missing. A single instance that is wrong is an error, as
    is a file that is no table or list; in a table or list, the row has its error.
    """
    table = check_instance_options(options)
    max_bytes = options.max_bytes or MAX_BYTES
    if table is not None:
        found = _from_table(table, features, options.id, max_bytes)
        return found if options.row is None else _only(found, options.row, table)
    if options.instance_file is not None:
        return _from_json(options.instance_file, features, options.id, max_bytes)
    words = parse_instance(options.instance, [feature.name for feature in features])
    return Given([Row(1, "", instance=_by_name(words, features))], single=True)


def check_instance_options(options: argparse.Namespace) -> str | None:
    """Return the table that instances are in, if they are in one; options that name none are an error.

    Commands ask before they load or train anything.
    """
    table: str | None = options.csv
    if table is None and options.row is not None and is_table(options.model):
        table = options.model
    given = [bool(options.instance), table is not None, options.instance_file is not None]
    if sum(given) != 1:
        many = "one of these at a time" if any(given) else "an instance is missing"
        row = ", --row N" if is_table(options.model) else ""
        raise InstanceError(f"{many}: NAME=STATE words{row}, --csv FILE or --instance FILE.json")
    if options.row is not None and table is None:
        raise InstanceError("--row is a row of --csv FILE, and none is given")
    if options.id is not None and options.instance:
        raise InstanceError("--id names a column of --csv or a key of --instance, and neither is given")
    return table


def _only(given: Given, wanted: int, path: str) -> Given:
    """Return one row of a table, counted from 0, as a question about a single instance."""
    count = 0
    for row in given.rows:
        if row.number == wanted + 1:
            if row.error:
                raise InstanceError(f"{row.place}: {row.error}")
            say("note", f"--row {wanted} is line {row.line} of {path} (rows are counted from 0)")
            return Given([replace(row, place="")], single=True)
        count = row.number
    raise InstanceError(f"{path} has {count} rows, so --row is a number from 0 to {count - 1}, not {wanted}")


def row_number(text: str) -> int:
    """Return the number of a row, counted from 0."""
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a row; these are counted from 0")
    return int(text)


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


def _by_name(instance: object, features: Sequence[Variable]) -> dict[str, Any]:
    """Return the known features of an instance with their states by name, numbers of intervals as numbers."""
    if not isinstance(instance, Mapping):
        found = type(instance).__name__
        raise InstanceError(f"an instance is an object from feature to state, not {found}")
    named = by_states(instance, features)
    chosen = [feature for feature in features if feature.name in named]
    return {
        feature.name: _own_number(instance.get(feature.name), feature, named[feature.name])
        for feature in chosen
    }


def by_states(instance: Mapping[str, Any], features: Sequence[Variable]) -> dict[str, str]:
    """Return the known features of an instance with their states by name."""
    pairs = zip(features, encode_partial_one(features, instance), strict=True)
    return {feature.name: feature.states[state] for feature, state in pairs if state != MISSING}


def _own_number(value: object, feature: Variable, state: str) -> object:
    """Return the number that a value is, where its feature has intervals; else the name of the state."""
    if not isinstance(scale_of(feature.states), Intervals) or value in feature.states:
        return state
    number = as_number(value) if isinstance(value, str) else value
    return state if number is None or is_missing(number) else number


def _checked(instance: object, features: Sequence[Variable]) -> tuple[dict[str, Any] | None, str]:
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
    def checked(cells: tuple[str, ...]) -> tuple[dict[str, Any] | None, str]:
        pairs = zip(features, cells, strict=True)
        read = {feature.name: _cell(cell, feature) for feature, cell in pairs}
        return _checked({name: cell for name, cell in read.items() if cell != ""}, features)

    def rows() -> Iterator[Row]:
        for number, line in enumerate(table, start=1):
            name = line.cells[-1] if name_column is not None and line.cells else None
            found = (None, line.error) if line.error else checked(line.cells[: len(names)])
            yield Row(number, f"{path}:{line.line}", line.line, name, *found)

    found = rows()
    first = next(found, None)
    if first is None:
        raise InstanceError(f"{path}: no instance in the file")
    return Given(chain([first], found), single=False, lines=max(1, data.count(b"\n")))


def _cell(cell: str, feature: Variable) -> object:
    """Return the value of a cell; None where it is empty and the data had a state for what is missing."""
    scale = scale_of(feature.states)
    if isinstance(scale, Intervals) and is_no_number(cell):
        cell = ""
    has_state = scale is not None and scale.missing is not None
    return None if not cell and has_state and cell not in feature.states else cell


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
