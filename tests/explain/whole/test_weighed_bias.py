"""The share of biased decisions under distributions of the instances, against enumeration."""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel
from bnc2d.errors import Bnc2dError, Bnc2dWarning, ClassifierError, InstanceError, LogicError
from tests.compile.shares.by_definition import (
    Definition,
    States,
    random_forbidden,
    random_marginals,
    random_rows,
)
from tests.hard_classifiers import mixed_classifier


def check_bias(seed: int) -> Counter[str]:
    """Compare the shares of one random model, with and without a constraint; return what was seen."""
    rng = Random(f"bias {seed}")  # noqa: S311 - reproducible test data
    classifier = mixed_classifier(seed, 300)
    whole = classifier.compile()
    seen: Counter[str] = Counter()
    for forbidden in ([], random_forbidden(classifier, rng)):
        truth = Definition(classifier, forbidden)
        try:
            model: CompiledModel = whole.given(forbidden) if forbidden else whole
        except LogicError:
            continue
        protected = rng.sample(classifier.features, rng.randint(1, len(classifier.features)))
        biased = _biased(truth, protected)
        marginals = random_marginals(classifier, rng)
        rows = [row for row in random_rows(classifier, rng) if len(row) == len(classifier.features)]
        drawn = Counter(tuple(row[name] for name in classifier.features) for row in rows)
        asked: list[tuple[Any, dict[States, Fraction], bool]] = [
            (None, dict.fromkeys(truth.joints, Fraction(1)), True),
            ("network", truth.by_network(), False),
            (marginals, truth.by_marginals(marginals), False),
        ]
        if rows:
            asked.append((rows, {states: Fraction(drawn[states]) for states in truth.joints}, True))
        for distribution, weights, has_count in asked:
            total = sum((weights[states] for states in truth.allowed), Fraction(0))
            part = sum((weights[states] for states in truth.allowed if states in biased), Fraction(0))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Bnc2dWarning)
                if not total:
                    with pytest.raises(ClassifierError, match=r"probability 0|violate the constraint"):
                        model.is_biased(protected, distribution=distribution)
                    seen["nothing"] += 1
                    continue
                found = model.is_biased(protected, distribution=distribution)
            assert found.biased == bool(biased), seed
            assert found.share == part / total, (seed, distribution)
            assert found.count == (part if has_count else None), (seed, distribution)
            seen["part"] += 0 < part < total
            seen["given"] += bool(forbidden)
    return seen


def _biased(truth: Definition, protected: list[str]) -> set[States]:
    """Return the allowed instances with an allowed twin, but for protected features, decided otherwise."""
    free = [at for at, name in enumerate(truth.classifier.features) if name not in protected]
    groups: dict[States, set[str | None]] = {}
    for states in truth.allowed:
        groups.setdefault(tuple(states[at] for at in free), set()).add(truth.decisions[states])
    return {states for states in truth.allowed if len(groups[tuple(states[at] for at in free)]) > 1}


def test_shares_of_biased_decisions_are_those_of_the_definition() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20):
        seen += check_bias(seed)
    assert all(seen[kind] >= 3 for kind in ("part", "given", "nothing")), seen


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"distribution": [{"BP": "High"}]}, InstanceError, "row 0 of the distribution leaves features out"),
        (
            {"instance": {"BP": "High"}, "distribution": "network"},
            ClassifierError,
            "does not go with a single",
        ),
        ({"distribution": "x"}, Bnc2dError, "distribution must be 'uniform', 'network'"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, Any], error: type[Bnc2dError], words: str) -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(error, match=words):
        model.is_biased("CT", **arguments)
