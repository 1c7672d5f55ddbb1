"""The tables of a network for a page, so that its script can tell the probability of each class."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT

# A page with more table entries would be slow to load.
MAX_ENTRIES = 200_000
_EXACT_IN_JAVASCRIPT = 2**53
# Smaller numbers vanish in products of floats.
_SMALLEST = Fraction(1, 10**280)


def page_tables(classifier: BaseClassifier) -> dict[str, Any] | str:
    """Return the tables that matter, ready for JSON, or a sentence that says why there are none.

    Only ancestors of the target and the features matter. Table *i* is that of variable *i*, as
    ``[scope, entries, exact]``: the variable is the last of the scope and its state varies fastest, entries
    are floats. ``exact`` is 1 where their shortest decimals are the exact entries; else a list of integers in
    the ratio of the exact entries; 0 where these are too large.
    """
    network = classifier.network
    relevant = network.ancestors([classifier.target, *classifier.features])
    names = [name for name in network.names if name in relevant]
    cpts = [network.cpt(name) for name in names]
    count = sum(cpt.exact.size for cpt in cpts)
    if count > MAX_ENTRIES:
        return f"The tables of the network have {count} entries, too many for a page."
    positives = {entry for cpt in cpts for entry in cpt.exact.reshape(-1).tolist() if entry}
    threshold = classifier.threshold
    if threshold is not None:
        positives |= {threshold, 1 - threshold}
    if min(positives) < _SMALLEST:
        return "Some probabilities of the network are too small for a page."
    ids = {name: position for position, name in enumerate(names)}
    decimals = {entry for entry in positives if Fraction(repr(float(entry))) == entry}
    return {
        "sizes": [len(network.variable(name)) for name in names],
        "target": ids[classifier.target],
        "features": [ids[name] for name in classifier.features],
        "tables": [_table(cpt, ids, decimals) for cpt in cpts],
    }


def _table(cpt: CPT, ids: dict[str, int], decimals: set[Fraction]) -> list[Any]:
    entries = cpt.exact.reshape(-1).tolist()
    exact: int | list[int] = 1
    if not all(not entry or entry in decimals for entry in entries):
        common = lcm(*(entry.denominator for entry in entries))
        exact = [int(entry * common) for entry in entries] if common < _EXACT_IN_JAVASCRIPT else 0
    return [[ids[variable.name] for variable in cpt.scope], [float(e) or 0 for e in entries], exact]


def page_rule(classifier: BaseClassifier) -> dict[str, Any]:
    """Return the decision rule, ready for JSON; a threshold (and 1 minus it) as a float, and exactly."""
    threshold = classifier.threshold
    if threshold is None:
        return {"ties": classifier.ties, "threshold": None}
    return {
        "ties": classifier.ties,
        "threshold": {
            "positive": classifier.rule.positive,
            "at": float(threshold),
            "below": float(1 - threshold),
            "exact": [str(threshold.numerator), str(threshold.denominator)],
        },
    }
