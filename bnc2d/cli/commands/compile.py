"""``bnc2d compile``: a network file in, a compiled model out."""

from __future__ import annotations

import argparse
import sys

from bnc2d.base.readers.choices import EARLY, METHODS
from bnc2d.base.workers import usable_cores
from bnc2d.cli.shared.constraints import add_given_option, check_given, under
from bnc2d.cli.shared.models import make_classifier
from bnc2d.cli.shared.options import (
    add_classifier_options,
    add_memory_option,
    add_network_options,
    amount,
    count,
    load_network,
)
from bnc2d.cli.shared.printing import answer
from bnc2d.cli.shared.tables import is_table
from bnc2d.cli.shared.training import add_training_options, no_training_options, train


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d compile diagnosis --target D -o diagnosis.bnc2d\n"
        "  bnc2d compile patients.csv --target ill --structure tan -o patients.bnc2d"
    )
    add("file", metavar="FILE", help="network file, built-in name, or data.csv to train on")
    add("-o", "--output", required=True, metavar="OUT", help="where to write the model")
    add("--method", choices=METHODS, default="fast", help="default: fast")
    add(
        "--early", choices=EARLY, help="what decides partial instances in the paper's method (default: signs)"
    )
    add("--time-limit", type=amount, metavar="S", help="seconds")
    add_memory_option(command)
    add("--jobs", type=count, metavar="N", help="threads to use (default: one for each core, at most 4)")
    add_classifier_options(command)
    add_training_options(command)
    add_given_option(command)
    add_network_options(command)


def run(options: argparse.Namespace) -> int:
    """Compile, save, and print the size of every class."""
    if is_table(options.file):
        classifier = train(options.file, options)
    else:
        no_training_options(options, options.file)
        network = load_network(options.file, options.normalise, options.max_bytes)
        classifier = make_classifier(network, options)
    check_given(classifier, options)
    model = classifier.compile(
        method=options.method,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
        progress=not options.json and sys.stderr.isatty(),
        jobs=options.jobs or (usable_cores() if options.method == "fast" else 1),
        early=options.early,
    )
    model = under(model, options)
    formulas = {name: model.formula(name) for name in model.classes}
    model.save(options.output)
    facts = {
        "file": options.output,
        "features": len(classifier.features),
        "variables": len(classifier.network) - 1,
        "mentioned": len(model.mentioned_features),
        "seconds": sum(model.stats.seconds.values()),
        "classes": {
            name: {"models": model.count(name), "nodes": formula.node_count, "edges": formula.edge_count}
            for name, formula in formulas.items()
        },
        "stats": model.stats.as_dict(),
        **({} if classifier.training is None else {"training": classifier.training.to_data()}),
    }
    given = []
    if model.constraint is not None:
        facts |= {"given": str(model.constraint), "allowed": model.instance_count}
        share = f"{model.instance_count} of {classifier.instance_count} instances"
        given = [f"given {model.constraint}: {share} count"]
    taken = f"{facts['features']} features of {facts['variables']} variables ({facts['mentioned']} matter)"
    lines = [f"{classifier.target} from {taken}, {facts['seconds']:.2f} s"]
    for name, formula in formulas.items():
        share = f"{model.count(name)} of {model.instance_count} instances"
        lines.append(f"  {name}: {share}, {formula.node_count} nodes, {formula.edge_count} edges")
    answer(options.json, facts, "\n".join([*lines, *given, f"wrote {options.output}"]))
    return 0
