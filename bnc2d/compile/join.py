"""Joining the two tables of a cut: matrix products that decide the class of all instances.

``P(y, u, v) = w_y Σ_s A[y, s, u] B[y, s, v]`` with the weights ``w`` of a prior and a threshold. All states
``(y, s)`` that are one class of one side are summed up on the other side first, so the product runs over
classes. With two classes the difference is a single product, with signed weights. Weights are added up as
rationals, so terms that cancel in truth are gone: a difference without any term is a tie, and proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.hashing import distinct, distinct_rows
from bnc2d.compile.parts import Integers, Part, rescaled, spread
from bnc2d.model.elimination import VariableId
from bnc2d.model.factors import LOWEST_EXPONENT, UNIT_ROUNDOFF, exponents

Matrix: TypeAlias = NDArray[np.float64]

# The error bounds of ``labels.py`` hold for relative errors up to this.
_MAX_SHARE = 0.001
# What adding a term up costs, in multiplications of a matrix product.
_COLLECTING = 32
_PIECE = 1 << 17


@dataclass(frozen=True)
class Collector:
    """Weighted sums of the rows of a table: sum ``i`` takes the terms from ``starts[i]`` on."""

    source: Integers
    weight: Matrix
    starts: Integers

    @classmethod
    def of(cls, source: Integers, weight: Matrix, target: Integers) -> Collector:
        """Return the sums of ``weight * table[source]`` with one ``target``, in order of targets."""
        order = np.argsort(target, kind="stable")
        starts = np.flatnonzero(np.diff(target[order], prepend=-1))
        return cls(source[order], weight[order], starts)

    @property
    def is_signed(self) -> bool:
        """Whether a weight is negative."""
        return bool((self.weight < 0).any())

    def sums(self, table: Matrix) -> Matrix:
        """Return a row for each sum."""
        if len(self.starts) == len(self.source):
            return table[self.source] * self.weight[:, None]
        found = np.empty((len(self.starts), table.shape[1]))
        step = max(1, _PIECE // (table.shape[1] * (len(self.source) // len(self.starts) + 1)))
        for at in range(0, len(self.starts), step):
            starts = self.starts[at : at + step]
            end = self.starts[at + step] if at + step < len(self.starts) else len(self.source)
            piece = slice(starts[0], end)
            terms = table[self.source[piece]] * self.weight[piece, None]
            np.add.reduceat(terms, starts - starts[0], axis=0, out=found[at : at + step])
        return found

    def sizes(self) -> Collector:
        """Return the sums of absolute terms."""
        return replace(self, weight=np.abs(self.weight))


@dataclass(frozen=True)
class Product:
    """``left(table).T @ right`` approximates a sum over classes; the sizes are the same of absolute terms.

    Entries of ``right_size`` are at most 1; a factor of a column is left out, the same in all products.
    """

    collector: Collector  # of the classes of the first side
    right: Matrix  # [term, pattern of the second side]
    right_size: Matrix

    @property
    def terms(self) -> int:
        """The number of products in a sum."""
        return len(self.right)

    def left(self, table: Matrix) -> tuple[Matrix, Matrix]:
        """Return ``[term, pattern]`` for patterns of the first side, and the same of absolute terms."""
        values = self.collector.sums(table)
        return values, self.collector.sizes().sums(table) if self.collector.is_signed else values


@dataclass(frozen=True)
class Join:
    """The products that decide: one difference for two classes, else a joint probability for each.

    ``labels`` lists the classes that each joint probability stands for; those of one product tie exactly.
    For two classes there is one product, ``P(1, u, v) - P(0, u, v)``, and ``labels`` is empty. ``roundings``
    bounds the operations behind a computed product; nothing is proven unless ``trusted``.
    """

    products: tuple[Product, ...]
    labels: tuple[tuple[int, ...], ...]
    roundings: int
    trusted: bool


@dataclass(frozen=True)
class _Terms:
    """The sum of ``weight A[a] B[b]``: classes of both sides and weights, none of them zero."""

    a: Integers
    b: Integers
    weight: Matrix


def join_parts(
    first: Part,
    second: Part,
    target: VariableId,
    weights: Sequence[Fraction],
    sizes: Mapping[VariableId, int],
) -> Join:
    """Return what decides between the classes of the target for all patterns of two parts."""
    others = tuple(v for v in dict.fromkeys((*first.scope, *second.scope)) if v != target)
    of_first, of_second = (
        spread(part, (target, *others), sizes).reshape(len(weights), -1) for part in (first, second)
    )
    terms, labels = _terms(of_first * len(second.table) + of_second, len(second.table), weights)
    products = _scaled([_product(each, first, _able(second, each)) for each in terms])
    count = of_first.size + max(product.terms for product in products)
    roundings = first.roundings + second.roundings + count + 4
    trusted = first.trusted and second.trusted and roundings * UNIT_ROUNDOFF < _MAX_SHARE
    in_range = all(_is_in_range(product, first) for product in products)
    return Join(tuple(products), labels, roundings, trusted and in_range)


def _terms(
    codes: Integers, width: int, weights: Sequence[Fraction]
) -> tuple[list[_Terms], tuple[tuple[int, ...], ...]]:
    """Return the sums that decide, from the pair of classes that each state ``[y, s]`` takes."""
    pairs, _, places = distinct(codes.reshape(-1))
    places = places.reshape(codes.shape)
    counts = np.stack([np.bincount(row, minlength=len(pairs)) for row in places], axis=1)  # [pair, y]
    kinds, first = distinct_rows(counts)
    by_class = [[weight * int(n) for n, weight in zip(counts[at], weights, strict=True)] for at in first]
    if len(weights) == 2:
        labels: list[tuple[int, ...]] = []
        columns = [[row[1] - row[0] for row in by_class]]
    else:
        alike: dict[tuple[Fraction, ...], list[int]] = {}
        for y in range(len(weights)):
            alike.setdefault(tuple(row[y] for row in by_class), []).append(y)
        labels = [tuple(ys) for ys in alike.values()]
        columns = [list(column) for column in alike]
    found = []
    for column in columns:
        weight = np.array([float(value) for value in column])[kinds]
        real = np.array([value != 0 for value in column], dtype=bool)[kinds]
        found.append(_Terms(pairs[real] // width, pairs[real] % width, weight[real]))
    return found, tuple(labels)


def _product(terms: _Terms, first: Part, second: Part) -> Product:
    """Return the product of a sum: its terms collected by the classes of one side, whichever is cheaper."""
    kept_a, kept_b = distinct(terms.a)[0], distinct(terms.b)[0]
    cells = first.patterns * second.patterns
    by_a = len(kept_a) * cells + _COLLECTING * len(terms.a) * second.patterns
    by_b = len(kept_b) * cells + _COLLECTING * len(terms.a) * first.patterns
    if by_b < by_a:
        right = second.table[kept_b]
        return Product(Collector.of(terms.a, terms.weight, terms.b), right, right)
    collector = Collector.of(terms.b, terms.weight, terms.a)
    right = collector.sums(second.table)
    right_size = collector.sizes().sums(second.table) if collector.is_signed else right
    return Product(Collector.of(kept_a, np.ones(len(kept_a)), kept_a), right, right_size)


def _able(part: Part, terms: _Terms) -> Part:
    """Return the part, scaled where its entries times the weights could underflow."""
    lightest = log2(float(np.abs(terms.weight).min(initial=1.0)) or 2.0**LOWEST_EXPONENT)
    return part if part.lowest + lightest > LOWEST_EXPONENT else rescaled(part)


def _scaled(products: list[Product]) -> list[Product]:
    """Scale columns and then terms of the right sides by powers of two to largest entries near 1."""
    largest = np.zeros(products[0].right.shape[1])
    for product in products:
        largest = np.maximum(largest, product.right_size.max(axis=0, initial=0.0))
    columns = -np.frexp(largest)[1]
    scaled = []
    for product in products:
        terms = np.frexp(np.ldexp(product.right_size, columns).max(axis=1, initial=0.0))[1]
        shift = columns - terms[:, None]
        right = np.ldexp(product.right, shift)
        size = right if product.right_size is product.right else np.ldexp(product.right_size, shift)
        collector = product.collector
        lengths = np.diff(collector.starts, append=len(collector.source))
        weight = np.ldexp(collector.weight, np.repeat(terms, lengths))
        scaled.append(Product(replace(collector, weight=weight), right, size))
    return scaled


def _is_in_range(product: Product, first: Part) -> bool:
    """Return whether no product of a positive entry of the left and of the right can underflow."""
    smallest = exponents(np.abs(product.collector.weight))[0] + first.lowest
    return smallest + exponents(product.right_size)[0] > LOWEST_EXPONENT
