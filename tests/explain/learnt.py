"""Classifiers learnt from few rows by maximum likelihood: what the rows do not show has probability zero."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from bnc2d import CPT, BayesianNetwork, Classifier, Variable

Data = list[dict[str, str]]


def some_rows(seed: int, rows: int, features: int, states: int, classes: int = 2) -> Data:
    """Return rows whose features go with the class ``Y`` and with the feature before them."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    found = []
    for _ in range(rows):
        row = {"Y": str(rng.randrange(classes))}
        before = int(row["Y"])
        for number in range(features):
            if rng.random() > 0.6:
                before = rng.randrange(states)
            row[f"X{number}"] = str(before % states)
        found.append(row)
    return found


def learnt_tan(rows: Data, states: int, classes: int = 2, **options: Any) -> Classifier:
    """Return the classifier of ``Y``, each feature below the target and the feature before it.

    Table entries are relative frequencies; a column that no row belongs to is even.
    """
    target = Variable("Y", tuple(map(str, range(classes))))
    features = [Variable(name, tuple(map(str, range(states)))) for name in rows[0] if name != "Y"]
    cpts = [_table(rows, target, ())]
    for number, feature in enumerate(features):
        cpts.append(_table(rows, feature, (target, *features[max(0, number - 1) : number])))
    network = BayesianNetwork([target, *features], cpts, name="learnt")
    return Classifier(network, "Y", [feature.name for feature in features], **options)


def _table(rows: Data, child: Variable, parents: tuple[Variable, ...]) -> CPT:
    entries: list[Fraction] = []
    for states in product(*(parent.states for parent in parents)):
        column = [
            row[child.name]
            for row in rows
            if all(row[p.name] == state for p, state in zip(parents, states, strict=True))
        ]
        entries += [
            Fraction(column.count(s) if column else 1, len(column) or len(child)) for s in child.states
        ]
    return CPT(child, parents, entries)
