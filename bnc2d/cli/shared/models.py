"""A classifier from the command line: a compiled model, or a network with the options that make one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.files import load
from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import Ties
from bnc2d.cli.shared.options import (
    add_classifier_options,
    add_network_options,
    is_compiled,
    load_network,
    split_names,
)
from bnc2d.cli.shared.printing import say
from bnc2d.compile.store import MAX_BYTES
from bnc2d.errors import ClassifierError, LimitExceeded
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork

ROUTES = ("auto", "compiled", "network")
AUTO_SECONDS = 20.0  # for compiling, where another route is open
_PLAIN = 10  # an estimate that exceeds this many times the limit is believed
RULE = ("target", "features", "threshold", "positive", "ties")


def add_model_options(command: argparse.ArgumentParser) -> None:
    """Add MODEL and the options that make a classifier of a network."""
    model = "a file that `bnc2d compile` wrote, a network file or a built-in name"
    command.add_argument("model", metavar="MODEL", help=model)
    add_classifier_options(command, required=False)
    add_network_options(command)


def load_classifier(options: argparse.Namespace) -> Classifier:
    """Return the classifier, not compiled where it was not."""
    found = _load(options)
    return found.classifier if isinstance(found, CompiledModel) else found


def load_compiled(options: argparse.Namespace) -> CompiledModel:
    """Return the compiled model; a network is compiled first."""
    found = _load(options)
    if isinstance(found, CompiledModel):
        return found
    return found.compile(progress=not options.json and sys.stderr.isatty())


def load_to_explain(options: argparse.Namespace) -> CompiledModel | Classifier:
    """Return what explains instances by the route that the options choose: a compiled model, or a classifier.

    By ``auto`` a network is compiled where that ends in time; where not, a line says why it is not.
    """
    if options.route == "compiled":
        return load_compiled(options)
    if options.route == "network":
        return load_classifier(options)
    found = _load(options)
    if isinstance(found, CompiledModel):
        return found
    from bnc2d.compile.estimate import expected_seconds

    why = f"compiling would take far longer than {AUTO_SECONDS:g} s"
    try:
        with Budget(AUTO_SECONDS).limiting("there is no plan to compile"):
            seconds = expected_seconds(found)
        if seconds <= _PLAIN * AUTO_SECONDS:
            return found.compile(time_limit=AUTO_SECONDS, progress=not options.json and sys.stderr.isatty())
    except LimitExceeded as error:
        why = f"compiling did not end ({str(error).partition(';')[0]})"
    say("note", f"{why}, so the network itself explains; --route compiled compiles whatever it takes")
    return found


def _load(options: argparse.Namespace) -> CompiledModel | Classifier:
    if is_compiled(options.model):
        for name in RULE:
            if getattr(options, name) is not None:
                raise ClassifierError(f"{options.model} is compiled already, so --{name} does not apply")
        return load(options.model, max_bytes=options.max_bytes or MAX_BYTES)
    network = load_network(options.model, options.normalise, options.max_bytes)
    if options.target is None:
        raise ClassifierError(f"{options.model} is a network: --target NAME must say what to decide")
    return make_classifier(network, options)


def make_classifier(network: BayesianNetwork, options: argparse.Namespace) -> Classifier:
    """Return the classifier that the options describe."""
    features: Sequence[str] | None = None
    if options.features == "all":  # a variable of that name alone is `all,`
        features = "all"
    elif options.features is not None:
        features = split_names(options.features, network.names)
    elif getattr(options, "instance", None):
        # NAME=STATE words name the features themselves: nothing is left out in silence.
        features = default_features(network, network.variable(options.target).name)
    ties: Ties = options.ties or "lowest"
    return Classifier(network, options.target, features, options.threshold, options.positive, ties)
