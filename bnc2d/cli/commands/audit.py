"""``bnc2d audit``: everything that an auditor asks of a compiled model, as one page to hand over."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.files import load
from bnc2d.auditing.audit import audit
from bnc2d.auditing.rows import RawRow
from bnc2d.auditing.sources import Source
from bnc2d.base.atomic import atomic_write
from bnc2d.cli.shared.constraints import add_given_option, under
from bnc2d.cli.shared.instances import MAX_BYTES as MAX_ROWS_BYTES
from bnc2d.cli.shared.options import amount, byte_count, count, load_network, split_names
from bnc2d.cli.shared.printing import printable, working
from bnc2d.cli.shared.tables import read_table
from bnc2d.compile.store import MAX_BYTES
from bnc2d.errors import ArgumentError, InstanceError, LogicError
from bnc2d.formats.files import decode, read_bytes
from bnc2d.logic.constraints.syntax import MOST_BYTES

_STANDARD_OUTPUT = "-"
_SECONDS = 120.0
_DIRECTIONS = ("up", "down")


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = f"{command.description} Exit code 0: all passed; 1: some failed or are open."
    command.epilog = (
        "example:\n  bnc2d audit credit.bnc2d --network credit.bif --csv applicants.csv --protected Sex \\\n"
        "    --rules rules.txt -o audit.html"
    )
    add("model", metavar="MODEL", help="a file that `bnc2d compile` wrote")
    add("--network", metavar="FILE", help="the auditor's own network: file or built-in name")
    add("--csv", metavar="FILE", help="rows to decide; the header names the features")
    add("--protected", metavar="A,B", help="features no decision may depend on, or columns to group rows by")
    add("--rules", metavar="FILE", help="rules to obey, one a line, as for `bnc2d check`")
    add("--monotone", metavar="A,B=down", help="features that, raised (or lowered), never lower the class")
    add("--towards", metavar="CLASS", help="the favourable class, out of which --monotone must not lead")
    add_given_option(command)
    limit = f"seconds in all (default {_SECONDS:g}); what they do not suffice for is open"
    add("--time-limit", type=amount, default=_SECONDS, metavar="S", help=limit)
    add("--sample", type=count, default=200, metavar="N", help="instances asked where all are too many")
    add("--seed", type=int, default=0, help="of the sample (default 0)")
    add("--date", metavar="YYYY-MM-DD", help="default: that of SOURCE_DATE_EPOCH, or today")
    add("--normalise", action="store_true", help="repair columns of the network that do not sum to 1")
    add("--max-bytes", type=byte_count, metavar="N", help="read larger files than by default, up to N bytes")
    add("-o", "--output", metavar="OUT.html", help="where to write the page")
    json_help = "write the data to a file too; - or nothing: print them"
    add("--json", nargs="?", const=_STANDARD_OUTPUT, metavar="FILE", help=json_help)


def run(options: argparse.Namespace) -> int:
    """Run the audit; print the findings, or where they are."""
    files = {"model": Source.of_file("model", options.model)}
    model = under(load(options.model, max_bytes=options.max_bytes or MAX_BYTES), options)
    network = None
    if options.network is not None:
        if Path(options.network).exists():
            files["network"] = Source.of_file("network", options.network)
        network = load_network(options.network, options.normalise, options.max_bytes)
    protected = split_names(options.protected or "", model.features)
    rules = None
    if options.rules is not None:
        files["rules"] = Source.of_file("rules", options.rules)
        rules = decode(read_bytes(options.rules, MOST_BYTES), options.rules)
        _check_rules(model, rules, options.rules)
    rows = None
    if options.csv is not None:
        files["rows"] = Source.of_file("rows", options.csv)
        rows = list(_rows(options, model, protected))
    if options.given is not None and options.given.startswith("@"):
        files["constraint"] = Source.of_file("constraint", options.given[1:])
    for path in (options.output, options.json):
        _check_not_read(path, files)
    with working("auditing", options.json == _STANDARD_OUTPUT) as say:
        found = audit(
            model,
            network,
            rows,
            protected=protected,
            rules=rules,
            monotone=_monotone(options, model),
            towards=options.towards,
            time_limit=options.time_limit,
            samples=options.sample,
            seed=options.seed,
            date=options.date,
            files=files,
            command=_command_line(options),
            progress=say,
        )
    written = []
    if options.output is not None:
        atomic_write(options.output, found.to_html().encode(errors="replace"))
        written.append(options.output)
    if options.json not in (None, _STANDARD_OUTPUT):
        atomic_write(options.json, found.to_json().encode(errors="replace"))
        written.append(options.json)
    if options.json == _STANDARD_OUTPUT:
        print(found.to_json(), end="")
    else:
        print(printable("\n".join([str(found), *(f"wrote {path}" for path in written)])))
    return 0 if found.passed else 1


def _check_rules(model: CompiledModel, rules: str, path: str) -> None:
    """Raise where rules cannot be read; the error names the file."""
    try:
        found = model.check(rules, time_limit=0.0)
    except LogicError as error:
        raise LogicError(f"{path}: {error}") from None
    if not found.results:
        raise LogicError(f"{path}: there is no rule")


def _rows(options: argparse.Namespace, model: CompiledModel, protected: list[str]) -> Iterator[RawRow]:
    """Yield the rows of the table as they are: what is wrong with one is for the audit to say."""
    path = options.csv
    data = read_bytes(path, options.max_bytes or MAX_ROWS_BYTES, may_be_empty=True)
    header = data.partition(b"\n")[0].decode("utf-8-sig", "replace").strip()
    more = [name for name in protected if name not in model.features and name in _named(header)]
    columns = [*model.features, *more]
    number = 0
    for number, record in enumerate(read_table(data, path, columns, model.features), start=1):
        cells = dict(zip(columns, record.cells, strict=False)) if not record.error else {}
        filled = {name: cell for name, cell in cells.items() if cell or name in more}
        yield RawRow(number, filled, record.error, record.line)
    if not number:
        raise InstanceError(f"{path}: no instance in the file")


def _named(header: str) -> list[str]:
    import csv  # only who brings rows needs it

    return next(csv.reader([header], skipinitialspace=True), [])


def _monotone(options: argparse.Namespace, model: CompiledModel) -> dict[str, str] | None:
    """Return the features of ``--monotone`` with their directions."""
    if options.monotone is None:
        return None
    found: dict[str, str] = {}
    for word in split_names(options.monotone, model.features):
        name, sign, direction = word.rpartition("=")
        is_plain = word in model.features or not sign
        name, direction = (word, "up") if is_plain else (name.strip(), direction.strip())
        if direction not in _DIRECTIONS:
            raise ArgumentError(f"--monotone takes NAME, NAME=up or NAME=down, not {word!r}")
        found[name] = direction
    if not found:
        raise ArgumentError("--monotone names no feature")
    return found


def _check_not_read(path: str | None, files: dict[str, Source]) -> None:
    """Refuse to write over what is audited."""
    if path is None or path == _STANDARD_OUTPUT:
        return
    for source in files.values():
        if os.path.exists(path) and os.path.samefile(path, source.path):
            raise ArgumentError(f"{path} is audited, so it is not written over; name another file")


def _command_line(options: argparse.Namespace) -> str:
    """Return the command with the names of files alone: folders would tell of the auditor's machine."""
    words = ["bnc2d", "audit", os.path.basename(options.model)]
    for name in ("network", "csv", "rules", "output", "json"):
        value = getattr(options, name)
        if value is not None:
            words += ["-o" if name == "output" else f"--{name}", os.path.basename(value)]
    if options.given is not None:
        text = options.given
        words += ["--given", f"@{os.path.basename(text[1:])}" if text.startswith("@") else text]
    for name in ("protected", "monotone", "towards", "date"):
        if getattr(options, name) is not None:
            words += [f"--{name}", getattr(options, name)]
    if options.normalise:
        words.append("--normalise")
    words += ["--time-limit", f"{options.time_limit:g}", "--sample", str(options.sample)]
    return shlex.join([*words, "--seed", str(options.seed)])
