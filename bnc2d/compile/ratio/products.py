"""Values of products of positive rationals, at three resolutions: what tells products apart, and proves it.

A product is a choice of one ratio from each of some groups. A resolution gives it a value such that products
whose values differ by more than its ``slack`` are in the order of their values. Values of closer products
prove nothing; such products form a *cluster*, which the next resolution may split (``ordering``).

1. ``WordLogs``: sums of integers ``round(scale ln r)``, each off by less than 1, so that sums over ``g``
   ratios are off by less than ``g`` and those that differ by more than ``2 g`` are in the true order. Sums of
   integers have no further error. Logarithms come from ``decimal``, whose ``ln`` is correctly rounded.
2. ``PairLogs``: the same with 100 bits, in two words.
3. ``Quotients``: ``floor(2**K p)`` of the product ``p`` itself. Two products are ``a / b`` and ``c / d``; if
   they differ then by at least ``1 / (b d)``, so with ``K`` at least the length of ``b d`` their quotients
   differ too and are in the true order. Equal products have equal quotients: here nothing is left open.

Products of learnt models are close in great numbers: ratios of small counts have many equal products, which
the rounding of entries to 17 digits spreads a little. Few of these clusters are looked at more than once, as
only those matter that could meet their inverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checked, checkpoint

Integers: TypeAlias = NDArray[np.int64]
# Values of products in one resolution: an array that numpy can add to a ratio's, sort and search.
Values: TypeAlias = NDArray[Any]

_DIGITS = 40
# Sums of all logarithms stay below this, so that differences fit into 64 bits.
_LARGEST_SUM = 2**60
# The same for two words, in units of the lower one. A part of a complex number holds integers below 2**53.
_LARGEST_PAIR = 2**102
_LOWER_BITS = 50
# Batch size of exact products.
_FEW = 256


class WordLogs:
    """Logarithms in one word."""

    piece = 1 << 19  # batch size: values that are sorted in about a tenth of a second
    size = 8  # bytes of a value
    is_exact = False  # whether values that are not proven to differ are equal
    _type: type[np.generic] = np.int64

    def __init__(self, logs: Sequence[Values], slack: complex) -> None:
        self.logs, self.slack = logs, slack

    def one(self) -> Values:
        """Return the value of the empty product, as an array."""
        return np.zeros(1, dtype=self._type)

    def times(self, values: Values, group: int, ratio: int) -> Values:
        """Return the values of products times a ratio."""
        return self._carried(values + self.logs[group][ratio])

    def inverse(self, values: Values) -> Values:
        """Return the values of the inverses."""
        return self._carried(-values)

    def beyond(self, values: Values) -> Values:
        """Return the greatest values that prove nothing against the given ones."""
        return self._carried(values + self.slack)

    def _carried(self, words: Values) -> Values:
        return words


class PairLogs(WordLogs):
    """Logarithms in two words ``h 2**50 + l``, with ``0 <= l < 2**50``.

    They are complex numbers ``h + l i``, as numpy orders those by their real and then their imaginary parts.
    Both parts are integers below 2**53, also in sums of two, and so exact.
    """

    piece = 1 << 18
    size = 16
    _type = np.complex128

    def __init__(self, logs: Sequence[Sequence[int]], slack: int) -> None:
        pairs = [[complex(*divmod(log, 1 << _LOWER_BITS)) for log in group] for group in logs]
        super().__init__([np.array(group, dtype=np.complex128) for group in pairs], complex(0, slack))

    def _carried(self, words: Values) -> Values:
        """Bring the lower words into their range."""
        carry = np.floor(np.ldexp(words.imag, -_LOWER_BITS))
        words.real += carry
        words.imag -= np.ldexp(carry, _LOWER_BITS)
        return words


class Quotients:
    """The integers ``floor(2**bits p)`` of products ``p``, large enough to stand for them."""

    piece = 1 << 14
    is_exact = True

    def __init__(self, groups: Sequence[Sequence[Fraction]]) -> None:
        self._groups = groups
        lengths = (
            max((part.bit_length() for ratio in group for part in ratio.as_integer_ratio()), default=0)
            for group in groups
        )
        self.bits = 2 * sum(lengths)  # denominators, and numerators of inverses, are half as long in all
        self.size = 3 * (self.bits // 8 + 50)  # with numerator and denominator
        self._parts = {1 << self.bits: (1, 1)}  # numerator and denominator by quotient

    def one(self) -> Values:
        """Return the value of the empty product, as an array."""
        return _objects([1 << self.bits])

    def times(self, values: Values, group: int, ratio: int) -> Values:
        """Return the values of products times a ratio."""
        above, below = self._groups[group][ratio].as_integer_ratio()
        products = []
        for value in checked(values.tolist(), _FEW):
            numerator, denominator = self._parts[value]
            numerator, denominator = numerator * above, denominator * below
            quotient = (numerator << self.bits) // denominator
            self._parts.setdefault(quotient, (numerator, denominator))
            products.append(quotient)
        return _objects(products)

    def inverse(self, values: Values) -> Values:
        """Return the values of the inverses."""
        parts = map(self._parts.__getitem__, checked(values.tolist(), _FEW))
        return _objects([(denominator << self.bits) // numerator for numerator, denominator in parts])

    def beyond(self, values: Values) -> Values:
        """Return the greatest values that prove nothing against the given ones."""
        return values


def _objects(numbers: list[int]) -> Values:
    array = np.empty(len(numbers), dtype=object)
    array[:] = numbers
    return array


Resolution: TypeAlias = WordLogs | Quotients


class Scale:
    """The ratios of several groups and the resolutions of their products.

    Without ``certified`` there is only the first, and what it does not tell apart counts as equal.
    """

    def __init__(self, groups: Sequence[Sequence[Fraction]], certified: bool = True) -> None:
        self._groups, self._certified = groups, certified
        self._context = Context(prec=_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
        self._logs = [[self._log(ratio) for ratio in group] for group in groups]
        tops = [max((abs(float(log)) for log in group), default=0.0) for group in self._logs]
        self._total = 1.0 + len(groups) + sum(tops)
        # Twice the number of groups whose logarithms are not exact: ln 1 is.
        self._slack = 2 * sum(any(ratio != 1 for ratio in group) for group in groups)

    @cached_property
    def words(self) -> WordLogs:
        """The first resolution."""
        logs = [np.array(group, dtype=np.int64) for group in self._rounded(_LARGEST_SUM)]
        return WordLogs(logs, self._slack)

    @cached_property
    def pairs(self) -> PairLogs:
        """The second resolution."""
        return PairLogs(self._rounded(_LARGEST_PAIR), self._slack)

    @cached_property
    def quotients(self) -> Quotients:
        """The last resolution, which tells all products apart that differ."""
        return Quotients(self._groups)

    def finer(self) -> Iterator[Resolution]:
        """Yield the resolutions after the first; where all ratios are 1, it is exact."""
        if self._certified and self._slack:
            yield self.pairs
            yield self.quotients

    def _log(self, ratio: Fraction) -> Decimal:
        checkpoint()
        quotient = self._context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        return self._context.ln(quotient)

    def _rounded(self, largest: int) -> list[list[int]]:
        """Return integers proportional to the logarithms, such that no sum of one of each group is larger."""
        factor = Decimal(int(largest / self._total))
        multiply, whole = self._context.multiply, self._context.to_integral_value
        return [[int(whole(multiply(log, factor))) for log in group] for group in self._logs]
