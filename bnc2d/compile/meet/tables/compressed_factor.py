"""Factors of partial instances, compressed both ways.

Some tables of the network with features ``U`` inside and hidden variables ``S`` towards the rest are a
function ``f(u, s)``. Many instances ``u`` give proportional functions of ``s`` (a feature that others make
irrelevant), and many states ``s`` give equal functions of ``u`` (a gate that is off whatever its other inputs
are). So it is stored as a table over *patterns* of ``u`` and *groups* of ``s``:

    f(u, s)  is proportional to  table[group_of_state[s], pattern_of_row[u]]   (by a factor of u alone).

States are one group where they take equal terms from equal groups: that is seen from the structure, before
anything is multiplied. Patterns are merged by value (``proportional.py``).

Entries and their accounts are those of ``model/factors.py``: float64 or Python integers. Products are not
(``products.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS, take, take_columns
from bnc2d.base.checkpoints import pieces
from bnc2d.base.hashing import grouped_one_by_one
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.tables.gathered_sums import Integers, Table
from bnc2d.compile.meet.tables.proportional import merge_patterns
from bnc2d.model.accounts import (
    EXACT,
    LOWEST_EXPONENT,
    QUANTUM,
    Account,
    Lost,
    exponents,
    lost_by_merging,
    lost_by_rounding,
    lost_by_scaling,
    power_below,
)
from bnc2d.model.factors import ONE_ROW

Zeros: TypeAlias = NDArray[np.bool_] | None  # None where no group has zeros alone

# Where a factor has at least this share of groups to its states, looking for groups costs more than it saves.
_NEARLY_ALL = 0.9
# Columns are compared where their entries and all sums of them are far from both ends of the range.
COMPARED_EXPONENT = 400
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
    zeros: Zeros = None  # by group: whether all its entries are zero in truth
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


def one_factor(exact: bool) -> CompressedFactor:
    """Return the factor that changes nothing."""
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
        some_zeros(~np.logical_or.reduce(truth[first] != 0, axis=1)),
    )


def some_zeros(zeros: NDArray[np.bool_]) -> Zeros:
    """Return groups of zeros in the form of a factor: None for no group."""
    return zeros if zeros.any() else None


def is_comparable(account: Account) -> bool:
    """Return whether columns can be compared as they are."""
    return max(-account.lowest, account.highest) <= COMPARED_EXPONENT


def with_merged_patterns(factor: CompressedFactor) -> CompressedFactor:
    """Return the same with proportional columns as one, where that pays."""
    account = factor.account
    if not is_comparable(account) and not factor.is_exact:
        factor = factor.measured()
        if not is_comparable(factor.account):
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
