"""Products of tables with all of their states, by matrix products.

A table has an axis for each variable of its scope and a last one for patterns; all pairs of patterns are
formed. Large results are written once, in the order in which they are read: new pages of memory take longer
than the multiplications.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.arrays import contiguous, piece_of, sum_out
from bnc2d.base.checkpoints import pieces
from bnc2d.base.masks import VariableId
from bnc2d.compile.meet.tables.gathered_sums import Table

Scope: TypeAlias = tuple[VariableId, ...]

# Products are formed in pieces of this many entries, so that they stay in the processor's cache.
_PIECE = 1 << 17
# For so many terms a product takes as long as writing its result.
_TERMS_A_RESULT = 16


class Dense(NamedTuple):
    """A table ``[*scope, pattern]``."""

    scope: Scope
    table: Table


def kept_variables(left: Scope, right: Scope, summed: Collection[VariableId]) -> Scope:
    """Return the variables that a product keeps: those in both, then the left's own, then the right's."""
    both = [variable for variable in right if variable in left]
    own = [variable for variable in (*left, *right) if variable not in both]
    return tuple([variable for variable in (*both, *own) if variable not in summed])


def dense_product(left: Dense, right: Dense, summed: Collection[VariableId]) -> Table:
    """Return ``[state of the kept variables, left pattern x right pattern]``: the product, summed out.

    One matrix product for each state of the variables that both mention and that are kept.
    """
    both = [variable for variable in right.scope if variable in left.scope]
    shared = [variable for variable in both if variable not in summed]
    inner = [variable for variable in both if variable in summed]
    a, b = (_arranged(operand, shared, inner, summed) for operand in (left, right))
    states, terms, own, patterns = a.shape
    others, width = b.shape[2:]
    table: Table = np.empty((states, own, others, patterns, width), dtype=a.dtype)
    multiply = np.multiply if terms == 1 else np.matmul  # BLAS is no help where there is a single term
    most = min(_PIECE, piece_of(table.dtype))
    # What one of the others takes, in entries.
    size = own * patterns * width * (terms if table.dtype.hasobject else 1 + terms // _TERMS_A_RESULT)
    step = max(1, most // (size * others))
    for piece in pieces(states, step):
        x = a[piece].reshape(-1, terms, own * patterns).transpose(0, 2, 1)
        for part in pieces(others, others if step > 1 else max(1, most // size)):
            y = b[piece, :, part].reshape(len(x), terms, -1)
            product = multiply(x, y).reshape(len(x), own, patterns, -1, width)
            table[piece, :, part] = product.transpose(0, 1, 3, 2, 4)
    return table.reshape(-1, patterns * width)


def _arranged(
    operand: Dense, shared: Sequence[VariableId], inner: Sequence[VariableId], summed: Collection[VariableId]
) -> Table:
    """Return ``[shared, inner, own, pattern]``, with what only this operand sums already summed."""
    scope, table = operand
    alone = [axis for axis, variable in enumerate(scope) if variable in summed and variable not in inner]
    if alone:
        scope = tuple([variable for axis, variable in enumerate(scope) if axis not in alone])
        table = sum_out(table, alone)
    own = [variable for variable in scope if variable not in shared and variable not in inner]
    groups = [[scope.index(variable) for variable in some] for some in (shared, inner, own)]
    sizes = [prod([table.shape[axis] for axis in some]) for some in groups]
    order = [axis for some in groups for axis in some]
    return contiguous(table.transpose(*order, len(scope))).reshape(*sizes, table.shape[-1])
