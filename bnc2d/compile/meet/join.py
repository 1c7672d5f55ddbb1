"""Joining the two tables of a cut: matrix products that decide the class of all instances.

``P(y, u, v) = w_y Σ_s A[y, s, u] B[y, s, v]`` with the weights ``w`` of a prior and a threshold. All states
``(y, s)`` that are one group of one side are summed up on the other side first, so the product runs over
groups. With two classes the difference is a single product, with signed weights. Weights are added up as
rationals, so terms that cancel in truth are gone: a difference without any term is a tie, and proven.

Where the exponents of tables and weights prove that no operation leaves the range of float64, rounding is the
only error. Elsewhere all patterns are scaled to a largest entry near 1 and ``Underflow`` says what is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import contiguous, take_columns
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import distinct, distinct_rows, sorted_distinct, stable_order
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.base.workers import spread_out
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.gathered_sums import Integers
from bnc2d.compile.meet.tables.products import paired_groups
from bnc2d.compile.meet.tables.underflow import Underflow, exponents_of
from bnc2d.model.accounts import HIGHEST_EXPONENT, LOWEST_EXPONENT, UNIT_ROUNDOFF, Lost

Matrix: TypeAlias = NDArray[np.float64]
Exponents: TypeAlias = NDArray[np.int32]

# The error bounds of ``labels.py`` hold for relative errors up to this.
_MAX_SHARE = 0.001
# What adding a term up costs, in multiplications of a matrix product.
_COLLECTING = 32
_PIECE = 1 << 17
# Rows of this length are added one by one, without a copy of all that are added.
_LONG_ROW = 1 << 12
# Sums of at most this many terms are added term by term, longer ones by a matrix product.
_FEW_TERMS = 8


@record
class Collector:
    """Weighted sums of the rows of a table: sum ``i`` takes the terms from ``starts[i]`` on."""

    source: Integers
    weight: Matrix
    starts: Integers

    @classmethod
    def of(cls, source: Integers, weight: Matrix, target: Integers) -> Collector:
        """Return the sums of ``weight * table[source]`` with one ``target``, in order of targets."""
        order = stable_order(target)
        starts = np.flatnonzero(np.diff(target[order], prepend=-1))
        return cls(source[order], weight[order], starts)

    @property
    def is_signed(self) -> bool:
        """Whether a weight is negative."""
        return bool((self.weight < 0).any())

    @property
    def lengths(self) -> Integers:
        """The number of terms of each sum; there may be none."""
        return np.diff(self.starts, append=len(self.source))

    @cached_property
    def by_sign(self) -> tuple[Collector, Collector]:
        """The sums of the terms with positive weights, and of those with negative ones, as positive terms."""
        positive, negative = (self._some(signs) for signs in (self.weight > 0, self.weight < 0))
        return positive, replace(negative, weight=-negative.weight)

    def _some(self, terms: NDArray[np.bool_]) -> Collector:
        ends: Integers = np.cumsum(terms)
        starts = (ends - terms)[self.starts]
        return Collector(self.source[terms], self.weight[terms], starts)

    def sums(self, table: Matrix) -> Matrix:
        """Return a row for each sum."""
        found = np.zeros((len(self.starts), table.shape[1]))
        if table.shape[1] >= _LONG_ROW:
            bounds = pairwise([*self.starts.tolist(), len(self.source)])
            for row, (start, end) in zip(found, bounds, strict=True):
                checkpoint()
                for term in range(start, end):
                    row += table[self.source[term]] * self.weight[term]
            return found
        table = contiguous(table)
        lengths = self.lengths
        for length in sorted_distinct(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            gathered = table.shape[1] * (length if length > _FEW_TERMS else 1)  # for each sum
            for piece in pieces(len(rows), _PIECE // max(1, gathered)):
                found[rows[piece]] = self._of_length(table, self.starts[rows[piece]], length)
        return found

    def _of_length(self, table: Matrix, starts: Integers, length: int) -> Matrix | float:
        """Return sums of equally many terms."""
        total: Matrix | float = 0.0
        if length > _FEW_TERMS:
            for some in pieces(length, _PIECE // max(1, len(starts) * table.shape[1])):
                terms = starts[:, None] + np.arange(some.start, some.stop)
                rows = table.take(self.source[terms].reshape(-1), axis=0)
                total = total + (self.weight[terms][:, None] @ rows.reshape(*terms.shape, -1))[:, 0]
            return total
        for term in range(length):
            terms = starts + term
            rows = table.take(self.source[terms], axis=0)
            rows *= self.weight[terms, None]
            total = total + rows if term else rows
        return total

    def sizes(self) -> Collector:
        """Return the sums of absolute terms."""
        return replace(self, weight=np.abs(self.weight))

    def supports(self, table: Matrix) -> Matrix:
        """Return the number of positive terms of each sum of sizes."""
        return replace(self, weight=np.ones(len(self.weight))).sums((table > 0).astype(np.float64))


@record
class Product:
    """``left(table).T @ right`` approximates a sum over state groups; sizes are those of absolute terms.

    Entries of ``right_size`` are at most 1; a factor of a column is left out, the same in all products.
    """

    collector: Collector  # of the state groups of the first side
    right: Matrix  # [term, pattern of the second side]
    right_size: Matrix
    right_support: Matrix  # positive where the size is in truth; made only where sizes may vanish

    @property
    def terms(self) -> int:
        """The number of products in a sum."""
        return len(self.right)

    def against(self, some: slice | Integers) -> Product:
        """Return the same with some patterns of the second side."""
        parts = self.right, self.right_size, self.right_support
        chosen = [p[:, some] if isinstance(some, slice) else take_columns(p, some) for p in parts]
        return Product(self.collector, *chosen)

    def left(self, table: Matrix) -> tuple[Matrix, Matrix]:
        """Return ``[term, pattern]`` for patterns of the first side, and the same of absolute terms."""
        if not self.collector.is_signed:
            values = self.collector.sums(table)
            return values, values
        gained, lost = (part.sums(table) for part in self.collector.by_sign)
        size = gained + lost
        gained -= lost
        return gained, size


@record
class Patterns:
    """Patterns of the first side: columns of its table, and what each may have lost to underflow."""

    table: Matrix
    lost: Lost

    def __len__(self) -> int:
        return int(self.table.shape[1])

    def __getitem__(self, chosen: slice) -> Patterns:
        return Patterns(self.table[:, chosen], self.lost[chosen])


@record
class Join:
    """The products that decide: one difference for two classes, else a joint probability for each.

    ``labels`` lists the classes that each joint probability stands for; those of one product tie exactly.
    For two classes there is one product, ``P(1, u, v) - P(0, u, v)``, and ``labels`` is empty. ``roundings``
    bounds the operations behind a computed product of ``first`` with the second side; ``underflow`` says what
    else may be wrong with it, None for nothing.
    """

    first: Patterns
    products: tuple[Product, ...]
    labels: tuple[tuple[int, ...], ...]
    roundings: int
    underflow: Underflow | None

    def against(self, some: slice | Integers) -> Join:
        """Return the same with some patterns of the second side."""
        products = tuple(product.against(some) for product in self.products)
        underflow = None if self.underflow is None else self.underflow.against(some)
        return replace(self, products=products, underflow=underflow)

    @property
    def is_provable(self) -> bool:
        """Whether roundings are so few that the error bounds hold."""
        return self.roundings * UNIT_ROUNDOFF < _MAX_SHARE


@record
class _Terms:
    """The sum of ``weight A[a] B[b]``: state groups of both sides and weights, none of them zero.

    ``exponents`` are those of the true weights, which may be too small for float64.
    """

    a: Integers
    b: Integers
    weight: Matrix
    exponents: tuple[float, float]


def join_tables(
    first: CompressedFactor,
    second: CompressedFactor,
    target: VariableId,
    weights: Sequence[Fraction],
    state_of_class: Integers,
) -> Join:
    """Return what decides between the classes of the target for all patterns of two tables."""
    codes = groups_by_class(first, second, target, state_of_class)
    terms, labels = _terms(codes, len(second.table), _near_one(weights))
    in_range = all(_is_in_range(first, second, each) for each in terms)
    if not in_range:  # perhaps only what is known of the exponents is not near enough
        first, second = first.measured(), second.measured()
        in_range = all(_is_in_range(first, second, each) for each in terms)
    if not in_range:
        first, second = first.rescaled(), second.rescaled()
    products, scale = _scaled([_product(each, first, second, in_range) for each in terms])
    underflow = None
    if not in_range:
        total = max(float(np.abs(each.weight).sum()) for each in terms)
        underflow = Underflow(1.0 + total, second.lost, np.maximum(scale, 1.0))
    count = codes.size + max(product.terms for product in products)
    roundings = first.account.roundings + second.account.roundings + count + 5
    return Join(Patterns(first.table, first.lost), tuple(products), labels, roundings, underflow)


def groups_by_class(
    left: CompressedFactor, right: CompressedFactor, target: VariableId, state_of_class: Integers
) -> Integers:
    """Return ``paired_groups`` as ``[class, state of all hidden variables]``.

    ``state_of_class`` says which state of the target stands for each class: several may share one.
    """
    others = [v for v in dict.fromkeys((*left.scope, *right.scope)) if v != target]
    codes = paired_groups(left, right, (target, *others))
    classes = len(state_of_class)
    if 1 < len(codes) < classes:
        codes = codes[state_of_class]
    return np.broadcast_to(codes, (classes, *codes.shape[1:])).reshape(classes, -1)


def _near_one(weights: Sequence[Fraction]) -> list[Fraction]:
    """Return the weights scaled by a power of two to a largest one near 1."""
    top = max(weights)
    shift = top.denominator.bit_length() - top.numerator.bit_length()
    return [weight * Fraction(2) ** shift for weight in weights]


def _is_in_range(first: CompressedFactor, second: CompressedFactor, terms: _Terms) -> bool:
    """Return whether no operation on positive numbers can leave the range of float64.

    With exponents from ``lowest`` to ``highest`` on either side and for the weights: a weighted sum of the
    second side is at most ``depth`` below the largest of its column, and so is its term below 1 after
    scaling; a weighted sum of the first side, which takes that factor, is at most ``spread`` below the sum
    of its pattern, and a product of both ``spread + depth`` below 1.
    """
    if first.may_hide_entries or second.may_hide_entries:
        return False
    lightest, heaviest = terms.exponents
    added = log2(len(terms.weight) + 1) + 1
    one, other = first.account, second.account
    depth = heaviest - lightest + other.highest - other.lowest + added
    spread = heaviest - lightest + one.highest - one.lowest + added + depth
    smallest = lightest + min(other.lowest, one.lowest - depth)
    largest = heaviest + max(one.highest, other.highest) + added
    return spread + depth < -LOWEST_EXPONENT and smallest > LOWEST_EXPONENT and largest < HIGHEST_EXPONENT


def _terms(
    codes: Integers, width: int, weights: Sequence[Fraction]
) -> tuple[list[_Terms], tuple[tuple[int, ...], ...]]:
    """Return the sums that decide, from the pair of groups that each state ``[y, s]`` takes."""
    pairs, _, indices = distinct(codes.reshape(-1))
    indices = indices.reshape(codes.shape)
    counts = np.stack([np.bincount(row, minlength=len(pairs)) for row in indices], axis=1)  # [pair, y]
    group_ids, first = distinct_rows(counts)
    by_class = [[weight * int(n) for n, weight in zip(counts[at], weights, strict=True)] for at in first]
    if len(weights) == 2:
        labels: list[tuple[int, ...]] = []
        columns = [[row[1] - row[0] for row in by_class]]
    else:
        # Of classes with the same terms only those of the largest weight can win.
        largest: dict[bytes, Fraction] = {}
        terms_of_class = [counts[first, y].tobytes() for y in range(len(weights))]
        for key, own in zip(terms_of_class, weights, strict=True):
            largest[key] = max(own, largest.get(key, own))
        alike: dict[tuple[Fraction, ...], list[int]] = {}
        for y, key in enumerate(terms_of_class):
            if weights[y] == largest[key]:
                alike.setdefault(tuple(row[y] for row in by_class), []).append(y)
        labels = [tuple(ys) for ys in alike.values()]
        columns = [list(column) for column in alike]
    found = []
    for column in columns:
        weight = np.array([float(value) for value in column])[group_ids]
        real = np.array([value != 0 for value in column], dtype=bool)[group_ids]
        found.append(_Terms(pairs[real] // width, pairs[real] % width, weight[real], exponents_of(column)))
    return found, tuple(labels)


def _product(terms: _Terms, first: CompressedFactor, second: CompressedFactor, in_range: bool) -> Product:
    """Return the product of a sum: its terms collected by the groups of one side, whichever is cheaper."""
    kept_a, kept_b = distinct(terms.a)[0], distinct(terms.b)[0]
    cells = first.patterns * second.patterns
    by_a = len(kept_a) * cells + _COLLECTING * len(terms.a) * second.patterns
    by_b = len(kept_b) * cells + _COLLECTING * len(terms.a) * first.patterns
    if by_b < by_a:
        right = second.table[kept_b]
        support = right if in_range else (right > 0).astype(np.float64)
        return Product(Collector.of(terms.a, terms.weight, terms.b), right, right, support)
    collector = Collector.of(terms.b, terms.weight, terms.a)
    right = collector.sums(second.table)
    right_size = collector.sizes().sums(second.table) if collector.is_signed else right
    support = right_size if in_range else collector.supports(second.table)
    return Product(Collector.of(kept_a, np.ones(len(kept_a)), kept_a), right, right_size, support)


def _scaled(products: list[Product]) -> tuple[list[Product], Matrix]:
    """Scale columns and then terms of the right sides by powers of two to largest entries near 1.

    Also returns the factors of the columns.
    """
    largest = np.zeros(products[0].right.shape[1])
    for product in products:
        largest = np.maximum(largest, product.right_size.max(axis=0, initial=0.0))
    columns = -np.frexp(largest)[1]
    scaled = [_with_scaled_terms(product, columns) for product in products]
    with np.errstate(over="ignore"):
        return scaled, np.ldexp(1.0, columns)


def _with_scaled_terms(product: Product, columns: Exponents) -> Product:
    """Scale the columns of the right side as given, and then its terms."""
    size = np.empty_like(product.right_size)
    right = size if product.right_size is product.right else np.empty_like(size)
    terms = np.empty(len(size), dtype=columns.dtype)

    def scale(rows: slice) -> None:
        largest = np.ldexp(product.right_size[rows], columns).max(axis=1, initial=0.0)
        terms[rows] = np.frexp(largest)[1]
        exponents = columns - terms[rows, None]  # at once, as nothing may leave the range on the way
        np.ldexp(product.right_size[rows], exponents, out=size[rows])
        if right is not size:
            np.ldexp(product.right[rows], exponents, out=right[rows])

    spread_out(scale, list(pieces(len(size), _PIECE // max(1, len(columns)))))
    support = size if product.right_support is product.right_size else product.right_support
    collector = product.collector
    weight = np.ldexp(collector.weight, np.repeat(terms, collector.lengths))
    return Product(replace(collector, weight=weight), right, size, support)
