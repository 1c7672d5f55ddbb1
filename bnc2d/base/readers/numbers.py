"""Exact rationals from the numbers that people and files write: table entries, thresholds, weights.

Floats of every width count as people write them, as the shortest decimal text that reads back as the float:
``0.1``, ``"0.1"``, ``Decimal("0.1")``, ``numpy.float32(0.1)`` and ``Fraction(1, 10)`` are one number,
wherever a number comes in. Bools are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import TypeAlias

import numpy as np

from bnc2d.base.readers.arguments import as_text, mapping, named, shown
from bnc2d.errors import Bnc2dError, ClassifierError, UnknownNameError, did_you_mean

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
    if isinstance(value, np.ndarray) and value.size == 1:
        return exact(value.reshape(-1)[0])
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        return exact_from_text(as_text(value))
    remedy = f"; write {int(value)}" if isinstance(value, bool | np.bool_) else ""
    raise ValueError(f"{shown(value)} is not a number{remedy}")


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


def threshold(value: object) -> Fraction:
    """Return the threshold of a decision, strictly between 0 and 1.

    >>> threshold(0.3), threshold("0.3")
    (Fraction(3, 10), Fraction(3, 10))
    """
    try:
        number = exact(value)
    except ValueError as error:
        raise ClassifierError(f"the threshold must be a number between 0 and 1: {error}") from None
    if not 0 < number < 1:
        raise ClassifierError(
            f"the threshold must lie strictly between 0 and 1, not at {as_text(value)[:60]}"
        )
    return number


def weights(
    given: object, names: Sequence[str], error: type[Bnc2dError], *, positive: bool = False
) -> list[Fraction]:
    """Return the weight of each feature; one that is not given is 1.

    ``given`` is a mapping from feature to number, or None. No weight is negative; where they must be
    ``positive``, none is 0 either.

    >>> weights({"B": "0.5"}, ["A", "B"], ClassifierError)
    [Fraction(1, 1), Fraction(1, 2)]
    """
    found = dict.fromkeys(names, Fraction(1))
    chosen = {} if given is None else mapping(given, "weights", "a mapping from feature to number")
    for name, weight in chosen.items():
        if name not in found:
            raise UnknownNameError(f"unknown feature {named(name)}{did_you_mean(name, names)}")
        try:
            found[name] = exact(weight)
        except ValueError:
            size = "that is positive" if positive else "from 0 on"
            raise error(f"the weight of {name!r} must be a number {size}, not {shown(weight)}") from None
        if found[name] < 0 or (positive and not found[name]):
            bound = "be positive" if positive else "not be negative"
            raise error(f"the weight of {name!r} must {bound}, but is {shown(weight)}")
    return list(found.values())
