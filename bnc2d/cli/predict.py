"""``bnc2d predict``: the class of an instance and its exact posterior."""

from __future__ import annotations

import argparse
import json

from bnc2d.cli.common import (
    add_classifier_options,
    add_network_options,
    load_network,
    make_classifier,
    parse_instance,
)


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d predict diagnosis --target D BP=High CT=1 HR=Normal"
    command.add_argument("file", metavar="FILE", help="network file or built-in name")
    command.add_argument("instance", nargs="+", metavar="NAME=STATE", help="a state for every feature")
    add_classifier_options(command)
    add_network_options(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the decision, then the posterior of every class."""
    classifier = make_classifier(load_network(options.file, options.normalise), options)
    instance = parse_instance(options.instance, classifier.features)
    decision, posterior = classifier.predict(instance), classifier.posterior(instance)
    if options.json:
        exact = {state: str(p) for state, p in posterior.items()}
        print(json.dumps({"decision": decision, "posterior": exact}, ensure_ascii=False))
        return 0
    print(
        f"{classifier.target} = {decision}"
        if decision is not None
        else f"{classifier.target}: tied, no class"
    )
    for state, probability in posterior.items():
        print(f"  P({classifier.target}={state} | instance) = {float(probability):.6f}")
    if not any(posterior.values()):
        print("  the instance is impossible: its probability is zero and the tie rule decides")
    return 0
