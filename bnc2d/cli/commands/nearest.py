"""``bnc2d nearest``: the nearest instance that is decided otherwise, or in a certain way."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TextIO

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.finding import decision_words
from bnc2d.base.scales import json_value, state_words
from bnc2d.cli.shared.changes import add_change_options, add_cost_option, read_changes, read_costs
from bnc2d.cli.shared.constraints import allowed_rows
from bnc2d.cli.shared.instances import Given, Row, by_states, read_instances
from bnc2d.cli.shared.models import given_words, load_compiled
from bnc2d.cli.shared.options import amount, count, split_names
from bnc2d.cli.shared.output import Answers, add_row_options
from bnc2d.cli.shared.printing import printable
from bnc2d.errors import InstanceError
from bnc2d.explain.changes.nearest import Nearest
from bnc2d.explain.changes.prices import Prices
from bnc2d.report.decisions import fraction_text

_COLUMNS = ("decision", "distance", "changes", "changed_decision", "changed_possible")


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d nearest diagnosis.bnc2d --towards 0 BP=High CT=1 HR=Normal\n"
        "  bnc2d nearest diagnosis.bnc2d --costs 'BP=3; HR=Low:2' --limit 3 --csv patients.csv"
    )
    add_row_options(command)
    command.description = (
        f"{command.description} Exit code 1: no allowed change of the one instance leads there."
    )
    add("--towards", metavar="CLASS", help="the class to reach (default: any other decision)")
    add("--fixed", default="", metavar="A,B", help="features that may not change")
    add_change_options(command)
    add_cost_option(command)
    add("--limit", type=count, metavar="N", help="so many different ways out, nearest first")
    add("--time-limit", type=amount, default=60.0, metavar="S", help="seconds an instance (default 60)")


def run(options: argparse.Namespace) -> int:
    """Print what must change, or data."""
    model = load_compiled(options)
    classifier = model.classifier
    rows = _complete(read_instances(options, classifier.feature_variables), model)
    given = allowed_rows(rows, model, None)
    towards = None if options.towards is None else model.classes[model.label(options.towards)]
    arguments: dict[str, Any] = {
        "fixed": split_names(options.fixed, model.features),
        "costs": read_costs(options, model.domain),
        "limit": options.limit or 1,
        "time_limit": options.time_limit,
        **read_changes(options, classifier),
    }
    _check(model, arguments)
    output = Answers(options, given, _COLUMNS)
    reached = []

    def answer(instances: Sequence[dict[str, str]]) -> list[Any]:
        return [answer_one(instance) for instance in instances]

    def answer_one(given: dict[str, str]) -> Any:
        instance = by_states(given, classifier.feature_variables)
        ways = model.nearest(instance, towards, **arguments)
        reached.append(bool(ways))
        if output.format == "text":
            return _words(model, instance, ways, towards)
        data = [_data(model, way, options.exact) for way in ways]
        decision = json_value(model.predict(instance))
        if output.format == "csv":
            return _cells(decision, data)
        asked = {"given": given_words(model), "towards": towards}
        return {"instance": instance, "decision": decision, **asked, "ways": data}

    def text(stream: TextIO, row: Row, found: list[str]) -> None:
        place = "" if given.single else f"{row.place}: "
        print(printable(place + "\n".join(found)), file=stream)

    code = output.write(answer, text, "searching")
    return 1 if given.single and not any(reached) else code


def _check(model: CompiledModel, arguments: Mapping[str, Any]) -> None:
    """Raise where features or costs are wrong, before any row is answered."""
    for name in arguments["fixed"]:
        model.domain.index(name)
    Prices(model.domain, [0] * len(model.domain), None, arguments["costs"])


def _complete(given: Given, model: CompiledModel) -> Given:
    """Return rows of which those that leave features out have an error; a single one that does is one."""

    def checked(row: Row) -> Row:
        if row.instance is None or len(row.instance) == len(model.features):
            return row
        missing = ", ".join(repr(name) for name in model.features if name not in row.instance)
        return replace(row, instance=None, error=f"the instance sets no state for {missing}")

    rows = map(checked, given.rows)
    if not given.single:
        return replace(given, rows=rows)
    (row,) = rows
    if row.error:
        raise InstanceError(row.error)
    return replace(given, rows=[row])


def _data(model: CompiledModel, way: Nearest, exact: bool) -> dict[str, Any]:
    distance = Fraction(way.distance or 0)
    instance = way.instance or {}
    return {
        "distance": int(distance) if distance.denominator == 1 else float(distance),
        "distance_exact": fraction_text(distance, exact),
        "changes": {name: list(states) for name, states in way.changes.items()},
        "instance": instance,
        "decision": json_value(way.decision),
        "possible": bool(model.classifier.is_possible(instance)),
    }


def _cells(decision: Any, ways: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the nearest way as the cells of a line."""
    if not ways:
        return {"decision": decision}
    changes = {name: after for name, (_, after) in ways[0]["changes"].items()}
    return {
        "decision": decision,
        "distance": ways[0]["distance"],
        "changes": "; ".join(state_words(name, state) for name, state in changes.items()),
        "changed_decision": ways[0]["decision"],
        "changed_possible": ways[0]["possible"],
    }


def _words(
    model: CompiledModel, instance: dict[str, str], ways: Sequence[Nearest], towards: str | None
) -> list[str]:
    lines = [f"{model.target} is {decision_words(model.predict(instance))}"]
    if not ways:
        there = "to another decision" if towards is None else f"to {towards}"
        return [*lines, f"  no allowed change leads {there}"]
    for way in ways:
        cost = "" if isinstance(way.distance, int) else f", at a cost of {float(way.distance or 0):g}"
        possible = way.instance is not None and model.classifier.is_possible(way.instance)
        lines.append(f"  {way}{cost}{'' if possible else ', an instance that is impossible'}")
    return lines
