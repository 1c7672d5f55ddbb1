"""Widths of the compilations of a network, from its trees alone: nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from bnc2d.api.classifier import Classifier
from bnc2d.compile.graph.feature_tree import Widths, build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.graph.target_part import target_part
from bnc2d.errors import Bnc2dError
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork


class LeafWidths(NamedTuple):
    """The widths of one target with all leaves as features, and how many features these are."""

    widths: Widths
    features: int


def leaf_widths(classifier: Classifier) -> LeafWidths:
    """Return the widths that the compilers report for a classifier (same jointree, same f-tree)."""
    prepared = prepare(target_part(classifier).classifier)
    jointree = build_jointree(prepared.network)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    return LeafWidths(tree.widths(jointree.width), len(classifier.features))


def network_widths(network: BayesianNetwork, targets: Iterable[str]) -> list[LeafWidths]:
    """Return the widths of a network for some targets; those without a classifier are left out."""
    found = []
    for target in targets:
        with suppress(Bnc2dError):
            found.append(leaf_widths(Classifier(network, target, default_features(network, target))))
    return found
