"""A classifier from the command line: a compiled model, or a network with the options that make one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.files import load
from bnc2d.base.readers.choices import Ties
from bnc2d.cli.shared.options import (
    add_classifier_options,
    add_network_options,
    is_compiled,
    load_network,
    split_names,
)
from bnc2d.compile.store import MAX_BYTES
from bnc2d.errors import ClassifierError
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork

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
