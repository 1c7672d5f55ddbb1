"""Exact rationals as decimal texts that read back as the same rationals.

A column of probabilities is ``n_i / N`` with a common denominator ``N``. When ``N`` has only the factors 2
and 5, the decimals are exact. Otherwise (1/3, 2/7, ...) no decimals are, but proportional ones exist: with
``k`` digits and ``m = round(10^k / N)``, the decimals ``n_i * m / 10^k`` sum to ``N * m / 10^k`` and miss 1
by at most ``N / (2 * 10^k)``. The reader divides each by that sum, exactly, and has ``n_i / N`` again.
With ``k`` 20 more than the digits of ``N`` the miss stays below 1e-20, far inside what a reader repairs.

Such a column needs no warning when it is read, and says so itself: its texts are those that its exact value
is written as (``is_spelt``), each with all ``k`` digits. No column of another tool has them by chance, since
its last 20 digits would have to say nothing that the others do not; and one that was edited has others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from bnc2d.base.readers.numbers import MAX_DIGITS, exact_from_text
from bnc2d.errors import FormatError
from bnc2d.model.cpt import CPT

_GUARD_DIGITS = 20
_LOG10_2 = 0.30103


def columns(cpt: CPT, path: str) -> Iterator[list[str]]:
    """Yield the decimals of each column, parents in order, the last one fastest.

    Raises ``FormatError`` when a number would be longer than the readers accept.
    """
    table = cpt.exact.reshape(-1, len(cpt.child)).tolist()
    try:
        for column in table:
            yield column_decimals(column)
    except OverflowError:
        message = f"the table of {cpt.child.name!r} needs numbers of more than {MAX_DIGITS} characters"
        raise FormatError(message, path) from None


def column_decimals(column: Sequence[Fraction]) -> list[str]:
    """Return decimals that are equal, or at least proportional, to the entries of a column.

    >>> column_decimals([Fraction(1, 4), Fraction(3, 4)])
    ['0.25', '0.75']
    >>> column_decimals([Fraction(1, 3), Fraction(2, 3)])
    ['0.333333333333333333333', '0.666666666666666666666']
    """
    denominator = lcm(*(entry.denominator for entry in column))
    if denominator == 1:
        return ["1.0" if entry else "0.0" for entry in column]
    length = denominator.bit_length()
    if length * _LOG10_2 > MAX_DIGITS:
        raise OverflowError
    if pow(10, length, denominator) == 0:  # it has the factors 2 and 5 only
        twos = (denominator & -denominator).bit_length() - 1
        fives, five = 0, denominator >> twos
        while five > 1:
            fives, five = fives + 1, five // 5
        places = max(twos, fives)
        return [_decimal(entry.numerator * (10**places // entry.denominator), places) for entry in column]
    places = len(str(denominator)) + _GUARD_DIGITS
    factor = (2 * 10**places + denominator) // (2 * denominator)
    scaled = [entry.numerator * (denominator // entry.denominator) * factor for entry in column]
    return [_decimal(number, places, keep_zeros=True) if number else "0.0" for number in scaled]


def is_spelt(cpt: CPT, texts: Sequence[str]) -> bool:
    """Tell whether every column of a file either sums to 1 or is spelt as ``column_decimals`` does.

    ``texts`` are the entries as they stand in the file, ``cpt`` the table after its columns were normalised.
    """
    width = len(cpt.child)
    for number, column in enumerate(cpt.exact.reshape(-1, width).tolist()):
        found = list(texts[number * width : (number + 1) * width])
        if sum(map(exact_from_text, found)) == 1:
            continue
        try:
            spelt = column_decimals(column)
        except OverflowError:
            return False
        if found != spelt:
            return False
    return True


def _decimal(scaled: int, places: int, *, keep_zeros: bool = False) -> str:
    """Return ``scaled / 10^places`` in at most ``MAX_DIGITS`` characters."""
    if places + 2 > MAX_DIGITS:
        raise OverflowError
    digits = str(scaled).rjust(places + 1, "0")
    whole, decimals = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{whole}.{decimals if keep_zeros else decimals.rstrip('0') or '0'}"
