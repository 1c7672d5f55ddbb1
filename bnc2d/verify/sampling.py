"""Instances to ask the oracle about: likely ones, arbitrary ones, and those nearest to a tie."""

from __future__ import annotations

from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.model.classifier import BaseClassifier

_DRAWN = 20  # instances for each that is asked


def sample(classifier: BaseClassifier, count: int, seed: int) -> Rows:
    """Return rows of states: half of them the closest calls among many possible instances that were drawn.

    Half of all are drawn from the network itself: where tables have zeros, an arbitrary instance is hardly
    ever possible.
    """
    rng = np.random.default_rng(seed)
    half = _DRAWN * count // 2
    sizes = [len(variable) for variable in classifier.feature_variables]
    likely = _likely(classifier, rng, half)
    arbitrary = rng.integers(0, sizes, size=(half, len(sizes)))
    drawn = np.concatenate([likely, arbitrary])
    posteriors = classifier.posterior(drawn)
    if classifier.threshold is None:
        ranked = np.sort(posteriors, axis=1)
        margins = ranked[:, -1] - (ranked[:, -2] if ranked.shape[1] > 1 else 0)
    else:
        positive = classifier.classes.index(str(classifier.positive))
        margins = np.abs(posteriors[:, positive] - float(classifier.threshold))
    margins[~posteriors.any(axis=1)] = np.inf
    nearest = drawn[np.argsort(margins, kind="stable")[: count // 2]]
    left = count - len(nearest)
    return np.concatenate([nearest, likely[: left // 2], arbitrary[: left - left // 2]])


def _likely(classifier: BaseClassifier, rng: np.random.Generator, count: int) -> Rows:
    """Return instances drawn from the network, parents before children."""
    network = classifier.network
    states: dict[str, NDArray[np.intp]] = {}
    for name in TopologicalSorter({name: network.parents(name) for name in network.names}).static_order():
        columns = network.cpt(name).values[tuple(states[parent] for parent in network.parents(name))]
        upto = np.cumsum(np.broadcast_to(columns, (count, columns.shape[-1])), axis=1)
        chosen = (upto <= rng.random((count, 1)) * upto[:, -1:]).sum(axis=1)
        states[name] = np.minimum(chosen, columns.shape[-1] - 1)
    return np.stack([states[name] for name in classifier.features], axis=1)
