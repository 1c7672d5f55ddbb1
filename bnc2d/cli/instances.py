"""Instances from the command line: NAME=STATE words, a CSV file, a JSON file."""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from bnc2d.errors import FormatError, InstanceError, UnknownNameError
from bnc2d.formats.files import decode, read_bytes
from bnc2d.model.instances import encode
from bnc2d.model.variable import Variable

MAX_BYTES = 2**28


@dataclass(frozen=True)
class Given:
    """The instances, where each comes from, and whether the question was about a single one."""

    instances: tuple[dict[str, str], ...]
    places: tuple[str, ...]
    single: bool


def add_instance_options(command: argparse.ArgumentParser) -> None:
    """Add NAME=STATE words, ``--csv`` and ``--instance``."""
    command.add_argument("instance", nargs="*", metavar="NAME=STATE", help="a state for every feature")
    command.add_argument("--csv", metavar="FILE", help="instances, one a row; the header names the features")
    command.add_argument(
        "--instance", dest="instance_file", metavar="FILE.json", help="an object, or a list of objects"
    )


def read_instances(options: argparse.Namespace, features: Sequence[Variable]) -> Given:
    """Return the instances that the options give, each checked to set every feature to a state."""
    given = [bool(options.instance), options.csv is not None, options.instance_file is not None]
    if sum(given) != 1:
        many = "one of these at a time" if any(given) else "an instance is missing"
        raise InstanceError(f"{many}: NAME=STATE words, --csv FILE or --instance FILE.json")
    single = bool(options.instance)
    max_bytes = options.max_bytes or MAX_BYTES
    found: list[tuple[str, object]]
    if single:
        found = [("", parse_instance(options.instance, [feature.name for feature in features]))]
    elif options.csv is not None:
        found = list(_from_csv(options.csv, [feature.name for feature in features], max_bytes))
    else:
        data = _from_json(options.instance_file, max_bytes)
        single = isinstance(data, dict)
        rows = data if isinstance(data, list) else [data]
        where = [
            options.instance_file + ("" if single else f": instance {n}") for n in range(1, len(rows) + 1)
        ]
        found = list(zip(where, rows, strict=True))
    if not found:
        raise InstanceError(f"{options.csv or options.instance_file}: no instance in the file")
    instances = tuple(_checked(place, instance, features) for place, instance in found)
    return Given(instances, tuple(place for place, _ in found), single)


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


def _checked(place: str, instance: object, features: Sequence[Variable]) -> dict[str, str]:
    """Return the instance with its states by name; an error says where the instance comes from."""
    try:
        if not isinstance(instance, Mapping):
            kind = type(instance).__name__
            raise InstanceError(f"an instance is an object from feature to state, not {kind}")
        row = encode(features, instance).rows[0].tolist()
    except (InstanceError, UnknownNameError) as error:
        raise type(error)(f"{place}: {error}" if place else str(error)) from None
    return {feature.name: feature.states[state] for feature, state in zip(features, row, strict=True)}


def _from_csv(path: str, features: Sequence[str], max_bytes: int) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the rows; columns that are no features are ignored, as in a data frame."""
    text = decode(read_bytes(path, max_bytes, may_be_empty=True), path)
    lines = csv.reader(StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        header = next(lines, [])
        twice = next((name for name, count in Counter(header).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"more than one column {twice!r}", path, 1)
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(header):
                raise FormatError(f"{len(cells)} cells, but {len(header)} columns", path, lines.line_num)
            row: dict[str, object] = dict(zip(header, cells, strict=True))
            if row.keys() >= set(features):
                row = {name: row[name] for name in features}
            yield f"{path}:{lines.line_num}", row
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path, lines.line_num) from None


def _from_json(path: str, max_bytes: int) -> object:
    text = decode(read_bytes(path, max_bytes), path)
    try:
        data: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None
    return data
