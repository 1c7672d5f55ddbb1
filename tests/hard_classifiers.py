"""Seeded random classifiers that together reach every hard case, and some far from even."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from random import Random

from bnc2d import Classifier
from bnc2d.base.readers.instances import all_rows
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.testing import random_classifier, random_instance


def mixed_classifier(seed: int, max_instances: int = 500) -> Classifier:
    """Return a small classifier of a random kind; all seeds together reach every hard case.

    Ties, zeros, many classes (some empty), many states, a single feature, inner features, any target, both
    tie rules, thresholds and thresholds that an instance hits exactly; a third of the networks each also has
    uniform tables, features that repeat others, and features that nothing is connected to. Most classifiers
    drawn blindly decide everything alike; such a one is kept only when a few draws give no other.
    """
    for draw in range(3):
        classifier = _mixed_classifier(f"mixed {seed} {draw}", max_instances)
        decisions = (set(classifier.labels(rows).tolist()) for rows in all_rows(classifier.feature_variables))
        if len(set.union(*decisions)) > 1:
            break
    return classifier


def _mixed_classifier(seed: str, max_instances: int) -> Classifier:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    plain = random_classifier(
        rng.randrange(10**9),
        variables=rng.randint(2, 11),
        features=rng.choice((1, 3, 4, 5, 6, 7, 8)),
        max_states=rng.choice((2, 2, 3, 4, 9)),
        min_states=rng.choice((1, 2, 2)),
        max_parents=rng.choice((0, 1, 2, 3, 4)),
        zero_share=rng.choice((0.0, 0.15, 0.5)),
        deterministic_share=rng.choice((0.0, 0.1, 0.4)),
        repeat_share=rng.choice((0.0, 0.5, 0.9)),
        digits=rng.choice((1, 2, 3)),
        inner_features=rng.random() < 0.7,
        root_target=rng.random() < 0.3,
        threshold=rng.random() < 0.4,
        ties=rng.choice(("lowest", "lowest", "none")),
    )
    cpts = {cpt.child.name: cpt for cpt in plain.network.cpts}
    features = list(plain.features)
    if rng.random() < 1 / 3:
        for name in {plain.target, *rng.sample(list(cpts), len(cpts) // 3)}:
            cpts[name] = _uniform(cpts[name].child, cpts[name].parents)
    if rng.random() < 1 / 3:
        original = cpts[rng.choice(features)]
        twin = Variable("Twin", original.child.states)
        if rng.random() < 0.5:
            cpts["Twin"] = CPT(twin, original.parents, original.exact.reshape(-1).tolist())
        else:
            same = [Fraction(int(a == b)) for a in twin.states for b in twin.states]
            cpts["Twin"] = CPT(twin, (original.child,), same)
        features.append("Twin")
    if rng.random() < 1 / 3:
        cpts["Alone"] = _uniform(Variable("Alone", ("no", "yes")), ())
        features.insert(0, "Alone")
    network = BayesianNetwork([cpt.child for cpt in cpts.values()], cpts.values(), seed)
    classifier = Classifier(network, plain.target, features, plain.threshold, plain.positive, plain.ties)
    while classifier.instance_count > max_instances:
        features.remove(max(features, key=lambda name: len(network.variable(name))))
        classifier = Classifier(network, plain.target, features, plain.threshold, plain.positive, plain.ties)
    if plain.threshold is not None and rng.random() < 0.5:
        hit = classifier.posterior(random_instance(classifier, rng.randrange(10**9)))[str(plain.positive)]
        if 0 < hit < 1:
            return Classifier(network, plain.target, features, hit, plain.positive, plain.ties)
    return classifier


def extreme_classifier(seed: int, max_instances: int = 100) -> Classifier:
    """Return a classifier like ``mixed_classifier`` whose tables, prior or threshold are far from even.

    Entries are multiplied by powers of ten down to ``10**-60``, ``10**-150``, ``10**-320`` or ``10**-2000``,
    in the target's table, in those of features, of hidden variables, of all or of none; thresholds are as
    near to 0 or 1. In half of the tables the factor of a state is the same whatever the parents are.
    """
    rng = Random(f"extreme {seed}")  # noqa: S311 - reproducible test data
    plain = _mixed_classifier(f"extreme {seed}", max_instances)
    smallest = rng.choice((60, 150, 150, 320, 2000))
    share = rng.choice((0.1, 0.3, 0.8))
    chosen = rng.choice(("target", "feature", "hidden", "", *["target feature hidden"] * 3))
    cpts = []
    for cpt in plain.network.cpts:
        name = cpt.child.name
        role = "target" if name == plain.target else "feature" if name in plain.features else "hidden"
        if role in chosen:
            factors = _far_from_even(rng, len(cpt.child), share, smallest)
            alike = rng.random() < 0.5
            entries: list[Fraction] = []
            for column in cpt.exact.reshape(-1, len(cpt.child)).tolist():
                if not alike:
                    factors = _far_from_even(rng, len(cpt.child), share, smallest)
                entries += _squeezed(column, factors)
            cpt = CPT(cpt.child, cpt.parents, entries)
        cpts.append(cpt)
    network = BayesianNetwork(plain.network.variables, cpts, f"extreme{seed}")
    threshold = plain.threshold
    if threshold is not None and rng.random() < 0.7:
        threshold = _tiny(rng, smallest)
        threshold = threshold if rng.random() < 0.5 else 1 - threshold
    return Classifier(network, plain.target, plain.features, threshold, plain.positive, plain.ties)


def _far_from_even(rng: Random, count: int, share: float, smallest: int) -> list[Fraction]:
    return [_tiny(rng, smallest) if rng.random() < share else Fraction(1) for _ in range(count)]


def _tiny(rng: Random, smallest: int) -> Fraction:
    exponent = rng.choice((rng.randint(1, smallest), smallest // 2, smallest))
    return Fraction(rng.randint(1, 9), 10**exponent)


def _squeezed(column: Sequence[Fraction], factors: Sequence[Fraction]) -> list[Fraction]:
    """Return the entries times the factors; the largest of them takes the rest."""
    top = max(range(len(column)), key=lambda state: column[state])
    squeezed = [entry * factor for entry, factor in zip(column, factors, strict=True)]
    squeezed[top] += 1 - sum(squeezed, Fraction(0))
    return squeezed


def _uniform(child: Variable, parents: Sequence[Variable]) -> CPT:
    return CPT(child, parents, [Fraction(1, len(child))] * (len(child) * prod(map(len, parents))))
