"""``bnc2d demo``: the diagnosis network of the paper, decided and explained by definition."""

from __future__ import annotations

import argparse
import json
from collections import Counter

from rich.console import Console
from rich.table import Table

from bnc2d.formats.builtin import example
from bnc2d.model.classifier import Classifier
from bnc2d.verify.enumeration import decisions, necessary_reasons, sufficient_reasons

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d demo"
    command.add_argument("--json", action="store_true", help="print JSON for machines")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide one patient exactly, say why, and say what would change the decision."""
    classifier = Classifier(example("diagnosis"), target="D", features=["BP", "CT", "HR"])
    decision, posterior = classifier.predict(PATIENT), classifier.posterior(PATIENT)
    table = decisions(classifier)
    sufficient, necessary = sufficient_reasons(classifier, PATIENT), necessary_reasons(classifier, PATIENT)
    changes = [_nearest_change(classifier, table, reason) for reason in necessary]
    sizes = Counter(table.values())
    if options.json:
        facts = {
            "instance": PATIENT,
            "decision": decision,
            "posterior": {state: str(p) for state, p in posterior.items()},
            "sufficient_reasons": sufficient,
            "necessary_reasons": necessary,
            "instances_per_class": {name: sizes[name] for name in classifier.classes},
        }
        print(json.dumps(facts, ensure_ascii=False, indent=1))
        return 0
    console = Console(highlight=False)
    say = console.print
    say("[bold]A diagnosis, explained[/] (the network of Zhang and Darwiche 2026)")
    say(f"\nThe patient: {_literals(PATIENT)}. Which disease class D, 0, 1 or 2?\n")
    chances = Table("class", "P(class | patient), exact", "decimal")
    for state, probability in posterior.items():
        style = "bold" if state == decision else None
        chances.add_row(f"D={state}", str(probability), f"{float(probability):.4f}", style=style)
    say(chances)
    say(f"\n[bold]Decision: D={decision}.[/]")
    say("\n[bold]Why?[/] Each line alone fixes the decision (the sufficient reasons):")
    for reason in sufficient:
        say(f"  • {_literals(reason)}")
    say("\n[bold]What would change it?[/] Giving up a whole line can (the necessary reasons):")
    for reason, (changed, new) in zip(necessary, changes, strict=True):
        say(f"  • {_literals(reason, ' or ')}: with {_literals(changed)} the decision becomes D={new}")
    share = ", ".join(f"D={name}: {sizes[name]}" for name in classifier.classes)
    say(f"\nOf all {classifier.instance_count} possible patients: {share}.")
    say("All of this is exact arithmetic over every instance; nothing is sampled.")
    say("\nNext, another patient or your own file:")
    say("  bnc2d predict diagnosis --target D BP=Low CT=0 HR=Low")
    say("  bnc2d info my_network.bif")
    return 0


def _literals(part: dict[str, str], joint: str = " and ") -> str:
    return joint.join(f"{name}={state}" for name, state in part.items())


def _nearest_change(
    classifier: Classifier, table: dict[tuple[str, ...], str | None], reason: dict[str, str]
) -> tuple[dict[str, str], str | None]:
    """Return new states for the features of a necessary reason that change the decision, and the new one."""
    own = tuple(PATIENT[name] for name in classifier.features)
    for states, decision in table.items():
        changed = {n: s for n, s, old in zip(classifier.features, states, own, strict=True) if s != old}
        if decision != table[own] and changed.keys() <= reason.keys():
            return changed, decision
    raise AssertionError("a necessary reason has a change by definition")
