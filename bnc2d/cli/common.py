"""What several commands share: network files, classifier options, tables."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bnc2d.errors import InstanceError
from bnc2d.formats.builtin import example, examples
from bnc2d.formats.io import read_network
from bnc2d.model.classifier import Classifier
from bnc2d.model.network import BayesianNetwork


def add_network_options(command: argparse.ArgumentParser) -> None:
    """Add ``--normalise`` and ``--json``."""
    command.add_argument("--normalise", action="store_true", help="repair columns that do not sum to 1")
    command.add_argument("--json", action="store_true", help="print JSON for machines")


def add_classifier_options(command: argparse.ArgumentParser) -> None:
    """Add target, features, threshold, positive state and tie rule."""
    command.add_argument("--target", required=True, metavar="NAME", help="the variable to decide")
    command.add_argument("--features", metavar="A,B,C", help="default: all leaves but the target")
    command.add_argument("--threshold", metavar="T", help="decide --positive iff its posterior exceeds T")
    command.add_argument("--positive", metavar="STATE", help="default: the second state of the target")
    command.add_argument("--ties", choices=("lowest", "none"), default="lowest", help="default: lowest")


def load_network(source: str, normalise: bool) -> BayesianNetwork:
    """Read a file, or a built-in network where no such file exists."""
    if source in examples() and not Path(source).exists():
        return example(source)
    return read_network(source, normalise=normalise)


def make_classifier(network: BayesianNetwork, options: argparse.Namespace) -> Classifier:
    """Return the classifier that the options describe."""
    features = None if options.features is None else split_names(options.features, network.names)
    return Classifier(network, options.target, features, options.threshold, options.positive, options.ties)


def split_names(text: str, known: Sequence[str]) -> list[str]:
    """Split a comma-separated list; a name that itself holds a comma is kept when it is the whole text."""
    return [text] if text in known else [name.strip() for name in text.split(",") if name.strip()]


def parse_instance(words: Sequence[str], features: Sequence[str]) -> dict[str, str]:
    """Return the instance that ``NAME=STATE`` words describe; a name may hold ``=`` if it is a feature."""
    instance: dict[str, str] = {}
    for word in words:
        name = next((f for f in features if word.startswith(f + "=")), word.partition("=")[0])
        if not word.startswith(name + "="):
            raise InstanceError(f"{word!r} is not of the form NAME=STATE")
        if name in instance:
            raise InstanceError(f"the feature {name!r} is set twice")
        instance[name] = word[len(name) + 1 :]
    return instance
