"""Products of positive rationals, in their true order and equal ones once.

A product is a choice of one ratio from each of some groups. Its logarithm is the sum of integers
``round(scale ln r)``, each of which is off by less than 1, so that sums over at most ``g`` ratios are off by
less than ``g`` and two sums that differ by more than ``2 g`` are in the true order. Sums of integers have no
further error. Logarithms come from ``decimal``, whose ``ln`` is correctly rounded.

Closer pairs are compared exactly, all at once: products ``a / b`` and ``c / d`` are equal iff
``X = a d - b c`` is zero, and ``|X| < 2**bits`` with ``bits`` from the lengths of the ratios. An integer that
is zero modulo primes whose product exceeds ``2**bits`` is zero; so the products are equal iff ``a / b`` and
``c / d`` agree modulo enough primes that divide no ratio. Products that are that close and differ are rare:
they are compared as fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.int32]

_DIGITS = 40
# Sums of all logarithms stay below this, so that differences fit into 64 bits.
_LARGEST_SUM = 2**60
_PRIME_BITS = 30  # primes lie between 2**30 and 2**31
# Residues are computed in pieces of this many.
_PIECE = 1 << 20


@dataclass(frozen=True)
class Ratios:
    """The distinct positive ratios of a group, and what stands for them in comparisons."""

    fractions: tuple[Fraction, ...]
    logs: Integers
    scale: Scale

    def __len__(self) -> int:
        return len(self.fractions)

    @property
    def lowest(self) -> int:
        """The least logarithm."""
        return int(self.logs.min(initial=2**62)) if len(self) else 0

    @property
    def highest(self) -> int:
        """The greatest logarithm."""
        return int(self.logs.max(initial=-(2**62))) if len(self) else 0

    @cached_property
    def residues(self) -> tuple[Integers, Integers]:
        """``[ratio, prime]``: each ratio modulo each prime, and its inverse."""
        primes = self.scale.primes
        above, below = (
            np.array([[number % prime for prime in primes.tolist()] for number in numbers], dtype=np.int64)
            for numbers in ([f.numerator for f in self.fractions], [f.denominator for f in self.fractions])
        )
        return above * _inverse(below, primes) % primes, below * _inverse(above, primes) % primes


class Scale:
    """How ratios of several groups are compared: the scale of logarithms, their error, and the primes."""

    def __init__(self, groups: Sequence[Sequence[Fraction]]) -> None:
        self._groups = groups
        self._context = Context(prec=_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
        logs = [[self._log(ratio) for ratio in group] for group in groups]
        total = (
            1.0 + len(groups) + sum(max((abs(float(log)) for log in group), default=0.0) for group in logs)
        )
        self._factor = Decimal(int(_LARGEST_SUM / total))
        self.slack = 2 * sum(any(ratio != 1 for ratio in group) for group in groups)  # ln 1 is exact
        self.groups = [
            Ratios(tuple(ratios), np.array([self._rounded(log) for log in values], dtype=np.int64), self)
            for ratios, values in zip(groups, logs, strict=True)
        ]

    def _log(self, ratio: Fraction) -> Decimal:
        quotient = self._context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        return self._context.ln(quotient)

    def _rounded(self, log: Decimal) -> int:
        return int(self._context.to_integral_value(self._context.multiply(log, self._factor)))

    @cached_property
    def primes(self) -> Integers:
        """Primes that divide no ratio; their product exceeds ``|X|`` of all pairs of products."""
        bits = sum(
            max((ratio.numerator.bit_length() for ratio in group), default=0)
            + max((ratio.denominator.bit_length() for ratio in group), default=0)
            for group in self._groups
        )
        parts = {part for group in self._groups for ratio in group for part in ratio.as_integer_ratio()}
        chosen: list[int] = []
        candidates = _primes_below(2 ** (_PRIME_BITS + 1))
        while len(chosen) * _PRIME_BITS <= bits:
            prime = next(candidates)
            if all(part % prime for part in parts):
                chosen.append(prime)
        return np.array(chosen, dtype=np.int64)


def _primes_below(limit: int) -> Iterator[int]:
    """Yield the odd primes below a limit of at most 2**31, greatest first.

    A number that passes the test of Miller and Rabin to the bases 2, 3, 5 and 7 is a prime below 3 * 10**9.
    """
    for number in range(limit - 1 - limit % 2, 7, -2):
        twos = ((number - 1) & (1 - number)).bit_length() - 1
        odd = (number - 1) >> twos
        if all(_passes(pow(base, odd, number), twos, number) for base in (2, 3, 5, 7)):
            yield number


def _passes(power: int, twos: int, number: int) -> bool:
    if power in (1, number - 1):
        return True
    return any((power := power * power % number) == number - 1 for _ in range(twos - 1))


def _inverse(residues: Integers, primes: Integers) -> Integers:
    """Return the inverses modulo the primes, ``a**(p - 2)`` by Fermat."""
    result, square, left = np.ones_like(residues), residues, primes - 2
    while left.any():
        result = np.where(left & 1, result * square % primes, result)
        square, left = square * square % primes, left >> 1
    return result


@dataclass(frozen=True)
class Products:
    """Distinct products of ratios, in their true order; ``logs`` are in that order up to their error.

    ``source`` tells one way to make each: ``ratio * len(previous) + position in previous``.
    """

    logs: Integers
    source: Integers
    ratios: Ratios | None
    previous: Products | None

    @classmethod
    def one(cls) -> Products:
        """Return the empty product."""
        return cls(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), None, None)

    def __len__(self) -> int:
        return len(self.logs)

    def residues(self, items: Integers, inverse: bool, scale: Scale) -> Integers:
        """Return ``[item, prime]``: products, or their inverses, modulo the primes."""
        rows = np.ones((len(items), len(scale.primes)), dtype=np.int64)
        here = self
        while here.previous is not None and here.ratios is not None:
            ratio, items = np.divmod(here.source[items], len(here.previous))
            rows = rows * here.ratios.residues[inverse][ratio] % scale.primes
            here = here.previous
        return rows

    def fraction(self, item: int) -> Fraction:
        """Return a product itself."""
        above = below = 1
        here = self
        while here.previous is not None and here.ratios is not None:
            ratio, item = divmod(int(here.source[item]), len(here.previous))
            above *= here.ratios.fractions[ratio].numerator
            below *= here.ratios.fractions[ratio].denominator
            here = here.previous
        return Fraction(above, below)


class Order:
    """Puts products into their true order; without ``certified``, into that of their logarithms."""

    def __init__(self, scale: Scale, certified: bool) -> None:
        self._scale, self._certified = scale, certified
        self.exact_calls = 0

    def extend(self, products: Products, ratios: Ratios, window: tuple[int, int]) -> tuple[Products, Places]:
        """Multiply products by each ratio of a further group; return the new ones and where each went.

        The second array, ``[ratio, product]``, holds positions among the new products. Of those whose
        logarithm is less than the window's start, or more than its end, for certain, none is kept: their
        positions are -1 and the number of new products.
        """
        logs = (ratios.logs[:, None] + products.logs).reshape(-1)
        low, high = logs < window[0] - self._scale.slack, logs > window[1] + self._scale.slack
        kept = np.flatnonzero(~(low | high))
        before = len(products)

        def residues(items: Integers) -> Integers:
            ratio, item = np.divmod(kept[items], before)
            rows = products.residues(item, False, self._scale) * ratios.residues[False][ratio]
            return rows % self._scale.primes

        def fraction(item: int) -> Fraction:
            ratio, rest = divmod(int(kept[item]), before)
            return ratios.fractions[ratio] * products.fraction(rest)

        ranks, first = self.ranks(logs[kept], residues, fraction)
        places = np.where(low, np.int32(-1), np.int32(len(first)))
        places[kept] = ranks
        source = kept[first]
        return Products(logs[source], source, ratios, products), places.reshape(len(ratios), before)

    def against(self, products: Products, others: Products) -> tuple[Integers, NDArray[np.bool_]]:
        """Return for each of the others how many products are below its inverse, and whether one is equal."""
        count = len(products)

        def residues(items: Integers) -> Integers:
            rows = np.empty((len(items), len(self._scale.primes)), dtype=np.int64)
            mine = items < count
            rows[mine] = products.residues(items[mine], False, self._scale)
            rows[~mine] = others.residues(items[~mine] - count, True, self._scale)
            return rows

        def fraction(item: int) -> Fraction:
            return products.fraction(item) if item < count else 1 / others.fraction(item - count)

        ranks, _ = self.ranks(np.concatenate([products.logs, -others.logs]), residues, fraction)
        mine, theirs = ranks[:count], ranks[count:]
        below = np.searchsorted(mine, theirs)
        return below, np.append(mine, -1)[below] == theirs

    def ranks(
        self, logs: Integers, residues: Callable[[Integers], Integers], fraction: Callable[[int], Fraction]
    ) -> tuple[Integers, Integers]:
        """Return the position of each value among the distinct ones, and one item of each."""
        order = np.argsort(logs, kind="stable")
        gaps = np.diff(logs[order])
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = gaps > (self._scale.slack if self._certified else 0)
        links = np.flatnonzero(~fresh)  # positions that are close to the one before
        if self._certified and self._scale.slack and len(links):
            self.exact_calls += len(links)
            fresh[links] = self._differ(order, links, residues)
            self._sort_close(order, gaps <= self._scale.slack, fresh, residues, fraction)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.cumsum(fresh) - 1
        return ranks, order[fresh]

    def _differ(
        self, order: Integers, links: Integers, residues: Callable[[Integers], Integers]
    ) -> NDArray[np.bool_]:
        """Return for positions in the order whether the value differs from the one before."""
        step = max(1, _PIECE // len(self._scale.primes))
        found = []
        for start in range(0, len(links), step):
            piece = links[start : start + step]
            found.append((residues(order[piece]) != residues(order[piece - 1])).any(axis=1))
        return np.concatenate(found)

    def _sort_close(
        self,
        order: Integers,
        close: NDArray[np.bool_],
        fresh: NDArray[np.bool_],
        residues: Callable[[Integers], Integers],
        fraction: Callable[[int], Fraction],
    ) -> None:
        """Put runs of close values that are not all equal into their true order, as fractions."""
        ends = np.append(np.flatnonzero(~close), len(order) - 1) + 1
        done = 0
        for position in (np.flatnonzero(close & fresh[1:]) + 1).tolist():
            if position < done:
                continue
            at = int(np.searchsorted(ends, position, side="right"))
            start, done = int(ends[at - 1]) if at else 0, int(ends[at])
            members = order[start:done]
            rows = residues(members)
            _, one, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            values = [fraction(item) for item in members[one].tolist()]
            rank = np.argsort(np.array(sorted(range(len(values)), key=values.__getitem__)))
            kinds = rank[kinds.reshape(-1)]
            arranged = np.argsort(kinds, kind="stable")
            order[start:done] = members[arranged]
            fresh[start + 1 : done] = np.diff(kinds[arranged]) > 0
            fresh[start] = True
            self.exact_calls += len(values)
