"""Decisions as plain data, ready for JSON; ``docs/json.md`` describes every key."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import log10
from typing import TypedDict

from bnc2d.base.readers.choices import DecidedBy
from bnc2d.base.scales import Label, json_value
from bnc2d.model.decision import Basis

MAX_DIGITS = 40  # longer fractions are there on request only


class PosteriorData(TypedDict):
    """The posterior in decimals, and in fractions where these are short or asked for."""

    posterior: dict[str, float]
    posterior_exact: dict[str, str] | None


class DecisionData(PosteriorData):
    """A decision with what it rests on, as far as that is known."""

    decision: Label | None
    possible: bool | None
    decided_by: DecidedBy | None


def posterior_data(posterior: Mapping[str, Fraction | float], exact: bool = False) -> PosteriorData:
    """Return the decimals, and the fractions where they are known and all short, or with ``exact``."""
    values = posterior.values()
    known = [value for value in values if isinstance(value, Fraction)]
    shown = len(known) == len(values) and (exact or all(_digits(value) <= MAX_DIGITS for value in known))
    return {
        "posterior": {state: float(value) for state, value in posterior.items()},
        "posterior_exact": {state: _fraction(value) for state, value in posterior.items()} if shown else None,
    }


def _digits(value: Fraction) -> int:
    """Return about how many digits a fraction has, without writing them."""
    return int((value.numerator.bit_length() + value.denominator.bit_length()) * log10(2))


def fraction_text(value: Fraction, exact: bool = False) -> str | None:
    """Return a fraction where it is short, or with ``exact``; else None."""
    return _fraction(value) if exact or _digits(value) <= MAX_DIGITS else None


def _fraction(value: Fraction | float) -> str:
    """Return ``1/3``, of any length: Decimal knows no limit on the digits of a number."""
    top, bottom = value.as_integer_ratio()
    return f"{Decimal(top):f}" if bottom == 1 else f"{Decimal(top):f}/{Decimal(bottom):f}"


def decision_data(
    decision: Label | None,
    basis: Basis | None,
    posterior: Mapping[str, Fraction | float],
    exact: bool = False,
) -> DecisionData:
    """Return a decision with what it rests on, where that is known."""
    return {
        "decision": json_value(decision),
        "possible": None if basis is None else basis.possible,
        "decided_by": None if basis is None else basis.decided_by,
        **posterior_data(posterior, exact),
    }
