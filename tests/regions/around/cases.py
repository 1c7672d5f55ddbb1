"""Random classifiers without hidden variables in the way, and what enumeration says around an instance."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base.readers.choices import Ties
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.around.instance import Around
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.region import instances
from tests.hard_classifiers import extreme_classifier, mixed_classifier


def tree_classifier(seed: int) -> Classifier:
    """Return a classifier whose features have the target and at most two other features as parents.

    Some entries are zero, tables have few different entries so that ties are met, states are up to four and
    classes up to five; a threshold or the rule that leaves ties now and then.
    """
    rng = Random(f"tree {seed}")  # noqa: S311 - reproducible test data
    classes, parents = rng.choice((2, 2, 3, 5)), rng.choice((0, 1, 1, 2))
    zeros, range_ = rng.choice((0.0, 0.0, 0.1, 0.3)), rng.choice(((1, 2), (2, 4), (1, 99), (40, 60)))
    target = Variable("T", tuple(f"c{k}" for k in range(classes)))
    features = [Variable(f"x{k}", tuple("abcd"[: rng.choice((1, 2, 2, 2, 3, 4))])) for k in range(7)]

    def columns(states: int, number: int) -> list[Fraction]:
        entries: list[Fraction] = []
        for _ in range(number):
            weights = [0 if rng.random() < zeros else rng.randint(*range_) for _ in range(states)]
            weights = weights if any(weights) else [1] * states
            entries += [Fraction(weight, sum(weights)) for weight in weights]
        return entries

    shares = [rng.choice((1, 1, 5)) for _ in range(classes)]
    cpts = [CPT(target, (), [Fraction(share, sum(shares)) for share in shares])]
    for place, feature in enumerate(features):
        above = [target, *rng.sample(features[:place], min(place, rng.randint(0, parents)))]
        number = int(np.prod([len(variable) for variable in above]))
        cpts.append(CPT(feature, above, columns(len(feature), number)))
    network = BayesianNetwork([target, *features], cpts)
    threshold = Fraction(rng.randint(1, 9), 10) if classes == 2 and rng.random() < 0.3 else None
    ties: Ties = rng.choice(("lowest", "lowest", "none"))
    return Classifier(network, "T", [feature.name for feature in features], threshold, ties=ties)


@dataclass
class Case:
    """What is known around an instance, and all instances with their labels."""

    classifier: Classifier
    bounds: ObservedBounds
    around: Around
    label: int
    rows: NDArray[np.intp]
    labels: NDArray[np.intp]

    def stays(self, kept: Collection[int]) -> bool:
        """Return whether the label stays where these features and the fixed ones do, by enumeration."""
        held = [*kept, *self.around.fixed]
        same = (self.rows[:, held] == np.array(self.around.row)[held]).all(axis=1)
        return bool((self.labels[same] == self.label).all())

    def subsets(self) -> Iterator[tuple[int, ...]]:
        """Yield all sets of features that are not fixed."""
        free = [f for f in range(len(self.around.row)) if f not in self.around.fixed]
        for size in range(len(free) + 1):
            yield from combinations(free, size)

    def changed(self) -> NDArray[np.bool_]:
        """Return for each instance in which features it differs."""
        return np.asarray(self.rows != np.array(self.around.row))


def cases(seeds: range) -> Iterator[Case]:
    """Yield cases with labels that are classes."""
    for seed in seeds:
        for make in (tree_classifier, (mixed_classifier, extreme_classifier)[seed % 2]):
            rng = Random(f"{make.__name__} {seed}")  # noqa: S311 - reproducible test data
            classifier = make(rng.randrange(10**6))
            bounds = ObservedBounds(classifier)
            rows = instances([np.arange(len(variable)) for variable in classifier.feature_variables])
            labels = classifier.labels(rows)
            places = [rng.randrange(len(rows)) for _ in range(rng.choice((1, 8)))]
            place = max(places, key=lambda place: _alike_nearby(rows, labels, place))
            if labels[place] == NO_CLASS:
                continue
            width = rows.shape[1]
            fixed = rng.sample(range(width), rng.choice((0, 0, 0, 1, min(2, width))))
            label = int(labels[place])
            around = Around(bounds.of_class(label), rows[place].tolist(), fixed)
            yield Case(classifier, bounds, around, label, rows, labels)


def _alike_nearby(rows: NDArray[np.intp], labels: NDArray[np.intp], place: int) -> float:
    """Return which share of the instances that differ in at most two features has the same label."""
    near = (rows != rows[place]).sum(axis=1) <= 2
    return float((labels[near] == labels[place]).mean())
