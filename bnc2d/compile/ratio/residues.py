"""Proofs that products are equal, by their residues modulo primes.

Two products ``a / b`` and ``c / d`` whose logarithms differ by at most ``D`` have ``|a d - b c|`` at most
``D`` times the larger of ``a d`` and ``b c``. If they are equal modulo primes whose product is larger than
that, the difference is 0. So close products with equal residues are equal, without a long number being made;
where residues differ, so do the products, and only their order is open. What all ratios of a stage have in
common does not count in a comparison of products of the same stages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.compile.ratio.products import Integers

Words: TypeAlias = NDArray[np.uint32]

# Primes are just below this, so that products of two residues fit into 64 bits.
_LIMIT = 2**31
_BITS_OF_PRIME = 30.9
# Bases that tell all primes below 3 * 10**9 from other numbers (Jaeschke 1993).
_BASES = (2, 3, 5, 7)


class Moduli:
    """Primes for the ratios of some stages, none of them a factor of any, and their residues."""

    def __init__(self, ratios: Sequence[Sequence[Fraction]]) -> None:
        self._ratios = ratios
        self._primes = _primes()
        self._used: list[tuple[int, list[NDArray[np.uint64]]]] = []

    def first(self, count: int) -> list[tuple[int, list[NDArray[np.uint64]]]]:
        """Return some primes, each with the residues of all ratios by stage."""
        while len(self._used) < count:
            checkpoint()
            prime = next(self._primes)
            parts = [[ratio.as_integer_ratio() for ratio in each] for each in self._ratios]
            if all(above % prime and below % prime for each in parts for above, below in each):
                residues = [
                    [above * pow(below, -1, prime) % prime for above, below in each] for each in parts
                ]
                self._used.append((prime, [np.array(each, dtype=np.uint64) for each in residues]))
        return self._used[:count]

    def identities(
        self, top: Sequence[int], bottom: Sequence[int], apart: float, most: int
    ) -> tuple[Identity, Identity] | None:
        """Return identities of the empty products, for products of some stages and of the others.

        They prove equality where logarithms differ by at most ``apart``. None where it takes more than so
        many primes.
        """
        upper, lower = self._bits(top), self._bits(bottom)
        bits = max(2 * upper, 2 * lower, upper + lower + self._common_bits) + log2(apart) + 2
        count = max(0, int(bits / _BITS_OF_PRIME) + 1)
        return (Identity(self, count), Identity(self, count)) if count <= most else None

    @cached_property
    def _common(self) -> list[tuple[int, int]]:
        """What the numerators and the denominators of a stage have in common."""
        found = []
        for each in self._ratios:
            above = reduce(gcd, (ratio.numerator for ratio in each), 0)
            below = reduce(gcd, (ratio.denominator for ratio in each), 0)
            found.append((max(above, 1), max(below, 1)))
        return found

    def _bits(self, stages: Sequence[int]) -> int:
        """Return how long numerators and denominators of products of stages are, without what is common."""
        total = 0
        for stage in stages:
            above, below = self._common[stage]
            parts = [max(r.numerator // above, r.denominator // below) for r in self._ratios[stage]]
            total += max(parts, default=1).bit_length()
        return total

    @cached_property
    def _common_bits(self) -> int:
        """How long what is common to all products of all stages is, as a fraction."""
        whole = Fraction(1)
        for above, below in self._common:
            whole *= Fraction(above, below)
        return max(whole.numerator.bit_length(), whole.denominator.bit_length())


class Identity:
    """What identifies the products of clusters: residues, and whether all of a cluster have the same."""

    def __init__(self, moduli: Moduli, primes: int) -> None:
        self._moduli, self._primes = moduli, primes
        self.residues = [np.ones(1, dtype=np.uint32) for _ in range(primes)]
        self.is_one = np.ones(1, dtype=bool)

    def move(
        self,
        stage: int,
        items: NDArray[np.int32] | Integers,
        ratios: Integers,
        clusters: NDArray[np.int32] | Integers,
        narrow: NDArray[np.bool_],
    ) -> None:
        """Multiply items by ratios of a stage; ``clusters`` says which of the new ones each belongs to.

        Only those that are ``narrow`` can be of one product.
        """
        first = np.empty(len(narrow), dtype=np.int64)
        first[clusters[::-1]] = np.arange(len(clusters))[::-1]
        is_one = narrow.copy()
        is_one[clusters[~self.is_one[items]]] = False
        for number, (prime, residues) in enumerate(self._moduli.first(self._primes)):
            old, found = self.residues[number], np.empty(len(items), dtype=np.uint32)
            factor, modulus = residues[stage], np.uint64(prime)
            for piece in pieces(len(items)):
                found[piece] = old[items[piece]].astype(np.uint64) * factor[ratios[piece]] % modulus
            kept = found[first]
            for piece in pieces(len(items)):
                differ = found[piece] != kept[clusters[piece]]
                is_one[clusters[piece][differ]] = False
            self.residues[number] = kept
        self.is_one = is_one

    def are_inverse(self, mine: Integers, other: Identity, theirs: Integers) -> NDArray[np.bool_]:
        """Return for pairs of clusters whether each is of one product and these are inverse to each other."""
        proven = self.is_one[mine] & other.is_one[theirs]
        for number, (prime, _) in enumerate(self._moduli.first(self._primes)):
            left, right = self.residues[number], other.residues[number]
            proven &= left[mine].astype(np.uint64) * right[theirs] % np.uint64(prime) == 1
        return proven


def _primes() -> Iterator[int]:
    """Yield primes in descending order, by the test of Miller (1976) and Rabin (1980)."""
    for number in range(_LIMIT - 1, 2**30, -2):
        odd, twos = number - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        for base in _BASES:
            power = pow(base, odd, number)
            if power in (1, number - 1):
                continue
            for _ in range(twos - 1):
                power = power * power % number
                if power == number - 1:
                    break
            else:
                break
        else:
            yield number
