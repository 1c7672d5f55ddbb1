"""Products of the tables of two factors, laid out ``[pattern, shared, summed by both, own]``.

``shared`` is what both have and the result keeps. The result is ``[pair, shared, left's own, right's own]``,
for pairs of a left and a right pattern.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import array_pieces, contiguous, multiply_matrices, piece_of
from bnc2d.base.checkpoints import checkpoint
from bnc2d.model import accounts

Table: TypeAlias = NDArray[Any]  # float64, extended precision, bool, or object (Python ints)
Patterns: TypeAlias = NDArray[np.intp]

# Entries of a piece, so that it stays in the processor's cache.
CHUNK = 1 << 17


def of_all_pairs(left: Table, right: Table, pairs: Patterns) -> Table:
    """Multiply by one matrix product per shared state for all pairs.

    ``pairs`` holds sorted numbers ``left pattern * right patterns + right pattern``; the products that it
    does not ask for are thrown away, a block of left patterns at a time.
    """
    count, shared, _, b_own = right.shape
    a_own = left.shape[3]
    a = contiguous(left.transpose(1, 0, 3, 2))
    b = contiguous(right.transpose(1, 2, 0, 3)).reshape(shared, -1, count * b_own)
    table: Table = np.empty((len(pairs), shared, a_own, b_own), dtype=left.dtype)
    step = max(1, 16 * CHUNK // (count * prod(table.shape[1:])))
    for start in range(0, len(left), step):
        checkpoint()
        block = a[:, start : start + step]
        product = np.matmul(block.reshape(shared, -1, block.shape[3]), b)
        product = product.reshape(shared, block.shape[1], a_own, count, b_own).transpose(1, 3, 0, 2, 4)
        first, last = np.searchsorted(pairs, [start * count, (start + step) * count])
        wanted = pairs[first:last]
        table[first:last] = product[wanted // count - start, wanted % count]
    return table


def pair_by_pair(left: Table, right: Table, of_left: Patterns, of_right: Patterns) -> Table:
    """Multiply by one matrix product per pair and shared state."""
    a, b = contiguous(left.transpose(0, 1, 3, 2)), right
    table: Table = np.empty((len(of_left), a.shape[1], a.shape[2], b.shape[3]), dtype=a.dtype)
    step = max(1, CHUNK // max(prod(a.shape[1:]), prod(b.shape[1:])))
    for start in range(0, len(of_left), step):
        chunk = slice(start, start + step)
        if step == 1:  # large tables are not copied
            multiply_matrices(a[of_left[start]], b[of_right[start]], out=table[start])
        else:
            multiply_matrices(a[of_left[chunk]], b[of_right[chunk]], out=table[chunk])
    return table


def entry_by_entry(
    left: Table, right: Table, of_left: Patterns, of_right: Patterns, underflows: NDArray[np.bool_] | None
) -> Table:
    """Multiply entries of any kind, and add up some summed states at a time.

    Of floats it is one, whose sums are as long as accounts say. Where ``underflows`` is given, pairs with a
    product below the range are marked in it.
    """
    a = contiguous(left.transpose(0, 2, 1, 3))[:, :, :, :, None]
    b = contiguous(right.transpose(0, 2, 1, 3))[:, :, :, None, :]
    table: Table = np.empty((len(of_left), a.shape[2], a.shape[3], b.shape[4]), dtype=a.dtype)
    size = min(CHUNK, piece_of(table.dtype))
    step = max(1, size // prod(table.shape[1:]))
    together = 1
    if not np.issubdtype(table.dtype, np.floating):
        together = max(1, size // (min(step, len(table)) * prod(table.shape[1:])))
    for start in range(0, len(of_left), step):
        chunk = slice(start, start + step)
        for state in range(0, a.shape[1], together):
            checkpoint()
            states = slice(state, state + together)
            for part in array_pieces(table.shape[1:3], max(1, size // b.shape[4])):
                x, y = a[(of_left[chunk], states, *part)], b[(of_right[chunk], states, *part[:1])]
                piece = x * y
                if underflows is not None:
                    small = (piece < 2.0**accounts.LOWEST_EXPONENT) & (x > 0) & (y > 0)
                    underflows[chunk] |= small.reshape(len(small), -1).any(axis=1)
                piece = piece[:, 0] if piece.shape[1] == 1 else piece.sum(axis=1, dtype=piece.dtype)
                if state == 0:
                    table[(chunk, *part)] = piece
                else:
                    table[(chunk, *part)] += piece
    return table
