"""Claims about two instances that the tables of one feature prove, whatever all other features are.

Where no hidden variable is next to a feature, ``P(y, x)`` is a product of the tables that mention it, a
weight ``w(y, f, n)`` of the class, the feature and its neighbours, and of others. Let class ``a`` be decided
where the feature is ``s``, so that ``a`` beats ``b`` there. If ``w(a, t) w(b, s) >= w(a, s) w(b, t)`` for all
neighbours, and no entry is zero, ``a`` beats ``b`` where the feature is ``t`` as well, by the same rule for
ties. So a likelihood ratio that is monotone proves a claim from tables alone; several changes are a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.whole.rules.claims import PairClaim
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT

# Products to compare, in fractions.
_MOST_PRODUCTS = 1 << 16


def proved_by_ratios(classifier: BaseClassifier, claim: PairClaim, features: Iterable[FeatureId]) -> bool:
    """Return whether tables prove that no change of these features breaks a claim; False says nothing."""
    return all(_keeps(classifier, claim, feature) for feature in features)


def _keeps(classifier: BaseClassifier, claim: PairClaim, feature: FeatureId) -> bool:
    network, variable = classifier.network, classifier.feature_variables[feature]
    relevant = network.ancestors([classifier.target, *classifier.features])
    tables = [network.cpt(name) for name in network.names if name in relevant]
    tables = [cpt for cpt in tables if variable in cpt.scope]
    if any(0 in cpt.exact for cpt in tables):
        return False
    known = {classifier.target, *classifier.features}
    if any(other.name not in known for cpt in tables for other in cpt.scope):
        return False
    first = [classifier.target, variable.name]
    tables = [cpt for cpt in tables if any(other.name == classifier.target for other in cpt.scope)]
    others = {other.name for cpt in tables for other in cpt.scope}.difference(first)
    names = [*first, *sorted(others)]
    forbidden = np.argwhere(claim.forbidden[:-1, :-1]).tolist()
    states = len(variable)
    steps = list(pairwise(range(states)))
    if claim.change != "up":  # both ways
        steps = [step for state in range(1, states) for step in ((0, state), (state, 0))]
    columns = prod(len(network.variable(name)) for name in others)
    if columns * max(len(forbidden) * len(steps), len(classifier.classes) * states) > _MOST_PRODUCTS:
        return False
    weights = _product(tables, names, [len(network.variable(name)) for name in names])
    weights = weights.reshape(len(classifier.classes), states, columns)
    for one, other in forbidden:
        checkpoint()
        for low, high in steps:
            kept = weights[one, high] * weights[other, low] >= weights[one, low] * weights[other, high]
            if not kept.all():
                return False
    return True


def _product(tables: Sequence[CPT], names: Sequence[str], sizes: Sequence[int]) -> NDArray[Any]:
    """Return the product of tables, with an axis for each of the names."""
    found = np.ones(sizes, dtype=object)
    for cpt in tables:
        axes = [names.index(variable.name) for variable in cpt.scope]
        order = sorted(range(len(axes)), key=lambda place: axes[place])
        shape = [size if axis in axes else 1 for axis, size in enumerate(sizes)]
        found = found * cpt.exact.transpose(order).reshape(shape)
    return found
