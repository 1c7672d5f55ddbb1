"""The worst case against the definition: every instance with a part is looked at."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from random import Random

import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, UnsupportedError, Variable
from bnc2d.experiments.data.worst_case import WorstCase
from tests.brute_force.decisions import decisions


def forest(seed: int) -> Classifier:
    """A naive Bayes with a random forest on its features; few different entries, so that ties are many."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    target = Variable("Y", tuple("abc"[: rng.randint(2, 3)]))
    cpts = [_drawn(rng, target, [])]
    features: list[Variable] = []
    for number in range(rng.randint(1, 4)):
        child = Variable(f"X{number}", tuple(str(state) for state in range(rng.randint(2, 3))))
        above = [rng.choice(features)] if features and rng.random() < 0.6 else []
        parents = [target, *above]
        rng.shuffle(parents)
        cpts.append(_drawn(rng, child, parents))
        features.append(child)
    names = [feature.name for feature in features]
    rng.shuffle(names)
    return Classifier(BayesianNetwork([target, *features], cpts), "Y", names)


def _drawn(rng: Random, child: Variable, parents: list[Variable]) -> CPT:
    columns = 1
    for parent in parents:
        columns *= len(parent.states)
    entries = []
    for _ in range(columns):
        weights = [rng.randint(1, 3) for _ in child.states]
        entries += [Fraction(weight, sum(weights)) for weight in weights]
    return CPT(child, parents, entries)


@pytest.mark.parametrize("seed", range(25))
def test_every_part_of_every_instance(seed: int) -> None:
    classifier = forest(seed)
    worst_case = WorstCase(classifier.network, classifier.target, classifier.features)
    known = decisions(classifier)
    variables = classifier.feature_variables
    numbers = range(len(variables))
    parts = list(chain.from_iterable(combinations(numbers, size) for size in range(len(variables) + 1)))
    for states, decision in known.items():
        row = [variable.states.index(state) for variable, state in zip(variables, states, strict=True)]
        label = worst_case.label(row)
        assert classifier.classes[label] == decision
        sufficient = {
            part
            for part in parts
            if all(
                found == decision
                for other, found in known.items()
                if all(other[feature] == states[feature] for feature in part)
            )
        }
        assert {part for part in parts if worst_case.decides(row, part, label)} == sufficient
        minimal = {p for p in sufficient if not any(set(q) < set(p) for q in sufficient)}
        assert {part for part in parts if worst_case.is_reason(row, part, label)} == minimal
        least = min(map(len, minimal))
        assert [worst_case.is_shortest(row, size, label, 100) for size in range(least + 2)] == [
            *[True] * (least + 1),
            False,
        ]
        assert worst_case.is_shortest(row, least + 1, label, 0) is None


def test_what_it_is_not_made_for() -> None:
    target, first, second = (Variable(name, ("0", "1")) for name in "YAB")
    half = [Fraction(1, 2)] * 4
    certain = [Fraction(0), Fraction(1), *half[:2]]
    prior = CPT(target, [], half[:2])
    alone = CPT(first, [], half[:2])
    below = CPT(first, [target], half)
    cases = {
        "other parents": BayesianNetwork([target, first], [prior, alone]),
        "probability is 0": BayesianNetwork([target, first], [prior, CPT(first, [target], certain)]),
        "all variables": BayesianNetwork(
            [target, first, second], [prior, below, CPT(second, [target], half)]
        ),
    }
    for message, network in cases.items():
        with pytest.raises(UnsupportedError, match=message):
            WorstCase(network, "Y", ["A"])
