"""Scores as numbers: what they are, and how they are written."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

Score: TypeAlias = Fraction | float
Bounds: TypeAlias = tuple[Score, Score]


def shown_number(number: Score) -> str:
    """Return a number for a table: a short fraction as it is, else four digits."""
    short = isinstance(number, Fraction) and number.denominator < 10_000 and abs(number.numerator) < 10_000
    return str(number) if short else f"{float(number):.4f}"
