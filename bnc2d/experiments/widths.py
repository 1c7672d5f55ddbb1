"""Widths of the compilations of a network, from its trees alone: nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bnc2d.api.classifier import Classifier
from bnc2d.compile.graph.feature_tree import Widths, build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.graph.target_part import target_part
from bnc2d.errors import Bnc2dError
from bnc2d.experiments.problems import read_quietly
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork


@dataclass(frozen=True)
class LeafWidths:
    """The widths of one target with all leaves as features, and how many features these are."""

    widths: Widths
    features: int


def leaf_widths(classifier: Classifier) -> LeafWidths:
    """Return the widths that the compilers report for a classifier (same jointree, same f-tree)."""
    prepared = prepare(target_part(classifier).classifier)
    jointree = build_jointree(prepared.network)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    return LeafWidths(tree.widths(jointree.width), len(classifier.features))


@dataclass(frozen=True)
class NetworkFacts:
    """A network's size and its widths for some targets; targets without a classifier are left out."""

    variables: int
    widths: tuple[LeafWidths, ...]


def read_sound(path: Path, normalise: bool) -> BayesianNetwork | None:
    """Return a network, without warnings, or None where it cannot be read (its runs say why)."""
    try:
        return read_quietly(path, normalise=normalise)
    except Bnc2dError:
        return None


def network_facts(network: BayesianNetwork, targets: Iterable[str]) -> NetworkFacts:
    """Return the facts of a network."""
    found = []
    for target in targets:
        with suppress(Bnc2dError):
            found.append(leaf_widths(Classifier(network, target, default_features(network, target))))
    return NetworkFacts(len(network), tuple(found))
