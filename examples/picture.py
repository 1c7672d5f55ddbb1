"""A picture of one decision, and one of the reasons of many: the loan of the documentation's first page.

The classifier is a naive Bayes over numbers in units and labels. With a folder it writes the pictures there:

    python examples/picture.py docs/_static
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import bnc2d

# The states of each column, and how likely each is where the loan was paid back and where it was not.
COLUMNS: dict[str, tuple[tuple[str, ...], list[float], list[float]]] = {
    "age": (
        bnc2d.States(bnc2d.Intervals([25, 40, 60], unit="years")),
        [0.10, 0.35, 0.40, 0.15],
        [0.35, 0.35, 0.20, 0.10],
    ),
    "income": (
        bnc2d.States(bnc2d.Intervals([20_000, 35_000, 60_000], unit="€")),
        [0.08, 0.27, 0.40, 0.25],
        [0.42, 0.33, 0.18, 0.07],
    ),
    "employed": (
        ("no", "under 1 year", "1 to 5 years", "over 5 years"),
        [0.05, 0.15, 0.35, 0.45],
        [0.30, 0.30, 0.25, 0.15],
    ),
    "housing": (("own", "rent", "with family"), [0.50, 0.40, 0.10], [0.20, 0.55, 0.25]),
    "open debts": (bnc2d.States(bnc2d.Intervals([1, 3])), [0.55, 0.35, 0.10], [0.20, 0.40, 0.40]),
    "guarantor": (("no", "yes"), [0.80, 0.20], [0.90, 0.10]),
}
APPLICANT = {
    "age": 31,
    "income": 28_500,
    "employed": "under 1 year",
    "housing": "rent",
    "open debts": 4,
    "guarantor": "no",
}


def loan_classifier() -> bnc2d.Classifier:
    """Return the classifier: the loan is the parent of every column."""
    loan = bnc2d.Variable("loan", ("approved", "refused"))
    variables, tables = [loan], [bnc2d.CPT(loan, (), [0.6, 0.4])]
    for name, (states, approved, refused) in COLUMNS.items():
        variables.append(bnc2d.Variable(name, states))
        tables.append(bnc2d.CPT(variables[-1], (loan,), [*approved, *refused]))
    return bnc2d.Classifier(bnc2d.BayesianNetwork(variables, tables), "loan", list(COLUMNS))


def applicants(count: int) -> list[dict[str, str]]:
    """Return random applicants, by the states of their columns."""
    rng = np.random.default_rng(7)
    return [{name: str(rng.choice(states)) for name, (states, _, _) in COLUMNS.items()} for _ in range(count)]


def main(folder: Path | None) -> None:
    """Say what the pictures show, and write them where there is a folder: for a page, and for a phone."""
    model = loan_classifier().compile()
    decision = model.explain(APPLICANT).figure()
    print(decision.title)
    print(decision.text)
    reasons = bnc2d.heat_map(model.explain_many(applicants(400)))
    print(reasons.title)
    print(reasons.text)
    for name, chart in (("decision", decision), ("reasons", reasons)) if folder else ():
        for suffix, width in (("", 680), ("-phone", 360)):
            chart.save(f"{folder}/loan-{name}{suffix}.svg", width)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
