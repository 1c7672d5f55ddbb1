"""``bnc2d compare``: what two classifiers over the same features decide differently."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.finding import decision_words, instance_words
from bnc2d.cli.shared.models import RULE, add_model_options, load_compiled
from bnc2d.cli.shared.options import add_time_option, is_compiled
from bnc2d.cli.shared.printing import print_pretty, printable, table, working
from bnc2d.cli.shared.witnesses import class_value
from bnc2d.explain.whole.compare import Comparison
from bnc2d.report.decisions import fraction_text


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Exit code 0: nothing; 1: some instances; 2: bad input or a limit. Options "
        "that make a classifier of a network hold for all networks."
    )
    command.epilog = (
        "example:\n  bnc2d compare old.bnc2d new.bnc2d\n"
        "  bnc2d compare old.bnc2d new.bif --target D --features BP,CT,HR"
    )
    add_model_options(command)
    add("other", metavar="MODEL", help="the second one, in the same forms")
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print what changes to what, with an instance each, or JSON."""
    sources = [options.model, options.other]
    one, other = (_load(options, source, sources) for source in sources)
    with working("comparing", options.json):
        found = one.compare(other, time_limit=options.time_limit)
    if options.json:
        print_pretty(_facts(one, found))
    else:
        _show(found)
    return 0 if found else 1


def _load(options: argparse.Namespace, source: str, sources: list[str]) -> CompiledModel:
    """Return a model; what makes a classifier of a network is no matter of one that is compiled."""
    values = {**vars(options), "model": source}
    if is_compiled(source) and not all(map(is_compiled, sources)):
        values.update(dict.fromkeys(RULE))
    return load_compiled(argparse.Namespace(**values))


def _facts(model: CompiledModel, found: Comparison) -> dict[str, Any]:
    return {
        "same": found.holds,
        "target": model.target,
        "count": found.count,
        "total": sum(found.table.values()),
        "share": float(found.share),
        "share_exact": fraction_text(found.share),
        "table": [
            {
                "first": class_value(model.classifier, before),
                "second": class_value(model.classifier, after),
                "count": count,
                "witness": found.witnesses.get((before, after)),
            }
            for (before, after), count in found.table.items()
        ],
        "only_first": list(found.only_first),
        "only_second": list(found.only_second),
    }


def _show(found: Comparison) -> None:
    total = sum(found.table.values())
    if found.holds:
        print(f"both decide all {total} instances alike")
    else:
        are = "is" if found.count == 1 else "are"
        print(f"{found.count} of {total} instances ({float(found.share):.4%}) {are} decided differently")
        rows = [
            (
                decision_words(before),
                decision_words(after),
                count,
                instance_words(found.witnesses[before, after]),
            )
            for (before, after), count in found.table.items()
            if before != after
        ]
        headings = ("first", "second", "instances", "one of them")
        Console().print(table(headings, rows, left=("first", "second", "one of them")))
    for which, names in (("first", found.only_first), ("second", found.only_second)):
        if names:
            print(printable(f"matters only in the {which}: {', '.join(names)}"))
