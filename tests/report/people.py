"""Classifiers as people have them: numbers in units, labels, binary features, many states, hostile names."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

import bnc2d
from bnc2d.base.scales import Intervals, States

HOSTILE = '<script>alert("1")</script>'
CREDIT: dict[str, Sequence[str]] = {
    "age": States(Intervals([25, 37.5, 50, 65], unit="years")),
    "income": States(Intervals([20_000, 50_000, 120_000], unit="€")),
    "employed": ("no", "yes"),
    "housing": ("own", "rent", "with family", "other"),
    "debts": States(Intervals([0.5])),
}
APPLICANT = {"age": 41, "income": 34_500, "employed": "yes", "housing": "rent", "debts": 2}


def naive_bayes(
    seed: int,
    features: Mapping[str, Sequence[str]],
    classes: Sequence[str] = ("approved", "refused"),
    target: str = "loan",
    *,
    threshold: float | None = None,
) -> bnc2d.Classifier:
    """Return a naive Bayes classifier with random tables."""
    rng = random.Random(seed)  # noqa: S311 - reproducible test data
    root = bnc2d.Variable(target, tuple(classes))

    def column(size: int) -> list[Fraction]:
        weights = [rng.randint(1, 9) ** 2 for _ in range(size)]
        return [Fraction(weight, sum(weights)) for weight in weights]

    variables, cpts = [root], [bnc2d.CPT(root, (), [Fraction(1, len(classes))] * len(classes))]
    for name, states in features.items():
        kept = states if isinstance(states, States) else tuple(states)
        variables.append(bnc2d.Variable(name, kept))
        entries = [entry for _ in classes for entry in column(len(states))]
        cpts.append(bnc2d.CPT(variables[-1], (root,), entries))
    network = bnc2d.BayesianNetwork(variables, cpts)
    return bnc2d.Classifier(network, target, list(features), threshold)


def some_features(rng: random.Random, count: int) -> dict[str, Sequence[str]]:
    """Return features of all kinds."""
    found: dict[str, Sequence[str]] = {}
    for number in range(count):
        kind = rng.randrange(3)
        if kind == 0:
            cuts = sorted(rng.sample(range(-50, 200), rng.randint(1, 4)))
            found[f"number {number}"] = States(Intervals(cuts, unit=rng.choice(["", "cm"])))
        elif kind == 1:
            found[f"label {number}"] = [f"state {at}" for at in range(rng.randint(3, 5))]
        else:
            found[f"X{number}"] = ("0", "1")
    return found


def hostile() -> tuple[bnc2d.Classifier, dict[str, str]]:
    """Return a classifier whose names are markup, long, from right to left, or pictures; and an instance."""
    features = {
        HOSTILE: (HOSTILE + "a", HOSTILE + "b", "&amp;"),
        "W" * 200: ("M" * 200, "i" * 200),
        "שם התכונה": ("ערך ראשון", "ערך שני"),
        "🦉 owl \u202e &": ("✅", "❌", "日本語の状態"),
        "]]>": ("]]>", "--"),
    }
    instance = {name: states[-1] for name, states in features.items()}
    return naive_bayes(2, features, (HOSTILE, "'\"no"), HOSTILE + "t"), instance
