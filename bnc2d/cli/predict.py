"""``bnc2d predict``: the class of instances and their exact posteriors."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction

from bnc2d.cli.instances import add_instance_options, read_instances
from bnc2d.cli.models import add_model_options, load_classifier
from bnc2d.cli.printing import printable, working


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d predict diagnosis --target D BP=High CT=1 HR=Normal\n"
        "  bnc2d predict diagnosis.bnc2d --csv patients.csv"
    )
    add_model_options(command)
    add_instance_options(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print each decision, then the posterior of every class."""
    classifier = load_classifier(options)
    given = read_instances(options, classifier.feature_variables)
    with working("deciding", options.json):
        decisions = classifier.predict(list(given.instances))
        posteriors = [classifier.posterior(instance) for instance in given.instances]  # one by one: exact
    if options.json:
        facts = [
            {"decision": decision, "posterior": {state: str(p) for state, p in posterior.items()}}
            for decision, posterior in zip(decisions, posteriors, strict=True)
        ]
        print(json.dumps(facts[0] if given.single else facts, ensure_ascii=False))
        return 0
    for place, decision, posterior in zip(given.places, decisions, posteriors, strict=True):
        print(printable(_shown("" if given.single else place, classifier.target, decision, posterior)))
    return 0


def _shown(place: str, target: str, decision: str | None, posterior: dict[str, Fraction]) -> str:
    decided = f"{target} = {decision}" if decision is not None else f"{target}: tied, no class"
    lines = [f"{place}: {decided}" if place else decided]
    lines += [f"  P({target}={state} | instance) = {float(p):.6f}" for state, p in posterior.items()]
    if not any(posterior.values()):
        lines.append("  the instance is impossible: its probability is zero and the tie rule decides")
    return "\n".join(lines)
