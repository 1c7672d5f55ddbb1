"""Numbers as people read them: few digits, thousands."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from bnc2d.base.readers.arguments import as_text

_MOST_DIGITS = 6  # of a number that is shown as it is
_SHORT_DIGITS = 4  # of one that is shown in thousands
_FIRST_THOUSAND = 10_000


def rounded(value: float, below: bool, decimals: int) -> str:
    """Return a cut with at most so many decimals, true of every number that has no more.

    A number on that grid is at least the cut iff it is at least the cut rounded up, and at most the cut iff
    it is at most the cut rounded down.
    """
    exact = Decimal(as_text(value))
    if len(exact.normalize().as_tuple().digits) <= _MOST_DIGITS:
        return _plain_decimal(exact)
    step = Decimal(1).scaleb(-decimals)
    if exact.adjusted() + decimals > 25:
        return _plain_decimal(exact)
    return _plain_decimal(exact.quantize(step, ROUND_FLOOR if below else ROUND_CEILING))


def _plain_decimal(number: Decimal) -> str:
    number = number.normalize()
    return f"{number:f}" if -7 < number.adjusted() < 16 else str(number)


def in_thousands(text: str) -> str:
    """Return a number in thousands where that is exact and short: ``20k``."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    if not number.is_finite() or abs(number) < _FIRST_THOUSAND:
        return text.removesuffix(".0")
    thousands = (number / 1000).normalize()
    is_short = (
        thousands * 1000 == number and len(f"{thousands:f}".strip("-").replace(".", "")) <= _SHORT_DIGITS
    )
    return f"{thousands:f}k" if is_short else text.removesuffix(".0")
