"""``bnc2d robustness``: how many instances, or rows, are how far from another decision."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.profile import RobustnessProfile
from bnc2d.base.finding import decision_words, instance_words
from bnc2d.base.scales import json_value
from bnc2d.cli.shared.constraints import allowed_rows
from bnc2d.cli.shared.distributions import Chosen, add_distribution_options
from bnc2d.cli.shared.instances import Row, read_csv
from bnc2d.cli.shared.models import add_model_options, load_compiled
from bnc2d.cli.shared.options import add_time_option
from bnc2d.cli.shared.printing import print_pretty, printable, say, table, working
from bnc2d.cli.shared.witnesses import class_value
from bnc2d.draw.chart import CHART_FORMATS, WIDTH
from bnc2d.draw.theme import THEMES
from bnc2d.errors import FormatError, InstanceError
from bnc2d.explain.whole.profile.result import distance_words, lines_of, summary


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Exit code 2: bad input; 3: some rows of the table cannot be used. Where a "
        "limit comes first, what is told is exact up to the distances named."
    )
    command.epilog = (
        "example:\n  bnc2d robustness diagnosis --target D -o robustness.svg\n"
        "  bnc2d robustness diagnosis.bnc2d --towards 0 --distribution network\n"
        "  bnc2d robustness diagnosis.bnc2d --csv patients.csv --each"
    )
    add_model_options(command)
    add("--towards", metavar="CLASS", help="the distance from this class, not from any other decision")
    add_distribution_options(command)
    add("--each", action="store_true", help="with --csv: the distance of each row, partial ones too")
    add("-o", "--output", metavar="OUT", help="write a picture, too; its name ends in .svg or .png")
    add("--width", type=int, default=WIDTH, metavar="PX", help=f"default: {WIDTH}; 360 for a phone")
    add("--theme", choices=THEMES, default="auto", help="auto (default) follows the page it is put on")
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print a table by class and distance, or JSON; write the picture."""
    if options.output is not None and Path(options.output).suffix.lower() not in CHART_FORMATS:
        raise FormatError("a picture's name must end in .svg or .png", options.output)
    if options.each and options.csv is None:
        raise InstanceError("--each needs rows: --csv FILE")
    if options.each and options.output is not None:
        raise InstanceError("--each draws nothing; leave out -o, or --each")
    model = load_compiled(options)
    if options.towards is not None:
        model.label(options.towards)
    if options.each:
        return _each(model, options)
    chosen = Chosen(options, model, complete=True)
    with working("measuring distances", options.json):
        found = model.robustness_profile(
            chosen.distribution, towards=options.towards, time_limit=options.time_limit
        )
    if options.output is not None:
        found.figure(width=options.width, theme=options.theme).save(options.output)
    if options.json:
        errors = chosen.failed if options.csv is not None else None
        print_pretty({**_facts(model, found), "errors": errors, "file": options.output})
    else:
        _print(found)
        if options.output is not None:
            print(printable(f"wrote {options.output}"))
    return chosen.code


def _facts(model: CompiledModel, found: RobustnessProfile) -> dict[str, Any]:
    data = found.to_dict()
    classes = [{**one, "class": class_value(model.classifier, one["class"])} for one in data["classes"]]
    return {**data, "classes": classes}


def _print(found: RobustnessProfile) -> None:
    print(printable(f"{found.target}: {found.question}"))
    rows = []
    for name, one in found.named():
        print(printable(f"{name}: {one.count:,} {found.what}, {summary(one)}"))
        for distance, count, share in lines_of(one):
            within = f"{float(share / one.share):.4%}" if one.share else ""
            rows.append((name, distance_words(distance), f"{count:,}", within))
    headings = ("class", "distance", found.what, "share of it")
    Console().print(table(headings, rows, left=("class", "distance")))
    whole = found.overall
    if whole.most_robust is not None:
        print(printable(f"among the most robust: {instance_words(whole.most_robust)}"))
    if found.cut is not None:
        say("note", f"not finished: {found.cut}; what is told is exact")


def _each(model: CompiledModel, options: argparse.Namespace) -> int:
    """Print the distance of each row of the table."""
    if options.distribution is not None or options.marginals is not None:
        raise InstanceError("--each asks rows one by one, so that nothing is to be weighed")
    read = read_csv(options.csv, model.classifier.feature_variables, options.max_bytes)
    good: list[Row] = []
    failed = 0
    for row in allowed_rows(read, model, None).rows:
        if row.instance is None:
            failed += 1
            say("error", f"{row.place}: {row.error}")
        else:
            good.append(row)
    instances = [row.instance or {} for row in good]
    with working("measuring distances", options.json):
        found = model.robustness_of(instances, towards=options.towards, time_limit=options.time_limit)
    decided = model.predict(instances)
    lines = list(zip(good, decided, found, strict=True))
    if options.json:
        listed = [
            {"row": row.number, "class": json_value(decision), "distance": distance}
            for row, decision, distance in lines
        ]
        print_pretty({"target": model.target, "towards": options.towards, "errors": failed, "each": listed})
    else:
        rows = [
            (row.number, decision_words(decision), "none" if distance is None else distance)
            for row, decision, distance in lines
        ]
        Console().print(table(("row", "class", "changes"), rows, left=("class",)))
    return 3 if failed else 0
