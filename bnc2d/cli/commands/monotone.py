"""``bnc2d monotone``: whether raising features ever lowers the class, feature by feature."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.budget import Budget
from bnc2d.cli.shared.changes import add_order_option, read_order
from bnc2d.cli.shared.models import add_model_options, given_words, load_compiled
from bnc2d.cli.shared.options import add_time_option, split_names
from bnc2d.cli.shared.printing import print_pretty, printable, table, working
from bnc2d.cli.shared.witnesses import differences, shown_data, shown_lines
from bnc2d.errors import ClassifierError, LimitExceeded
from bnc2d.explain.whole.monotone import Monotone

_STATUSES = ("proved", "refuted", "open")


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Exit code 0: it never does; 1: it can, and a pair of instances shows it; 2: "
        "neither is known of some feature."
    )
    command.epilog = (
        "example:\n  bnc2d monotone diagnosis.bnc2d --raising BP --towards 2\n"
        "  bnc2d monotone survey --target E --features A,S,O,R,T --order 'A=old,adult,young'"
    )
    add_model_options(command)
    add("--raising", metavar="A,B", help="the features to raise (default: each that matters)")
    add("--towards", metavar="CLASS", help="ask whether it leads out of this class; else classes are ordered")
    add_order_option(command)
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of the features and what refutes them, or JSON."""
    model = load_compiled(options)
    names = (
        model.mentioned_features if options.raising is None else split_names(options.raising, model.features)
    )
    order = read_order(options, model.domain)
    for name in order:
        if name not in names:
            raise ClassifierError(f"--order names {name!r}, which is not among the features asked about")
    towards = None if options.towards is None else model.classes[model.label(options.towards)]
    questions = [[name] for name in dict.fromkeys(names)]
    if model.constraint is not None and options.raising is not None and len(questions) > 1:
        questions.append([name for one in questions for name in one])  # what lies between may not be allowed
    with working("comparing", options.json):
        shares = Budget(options.time_limit).shares(len(questions))
        found = [_asked(model, one, order, towards, next(shares)) for one in questions]
    statuses = ["open" if answer is None else answer.status for answer in found]
    overall = next((one for one in ("refuted", "open") if one in statuses), "proved")
    if options.json:
        results = zip(questions, statuses, found, strict=True)
        print_pretty(
            {
                "status": overall,
                "target": model.target,
                "given": given_words(model),
                "towards": towards,
                "features": [_facts(model, *result) for result in results],
            }
        )
    else:
        _show(model, towards, questions, found, statuses)
    return {"proved": 0, "refuted": 1, "open": 2}[overall]


def _asked(
    model: CompiledModel, names: list[str], order: dict[str, list[str]], towards: str | None, budget: Budget
) -> Monotone | None:
    """Return the answer; None where the time came first."""
    mine = {name: states for name, states in order.items() if name in names}
    try:
        return model.is_monotone(names, mine, towards=towards, time_limit=budget.left())
    except LimitExceeded:
        return None


def _facts(model: CompiledModel, names: list[str], status: str, found: Monotone | None) -> dict[str, Any]:
    pair = [] if found is None or found.pair is None else list(found.pair)
    return {"raising": names, "status": status, "pair": shown_data(model.classifier, pair)}


def _show(
    model: CompiledModel,
    towards: str | None,
    questions: list[list[str]],
    found: list[Monotone | None],
    statuses: Sequence[str],
) -> None:
    aim = f"lowers {model.target}" if towards is None else f"leads out of class {towards} of {model.target}"
    rows, details = [], []
    for names, answer, status in zip(questions, found, statuses, strict=True):
        pair = None if answer is None else answer.pair
        rows.append((", ".join(names), status, "" if pair is None else differences(*pair)))
        if answer is not None and pair is not None:
            details += ["", str(answer), *(f"  {line}" for line in shown_lines(model.classifier, pair))]
    print(printable(f"raising a feature never {aim}:" if rows else "no feature matters"))
    if rows:
        Console().print(table(("raising", "status", "witness"), rows, left=("raising", "status", "witness")))
        number_of = Counter(statuses)
        counts = ", ".join(f"{number_of[status]} {status}" for status in _STATUSES if number_of[status])
        print(printable("\n".join([*details, *([""] if details else []), counts])))
