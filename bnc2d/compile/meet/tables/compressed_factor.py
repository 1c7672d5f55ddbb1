"""Tables of partial instances, compressed both ways.

A part of the network with features ``U`` inside and hidden variables ``S`` towards the rest is a function
``f(u, s)``. Many instances ``u`` give proportional functions of ``s`` (a feature that others make
irrelevant), and many states ``s`` give equal functions of ``u`` (a gate that is off whatever its other
inputs are). So a part is stored as a table over *patterns* of ``u`` and *groups* of ``s``:

    f(u, s)  is proportional to  table[group_of_state[s], pattern_of_row[u]]   (by a factor of u alone).

States are one group where they take equal terms from equal groups: that is seen from the structure, before
anything is multiplied. Patterns are merged by value (``proportional.py``).

A table holds float64 values, with the error accounts of ``model/factors.py`` (relative) and ``underflow``
(absolute), or Python integers (exact).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS, contiguous, multiply_matrices, take, take_columns
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import ascending, distinct, distinct_rows
from bnc2d.base.masks import VariableId
from bnc2d.compile.meet.tables.proportional import merge_patterns
from bnc2d.compile.meet.tables.underflow import (
    QUANTUM,
    Lost,
    Operand,
    lost_by_merging,
    lost_by_product,
    lost_by_rounding,
    lost_by_scaling,
    nothing_lost,
)
from bnc2d.model.cpt import CPT
from bnc2d.model.factors import HIGHEST_EXPONENT, LOWEST_EXPONENT, Factor, exponents, power_below
from bnc2d.model.factors import multiply_out as multiply_factors

Integers: TypeAlias = NDArray[np.intp]
Table: TypeAlias = NDArray[Any]  # float64, or object (Python ints)

# Terms are gathered in pieces of this many entries, so that they stay in the processor's cache.
_PIECE = 1 << 17
# With few patterns, looking for groups among many states costs more than it saves.
_FEW = 8
_MANY = 1 << 17
# Columns are compared where their entries and all sums of them are far from both ends of the range.
_COMPARED_EXPONENT = 400
# Sums of the entries of columns that are scaled alike differ by less than a factor of 2 to this.
_ROOM = 100
# What stands for the patterns among the variables of a factor.
_LEFT, _RIGHT = -1, -2


@dataclass(frozen=True)
class CompressedFactor:
    """``table[group, pattern]`` for the features and hidden variables it mentions; see the module."""

    features: tuple[VariableId, ...]
    scope: tuple[VariableId, ...]
    pattern_of_row: Integers  # by instance of ``features``, the last varying fastest
    group_of_state: Integers  # by state of ``scope``, the last varying fastest
    table: Table
    roundings: int  # bounds the operations behind an entry
    work: float  # multiplications behind the table
    lowest: float  # log2 of a lower bound on the positive entries
    highest: float  # log2 of an upper bound on the entries
    lost: Lost  # by pattern: what an entry may be off by because of underflow
    structural: bool = True  # whether equal states were looked for at every step

    @property
    def patterns(self) -> int:
        """The number of patterns."""
        return int(self.table.shape[1])

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
        return bool(self.lost.any())


def _one(exact: bool) -> CompressedFactor:
    nothing = np.zeros(1, dtype=np.intp)
    table = np.ones((1, 1), dtype=object if exact else np.float64)
    return CompressedFactor((), (), nothing, nothing, table, 0, 0.0, 0.0, 0.0, nothing_lost(1))


def compressed_cpt(
    cpt: CPT,
    ids: Mapping[str, VariableId],
    features: Collection[VariableId],
    given: Mapping[str, int],
    exact: bool,
) -> CompressedFactor:
    """Return the table of a variable with the ``given`` features set; exact ones carry a common factor."""
    free = [variable for variable in cpt.scope if variable.name not in given]
    index = tuple(given.get(variable.name, slice(None)) for variable in cpt.scope)
    own = [axis for axis, variable in enumerate(free) if ids[variable.name] in features]
    hidden = [axis for axis in range(len(free)) if axis not in own]
    rows = prod(len(free[axis]) for axis in own)
    truth = np.asarray(cpt.integers[index], dtype=object).transpose([*hidden, *own]).reshape(-1, rows)
    columns: Table = truth
    if not exact:
        columns = np.asarray(cpt.values[index]).transpose([*hidden, *own]).reshape(-1, rows)
    groups, first = _equal_columns(truth)
    lowest, highest = (0.0, 0.0) if exact else exponents(columns)
    in_range = exact or (lowest > LOWEST_EXPONENT and not cpt.rounds_to_zero)
    return CompressedFactor(
        tuple(ids[free[axis].name] for axis in own),
        tuple(ids[free[axis].name] for axis in hidden),
        np.arange(rows, dtype=np.intp),
        groups,
        columns[first],
        roundings=1,
        work=0.0,
        lowest=lowest,
        highest=highest,
        lost=nothing_lost(rows) if in_range else lost_by_rounding(truth, columns),
    )


def _equal_columns(columns: NDArray[np.object_]) -> tuple[Integers, Integers]:
    """Return the group of each row of integers, and one row of each: equal, not only rounded alike."""
    known: dict[tuple[int, ...], int] = {}
    ids = np.empty(len(columns), dtype=np.intp)
    for piece in pieces(len(columns), OBJECTS // columns.shape[1]):
        ids[piece] = [known.setdefault(tuple(row), len(known)) for row in columns[piece].tolist()]
    return ids, distinct(ids)[1]


def multiply_out(
    parts: Sequence[CompressedFactor],
    summed: Collection[VariableId],
    sizes: Mapping[VariableId, int],
    exact: bool,
    structural: bool = False,
) -> CompressedFactor:
    """Multiply the parts, smallest first, and sum the variables ``summed`` out of the product.

    ``structural`` looks for equal states also where that costs more than it saves.
    """
    ranked = sorted((part for part in parts if not part.is_constant), key=lambda part: part.table.size)
    if not ranked or (len(ranked) == 1 and summed):
        ranked.insert(0, _one(exact))
    product = ranked[0]
    for position, part in enumerate(ranked[1:], start=2):
        product = _product(product, part, summed if position == len(ranked) else (), sizes, structural)
    return product


def _product(
    left: CompressedFactor,
    right: CompressedFactor,
    summed: Collection[VariableId],
    sizes: Mapping[VariableId, int],
    structural: bool,
) -> CompressedFactor:
    """Multiply two parts without a common feature and sum variables out."""
    if not (left.is_exact or _fits(left, right)):
        left, right = rescaled(left), rescaled(right)
    in_range = left.is_exact or _fits(left, right)
    axes = dict.fromkeys((*left.scope, *right.scope))
    kept = tuple(variable for variable in axes if variable not in summed)
    gone = tuple(variable for variable in axes if variable in summed)
    terms = prod(sizes[variable] for variable in gone)
    few = left.patterns * right.patterns <= _FEW
    dense = in_range and not structural and few and prod(sizes[variable] for variable in axes) >= _MANY
    if dense:
        table = _dense(left, right, kept, gone, sizes)
        groups = np.arange(len(table), dtype=np.intp)
    else:
        of_left, of_right = (spread(part, (*kept, *gone), sizes).reshape(-1, terms) for part in (left, right))
        groups, first = _state_groups(left, right, of_left, of_right)
        table = _sums(left.table, right.table, of_left[first], of_right[first])
    rows = _pairs(left, right)
    lowest, highest = left.lowest + right.lowest, left.highest + right.highest + log2(terms)
    if not left.is_exact and table.size <= _PIECE:  # measuring a small table saves scaling a large one
        lowest, highest = exponents(table)
    part = CompressedFactor(
        left.features + right.features,
        kept,
        rows,
        groups,
        table,
        left.roundings + right.roundings + terms,
        left.work + right.work + float(table.size * terms),
        lowest,
        highest,
        _lost(left, right, terms, in_range),
        left.structural and right.structural and not dense,
    )
    return _with_merged_patterns(part) if part.patterns > 1 else part


def _pairs(left: CompressedFactor, right: CompressedFactor) -> Integers:
    """Return the pattern of each instance of the features of two parts, for all pairs of their patterns."""
    rows = np.empty((len(left.pattern_of_row), len(right.pattern_of_row)), dtype=np.intp)
    for piece in pieces(len(rows), PIECE // rows.shape[1]):
        np.add(left.pattern_of_row[piece, None] * right.patterns, right.pattern_of_row, out=rows[piece])
    return rows.reshape(-1)


def _dense(
    left: CompressedFactor,
    right: CompressedFactor,
    kept: Sequence[VariableId],
    summed: tuple[VariableId, ...],
    sizes: Mapping[VariableId, int],
) -> Table:
    """Return ``[state of the kept variables, left pattern x right pattern]``, every state computed."""
    nowhere = np.zeros(1, dtype=np.intp)
    factors = []
    for part, pattern in ((left, _LEFT), (right, _RIGHT)):
        shape = (1, *(sizes[variable] for variable in part.scope), part.patterns)
        table = take(part.table, part.group_of_state).reshape(shape)
        trusted = np.ones(1, dtype=bool)
        factors.append(Factor((*part.scope, pattern), nowhere, table, trusted, 0, part.lowest, part.highest))
    product = multiply_factors(factors, summed)
    order = [1 + product.scope.index(variable) for variable in (*kept, _LEFT, _RIGHT)]
    return contiguous(product.table.transpose(0, *order)).reshape(-1, left.patterns * right.patterns)


def _lost(left: CompressedFactor, right: CompressedFactor, terms: int, in_range: bool) -> Lost:
    """Return the account of a product: nothing where both operands and all that is formed are in range."""
    if in_range and not left.may_hide_entries and not right.may_hide_entries:
        return nothing_lost(left.patterns * right.patterns)
    return lost_by_product(_operand(left), _operand(right), terms)


def _operand(part: CompressedFactor) -> Operand:
    return Operand(part.table.max(axis=0, initial=0.0), part.lost)


def _with_merged_patterns(part: CompressedFactor) -> CompressedFactor:
    if max(-part.lowest, part.highest) > _COMPARED_EXPONENT and not part.is_exact:
        part = rescaled(part)
    merged = merge_patterns(part.table)
    if merged is None:
        return part
    lost = part.lost
    if part.lowest < LOWEST_EXPONENT + _ROOM:  # entries that are scaled for the comparison may vanish
        lost = lost + QUANTUM
    return replace(
        part,
        table=take_columns(part.table, merged.chosen),
        pattern_of_row=take(merged.number, part.pattern_of_row),
        roundings=part.roundings + merged.roundings,
        lost=lost_by_merging(lost, merged.factor, merged.number, len(merged.chosen)),
    )


def spread(part: CompressedFactor, axes: Sequence[VariableId], sizes: Mapping[VariableId, int]) -> Integers:
    """Return the group of each state of ``axes``, an array with an axis for each; they contain the scope."""
    own = part.group_of_state.reshape([sizes[variable] for variable in part.scope])
    own = own.transpose([part.scope.index(variable) for variable in axes if variable in part.scope])
    own = own.reshape([sizes[variable] if variable in part.scope else 1 for variable in axes])
    return contiguous(np.broadcast_to(own, [sizes[variable] for variable in axes]))


def _state_groups(
    left: CompressedFactor, right: CompressedFactor, of_left: Integers, of_right: Integers
) -> tuple[Integers, Integers]:
    """Return the group of each state, given the groups of its terms, and one state of each group.

    States with equal terms, in whatever order, are one group; terms of value zero are all equal.
    """
    codes = np.empty_like(of_left)
    empty = []
    for part, of_part in ((left, of_left), (right, of_right)):
        vanishing = ~part.table.any(axis=1).astype(bool)
        if vanishing.any() and not part.may_hide_entries:
            empty.append((vanishing, of_part))
    for piece in pieces(len(codes), PIECE // codes.shape[1]):
        terms = codes[piece]
        np.multiply(of_left[piece], len(right.table), out=terms)
        terms += of_right[piece]
        terms += 1
        for vanishing, of_part in empty:
            terms[vanishing[of_part[piece]]] = 0
        if codes.shape[1] > PIECE:
            terms[0] = ascending(terms[0])
        elif codes.shape[1] > 1:
            terms.sort(axis=1)
    return distinct_rows(codes)


def _sums(left: Table, right: Table, of_left: Integers, of_right: Integers) -> Table:
    """Return ``[group, left pattern x right pattern]``: the sums of products of each group's terms."""
    groups, terms = of_left.shape
    a, b = left.shape[1], right.shape[1]
    table: Table = np.empty((groups, a * b), dtype=left.dtype)
    by_matrix = left.dtype == np.float64 and min(a, b) > 1 and terms > 1
    step = max(1, _PIECE // (max(terms * (a + b), a * b) if by_matrix else terms * a * b))
    for start in range(0, groups, step):
        checkpoint()
        piece = slice(start, start + step)
        if step == 1 and terms * a * b > _PIECE:
            large = take(left, of_left[start]), take(right, of_right[start])
            _sum_of_products(*large, out=table[start].reshape(a, b))
            continue
        x, y = left[of_left[piece]], right[of_right[piece]]  # [group, term, pattern]
        if by_matrix:
            np.matmul(x.transpose(0, 2, 1), y, out=table[piece].reshape(-1, a, b))
        else:
            products = (x[:, :, :, None] * y[:, :, None, :]).reshape(len(x), terms, a * b)
            table[piece] = np.add.reduce(products, axis=1) if terms > 1 else products[:, 0]
    return table


def _sum_of_products(left: Table, right: Table, out: Table) -> None:
    """Write ``Σ_t left[t, i] right[t, j]``, of many terms or patterns, to ``out[i, j]``."""
    if left.dtype == np.float64:
        multiply_matrices(left.T, right, out)
        return
    for i in pieces(len(out), 64):
        for j in pieces(out.shape[1], 64):
            out[i, j] = 0
            for some in pieces(len(left), 64):
                out[i, j] += np.dot(left[some, i].T, right[some, j])


def _fits(left: CompressedFactor, right: CompressedFactor) -> bool:
    """Return whether no product of positive entries can leave the range of float64."""
    return left.lowest + right.lowest >= LOWEST_EXPONENT and left.highest + right.highest <= HIGHEST_EXPONENT


def rescaled(part: CompressedFactor) -> CompressedFactor:
    """Scale each pattern by a power of two to a largest entry near 1."""
    scale = power_below(part.table.max(axis=0))
    table = part.table * scale
    lowest, highest = exponents(table)
    lost = lost_by_scaling(part.table, table, part.lost, scale)
    return replace(part, table=table, lowest=lowest, highest=highest, lost=lost)
