"""Shares by definition: every instance with its exact weight, and every row with its decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np

from bnc2d import Classifier
from bnc2d.verify.oracle import decide, exact_joints

States = tuple[str, ...]
Shares = dict[str | None, Fraction]


class Definition:
    """All instances of a small classifier, of which some may be forbidden."""

    def __init__(self, classifier: Classifier, forbidden: Sequence[Mapping[str, Any]] = ()) -> None:
        self.classifier = classifier
        self.joints = exact_joints(classifier)
        self.decisions = {states: decide(classifier, joint) for states, joint in self.joints.items()}
        self.allowed = [
            states
            for states in self.joints
            if not any(
                all(
                    own in one.get(name, (own,))
                    for name, own in zip(classifier.features, states, strict=True)
                )
                for one in forbidden
            )
        ]

    def shares(self, weights: Mapping[States, Fraction]) -> Shares | None:
        """Return the share of each decision among the allowed instances; None where they weigh nothing."""
        found: Shares = {}
        for states in self.allowed:
            name = self.decisions[states]
            found[name] = found.get(name, Fraction(0)) + weights[states]
        return _normalised(found)

    def by_network(self) -> dict[States, Fraction]:
        """Return ``P(x)`` of every instance."""
        return {states: sum(joint.values(), Fraction(0)) for states, joint in self.joints.items()}

    def by_marginals(self, marginals: Mapping[str, Mapping[str, Fraction]]) -> dict[States, Fraction]:
        """Return the product of the marginals, uniform where a feature has none."""
        found = {}
        for states in self.joints:
            weight = Fraction(1)
            for variable, state in zip(self.classifier.feature_variables, states, strict=True):
                given = marginals.get(variable.name)
                weight *= Fraction(1, len(variable)) if given is None else given.get(state, Fraction(0))
            found[states] = weight
        return found

    def of_rows(self, rows: Sequence[Mapping[str, str]]) -> Shares | None:
        """Return the share of each decision among the rows of which some completion is allowed."""
        found: Shares = {}
        names = self.classifier.features
        for row in rows:
            domains = [
                [row[v.name]] if v.name in row else v.states for v in self.classifier.feature_variables
            ]
            completions = list(product(*domains))
            assert len(names) == len(domains)
            if not set(completions) & set(self.allowed):
                continue
            joint = {
                name: sum((self.joints[states][name] for states in completions), Fraction(0))
                for name in self.classifier.classes
            }
            decision = decide(self.classifier, joint)
            found[decision] = found.get(decision, Fraction(0)) + 1
        return _normalised(found)


def _normalised(found: Shares) -> Shares | None:
    total = sum(found.values(), Fraction(0))
    return {name: share / total for name, share in found.items() if share} if total else None


def random_forbidden(classifier: Classifier, rng: Random) -> list[dict[str, list[str]]]:
    """Return combinations of states that are forbidden."""
    found = []
    for _ in range(rng.randint(1, 4)):
        chosen = rng.sample(classifier.feature_variables, rng.randint(1, len(classifier.features)))
        found.append({v.name: rng.sample(v.states, rng.randint(1, len(v))) for v in chosen})
    return found


def random_marginals(classifier: Classifier, rng: Random) -> dict[str, dict[str, Fraction]]:
    """Return exact marginals of some features, with zeros among them."""
    found = {}
    for variable in classifier.feature_variables:
        if rng.random() < 0.7:
            numbers = [rng.choice((0, 1, 2, 7)) for _ in variable.states]
            numbers[rng.randrange(len(numbers))] += 1
            found[variable.name] = {
                state: Fraction(number, sum(numbers))
                for state, number in zip(variable.states, numbers, strict=True)
                if number or rng.random() < 0.5
            }
    return found


def random_rows(classifier: Classifier, rng: Random) -> list[dict[str, str]]:
    """Return rows, of which some leave features out."""
    missing = rng.choice((0.0, 0.0, 0.3))
    return [
        {v.name: rng.choice(v.states) for v in classifier.feature_variables if rng.random() >= missing}
        for _ in range(rng.randint(1, 12))
    ]


def as_positions(classifier: Classifier, rows: Sequence[Mapping[str, str]]) -> Any:
    """Return complete rows as an array of positions."""
    return np.array([[v.index(row[v.name]) for v in classifier.feature_variables] for row in rows])
