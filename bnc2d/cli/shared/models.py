"""A classifier from the command line: a compiled model, or a network with the options that make one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.files import load
from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import Ties
from bnc2d.cli.shared.constraints import add_given_option, allowed_rows, check_given, read_given, under
from bnc2d.cli.shared.options import (
    add_classifier_options,
    add_network_options,
    is_compiled,
    load_network,
    split_names,
)
from bnc2d.cli.shared.printing import say
from bnc2d.cli.shared.tables import is_table
from bnc2d.cli.shared.training import add_training_options, no_training_options, train
from bnc2d.compile.store import MAX_BYTES
from bnc2d.errors import ClassifierError, LimitExceeded
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork

if TYPE_CHECKING:
    from bnc2d.cli.shared.instances import Given

ROUTES = ("auto", "compiled", "network")
AUTO_SECONDS = 20.0  # for compiling, where another route is open
_PLAIN = 10  # an estimate that exceeds this many times the limit is believed
RULE = ("target", "features", "threshold", "positive", "ties")


def add_model_options(command: argparse.ArgumentParser) -> None:
    """Add MODEL and the options that make a classifier of a network."""
    model = "a file that `bnc2d compile` wrote, a network file, a built-in name, or data.csv to train on"
    command.add_argument("model", metavar="MODEL", help=model)
    add_classifier_options(command, required=False)
    add_training_options(command)
    add_given_option(command)
    add_network_options(command)


def load_classifier(options: argparse.Namespace) -> Classifier:
    """Return the classifier, not compiled where it was not; a constraint is left to ``allowed_rows``."""
    found = load_either(options)
    return found.classifier if isinstance(found, CompiledModel) else found


def load_either(options: argparse.Namespace) -> CompiledModel | Classifier:
    """Return the compiled model, under its constraint, or the classifier where it is not compiled."""
    found = _load(options)
    if isinstance(found, CompiledModel):
        return under(found, options)
    check_given(found, options)
    return found


def load_compiled(options: argparse.Namespace) -> CompiledModel:
    """Return the compiled model; a network is compiled first."""
    found = _load(options)
    if not isinstance(found, CompiledModel):
        check_given(found, options)
        found = found.compile(progress=not options.json and sys.stderr.isatty())
    return under(found, options)


def given_words(model: CompiledModel) -> str | None:
    """Return the constraint of a model in words."""
    return None if model.constraint is None else str(model.constraint)


class Explainer(NamedTuple):
    """What explains instances, and the constraint that a classifier must be told; a model has its own."""

    model: CompiledModel | Classifier
    given: object = None


def load_to_explain(options: argparse.Namespace) -> Explainer:
    """Return what explains instances by the route that the options choose: a compiled model, or a classifier.

    By ``auto`` a network is compiled where that ends in time; where not, a line says why it is not. What was
    trained on a table just now is not compiled: its structure is one that answers fast by itself.
    """
    if options.route == "compiled":
        return Explainer(load_compiled(options))
    found = load_either(options)
    if options.route == "network" and isinstance(found, CompiledModel):
        return Explainer(found.classifier, found.constraint)
    if isinstance(found, CompiledModel):
        return Explainer(found)
    if options.route == "network" or is_table(options.model):
        return Explainer(found, read_given(options))
    from bnc2d.compile.estimate import expected_seconds

    why = f"compiling would take far longer than {AUTO_SECONDS:g} s"
    try:
        with Budget(AUTO_SECONDS).limiting("there is no plan to compile"):
            seconds = expected_seconds(found)
        if seconds <= _PLAIN * AUTO_SECONDS:
            shown = not options.json and sys.stderr.isatty()
            return Explainer(under(found.compile(time_limit=AUTO_SECONDS, progress=shown), options))
    except LimitExceeded as error:
        why = f"compiling did not end ({str(error).partition(';')[0]})"
    say("note", f"{why}, so the network itself answers; --route compiled compiles whatever it takes")
    return Explainer(found, read_given(options))


def _load(options: argparse.Namespace) -> CompiledModel | Classifier:
    if is_table(options.model):
        return train(options.model, options)
    no_training_options(options, options.model)
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


class Asked(NamedTuple):
    """What explains instances, the constraint that it must be told, its classifier, and the instances."""

    model: CompiledModel | Classifier
    constraint: object
    classifier: Classifier
    given: Given


def load_with_instances(options: argparse.Namespace) -> Asked:
    """Return what explains the instances that the options give (see ``load_to_explain``), and these."""
    from bnc2d.cli.shared.instances import check_instance_options, read_instances

    if is_table(options.model):  # to train takes a while
        check_instance_options(options)
    model, constraint = load_to_explain(options)
    classifier = model if isinstance(model, Classifier) else model.classifier
    read = read_instances(options, classifier.feature_variables)
    return Asked(model, constraint, classifier, allowed_rows(read, model, constraint))
