"""``bnc2d explain``: why instances are decided as they are, why not otherwise, and what would change it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.cli.common import amount, split_names
from bnc2d.cli.instances import add_instance_options, read_instances
from bnc2d.cli.models import add_model_options, load_compiled
from bnc2d.cli.printing import printable, working
from bnc2d.explain.explanation import Explanation, explain
from bnc2d.explain.text import MANY, Answer, answers, headline, render
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term

_JSON_SECONDS = 10.0


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d explain diagnosis.bnc2d BP=High CT=1 HR=Normal\n"
        "  bnc2d explain diagnosis --target D --fixed BP --csv patients.csv --json"
    )
    add_model_options(command)
    add_instance_options(command)
    command.add_argument("--all", action="store_true", help=f"every reason, up to {MANY} a list")
    command.add_argument("--towards", metavar="CLASS", help="ask why not this class, and no other")
    command.add_argument("--fixed", default="", metavar="A,B", help="features that may not change")
    command.add_argument(
        "--limit", type=int, metavar="N", help=f"reasons a list (default 2; with --all or --json {MANY})"
    )
    command.add_argument(
        "--time-limit", type=amount, metavar="S", help="seconds a list (default 2; with --all or --json 10)"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain each instance, in words or as JSON."""
    model = load_compiled(options)
    given = read_instances(options, model.classifier.feature_variables)
    fixed = split_names(options.fixed, model.features)
    towards = None if options.towards is None else model.classes[model.label(options.towards)]
    console = Console(highlight=False)
    facts = []
    for number, (place, instance) in enumerate(zip(given.places, given.instances, strict=True), start=1):
        with working(f"explaining {number} of {len(given.instances)}", options.json):
            explanation = explain(model, instance, fixed)
            if options.json:
                facts.append(_facts(explanation, towards, options))
                continue
            found = list(
                answers(
                    explanation,
                    everything=options.all,
                    towards=towards,
                    limit=options.limit,
                    time_limit=options.time_limit,
                )
            )
        if not given.single:
            show_text(console, ("" if number == 1 else "\n") + f"--- {place}")
        show(console, headline(explanation), found)
    if options.json:
        print(json.dumps(facts[0] if given.single else facts, ensure_ascii=False, indent=1))
    return 0


def show(console: Console, head: str, found: Iterable[Answer]) -> None:
    """Print an explanation: as tables on a terminal, as plain text elsewhere."""
    if not console.is_terminal:
        print(printable(render(head, found)), file=console.file)
        return
    first, *rest = printable(head).split("\n")
    console.print(Text(first, "bold"))
    console.print(Text("\n".join(rest)))
    for answer in found:
        if answer.question:
            console.print(Text("\n" + printable(answer.question), "bold cyan"))
        console.print(Text(printable(answer.lead)))
        if answer.lines:
            table = Table("", answer.kind, box=None, header_style="dim", padding=(0, 2))
            for line in answer.lines:
                table.add_row(Text(f"• {printable(line.plain)}"), Text(printable(line.formal), "green"))
            console.print(table)
        if answer.rest:
            console.print(Text(f"  {answer.rest}", "dim"))


def show_text(console: Console, text: str) -> None:
    """Print a line as it is, in bold on a terminal."""
    console.print(Text(printable(text), "bold"), soft_wrap=True)


def _facts(explanation: Explanation, towards: str | None, options: argparse.Namespace) -> dict[str, Any]:
    """Return everything about one decision as plain data."""
    limits = (
        MANY if options.limit is None else options.limit,
        _JSON_SECONDS if options.time_limit is None else options.time_limit,
    )
    classes = explanation.model.classes if towards is None else [towards]
    lists: dict[str, Primes[Term] | Primes[Clause]] = {
        "sufficient_reasons": explanation.sufficient_reasons(*limits),
        "necessary_reasons": explanation.necessary_reasons(*limits),
        "general_sufficient_reasons": explanation.general_sufficient_reasons(*limits),
        "general_necessary_reasons": explanation.general_necessary_reasons(*limits),
    }
    contrasts = {
        name: explanation.contrastive(name, *limits) for name in classes if name != explanation.decision
    }
    return {
        "instance": explanation.instance,
        "target": explanation.target,
        "decision": explanation.decision,
        "fixed": list(explanation.fixed),
        "complete_reason": str(explanation.complete_reason),
        "general_reason": str(explanation.general_reason),
        **{kind: [literals(reason) for reason in found] for kind, found in lists.items()},
        "contrastive": {
            name: {
                "reasons": [literals(clause) for clause in found],
                "message": found.message,
                "cut": found.cut,
                "nearest": asdict(explanation.robustness(name)),
            }
            for name, found in contrasts.items()
        },
        "robustness": asdict(explanation.robustness()),
        "cut": {kind: found.cut for kind, found in lists.items()},
    }


def literals(reason: Term | Clause) -> dict[str, list[str]]:
    """Return a reason as plain data, the states of each feature in their order."""
    domain = reason.domain
    return {domain.names[f]: list(domain.states_of(f, mask)) for f, mask in reason.masks.items()}
