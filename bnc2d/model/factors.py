"""Factors: tables over variables, with their products, sums and quotients.

Variables are integer ids, one numbering for a problem. A table has a first axis for *patterns*, the distinct
assignments of the observed features that it depends on, so that work that instances share is done once; the
other axes run over the unobserved variables of its scope. Without observed features there is one pattern.

Entries are float64 values, each table with an account of its errors (``accounts.py``), values in extended
precision (``extended.py``; roundings count in its own unit), Python integers over a common denominator
(exact), or booleans (is it possible?). The algebra is the same for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows, array_pieces, contiguous, sum_out
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.base.threads import one_thread
from bnc2d.model import accounts, products
from bnc2d.model.accounts import (
    EXACT,
    HIGHEST_EXPONENT,
    Account,
    Lost,
    Operand,
    exponents,
    lost_by_product,
    lost_by_rounding,
    lost_by_scaling,
    power_below,
    some_lost,
)
from bnc2d.model.cpt import CPT, extended_entries
from bnc2d.model.products import Patterns, Table

# A product of exact tables with more entries is made for one state of a variable after the other.
_EXACT_ENTRIES = 1 << 20
# All pairs of patterns are multiplied by BLAS where at least one in this many is asked for.
_DENSE_PAIRS = 8
# A matrix product per pair of patterns pays from this many multiplications on.
_WORTH_A_MATRIX = 2048
_NO_FEATURES = np.zeros((1, 0), dtype=np.intp)
# The pattern of the only row where no feature is observed.
ONE_ROW = np.zeros(1, dtype=np.intp)


@record
class Factor:
    """A table ``[pattern, *scope]``, the pattern of each row of observed features, and its account."""

    scope: tuple[VariableId, ...]
    table: Table
    pattern_of_row: Patterns
    account: Account

    @classmethod
    def one(cls, dtype: Any) -> Factor:
        """Return the factor without variables whose only entry is 1."""
        return cls((), np.ones(1, dtype=dtype), ONE_ROW, EXACT)

    @classmethod
    def of_cpt(
        cls,
        cpt: CPT,
        ids: Mapping[str, VariableId],
        dtype: Any,
        rows: Rows = _NO_FEATURES,
        column: Mapping[VariableId, int] | None = None,
    ) -> Factor:
        """Return the table of a variable for rows of feature states, where ``column`` says who is a feature.

        Exact tables carry a common positive factor.
        """
        scope = [ids[variable.name] for variable in cpt.scope]
        column = column or {}
        observed = [axis for axis, variable in enumerate(scope) if variable in column]
        free = [axis for axis, variable in enumerate(scope) if variable not in column]
        shape = [len(cpt.scope[axis]) for axis in free]
        sizes = [len(cpt.scope[axis]) for axis in observed]
        codes = np.zeros(len(rows), dtype=np.intp)
        for axis, size in zip(observed, sizes, strict=True):
            codes = codes * size + rows[:, column[scope[axis]]]
        patterns, _, pattern_of_row = distinct(codes)

        def selected(source: Table) -> Table:
            slices: Table = source.transpose(observed + free).reshape(prod(sizes), *shape)[patterns]
            return slices

        account = EXACT
        if _is_floating(dtype):
            table = selected(cpt.values if dtype == np.float64 else extended_entries(cpt))
            lost = None
            if cpt.lowest_exponent < accounts.LOWEST_EXPONENT or cpt.rounds_to_zero:
                width = len(patterns)
                lost = lost_by_rounding(selected(cpt.exact).reshape(width, -1).T, table.reshape(width, -1).T)
            account = Account(1 if dtype == np.float64 else 2, cpt.lowest_exponent, 0.0, lost)
        elif dtype == np.bool_:
            table = selected(cpt.exact) > 0 if cpt.rounds_to_zero else selected(cpt.values) > 0
        else:
            table = selected(cpt.integers)
        free_ids = tuple(scope[axis] for axis in free)
        return cls(free_ids, np.asarray(table, dtype=dtype), pattern_of_row, account)

    @property
    def sizes(self) -> dict[VariableId, int]:
        """The number of states of each variable of the scope."""
        return dict(zip(self.scope, self.table.shape[1:], strict=True))

    @property
    def trusted(self) -> NDArray[np.bool_]:
        """By pattern: whether rounding is the only error."""
        trusted: NDArray[np.bool_] = self.account.loses(len(self.table)) == 0
        return trusted

    def over(self, scope: Sequence[VariableId]) -> Table:
        """Return the table with one axis per variable of ``scope``, of size 1 where this factor lacks it."""
        shared = [1 + self.scope.index(variable) for variable in scope if variable in self.scope]
        missing = tuple(1 + axis for axis, variable in enumerate(scope) if variable not in self.scope)
        return np.expand_dims(self.table.transpose(0, *shared), missing)

    def sum_out(self, summed: Collection[VariableId]) -> Factor:
        """Return the factor with variables summed out, those of ``summed`` that it mentions."""
        gone = tuple(1 + axis for axis, variable in enumerate(self.scope) if variable in summed)
        if not gone:
            return self
        terms = prod(self.table.shape[axis] for axis in gone)
        scope = tuple(variable for variable in self.scope if variable not in summed)
        account = self.account
        if _is_floating(self.table.dtype):
            lost = None if account.lost is None else account.lost * (terms * accounts.ROUNDED_UP)
            highest = account.highest + log2(terms)
            account = Account(account.roundings + terms - 1, account.lowest, highest, lost)
        return Factor(scope, sum_out(self.table, gone), self.pattern_of_row, account)

    def at(self, variable: VariableId, state: int) -> Factor:
        """Return the factor with a variable at one state; it may be one that it does not mention."""
        if variable not in self.scope:
            return self
        axis = 1 + self.scope.index(variable)
        scope = tuple(other for other in self.scope if other != variable)
        return replace(self, scope=scope, table=np.moveaxis(self.table, axis, 0)[state])

    def divided_by(self, other: Factor) -> Factor:
        """Return the quotient by a factor of one pattern over some of the variables; 0/0 is 0."""
        divisor = np.broadcast_to(other.over(self.scope), self.table.shape)
        quotient = np.zeros_like(self.table)
        for piece in array_pieces(quotient.shape):
            below = divisor[piece]
            quotient[piece] = np.divide(self.table[piece], below, out=np.zeros(below.shape), where=below > 0)
        mine, its = self.account, other.account
        lowest, highest = mine.lowest - its.highest, mine.highest - its.lowest
        lost = None
        in_range = lowest >= accounts.LOWEST_EXPONENT and highest <= HIGHEST_EXPONENT
        if not in_range or mine.lost is not None or its.lost is not None:
            lost = np.full(len(quotient), np.inf)
        account = Account(mine.roundings + its.roundings + 1, *_range(quotient, lost, lowest, highest), lost)
        return Factor(self.scope, quotient, self.pattern_of_row, account)


def _is_floating(dtype: Any) -> bool:
    return bool(np.issubdtype(dtype, np.floating))


def _range(table: Table, lost: Lost | None, lowest: float, highest: float) -> tuple[float, float]:
    """Return the exponents of a small table, measured; bounds on those of a large one, as given.

    Measuring a small table saves scaling a large one later. Patterns that lost something do not count: what
    they come to is not relied on.
    """
    if not _is_floating(table.dtype):
        return 0.0, 0.0
    if table.size <= products.CHUNK:
        return exponents(table if lost is None else table[lost == 0])
    return max(lowest, float(accounts.LOWEST_EXPONENT)), highest


@one_thread
def multiply_out(factors: Sequence[Factor], summed: Collection[VariableId]) -> Factor:
    """Multiply the factors, smallest first, and sum the variables ``summed`` out of the product."""
    first, *others = sorted(factors, key=lambda factor: factor.table.size)
    if not others:
        return first.sum_out(summed)
    if (variable := _to_split([first, *others])) is not None:
        return _state_by_state(factors, summed, variable)
    product = first
    for factor in others[:-1]:
        product = _product(product, factor, ())
    return _product(product, others[-1], summed)


def _to_split(factors: Sequence[Factor]) -> VariableId | None:
    """Return who is to have one state at a time, where exact factors but the last have too large a product.

    It is in most of the factors, so that hardly anything is done twice.
    """
    if len(factors) == 2 or not factors[0].table.dtype.hasobject:
        return None
    sizes = {variable: size for factor in factors[:-1] for variable, size in factor.sizes.items()}
    if max(len(factor.table) for factor in factors) * prod(sizes.values()) <= _EXACT_ENTRIES:
        return None
    users = Counter(variable for factor in factors for variable in factor.scope if sizes.get(variable, 1) > 1)
    return max(users, key=lambda variable: (users[variable], sizes[variable]), default=None)


def _state_by_state(
    factors: Sequence[Factor], summed: Collection[VariableId], variable: VariableId
) -> Factor:
    """Multiply exact factors out with a variable at each of its states; return their sum, or all of them."""
    size = next(factor.sizes[variable] for factor in factors if variable in factor.scope)
    found = [
        multiply_out([factor.at(variable, state) for factor in factors], summed) for state in range(size)
    ]
    if variable in summed:
        return replace(found[0], table=reduce(np.add, (factor.table for factor in found)))
    table = np.stack([factor.table for factor in found], axis=1)
    return replace(found[0], scope=(variable, *found[0].scope), table=table)


def _product(left: Factor, right: Factor, summed: Collection[VariableId]) -> Factor:
    """Multiply two factors pattern by pattern and sum out the variables ``summed``."""
    checkpoint()
    codes = left.pattern_of_row * len(right.table) + right.pattern_of_row
    pairs, _, pattern_of_row = distinct(codes)
    of_left, of_right = np.divmod(pairs, len(right.table))
    floating = _is_floating(left.table.dtype)
    if floating and not left.account.fits(right.account):
        left, right = _rescaled(left), _rescaled(right)
    in_range = floating and left.account.fits(right.account)
    axes = _Axes.of(left, right, summed)
    pieces = _grouped_axes(left, axes), _grouped_axes(right, axes)
    by_matrix = pieces[0].shape[2] * pieces[0].shape[3] * pieces[1].shape[3] >= _WORTH_A_MATRIX
    underflows = np.zeros(len(pairs), dtype=bool)
    if in_range and by_matrix:
        table = products.pair_by_pair(*pieces, of_left, of_right)
    elif in_range and len(left.table) * len(right.table) <= _DENSE_PAIRS * len(pairs):
        table = products.of_all_pairs(*pieces, pairs)
    else:
        watched = underflows if floating and not in_range else None
        table = products.entry_by_entry(*pieces, of_left, of_right, watched)
    sizes = left.sizes | right.sizes
    table = table.reshape(len(pairs), *(sizes[variable] for variable in axes.kept))
    account = EXACT
    if floating:
        gone = (*axes.summed, *axes.summed_alone)
        account = _account(left, right, of_left, of_right, prod(sizes[v] for v in gone), underflows, table)
    return Factor(axes.kept, table, pattern_of_row, account)


def _account(
    left: Factor,
    right: Factor,
    of_left: Patterns,
    of_right: Patterns,
    terms: int,
    underflows: NDArray[np.bool_],
    table: Table,
) -> Account:
    """Return the account of a sum of ``terms`` products; ``underflows`` says where one left the range."""
    one, other = left.account, right.account
    lost = None
    if one.lost is not None or other.lost is not None or underflows.any():
        operands = _operand(left, of_left), _operand(right, of_right)
        lost = some_lost(lost_by_product(*operands, terms, underflows))
    lowest, highest = one.lowest + other.lowest, one.highest + other.highest + log2(terms)
    return Account(one.roundings + other.roundings + terms, *_range(table, lost, lowest, highest), lost)


def _operand(factor: Factor, chosen: Patterns) -> Operand:
    largest = factor.table.reshape(len(factor.table), -1).max(axis=1, initial=0.0)
    return Operand(largest[chosen], factor.account.loses(len(factor.table))[chosen])


def _grouped_axes(factor: Factor, axes: _Axes) -> Table:
    """Return ``[pattern, shared, summed by both, own]``, with what only this factor sums already summed."""
    table, scope = factor.table, factor.scope
    alone = [variable for variable in axes.summed_alone if variable in scope]
    if alone:
        table = sum_out(table, tuple(1 + scope.index(v) for v in alone))
        scope = tuple(variable for variable in scope if variable not in alone)
    own = [variable for variable in scope if variable not in axes.shared and variable not in axes.summed]
    order = [1 + scope.index(variable) for variable in (*axes.shared, *axes.summed, *own)]
    sizes = [prod(factor.sizes[variable] for variable in group) for group in (axes.shared, axes.summed, own)]
    return contiguous(table.transpose(0, *order)).reshape(len(table), *sizes)


@record
class _Axes:
    """How the variables of two factors take part in their product."""

    shared: tuple[VariableId, ...]  # in both, kept
    summed: tuple[VariableId, ...]  # in both, summed out
    summed_alone: tuple[VariableId, ...]  # in one, summed out
    kept: tuple[VariableId, ...]  # the axes of the result: shared, then the left's own, then the right's

    @classmethod
    def of(cls, left: Factor, right: Factor, summed: Collection[VariableId]) -> _Axes:
        both = set(left.scope) & set(right.scope)
        own = [v for v in (*left.scope, *right.scope) if v not in both]
        shared = tuple(v for v in right.scope if v in both and v not in summed)
        return cls(
            shared,
            tuple(v for v in right.scope if v in both and v in summed),
            tuple(v for v in own if v in summed),
            (*shared, *(v for v in own if v not in summed)),
        )


def _rescaled(factor: Factor) -> Factor:
    """Return the factor with each pattern scaled by a power of two so that its largest entry is about 1.

    A common factor of all entries of a pattern changes no decision.
    """
    flat = factor.table.reshape(len(factor.table), -1)
    scale = power_below(flat.max(axis=1))
    scaled = flat * scale[:, None]
    lost = lost_by_scaling(flat.T, scaled.T, factor.account.lost, scale)
    lowest, highest = exponents(scaled if lost is None else scaled[lost == 0])
    account = Account(factor.account.roundings, lowest, highest, lost)
    return replace(factor, table=scaled.reshape(factor.table.shape), account=account)
