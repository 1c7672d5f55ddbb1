"""Values of products of positive rationals, at three resolutions: what tells products apart, and proves it.

A product is a choice of one ratio from each of some stages. A resolution gives it a value such that products
whose values differ by more than its ``slack`` are in the order of their values. Values of closer products
prove nothing; such products form a *cluster*, which the next resolution may split (``ordering``).

Products are listed by *blocks*, the states of the features that later ratios depend on (naive Bayes: one
block). A value also holds the block: blocks are ``stride`` apart, which is more than products of one block
can be. So a list of all blocks is sorted as a whole, and a step from a block to another is a sum, too.

1. ``WordLogs``: sums of integers ``round(scale ln r)``, each off by less than 1, so that sums over ``g``
   ratios are off by less than ``g`` and those that differ by more than ``2 g`` are in the true order. Sums of
   integers have no further error. Logarithms come from ``decimal``, whose ``ln`` is correctly rounded.
2. ``PairLogs``: the same with 100 bits, in two words. Those that are still close are nearly always equal;
   residues prove it (``residues``).
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
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checked, checkpoint

Integers: TypeAlias = NDArray[np.int64]
# Values of products in one resolution: an array that numpy can add to a ratio's, sort and search.
Values: TypeAlias = NDArray[Any]

_DIGITS = 40
# Sums of all logarithms stay below this, so that twice as much for each block fits into 64 bits.
_LARGEST_SUM = 2**60
# The same for two words, in units of the lower one. A part of a complex number holds integers below 2**53.
_LARGEST_PAIR = 2**100
_LOWER_BITS = 50
# Batch size of exact products.
_FEW = 256


class WordLogs:
    """Logarithms in one word; the value of a product is ``block * stride`` plus its logarithm."""

    piece = 1 << 19  # batch size: values that are sorted in about a tenth of a second
    size = 8  # bytes of a value
    is_exact = False  # whether values that are not proven to differ are equal

    def __init__(self, logs: Sequence[Sequence[int]], slack: int, blocks: int = 1) -> None:
        self._logs, self._slack = logs, slack
        # Between products of two blocks there is room for all that is within the slack of either.
        self.stride = 2 * sum(max(map(abs, each), default=0) for each in logs) + 4 * slack + 4
        self._blocks = self._values([2 * block * self.stride for block in range(blocks)])
        self.slack = self._values([slack])[0]

    def _values(self, numbers: Sequence[int]) -> Values:
        return np.array(numbers, dtype=np.int64)

    def one(self) -> Values:
        """Return the value of the empty product in the first block, as an array."""
        return self._values([0])

    def shifts(self, stage: int, ratios: Integers, jumps: Integers) -> Values:
        """Return what ratios of a stage add to values, and steps to the block that is so many later."""
        logs, stride = self._logs[stage], self.stride
        pairs = zip(ratios.tolist(), jumps.tolist(), strict=True)
        return self._values([logs[ratio] + jump * stride for ratio, jump in pairs])

    def moved(self, values: Values, shifts: Values) -> Values:
        """Return the values of products after shifts, one each."""
        return self._carried(values + shifts)

    def inverse(self, values: Values, blocks: Integers) -> Values:
        """Return the values of the inverses, in the same blocks."""
        return self._carried(self._blocks[blocks] - values)

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

    def _values(self, numbers: Sequence[int]) -> Values:
        return np.array(
            [complex(*divmod(number, 1 << _LOWER_BITS)) for number in numbers], dtype=np.complex128
        )

    def _carried(self, words: Values) -> Values:
        """Bring the lower words into their range."""
        carry = np.floor(np.ldexp(words.imag, -_LOWER_BITS))
        words.real += carry
        words.imag -= np.ldexp(carry, _LOWER_BITS)
        return words

    def widths(self, starts: Values, ends: Values) -> NDArray[np.float64]:
        """Return how far ends are from starts, rounded, in units of the lower word."""
        apart = ends - starts
        return np.asarray(np.ldexp(apart.real, _LOWER_BITS) + apart.imag)


class Quotients:
    """The block and then ``floor(2**bits p)`` of a product ``p``, long enough to stand for it."""

    piece = 1 << 14
    is_exact = True

    def __init__(self, ratios: Sequence[Sequence[Fraction]]) -> None:
        self._ratios = ratios
        lengths = (
            max((part.bit_length() for ratio in each for part in ratio.as_integer_ratio()), default=0)
            for each in ratios
        )
        self.bits = 2 * sum(lengths)  # denominators, and numerators of inverses, are half as long in all
        self._block_bits = 2 * self.bits + 1
        self.size = 3 * (self.bits // 8 + 50)  # with numerator and denominator
        self._parts = {1 << self.bits: (1, 1)}  # numerator and denominator by value

    def one(self) -> Values:
        """Return the value of the empty product in the first block, as an array."""
        return _objects([1 << self.bits])

    def shifts(self, stage: int, ratios: Integers, jumps: Integers) -> Values:
        """Return what stands for ratios of a stage, and steps to the block that is so many later."""
        parts = [self._ratios[stage][ratio].as_integer_ratio() for ratio in ratios.tolist()]
        return _objects([(*pair, jump) for pair, jump in zip(parts, jumps.tolist(), strict=True)])

    def moved(self, values: Values, shifts: Values) -> Values:
        """Return the values of products after shifts, one each."""
        products = []
        for value, (above, below, jump) in checked(
            list(zip(values.tolist(), shifts.tolist(), strict=True)), _FEW
        ):
            numerator, denominator = self._parts[value]
            numerator, denominator = numerator * above, denominator * below
            product = self._value((value >> self._block_bits) + jump, numerator, denominator)
            self._parts.setdefault(product, (numerator, denominator))
            products.append(product)
        return _objects(products)

    def inverse(self, values: Values, blocks: Integers) -> Values:
        """Return the values of the inverses, in the same blocks."""
        parts = map(self._parts.__getitem__, checked(values.tolist(), _FEW))
        pairs = zip(blocks.tolist(), parts, strict=True)
        return _objects([self._value(block, below, above) for block, (above, below) in pairs])

    def _value(self, block: int, numerator: int, denominator: int) -> int:
        return (block << self._block_bits) + (numerator << self.bits) // denominator

    def beyond(self, values: Values) -> Values:
        """Return the greatest values that prove nothing against the given ones."""
        return values


def _objects(items: list[Any]) -> Values:
    array = np.empty(len(items), dtype=object)
    for position, item in enumerate(items):
        array[position] = item
    return array


Resolution: TypeAlias = WordLogs | Quotients


class Scale:
    """The ratios of several stages and the resolutions of their products, in at most so many blocks.

    Without ``certified`` there is only the first, and what it does not tell apart counts as equal.
    """

    def __init__(self, ratios: Sequence[Sequence[Fraction]], blocks: int = 1, certified: bool = True) -> None:
        self.ratios, self._blocks, self._certified = ratios, blocks, certified
        self._context = Context(prec=_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
        self._logs = [[self._log(ratio) for ratio in each] for each in ratios]
        tops = [max((abs(float(log)) for log in each), default=0.0) for each in self._logs]
        self._total = 1.0 + len(ratios) + sum(tops)
        # Twice the number of stages whose logarithms are not exact: ln 1 is.
        self._slack = 2 * sum(any(ratio != 1 for ratio in each) for each in ratios)

    @cached_property
    def rounded(self) -> list[list[int]]:
        """The logarithms of the first resolution."""
        return self._rounded(_LARGEST_SUM)

    @cached_property
    def words(self) -> WordLogs:
        """The first resolution."""
        return WordLogs(self.rounded, self._slack, self._blocks)

    @cached_property
    def pairs(self) -> PairLogs:
        """The second resolution."""
        return PairLogs(self._rounded(_LARGEST_PAIR), self._slack, self._blocks)

    @cached_property
    def pair_unit(self) -> float:
        """What 1 in the second resolution is as a difference of logarithms; infinite if it proves nothing."""
        factor = self._factor(_LARGEST_PAIR)
        return 1 / float(factor) if factor else inf

    @cached_property
    def quotients(self) -> Quotients:
        """The last resolution, which tells all products apart that differ."""
        return Quotients(self.ratios)

    def finer(self) -> Iterator[Resolution]:
        """Yield the resolutions after the first; where all ratios are 1, it is exact."""
        if self._certified and self._slack:
            yield self.pairs
            yield self.quotients

    def _log(self, ratio: Fraction) -> Decimal:
        checkpoint()
        quotient = self._context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        return self._context.ln(quotient)

    def _factor(self, largest: int) -> Decimal:
        return Decimal(int(largest / self._blocks / self._total))

    def _rounded(self, largest: int) -> list[list[int]]:
        """Return integers proportional to the logarithms, such that no sum of one of each stage is larger.

        With blocks, all of them together have that room.
        """
        factor = self._factor(largest)
        multiply, whole = self._context.multiply, self._context.to_integral_value
        return [[int(whole(multiply(log, factor))) for log in each] for each in self._logs]
