"""Answers by definition: the joint table of the whole network, entry by entry.

Exponential and deliberately simple; shares no code with inference or compilation, so that it can judge
them. Explanations by definition follow Zhang and Darwiche (2026), section 2, over explicit decisions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork

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


def decide(classifier: BaseClassifier, joint: dict[str, Fraction]) -> str | None:
    """Return the class by the words of the documentation, from exact joint probabilities."""
    if classifier.threshold is not None:
        positive = classifier.positive
        (other,) = [name for name in classifier.classes if name != positive]
        total = sum(joint.values())
        posterior = joint[str(positive)] / total if total else Fraction(0)
        return positive if posterior > classifier.threshold else other
    best = max(joint.values())
    tied = [name for name in classifier.classes if joint[name] == best]
    return tied[0] if len(tied) == 1 or classifier.ties == "lowest" else None


def decisions(classifier: BaseClassifier) -> dict[tuple[str, ...], str | None]:
    """Return the class of every instance."""
    return {states: decide(classifier, joint) for states, joint in joint_of_instances(classifier).items()}


def sufficient_reasons(classifier: BaseClassifier, instance: dict[str, str]) -> list[dict[str, str]]:
    """Return the minimal parts of the instance that fix its decision whatever the other features are."""
    return _minimal_parts(classifier, instance, necessary=False)


def necessary_reasons(classifier: BaseClassifier, instance: dict[str, str]) -> list[dict[str, str]]:
    """Return the minimal parts of the instance that, all given up together, can change its decision."""
    return _minimal_parts(classifier, instance, necessary=True)


def _minimal_parts(
    classifier: BaseClassifier, instance: dict[str, str], necessary: bool
) -> list[dict[str, str]]:
    own = tuple(instance[name] for name in classifier.features)
    table = decisions(classifier)
    others = [states for states, decision in table.items() if decision != table[own]]
    differing = [
        frozenset(i for i, (a, b) in enumerate(zip(own, states, strict=True)) if a != b) for states in others
    ]
    found: list[frozenset[int]] = []
    for size in range(len(own) + 1):
        for part in map(frozenset, combinations(range(len(own)), size)):
            if any(smaller <= part for smaller in found):
                continue
            if necessary:
                holds = any(change <= part for change in differing)
            else:
                holds = all(change & part for change in differing)
            if holds:
                found.append(part)
    return [{classifier.features[i]: own[i] for i in sorted(part)} for part in found]
