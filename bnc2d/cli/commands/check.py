"""``bnc2d check``: whether a classifier obeys rules, with a witness for each that it breaks."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from rich.console import Console

from bnc2d.api.classifier import Classifier
from bnc2d.base.finding import instance_words
from bnc2d.cli.shared.models import AUTO_SECONDS, ROUTES, add_model_options, load_to_explain
from bnc2d.cli.shared.options import amount
from bnc2d.cli.shared.printing import print_pretty, printable, table, working
from bnc2d.cli.shared.witnesses import differences, posterior_lines, witness_data
from bnc2d.compile.zeros.constraint import is_possible
from bnc2d.errors import FormatError, LogicError
from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
from bnc2d.formats.files import decode, read_bytes, read_stream
from bnc2d.logic.constraints.syntax import MOST_BYTES
from bnc2d.model.classifier import BaseClassifier

_STANDARD_INPUT = "-"
_SECONDS = 60.0
_SHOWN = 48  # characters of a witness in the table; below it the witness is whole


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Exit code 0: all are proved; 1: one is refuted; 2: none is refuted, some are "
        "open."
    )
    command.epilog = (
        "example:\n  bnc2d check diagnosis.bnc2d rules.txt\n"
        "  bnc2d check diagnosis --target D --rule 'if BP=Normal and HR=Low then class=0'\n"
        "  bnc2d check diagnosis --target D --towards 2 --rule 'BP=High and HR=High'"
    )
    add_model_options(command)
    add("rules", nargs="*", metavar="FILE", help="rules, one a line, # begins a comment; - is standard input")
    add("--rule", action="append", metavar="TEXT", help="a rule in place of the file; may be repeated")
    add(
        "--towards", metavar="CLASS", help="rules are conditions, and whatever satisfies one is in this class"
    )
    auto = f"auto (default): compiled where that takes at most {AUTO_SECONDS:g} s, else the network itself"
    add("--route", choices=ROUTES, default="auto", help=auto)
    add("--time-limit", type=amount, default=_SECONDS, metavar="S", help="seconds for all rules (default 60)")


def run(options: argparse.Namespace) -> int:
    """Print a table of the rules and what breaks them, or JSON."""
    source, given = _read_rules(options)
    model, constraint = load_to_explain(options)
    classifier = model if isinstance(model, Classifier) else model.classifier
    towards = None if options.towards is None else classifier.classes[classifier.label(options.towards)]
    condition = _as_text(constraint) if isinstance(model, Classifier) else None
    with working("checking", options.json):
        try:
            if isinstance(model, Classifier):
                found = model.check(given, towards, options.time_limit, condition)
            else:
                found = model.check(given, towards, options.time_limit)
        except LogicError as error:
            raise LogicError(f"{source}: {error}" if source else f"--{error}") from None
    if not found.results:
        raise LogicError(f"{source or '--rule'}: there is no rule")
    if options.json:
        print_pretty(_facts(classifier, found, towards, with_lines=bool(source)))
    else:
        _show(classifier, found, with_lines=bool(source))
    return {"proved": 0, "refuted": 1, "open": 2}[found.status]


def _as_text(constraint: object) -> str | None:
    """Return the constraint that a network is asked under; a text is all that it can be."""
    if constraint is None or (isinstance(constraint, str) and not is_possible(constraint)):
        return constraint
    raise LogicError(
        "the network itself checks rules under a text only; --route compiled takes any constraint"
    )


def _read_rules(options: argparse.Namespace) -> tuple[str, str | list[str]]:
    """Return the file as messages name it, if there is one, and the rules."""
    if len(options.rules) + (options.rule is not None) != 1:
        given = "only one of these at a time" if options.rules else "the rules are missing"
        raise LogicError(f"{given}: a file of rules, or --rule TEXT")
    if options.rule is not None:
        return "", options.rule
    source = options.rules[0]
    if source != _STANDARD_INPUT:
        return source, decode(read_bytes(source, MOST_BYTES), source)
    source = "standard input"
    if sys.stdin is None:
        raise FormatError("cannot read: it is closed", source)
    return source, decode(read_stream(sys.stdin.buffer, source, MOST_BYTES), source)


def _facts(
    classifier: BaseClassifier, found: RuleCheck, towards: str | None, with_lines: bool
) -> dict[str, Any]:
    return {
        "status": found.status,
        "target": classifier.target,
        "towards": towards,
        "rules": [
            {
                "rule": result.rule,
                "line": result.line if with_lines else None,
                "status": result.status,
                "witness": witness_data(classifier, result.instances, result.decisions, result.posteriors),
                "reason": result.reason,
                "settled": result.settled,
            }
            for result in found.results
        ],
    }


def _show(classifier: BaseClassifier, found: RuleCheck, with_lines: bool) -> None:
    place = "line" if with_lines else "rule"
    rows, details = [], []
    for number, result in enumerate(found.results, start=1):
        at = result.line if with_lines else number
        rows.append((at, result.rule, result.status, _short(result)))
        if not result.holds:
            details += ["", f"{place} {at} is {result.status}: {result.rule}"]
            details += [f"  {line}" for line in _details(classifier, result)]
    number_of = Counter(result.status for result in found.results)
    counts = [
        f"{number_of[status]} {status}" for status in ("proved", "refuted", "open") if number_of[status]
    ]
    headings = (place, "statement", "status", "witness")
    Console().print(table(headings, rows, left=headings[1:]))
    print(printable("\n".join([*details, *([""] if details else []), ", ".join(counts)])))


def _short(result: RuleResult) -> str:
    """Return the witness as it fits a table: of two instances what differs."""
    if len(result.instances) == 2:
        words = differences(*result.instances)
    else:
        words = " ".join(map(instance_words, result.instances))
    return words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"


def _details(classifier: BaseClassifier, result: RuleResult) -> list[str]:
    """Return what breaks a rule, or why it is open, in words."""
    if result.holds is None:
        return [result.why]
    return [result.why, *posterior_lines(classifier, result.instances, result.posteriors)]
