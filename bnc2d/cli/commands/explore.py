"""``bnc2d explore``: one HTML page to explore a model, without a server."""

from __future__ import annotations

import argparse
import sys

from bnc2d.api.classifier import Classifier
from bnc2d.base.atomic import atomic_write
from bnc2d.cli.shared.constraints import allowed_rows
from bnc2d.cli.shared.instances import by_states, read_instances
from bnc2d.cli.shared.models import (
    AUTO_SECONDS,
    ROUTES,
    add_model_options,
    load_compiled,
    load_to_explain,
)
from bnc2d.cli.shared.options import amount
from bnc2d.cli.shared.output import MOST_REPORTED
from bnc2d.cli.shared.printing import answer, say, working
from bnc2d.errors import InstanceError, LimitExceeded
from bnc2d.report.explore import LISTED, ROW_SECONDS, Bounds, page_around, page_contents, write_page
from bnc2d.report.rows import PageRow


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d explore diagnosis.bnc2d -o diagnosis.html\n"
        "  bnc2d explore diagnosis --target D -o diagnosis.html\n"
        "  bnc2d explore andes.bif --target TRY12 --csv patients.csv --id name -o patients.html"
    )
    add_model_options(command)
    add = command.add_argument
    add("-o", "--output", required=True, metavar="OUT", help="where to write the page")
    rows = "rows to choose from; of a model that is too large for a page they are explained beforehand"
    add("--csv", metavar="FILE", help=rows)
    add("--id", metavar="COLUMN", help="a column that names the rows")
    auto = f"with --csv: auto (default) compiles where that takes at most {AUTO_SECONDS:g} s"
    add("--route", choices=ROUTES, default="auto", help=auto)
    add(
        "--limit",
        type=int,
        default=LISTED,
        metavar="N",
        help=f"reasons a list, beforehand (default: {LISTED})",
    )
    seconds = f"seconds a row, beforehand (default: {ROW_SECONDS:g})"
    add("--time-limit", type=amount, default=ROW_SECONDS, metavar="S", help=seconds)


def run(options: argparse.Namespace) -> int:
    """Write the page and say where it is; rows without an answer make the exit code 3."""
    if options.csv is not None:
        return _with_rows(options)
    if options.id is not None:
        raise InstanceError("--id names a column of --csv, which is not given")
    try:
        model = load_compiled(options)
    except LimitExceeded as error:
        raise LimitExceeded(
            f"{error}; --csv FILE makes a page with the answers on its rows instead"
        ) from None
    with working("writing the page", options.json):
        write_page(model, options.output)
    answer(options.json, {"file": options.output}, f"wrote {options.output}; open it in a browser")
    return 0


def _with_rows(options: argparse.Namespace) -> int:
    """Write a page with the rows of a table."""
    options.instance, options.instance_file, options.row = [], None, None
    model, constraint = load_to_explain(options)
    classifier = model if isinstance(model, Classifier) else model.classifier
    given = allowed_rows(read_instances(options, classifier.feature_variables), model, constraint)
    rows, places = [], []
    for row in given.rows:
        own = None if row.instance is None else by_states(row.instance, classifier.feature_variables)
        rows.append(PageRow(str(row.number if row.name in (None, "") else row.name), own, row.error))
        places.append(row.place)
    shown = not options.json and sys.stderr.isatty()
    bounds = Bounds(options.limit, options.time_limit, constraint, progress=shown)
    contents = page_contents(model, rows, bounds)
    atomic_write(options.output, page_around(classifier, contents).encode())
    failed = contents["rows"]["errors"]
    for number, error in list(failed.items())[:MOST_REPORTED]:
        say("error", f"{places[int(number)]}: {error}")
    facts = {"file": options.output, "rows": len(rows), "errors": len(failed)}
    count = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
    answer(options.json, facts, f"wrote {options.output} with {count}; open it in a browser")
    if failed:
        were = "was" if len(failed) == 1 else "were"
        say("error", f"{len(failed)} of {count} {were} not answered")
    return 3 if failed else 0
