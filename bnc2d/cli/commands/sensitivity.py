"""``bnc2d sensitivity``: how far a threshold or a table entry can move before a decision changes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.scales import Label, json_value
from bnc2d.cli.shared.models import add_model_options, given_words, load_compiled
from bnc2d.cli.shared.options import add_time_option, count
from bnc2d.cli.shared.printing import print_pretty, printable, working
from bnc2d.cli.shared.witnesses import shown_data
from bnc2d.errors import ArgumentError
from bnc2d.explain.whole.sensitivity.results import EntryInterval, Sensitivity, ThresholdInterval
from bnc2d.model.network import BayesianNetwork
from bnc2d.report.decisions import fraction_text


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Without --entry: the interval of the threshold, if there is one, and the "
        "entries that can move least. Exit code 2: some interval is open."
    )
    command.epilog = (
        "example:\n  bnc2d sensitivity diagnosis.bnc2d --limit 5\n"
        "  bnc2d sensitivity diagnosis.bnc2d --entry 'BP=High | X=0, Y=0'"
    )
    add_model_options(command)
    add("--entry", metavar="'X=x | A=a, B=b'", help="this entry alone: a state, and one of each parent")
    add("--limit", type=count, default=10, metavar="N", help="list at most so many entries (default 10)")
    add("--exact", action="store_true", help="fractions of any length")
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print the intervals, or JSON."""
    model = load_compiled(options)
    with working("looking for the first decision to change", options.json):
        found = _asked(model, options)
    if options.json:
        print_pretty(_facts(model, found, options.exact))
    else:
        alone = options.entry is not None
        print(printable("\n".join(map(str, found.entries)) if alone else str(found)))
    return 0 if found.status == "proved" else 2


def _asked(model: CompiledModel, options: argparse.Namespace) -> Sensitivity:
    if options.entry is None:
        return model.sensitivity(options.limit, time_limit=options.time_limit)
    variable, state, given = read_entry(model.classifier.network, options.entry)
    one = model.entry_interval(variable, state, given, time_limit=options.time_limit)
    idle = int(one.margin is None and one.status == "proved")
    return Sensitivity(entries=(one,), threshold=None, idle=idle, looked_at=1, total=1, status=one.status)


def read_entry(network: BayesianNetwork, text: str) -> tuple[str, str, dict[str, str]]:
    """Return the variable, the state and the states of the parents that ``X=x | A=a, B=b`` names.

    Names and states of the network may hold any of these signs: the longest that fits is taken.
    """
    rest = text.strip()
    if rest.startswith("P(") and rest.endswith(")") and not _held(network.names, rest, "="):
        rest = rest[2:-1].strip()
    variable, state, rest = _assignment(network, rest, "|")
    given: dict[str, str] = {}
    while rest:
        name, value, rest = _assignment(network, rest, ",")
        if name in given:
            raise ArgumentError(f"--entry has two states of {name!r}")
        given[name] = value
    return variable, state, given


def _assignment(network: BayesianNetwork, text: str, sign: str) -> tuple[str, str, str]:
    """Return a name, its state, and what comes after the sign that ends it."""
    name = _held(network.names, text, "=")
    if not name:
        name, equals, _ = text.partition("=")
        if not equals:
            raise ArgumentError(f"--entry takes 'X=x | A=a, B=b', with a state of each parent, not {text!r}")
    rest = text[len(name) :].lstrip()[1:].lstrip()
    state = _held(network.variable(name.strip()).states, rest, sign, alone=True)
    if not state:
        state = rest.partition(sign)[0].strip()
    return name.strip(), state, rest[len(state) :].lstrip()[1:].strip()


def _held(names: Sequence[str], text: str, sign: str, alone: bool = False) -> str:
    """Return the longest name that a text begins with and a sign follows, or nothing if ``alone``."""
    fitting = []
    for name in names:
        if text.startswith(name):
            after = text[len(name) :].lstrip()
            if after.startswith(sign) or (alone and not after):
                fitting.append(name)
    return max(fitting, key=len, default="")


def _facts(model: CompiledModel, found: Sensitivity, exact: bool) -> dict[str, Any]:
    threshold = None if found.threshold is None else _interval(model, found.threshold, exact)
    return {
        "status": found.status,
        "target": model.target,
        "given": given_words(model),
        "threshold": threshold,
        "entries": [_interval(model, entry, exact) for entry in found.entries],
        "idle": found.idle,
        "looked_at": found.looked_at,
        "total": found.total,
    }


def _interval(model: CompiledModel, found: ThresholdInterval | EntryInterval, exact: bool) -> dict[str, Any]:
    whose: tuple[str, str, dict[str, str] | None]
    if isinstance(found, EntryInterval):
        whose = found.variable, found.state, dict(found.given)
    else:
        whose = model.target, found.positive, None
    return {
        **dict(zip(("variable", "state", "parents"), whose, strict=True)),
        "status": found.status,
        **_number("value", found.value, exact),
        **_number("low", found.low, exact),
        "low_included": found.low_included,
        **_number("high", found.high, exact),
        "high_included": found.high_included,
        **_number("sure_low", found.sure_low, exact),
        **_number("sure_high", found.sure_high, exact),
        "first_below": _first(model, found.first_below, found.decisions_below),
        "first_above": _first(model, found.first_above, found.decisions_above),
    }


def _number(name: str, value: Fraction, exact: bool) -> dict[str, Any]:
    return {name: float(value), f"{name}_exact": fraction_text(value, exact)}


def _first(
    model: CompiledModel,
    instance: dict[str, str] | None,
    decisions: tuple[Label | None, Label | None] | None,
) -> dict[str, Any] | None:
    """Return the instance whose decision changes first, what it is now, and what it becomes."""
    if instance is None or decisions is None:
        return None
    (data,) = shown_data(model.classifier, [instance])
    return {**data, "becomes": json_value(decisions[1])}
