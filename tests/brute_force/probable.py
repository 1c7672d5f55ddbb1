"""Probable reasons by definition: the probability of every set of kept features, summed over instances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

from bnc2d import Classifier
from bnc2d.verify.oracle import decide
from tests.brute_force.decisions import joint_of_instances

States = tuple[str, ...]
Weights = dict[States, Fraction]


@dataclass(frozen=True)
class Truth:
    """What every instance weighs and how it is decided; ``weights`` has only those that count."""

    features: tuple[str, ...]
    decisions: dict[States, str | None]
    weights: Weights
    own: States
    fixed: frozenset[str]

    @property
    def free(self) -> list[str]:
        return [name for name in self.features if name not in self.fixed]

    def probability(self, kept: Iterable[str]) -> Fraction | None:
        """Return P(decision as here | kept and fixed features as here); None where nothing weighs."""
        places = [f for f, name in enumerate(self.features) if name in self.fixed.union(kept)]
        total = same = Fraction(0)
        for states, weight in self.weights.items():
            if all(states[f] == self.own[f] for f in places):
                total += weight
                same += weight * (self.decisions[states] == self.decisions[self.own])
        return same / total if total else None

    def all_probabilities(self) -> dict[frozenset[str], Fraction | None]:
        sets = (some for size in range(len(self.free) + 1) for some in combinations(self.free, size))
        return {frozenset(some): self.probability(some) for some in sets}


def minimal(probabilities: Mapping[frozenset[str], Fraction | None], d: Fraction) -> set[frozenset[str]]:
    """Return the sets with probability d or more of which no proper subset has it."""
    enough = {some for some, found in probabilities.items() if found is not None and found >= d}
    return {some for some in enough if not any(other < some for other in enough)}


def locally_minimal(
    probabilities: Mapping[frozenset[str], Fraction | None], d: Fraction, some: frozenset[str]
) -> bool:
    """Return whether a set has probability d or more and loses it without any one of its features."""

    def enough(one: frozenset[str]) -> bool:
        found = probabilities[one]
        return found is not None and found >= d

    return enough(some) and not any(enough(some - {name}) for name in some)


def decided(classifier: Classifier) -> tuple[dict[States, str | None], Weights]:
    """Return the decision on every instance, and its probability by the network."""
    joint = joint_of_instances(classifier)
    weights = {states: sum(by_class.values(), Fraction(0)) for states, by_class in joint.items()}
    return {states: decide(classifier, by_class) for states, by_class in joint.items()}, weights


def drawn_marginals(rng: Random, classifier: Classifier, zeros: bool) -> dict[str, dict[str, Fraction]]:
    """Return probabilities of the states of some features."""
    found = {}
    for variable in classifier.feature_variables:
        if rng.random() < 0.8:
            numbers = [rng.randint(0 if zeros else 1, 5) for _ in variable.states]
            numbers[rng.randrange(len(numbers))] += 1
            found[variable.name] = {
                state: Fraction(one, sum(numbers))
                for state, one in zip(variable.states, numbers, strict=True)
            }
    return found


def weights_of_marginals(
    classifier: Classifier, marginals: Mapping[str, Mapping[str, Fraction]], instances: Iterable[States]
) -> Weights:
    """Return the product of the probabilities for each instance."""
    even = {v.name: {state: Fraction(1, len(v)) for state in v.states} for v in classifier.feature_variables}
    columns: Sequence[Mapping[str, Fraction]] = [
        {**dict.fromkeys(even[name], Fraction(0)), **marginals[name]} if name in marginals else even[name]
        for name in classifier.features
    ]
    found = {}
    for states in instances:
        weight = Fraction(1)
        for column, state in zip(columns, states, strict=True):
            weight *= column[state]
        found[states] = weight
    return found
