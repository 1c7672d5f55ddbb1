"""Factors of partial instances, compressed both ways.

Some tables of the network with features ``U`` inside and hidden variables ``S`` towards the rest are a
function ``f(u, s)``. Many instances ``u`` give proportional functions of ``s`` (a feature that others make
irrelevant), and many states ``s`` give equal functions of ``u`` (a gate that is off whatever its other inputs
are). So it is stored as a table over *patterns* of ``u`` and *groups* of ``s``:

    f(u, s)  is proportional to  table[group_of_state[s], pattern_of_row[u]]   (by a factor of u alone).

States are one group where they take equal terms from equal groups: that is seen from the structure, before
anything is multiplied. Patterns are merged by value (``proportional.py``).

Entries and their accounts are those of ``model/factors.py``: float64 or Python integers. Products are not,
for the sake of speed: rows here are all instances of the features, so all pairs of patterns are formed, and
terms are gathered by group, for which patterns must be the last axis. Where there are many states and few
patterns, or nearly as many groups as states, groups gain nothing, and all states are multiplied (``dense``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import log2, prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS, array_pieces, take, take_columns
from bnc2d.base.checkpoints import PIECE, pieces
from bnc2d.base.hashing import ascending, distinct_rows, grouped_one_by_one
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.tables.dense import Dense, dense_product, kept_variables
from bnc2d.compile.meet.tables.gathered_sums import PIECE as SMALL
from bnc2d.compile.meet.tables.gathered_sums import Integers, Table, gathered_sums
from bnc2d.compile.meet.tables.proportional import merge_patterns
from bnc2d.model.accounts import (
    EXACT,
    LOWEST_EXPONENT,
    QUANTUM,
    Account,
    Lost,
    Operand,
    exponents,
    lost_by_merging,
    lost_by_product,
    lost_by_rounding,
    lost_by_scaling,
    power_below,
)
from bnc2d.model.factors import ONE_ROW

# With few patterns, looking for groups among many states costs more than it saves.
_FEW = 8
_MANY = 1 << 17
# So they do where a factor has at least this share of groups to its states.
_NEARLY_ALL = 0.9
# Exponents are measured once what is known of them goes beyond these; near one, nothing comes of it.
_LOW, _HIGH = -200.0, 100.0
# Columns are compared where their entries and all sums of them are far from both ends of the range.
_COMPARED_EXPONENT = 400
# Sums of the entries of columns that are scaled alike differ by less than a factor of 2 to this.
_ROOM = 100


@record
class CompressedFactor:
    """``table[group, pattern]`` for the features and hidden variables it mentions; see the module."""

    features: tuple[VariableId, ...]
    scope: tuple[VariableId, ...]
    pattern_of_row: Integers  # by instance of ``features``, the last varying fastest
    group_of_state: Integers  # with an axis for each variable of ``scope``
    table: Table
    account: Account
    work: float = 0.0  # multiplications behind the table
    structural: bool = True  # whether equal states were looked for at every step

    @property
    def patterns(self) -> int:
        """The number of patterns."""
        return int(self.table.shape[1])

    @property
    def sizes(self) -> dict[VariableId, int]:
        """The number of states of each variable of the scope."""
        return dict(zip(self.scope, self.group_of_state.shape, strict=True))

    def groups_along(self, axes: Sequence[VariableId]) -> Integers:
        """Return the groups with an axis for each of some variables, of size 1 where this has none."""
        own = self.group_of_state.transpose([self.scope.index(v) for v in axes if v in self.scope])
        sizes = self.sizes
        return own.reshape([sizes.get(variable, 1) for variable in axes])

    @property
    def all_states(self) -> Table:
        """The table with an axis for each variable of the scope, and one for the patterns."""
        groups = self.group_of_state.reshape(-1)
        same = len(groups) == len(self.table) and not (groups != np.arange(len(groups))).any()
        table = self.table if same else take(self.table, groups)
        return table.reshape(*self.group_of_state.shape, self.patterns)

    @property
    def tells_states_apart(self) -> bool:
        """Whether there are nearly as many groups as states."""
        return len(self.table) >= _NEARLY_ALL * self.group_of_state.size

    @property
    def instances(self) -> Integers:
        """By pattern: how many instances it stands for."""
        return np.bincount(self.pattern_of_row, minlength=self.patterns)

    @property
    def lost(self) -> Lost:
        """By pattern: what an entry may be off by because of underflow."""
        return self.account.loses(self.patterns)

    def reordered(self, order: Integers) -> CompressedFactor:
        """Return the same with its patterns in another order."""
        number = np.empty(len(order), dtype=np.intp)
        number[order] = np.arange(len(order))
        return replace(
            self,
            pattern_of_row=take(number, self.pattern_of_row),
            table=take_columns(self.table, order),
            account=self.account.of_patterns(order),
        )

    @property
    def is_constant(self) -> bool:
        """Whether this only multiplies everything by one positive number."""
        alone = not self.features and self.table.size == 1
        return alone and bool(self.table[0, 0] > 0) and not self.may_hide_entries

    @property
    def is_exact(self) -> bool:
        """Whether the entries are integers."""
        return self.table.dtype == object

    @property
    def may_hide_entries(self) -> bool:
        """Whether a zero of the table may stand for a positive entry."""
        return self.account.lost is not None

    def measured(self) -> CompressedFactor:
        """Return the same with the exponents that the entries have."""
        lowest, highest = exponents(self.table)
        return replace(self, account=replace(self.account, lowest=lowest, highest=highest))

    def rescaled(self) -> CompressedFactor:
        """Scale each pattern by a power of two to a largest entry near 1."""
        scale = power_below(self.table.max(axis=0))
        table = self.table * scale
        lost = lost_by_scaling(self.table, table, self.account.lost, scale)
        account = Account(self.account.roundings, *exponents(table), lost)
        return replace(self, table=table, account=account)


def _one(exact: bool) -> CompressedFactor:
    table = np.ones((1, 1), dtype=object if exact else np.float64)
    return CompressedFactor((), (), ONE_ROW, ONE_ROW.reshape(()), table, EXACT)


def compressed_cpt(
    prepared: Prepared, table: VariableId, given: Mapping[VariableId, int], exact: bool
) -> CompressedFactor:
    """Return the table of a variable with the ``given`` features set; exact ones carry a common factor."""
    cpt, features = prepared.network.cpts[table], prepared.feature_ids
    axes = [prepared.ids[variable.name] for variable in cpt.scope]
    index = tuple([given.get(variable, slice(None)) for variable in axes])
    scope = [variable for variable in axes if variable not in given]
    own = [axis for axis, variable in enumerate(scope) if variable in features]
    hidden = [axis for axis, variable in enumerate(scope) if variable not in features]
    rows = prod([prepared.sizes[scope[axis]] for axis in own])
    truth = np.asarray(cpt.integers[index], dtype=object).transpose(hidden + own).reshape(-1, rows)
    in_pieces = (truth[piece].tolist() for piece in pieces(len(truth), OBJECTS // rows))
    groups, first = grouped_one_by_one(tuple(row) for some in in_pieces for row in some)  # equal in truth
    account = EXACT
    columns: Table = truth
    if not exact:
        columns = np.asarray(cpt.values[index]).transpose(hidden + own).reshape(-1, rows)
        lost = None
        if cpt.lowest_exponent <= LOWEST_EXPONENT or cpt.rounds_to_zero:
            lost = lost_by_rounding(truth, columns)
        account = Account(1, cpt.lowest_exponent, 0.0, lost)
    return CompressedFactor(
        tuple([scope[axis] for axis in own]),
        tuple([scope[axis] for axis in hidden]),
        np.arange(rows, dtype=np.intp),
        groups.reshape([prepared.sizes[scope[axis]] for axis in hidden]),
        columns[first],
        account,
    )


def multiply_out(
    factors: Sequence[CompressedFactor], summed: Collection[VariableId], exact: bool, structural: bool = False
) -> CompressedFactor:
    """Multiply the factors, smallest first, and sum the variables ``summed`` out of the product.

    ``structural`` looks for equal states also where that costs more than it saves.
    """
    ranked = sorted([factor for factor in factors if not factor.is_constant], key=lambda f: f.table.size)
    if not ranked or (len(ranked) == 1 and summed):
        ranked.insert(0, _one(exact))
    product = ranked[0]
    for position, factor in enumerate(ranked[1:], start=2):
        product = _product(product, factor, summed if position == len(ranked) else (), structural)
    return product


def _product(
    left: CompressedFactor, right: CompressedFactor, summed: Collection[VariableId], structural: bool
) -> CompressedFactor:
    """Multiply two factors without a common feature and sum variables out."""
    in_range = left.is_exact or left.account.fits(right.account)
    if not in_range:
        left, right = left.rescaled(), right.rescaled()
        in_range = left.account.fits(right.account)
    sizes = left.sizes | right.sizes
    kept = kept_variables(left.scope, right.scope, summed)
    gone = tuple([variable for variable in sizes if variable in summed])
    terms = prod([sizes[variable] for variable in gone])
    few = left.patterns * right.patterns <= _FEW or (left.tells_states_apart and right.tells_states_apart)
    dense = in_range and not structural and few and prod(sizes.values()) >= _MANY
    if dense:
        one, other = (Dense(factor.scope, factor.all_states) for factor in (left, right))
        table = dense_product(one, other, gone)
        groups = np.arange(len(table), dtype=np.intp)
    else:
        codes = paired_groups(left, right, (*kept, *gone)).reshape(-1, terms)
        groups, first = _state_groups(left, right, codes)
        rows = np.divmod(codes[first], len(right.table))
        table, place = gathered_sums(left.table, right.table, *rows)
        groups = groups if place is None else take(place, groups)
    factor = CompressedFactor(
        left.features + right.features,
        kept,
        _pairs(left, right),
        groups.reshape([sizes[variable] for variable in kept]),
        table,
        EXACT if left.is_exact else _account(left, right, terms, in_range, table),
        left.work + right.work + float(table.size * terms),
        left.structural and right.structural and not dense,
    )
    return _with_merged_patterns(factor) if factor.patterns > 1 else factor


def _account(
    left: CompressedFactor, right: CompressedFactor, terms: int, in_range: bool, table: Table
) -> Account:
    """Return the account of a product: nothing lost where operands and products are in range."""
    one, other = left.account, right.account
    lost = None
    if not in_range or one.lost is not None or other.lost is not None:
        operand = Operand(left.table.max(axis=0, initial=0.0)[:, None], left.lost[:, None])
        others = Operand(right.table.max(axis=0, initial=0.0), right.lost)
        lost = lost_by_product(operand, others, terms, may_underflow=True).reshape(-1)
    lowest, highest = one.lowest + other.lowest, one.highest + other.highest + log2(terms)
    if (lowest < _LOW or highest > _HIGH) and table.size <= SMALL:
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


def _with_merged_patterns(factor: CompressedFactor) -> CompressedFactor:
    account = factor.account
    if max(-account.lowest, account.highest) > _COMPARED_EXPONENT and not factor.is_exact:
        factor = factor.rescaled()
        account = factor.account
    merged = merge_patterns(factor.table)
    if merged is None:
        return factor
    lost = account.lost
    if account.lowest < LOWEST_EXPONENT + _ROOM:  # entries that are scaled for the comparison may vanish
        lost = factor.lost + QUANTUM
    lost = lost_by_merging(lost, merged.factor, merged.number, len(merged.chosen))
    return replace(
        factor,
        table=take_columns(factor.table, merged.chosen),
        pattern_of_row=take(merged.number, factor.pattern_of_row),
        account=Account(account.roundings + merged.roundings, account.lowest, account.highest, lost),
    )


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
    vanishing = [_vanishing(factor) for factor in (left, right)]
    for piece in pieces(len(codes), PIECE // codes.shape[1]):
        some = terms[piece]
        np.add(codes[piece], 1, out=some)
        if vanishing[0] is not None:
            some[vanishing[0][codes[piece] // len(right.table)]] = 0
        if vanishing[1] is not None:
            some[vanishing[1][codes[piece] % len(right.table)]] = 0
        if codes.shape[1] > PIECE:
            some[0] = ascending(some[0])
        elif codes.shape[1] > 1:
            some.sort(axis=1)
    return distinct_rows(terms)


def _vanishing(factor: CompressedFactor) -> NDArray[np.bool_] | None:
    """Return which groups have zeros alone, for certain; None for none."""
    if factor.may_hide_entries or np.count_nonzero(factor.table) == factor.table.size:
        return None
    vanishing: NDArray[np.bool_] = ~factor.table.any(axis=1).astype(bool)
    return vanishing if vanishing.any() else None
