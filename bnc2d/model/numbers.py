"""Exact rationals from the numbers that people and files write."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import TypeAlias

from bnc2d.base.arguments import shown

Number: TypeAlias = int | float | str | Fraction | Decimal

# Past these lengths a number is a mistake or an attack: 1e999999999 would fill the memory.
MAX_DIGITS = 2000
MAX_EXPONENT = 2000

_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?", re.ASCII)


def exact(value: object) -> Fraction:
    """Return ``value`` as an exact rational; a float counts as its shortest decimal text.

    Raises ``ValueError`` with a reason for anything that is not a finite number.

    >>> exact("0.1") == exact(0.1) == Fraction(1, 10)
    True
    """
    if isinstance(value, str):
        return exact_from_text(value)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Decimal):
        return exact_from_text(str(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real):
        return exact_from_text(repr(float(value)))
    item = getattr(value, "item", None)  # 0-d numpy scalars that register with no numeric tower
    if item is not None and not isinstance(value, type) and getattr(value, "size", 1) == 1:
        return exact(item())
    raise ValueError(f"{shown(value)} is not a number")


def exact_from_text(text: str) -> Fraction:
    """Return the rational that a decimal numeral such as ``0.25`` or ``1e-3`` denotes."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} characters is longer than the limit of {MAX_DIGITS}")
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{shorten(text)!r} is not a finite decimal number")
    sign, whole, decimals, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"the exponent of {shorten(text)!r} is beyond ±{MAX_EXPONENT}")
    digits = int(whole + decimals) * (-1 if sign == "-" else 1)
    shift = exponent - len(decimals)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def shorten(text: str, width: int = 40) -> str:
    """Return ``text`` cut to ``width`` characters, for error messages."""
    return text if len(text) <= width else text[: width - 1] + "…"
