"""``bnc2d share``: which share of the instances is in each class, whatever they weigh."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any

from rich.console import Console

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.finding import decision_words
from bnc2d.cli.shared.distributions import Chosen, add_distribution_options
from bnc2d.cli.shared.models import add_model_options, given_words, load_compiled
from bnc2d.cli.shared.options import add_time_option
from bnc2d.cli.shared.printing import print_pretty, printable, table, working
from bnc2d.cli.shared.witnesses import class_value
from bnc2d.compile.shares.weighing import Weighed
from bnc2d.errors import ClassifierError
from bnc2d.report.decisions import fraction_text

_NONE = "none"  # as --class names it
_OF = {
    "uniform": "all instances alike",
    "network": "weighed by P(x), the network's own distribution",
    "marginals": "weighed by independent features with the marginals given",
}


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = f"{command.description} Exit code 3: some rows of the table cannot be used."
    command.epilog = (
        "example:\n  bnc2d share diagnosis.bnc2d --distribution network\n"
        "  bnc2d share diagnosis.bnc2d --csv patients.csv --class 2"
    )
    add_model_options(command)
    add(
        "--class",
        dest="name",
        metavar="CLASS",
        help=f"of this class alone; {_NONE}: of instances in no class",
    )
    add_distribution_options(command)
    add("--exact", action="store_true", help="fractions of any length")
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of the shares, or JSON."""
    model = load_compiled(options)
    none = options.name == _NONE and _NONE not in model.classes
    if none and model.classifier.ties != "none":
        raise ClassifierError("no instance is in no class: ties go to the class listed first (--ties lowest)")
    named = None if options.name is None or none else model.classes[model.label(options.name)]
    chosen = Chosen(options, model)
    with working("weighing", options.json):
        found = model.weigh(chosen.distribution, time_limit=options.time_limit)
    shares = {named: found.shares.get(named, Fraction(0))} if options.name is not None else found.shares
    if options.json:
        print_pretty(_facts(model, found, shares, chosen.failed, options.exact))
    else:
        rows = [_cells(name, share, found, options.exact) for name, share in shares.items()]
        headings = ("class", "share", "exact", *(("rows",) if found.rows is not None else ()))
        print(printable(f"{model.target}, {_of(found)}"))
        Console().print(table(headings, rows, left=("class",)))
    return chosen.code


def _facts(
    model: CompiledModel, found: Weighed, shares: dict[str | None, Fraction], failed: int, exact: bool
) -> dict[str, Any]:
    return {
        "target": model.target,
        "given": given_words(model),
        "distribution": found.distribution,
        "allowed": float(found.allowed),
        "rows": found.rows,
        "violating": found.violating,
        "errors": failed if found.rows is not None else None,
        "shares": [
            {
                "class": class_value(model.classifier, name),
                "share": float(share),
                "share_exact": fraction_text(share, exact),
            }
            for name, share in shares.items()
        ],
    }


def _of(found: Weighed) -> str:
    if found.rows is not None:
        return f"of {found.rows} row{'' if found.rows == 1 else 's'}"
    given = "" if found.allowed == 1 else f"; {float(found.allowed):.4%} of it satisfies the constraint"
    return _OF[found.distribution] + given


def _cells(name: str | None, share: Fraction, found: Weighed, exact: bool) -> list[object]:
    cells: list[object] = [decision_words(name), f"{float(share):.4%}", fraction_text(share, exact) or "long"]
    return cells if found.rows is None else [*cells, int(share * found.rows)]
