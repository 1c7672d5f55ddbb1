"""Classifiers of any size, drawn by families: what to measure where public networks end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bnc2d.api.classifier import Classifier
from bnc2d.errors import ClassifierError
from bnc2d.model.network import BayesianNetwork
from bnc2d.testing import random_latent_tree, random_naive_bayes, random_noisy_or, random_tan


def synthetic_classifier(family: str, features: int, states: int, classes: int, seed: int) -> Classifier:
    """Return the classifier of a family with this many features, states a feature and classes.

    The same arguments always give the same classifier. Its target is ``Y``, its features ``X0``, ``X1``, …
    """
    network = FAMILIES[family](seed, features, states, classes)
    return Classifier(network, "Y", [f"X{number}" for number in range(features)])


def _noisy_or(seed: int, features: int, states: int, classes: int) -> BayesianNetwork:
    if (states, classes) != (2, 2):
        raise ClassifierError(f"a noisy-or network is binary, not of {states} states and {classes} classes")
    return random_noisy_or(seed, features)


FAMILIES: Mapping[str, Callable[[int, int, int, int], BayesianNetwork]] = {
    "noisy-or": _noisy_or,
    "naive-bayes": random_naive_bayes,
    "tan": random_tan,
    "random-tree": random_latent_tree,
}
