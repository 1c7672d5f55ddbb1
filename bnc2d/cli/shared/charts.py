"""Charts from the command line: the picture of one decision, and the heat map of many rows."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.choices import REASON_KINDS
from bnc2d.cli.shared.changes import add_change_options, read_changes
from bnc2d.cli.shared.constraints import allowed_rows
from bnc2d.cli.shared.instances import parse_instance, read_csv
from bnc2d.cli.shared.models import ROUTES, Explainer, load_to_explain
from bnc2d.cli.shared.options import amount, list_length, split_names
from bnc2d.cli.shared.printing import say
from bnc2d.draw.chart import WIDTH, Chart
from bnc2d.draw.theme import THEMES
from bnc2d.errors import ClassifierError, InstanceError

if TYPE_CHECKING:  # what other pictures do not need
    from bnc2d.api.explanation import Explanation
    from bnc2d.explain.batch import Row

_LISTED = 5  # reasons a row
# Options of charts alone, with what they are without being given.
_OF_DECISION = {"towards": None, "fixed": "", "allowed": None, "forbidden": None}
_OF_HEAT_MAP = {"csv": None, "kind": "sufficient", "limit": _LISTED}
_OF_BOTH = {"width": WIDTH, "theme": "auto", "route": "auto", "time_limit": None}


def add_chart_options(command: argparse.ArgumentParser) -> None:
    """Add ``--decision``, ``--heat-map`` and what goes with them."""
    chart = command.add_argument_group("pictures for people")
    add = chart.add_argument
    add("--decision", nargs="+", default=(), metavar="NAME=VALUE", help="draw why this is decided as it is")
    add(
        "--heat-map",
        action="store_true",
        help="draw which features occur in the reasons of the rows of --csv",
    )
    add("--csv", metavar="FILE", help="the rows of --heat-map; the header names the features")
    first = REASON_KINDS[0]
    add("--kind", choices=REASON_KINDS, default=first, help=f"of reasons, for --heat-map (default: {first})")
    add("--limit", type=list_length, default=_LISTED, metavar="N", help=f"reasons a row (default: {_LISTED})")
    add("--towards", metavar="CLASS", help="with --decision: the nearest way to this class")
    add("--fixed", default="", metavar="A,B", help="with --decision: features that may not change")
    add_change_options(command)
    add("--width", type=int, default=WIDTH, metavar="PX", help=f"default: {WIDTH}; 360 for a phone")
    add("--theme", choices=THEMES, default="auto", help="auto (default) follows the page it is put on")
    add("--route", choices=ROUTES, default="auto", help="as of `bnc2d explain`")
    add("--time-limit", type=amount, metavar="S", help="seconds for all")


def what_chart(options: argparse.Namespace) -> str:
    """Return which chart is asked for, if any; options that do not go with it are errors."""
    what = "decision" if options.decision else "heat-map" if options.heat_map else ""
    if options.decision and options.heat_map:
        raise ClassifierError("--decision and --heat-map draw two pictures; ask for one")
    known = {"decision": _OF_DECISION | _OF_BOTH, "heat-map": _OF_HEAT_MAP | _OF_BOTH, "": {}}[what]
    for name, default in (_OF_DECISION | _OF_HEAT_MAP | _OF_BOTH).items():
        if name not in known and getattr(options, name) != default:
            needed = [word for word, some in _NEEDED.items() if name in some]
            raise ClassifierError(f"--{name.replace('_', '-')} is for {' or '.join(needed)}")
    for name in ("what", "class_name", "negated", "instance") if what else ():
        if getattr(options, name):
            raise ClassifierError(f"--{name.removesuffix('_name')} does not go with --{what}")
    if what == "heat-map" and options.csv is None:
        raise InstanceError("--heat-map needs rows: --csv FILE")
    return what


_NEEDED = {"--decision": _OF_DECISION | _OF_BOTH, "--heat-map": _OF_HEAT_MAP | _OF_BOTH}


def make_chart(what: str, options: argparse.Namespace) -> Chart:
    """Return the chart that the options ask for."""
    options.instance = options.decision  # whose words name the features where nothing else does
    model, constraint = found = load_to_explain(options)
    classifier = model if isinstance(model, Classifier) else model.classifier
    if what == "decision":
        options.instance = parse_instance(options.decision, classifier.features)
        return _explained(found, options).figure(
            towards=options.towards, width=options.width, theme=options.theme, time_limit=options.time_limit
        )
    from bnc2d.report.heat_map import heat_map

    read = read_csv(options.csv, classifier.feature_variables, options.max_bytes)
    given = allowed_rows(read, model, constraint)
    rows = []
    for row in given.rows:
        if row.instance is None:
            say("warning", f"{row.place}: {row.error}")
        else:
            rows.append(row.instance)
    if not rows:
        raise InstanceError(f"{options.csv}: no row can be explained")
    explained = _explain_many(found, rows, options)
    return heat_map(explained, features=classifier.features, width=options.width, theme=options.theme)


def _explained(found: Explainer, options: argparse.Namespace) -> Explanation:
    model, constraint = found
    classifier = model if isinstance(model, Classifier) else model.classifier
    fixed = split_names(options.fixed, classifier.features)
    changes = read_changes(options, classifier)
    if isinstance(model, Classifier):
        return model.explain(options.instance, fixed, given=constraint, **changes)
    return model.explain(options.instance, fixed, **changes)


def _explain_many(found: Explainer, rows: Sequence[dict[str, str]], options: argparse.Namespace) -> list[Row]:
    model, constraint = found
    limits = {"kinds": [options.kind], "limit": options.limit, "time_limit": options.time_limit}
    if isinstance(model, Classifier):
        return model.explain_many(rows, given=constraint, **limits)
    return model.explain_many(rows, **limits)
