"""Products of compressed factors, with variables summed out.

They differ from those of ``model/factors.py`` for the sake of speed: rows here are all instances of the
features, so all pairs of patterns are formed, and terms are gathered by group, for which patterns must be the
last axis. Where there are many states and few patterns, or nearly as many groups as states, groups gain
nothing, and all states are multiplied (``dense``). Large tables wait until they are needed (``pending``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2, prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.arrays import array_pieces, take
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import ascending, distinct_rows
from bnc2d.base.masks import VariableId
from bnc2d.compile.meet.tables.compressed_factor import (
    CompressedFactor,
    Zeros,
    is_comparable,
    one_factor,
    some_zeros,
    with_merged_patterns,
)
from bnc2d.compile.meet.tables.dense import Dense, Scope, dense_product, kept_variables
from bnc2d.compile.meet.tables.gathered_sums import PIECE as SMALL
from bnc2d.compile.meet.tables.gathered_sums import GatheredSums, Integers, Table
from bnc2d.compile.meet.tables.pending import Pending, shape_alone
from bnc2d.model.accounts import EXACT, Account, Operand, exponents, lost_by_product

AnyFactor: TypeAlias = CompressedFactor | Pending

# With few patterns, looking for groups among many states costs more than it saves; and the result of a large
# product need not be seen before it is multiplied by them.
_FEW = 8
_MANY = 1 << 17
# Exponents are measured once what is known of them goes beyond these; near one, nothing comes of it.
_LOW, _HIGH = -200.0, 100.0
# Tables of this many entries wait until they are needed; memory for smaller ones is kept (``allocation.py``).
_LARGE = 1 << 22


def multiply_out(
    factors: Sequence[AnyFactor], summed: Collection[VariableId], exact: bool, structural: bool = False
) -> AnyFactor:
    """Multiply the factors, smallest first, and sum the variables ``summed`` out of the product.

    ``structural`` looks for equal states also where that costs more than it saves.
    """
    ranked = sorted([f for f in factors if not outline(f).is_constant], key=lambda f: outline(f).table.size)
    if not ranked or (len(ranked) == 1 and summed):
        ranked.insert(0, one_factor(exact))
    product = ranked[0]
    for position, factor in enumerate(ranked[1:], start=2):
        product = _product(made(product), factor, summed if position == len(ranked) else (), structural)
    return product


def outline(factor: AnyFactor) -> CompressedFactor:
    """Return what is known of a factor; where it waits, its table has the shape alone."""
    return factor.outline if isinstance(factor, Pending) else factor


def made(factor: AnyFactor) -> CompressedFactor:
    """Return the factor with its table."""
    return factor.made() if isinstance(factor, Pending) else factor


def _product(
    left: CompressedFactor, other: AnyFactor, summed: Collection[VariableId], structural: bool
) -> AnyFactor:
    """Multiply two factors without a common feature and sum variables out."""
    if not _in_range(left, outline(other)):
        left, other = left.rescaled(), made(other).rescaled()
    right = outline(other)
    sizes = left.sizes | right.sizes
    gone = tuple([variable for variable in sizes if variable in summed])
    many = not structural and prod(sizes.values()) >= _MANY
    if isinstance(other, Pending):
        waits = left.patterns <= _FEW and _may_wait(left, right, prod([sizes[v] for v in gone]))
        if not waits or (many and _gains_nothing(left, right)):
            other = right = other.made()
    kept = kept_variables(left.scope, right.scope, summed)
    if many and _gains_nothing(left, right) and _in_range(left, right):
        product: AnyFactor = _dense_product(left, made(other), kept, gone)
    else:
        product = _gathered_product(left, other, kept, gone)
    if isinstance(product, Pending) or product.patterns == 1:
        return product
    return with_merged_patterns(product)


def _in_range(left: CompressedFactor, right: CompressedFactor) -> bool:
    return left.is_exact or left.account.fits(right.account)


def _gains_nothing(left: CompressedFactor, right: CompressedFactor) -> bool:
    """Return whether groups gain nothing, where there are many states."""
    return left.patterns * right.patterns <= _FEW or (left.tells_states_apart and right.tells_states_apart)


def _may_wait(left: CompressedFactor, right: CompressedFactor, terms: int) -> bool:
    """Return whether nothing needs to be seen of the table of a product before it is used."""
    if left.is_exact or not _in_range(left, right) or left.may_hide_entries or right.may_hide_entries:
        return False
    return is_comparable(_account(left, right, terms, None))


def _dense_product(
    left: CompressedFactor, right: CompressedFactor, kept: Scope, gone: Scope
) -> CompressedFactor:
    """Return the product over all states, each of which is a group."""
    one, other = (Dense(factor.scope, factor.all_states) for factor in (left, right))
    table = dense_product(one, other, gone)
    sizes = left.sizes | right.sizes
    terms = prod([sizes[variable] for variable in gone])
    hides = left.may_hide_entries or right.may_hide_entries
    return CompressedFactor(
        left.features + right.features,
        kept,
        _pairs(left, right),
        np.arange(len(table), dtype=np.intp).reshape([sizes[variable] for variable in kept]),
        table,
        EXACT if left.is_exact else _account(left, right, terms, table),
        None if hides else some_zeros(~table.any(axis=1).astype(bool)),
        left.work + right.work + float(table.size * terms),
        structural=False,
    )


def _gathered_product(left: CompressedFactor, other: AnyFactor, kept: Scope, gone: Scope) -> AnyFactor:
    """Return the product over groups of states with equal terms."""
    right = outline(other)
    sizes = left.sizes | right.sizes
    terms = prod([sizes[variable] for variable in gone])
    codes = paired_groups(left, right, (*kept, *gone)).reshape(-1, terms)
    groups, first = _state_groups(left, right, codes)
    of_left, of_right = np.divmod(codes[first], len(right.table))
    zeros = _zero_groups(left, right, of_left, of_right)
    patterns = left.patterns * right.patterns
    sums = GatheredSums.planned(of_left, of_right, patterns, not left.is_exact)
    if sums.place is not None:
        groups = take(sums.place, groups)
        zeros = None if zeros is None else zeros[np.argsort(sums.place)]
    waits = isinstance(other, Pending)
    if not waits and sums.groups * patterns >= _LARGE:
        waits = _may_wait(left, right, terms)
    table = shape_alone(sums.groups, patterns) if waits else sums.table(left.table, right.table)
    factor = CompressedFactor(
        left.features + right.features,
        kept,
        _pairs(left, right),
        groups.reshape([sizes[variable] for variable in kept]),
        table,
        EXACT if left.is_exact else _account(left, right, terms, None if waits else table),
        zeros,
        left.work + right.work + float(table.size * terms),
        left.structural and right.structural,
    )
    if isinstance(other, Pending):
        return other.then(left.table, sums, factor)
    return Pending(factor, left.table, right.table, sums) if waits else factor


def _account(left: CompressedFactor, right: CompressedFactor, terms: int, table: Table | None) -> Account:
    """Return the account of a product, of whose table something may be known."""
    one, other = left.account, right.account
    lost = None
    if not one.fits(other) or one.lost is not None or other.lost is not None:
        operand = Operand(left.table.max(axis=0, initial=0.0)[:, None], left.lost[:, None])
        others = Operand(right.table.max(axis=0, initial=0.0), right.lost)
        lost = lost_by_product(operand, others, terms, may_underflow=True).reshape(-1)
    lowest, highest = one.lowest + other.lowest, one.highest + other.highest + log2(terms)
    if (lowest < _LOW or highest > _HIGH) and table is not None and table.size <= SMALL:
        lowest, highest = exponents(table)  # measuring a small table saves scaling a large one
    return Account(one.roundings + other.roundings + terms, lowest, highest, lost)


def _pairs(left: CompressedFactor, right: CompressedFactor) -> Integers:
    """Return the pattern of each instance of both factors' features, for all pairs of their patterns."""
    if not left.features or not right.features:  # one pattern
        return right.pattern_of_row if not left.features else left.pattern_of_row
    rows = np.empty((len(left.pattern_of_row), len(right.pattern_of_row)), dtype=np.intp)
    for piece in pieces(len(rows), PIECE // rows.shape[1]):
        np.add(left.pattern_of_row[piece, None] * right.patterns, right.pattern_of_row, out=rows[piece])
    return rows.reshape(-1)


def paired_groups(left: CompressedFactor, right: CompressedFactor, axes: Sequence[VariableId]) -> Integers:
    """Return the pair of groups of each state of ``axes``: ``left group * right groups + right group``.

    An array with an axis for each variable; they are those of both scopes.
    """
    one, other = (factor.groups_along(axes) for factor in (left, right))
    shape = [max(sizes) for sizes in zip(one.shape, other.shape, strict=True)]
    codes = np.empty(shape, dtype=np.intp)
    if codes.size <= PIECE:
        return np.add(one * len(right.table), other, out=codes)
    one, other = np.broadcast_to(one, shape), np.broadcast_to(other, shape)
    for piece in array_pieces(shape):
        codes[piece] = one[piece] * len(right.table) + other[piece]
    return codes


def _state_groups(
    left: CompressedFactor, right: CompressedFactor, codes: Integers
) -> tuple[Integers, Integers]:
    """Return the group of each state, given the pairs of groups of its terms, and one state of each group.

    States with equal terms, in whatever order, are one group; terms of value zero are all equal.
    """
    terms = codes + 1 if codes.size <= PIECE else np.empty_like(codes)
    for piece in pieces(len(codes), PIECE // codes.shape[1]):
        some = terms[piece]
        np.add(codes[piece], 1, out=some)
        if left.zeros is not None:
            some[left.zeros[codes[piece] // len(right.table)]] = 0
        if right.zeros is not None:
            some[right.zeros[codes[piece] % len(right.table)]] = 0
        if codes.shape[1] > PIECE:
            some[0] = ascending(some[0])
        elif codes.shape[1] > 1:
            some.sort(axis=1)
    return distinct_rows(terms)


def _zero_groups(
    left: CompressedFactor, right: CompressedFactor, of_left: Integers, of_right: Integers
) -> Zeros:
    """Return the groups whose terms all are zero, given the rows of each: entries are not negative."""
    if left.zeros is None and right.zeros is None:
        return None
    zeros = np.zeros(of_left.shape, dtype=bool)
    for factor, rows in ((left, of_left), (right, of_right)):
        if factor.zeros is not None:
            zeros |= factor.zeros[rows]
    return some_zeros(np.logical_and.reduce(zeros, axis=1))
