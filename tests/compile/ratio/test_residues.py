"""Residues: close products with equal residues are equal, and others are not."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, prod
from random import Random

import numpy as np

from bnc2d.compile.ratio.residues import Identity, Moduli


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def test_moduli_are_primes_that_divide_no_ratio() -> None:
    ((largest, _),) = Moduli([[Fraction(1)]]).first(1)
    assert largest == 2**31 - 1
    moduli = Moduli([[Fraction(largest, 6), Fraction(7, 5)], [Fraction(3)]])
    found = moduli.first(3)
    assert largest not in [prime for prime, _ in found]
    for prime, residues in found:
        assert is_prime(prime)
        assert residues[0][1] * 5 % prime == 7
        assert residues[1].tolist() == [3]
    assert moduli.first(2) == found[:2]


def test_primes_are_as_many_as_the_numbers_need() -> None:
    short = Moduli([[Fraction(2, 3), Fraction(5, 7)]] * 4)
    assert short.identities([0, 1], [2, 3], 2.0**-80, most=0) is not None  # too close to be different
    long = Moduli([[Fraction(10**17 + 1, 10**17), Fraction(10**17 + 3, 10**17)]] * 8)
    assert long.identities(range(4), range(4, 8), 2.0**-80, most=4) is None
    both = long.identities(range(4), range(4, 8), 2.0**-80, most=40)
    assert both is not None
    bits = 8 * 57 - 80
    assert bits / 31 <= len(both[0].residues) <= 2 + (2 * bits + 80) / 31


def test_products_and_clusters() -> None:
    rng = Random(0)  # noqa: S311 - reproducible test data
    ratios = [[Fraction(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(6)] for _ in range(3)]
    moduli = Moduli(ratios)
    identity = Identity(moduli, 2)
    values = [Fraction(1)]
    for stage in range(3):
        items = np.repeat(np.arange(len(values)), 6)
        chosen = np.tile(np.arange(6), len(values))
        made = [values[i] * ratios[stage][r] for i, r in zip(items, chosen, strict=True)]
        different = sorted(set(made))
        clusters = np.array([different.index(value) for value in made])
        identity.move(stage, items, chosen, clusters, np.ones(len(different), dtype=bool))
        values = different
        assert identity.is_one.all()
    for (prime, _), residues in zip(moduli.first(2), identity.residues, strict=True):
        assert residues.tolist() == [v.numerator * pow(v.denominator, -1, prime) % prime for v in values]
    other = Identity(moduli, 2)
    inverse = [Fraction(prod(r[0] for r in ratios))]
    other.residues = [
        np.array([v.denominator * pow(v.numerator, -1, prime) % prime for v in inverse], dtype=np.uint32)
        for prime, _ in moduli.first(2)
    ]
    found = identity.are_inverse(np.arange(len(values)), other, np.zeros(len(values), dtype=np.int64))
    assert found.tolist() == [value == inverse[0] for value in values]


def test_clusters_of_several_products_are_not_one() -> None:
    moduli = Moduli([[Fraction(2), Fraction(3), Fraction(6, 2)], [Fraction(1)]])
    identity = Identity(moduli, 1)
    narrow = np.array([True, True, False])
    identity.move(
        0, np.zeros(5, dtype=np.int64), np.array([0, 1, 1, 2, 1]), np.array([0, 0, 1, 1, 2]), narrow
    )
    assert identity.is_one.tolist() == [False, True, False]
    identity.move(1, np.array([0, 1]), np.zeros(2, dtype=np.int64), np.array([1, 0]), narrow[:2])
    assert identity.is_one.tolist() == [True, False]  # what is not of one product stays so
