"""Decisions by definition: the joint table of the whole network, entry by entry."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnc2d import Classifier, CompiledModel
from bnc2d.base.readers.instances import all_rows
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork
from bnc2d.verify.oracle import decide
from tests.hard_classifiers import mixed_classifier
from tests.strategies import classifiers

MAX_JOINT_ENTRIES = 1 << 20


def joint_table(network: BayesianNetwork) -> NDArray[np.object_]:
    """Return ``P(all variables)`` as exact fractions, one axis per variable in file order."""
    size = prod(len(variable) for variable in network.variables)
    if size > MAX_JOINT_ENTRIES:
        raise LimitExceeded(f"the joint table has {size} entries, more than the limit of {MAX_JOINT_ENTRIES}")
    joint = np.full([len(variable) for variable in network.variables], Fraction(1), dtype=object)
    for cpt in network.cpts:
        axes = [network.index(variable) for variable in cpt.scope]
        order = sorted(range(len(axes)), key=lambda position: axes[position])
        shape = [len(variable) if axis in axes else 1 for axis, variable in enumerate(network.variables)]
        joint = joint * cpt.exact.transpose(order).reshape(shape)
    return joint


def joint_of_instances(classifier: BaseClassifier) -> dict[tuple[str, ...], dict[str, Fraction]]:
    """Return ``P(class, instance)`` for every instance, given as states in feature order."""
    network = classifier.network
    kept = [network.index(name) for name in (*classifier.features, classifier.target)]
    summed = tuple(axis for axis in range(len(network)) if axis not in kept)
    table = joint_table(network).sum(axis=summed) if summed else joint_table(network)
    order = [sorted(kept).index(axis) for axis in kept]
    table = table.transpose(order)
    domains = [range(len(network.variable(name))) for name in classifier.features]
    names = [network.variable(name).states for name in classifier.features]
    return {
        tuple(states[code] for states, code in zip(names, codes, strict=True)): dict(
            zip(classifier.classes, table[codes].tolist(), strict=True)
        )
        for codes in product(*domains)
    }


def decisions(classifier: BaseClassifier) -> dict[tuple[str, ...], str | None]:
    """Return the class of every instance."""
    return {states: decide(classifier, joint) for states, joint in joint_of_instances(classifier).items()}


@dataclass(frozen=True)
class Known:
    """A model and the decision on every instance, given as state positions."""

    model: CompiledModel
    decisions: dict[tuple[int, ...], str | None]

    def instance(self, row: tuple[int, ...]) -> dict[str, str]:
        return self.model.domain.decode(row)

    def row(self, instance: dict[str, str]) -> tuple[int, ...]:
        return tuple(self.model.domain.encode(instance))

    def draw_row(self, data: st.DataObject) -> tuple[int, ...]:
        return data.draw(st.sampled_from(list(self.decisions)), "instance")


def known(classifier: Classifier) -> Known:
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    names = classifier.predict(rows).tolist()
    return Known(classifier.compile(), dict(zip(map(tuple, rows.tolist()), names, strict=True)))


def known_models() -> st.SearchStrategy[Known]:
    """Small classifiers of every kind: some constant, some with empty classes, ties left in no class."""
    mixed = st.integers(0, 10**6).map(lambda seed: mixed_classifier(seed, 150))
    return st.one_of(classifiers(), mixed).map(known)
