"""What the missing features could do, as plain data; ``docs/json.md`` describes every key."""

from __future__ import annotations

from fractions import Fraction
from math import nextafter
from typing import TypedDict

from bnc2d.base.finding import Status
from bnc2d.base.scales import Label, json_value
from bnc2d.explain.missing.if_known import Bounds, IfKnown
from bnc2d.report.decisions import fraction_text


class IfKnownData(TypedDict):
    """What could become of a decision if the missing features were known."""

    status: Status
    witness: dict[str, str] | None
    other: Label | None
    share: float | None
    share_exact: str | None
    share_bounds: list[float]
    probability: float | None
    probability_exact: str | None
    probability_bounds: list[float] | None
    alone: dict[str, dict[str, Label | None]] | None
    matters: dict[str, list[dict[str, str]]]
    irrelevant: list[str]
    open: list[str]


def if_known_data(found: IfKnown, exact: bool = False) -> IfKnownData:
    """Return the answer as data: decimals, fractions where they are short or asked for, bounds outwards."""
    probability = found.probability
    return {
        "status": found.status,
        "witness": found.witness,
        "other": json_value(found.other),
        "share": None if found.share is None else float(found.share),
        "share_exact": None if found.share is None else fraction_text(found.share, exact),
        "share_bounds": _outwards(found.share_bounds),
        "probability": None if probability is None else float(probability),
        "probability_exact": None if probability is None else fraction_text(probability, exact),
        "probability_bounds": None
        if found.probability_bounds is None
        else _outwards(found.probability_bounds),
        "alone": None
        if found.alone is None
        else {
            name: {state: json_value(decision) for state, decision in states.items()}
            for name, states in found.alone.items()
        },
        "matters": {name: list(pair) for name, pair in found.matters.items()},
        "irrelevant": list(found.irrelevant),
        "open": list(found.open),
    }


def _outwards(bounds: Bounds) -> list[float]:
    """Return floats that are below and above, nearest to the bounds."""
    low, high = map(float, bounds)
    low = low if Fraction(low) <= bounds[0] else nextafter(low, 0.0)
    high = high if Fraction(high) >= bounds[1] else nextafter(high, 1.0)
    return [low, high]
