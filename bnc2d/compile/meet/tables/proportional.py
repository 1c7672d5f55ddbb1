"""Proportional columns of a table, merged into one.

Float64 columns are merged where every entry agrees within a share that the error account then carries, so
what is proven of the merged column holds for each. Whether they are equal in truth is not known: only
integer columns are merged exactly. The entries of float64 columns are well inside the range, up to a factor
of a column; what this does to smaller ones is in the account of ``underflow``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import OBJECTS, multiply_matrices, take
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import grouped, grouped_one_by_one, scattered, sorted_distinct
from bnc2d.base.records import record

# Columns are candidates where the ratio of two projections agrees to this many bits, and then within this
# share: of columns that are one it does, as it is off by twice their share and some roundings.
_RATIO_BITS = 38
_SAME_RATIO = 2.0**-40
# They are one where, after scaling, every entry agrees within this share.
_SAME = 2.0**-42
# What merging adds to the account: the share, doubled for the rounding of the comparison, in units of 2**-53.
SAME_ROUNDINGS = 2**12
_PIECE = 1 << 17
# Copying a table pays where it loses at least a tenth of its columns.
_WORTHWHILE = 0.9
# Below this, columns are grouped by sorting anyway.
_FEW_COLUMNS = 1 << 11
# Weights for at most this many rows are kept.
_FEW_ROWS = 256
# From so many rows on, some of them are looked at first; and of columns that may be one, a few rows are.
_MANY_ROWS, _SOME_ROWS = 512, 64
_GOLDEN = 0.6180339887498949  # its multiples, without their integral parts, are spread well whatever the rows
_PROBED_ROWS = 4


@record
class Merged:
    """The columns to keep, the position among them that each column has now, and the error it brings.

    A column times its ``factor`` is close to the one that is kept for it.
    """

    chosen: NDArray[np.intp]
    number: NDArray[np.intp]
    roundings: int
    factor: NDArray[np.float64]


def merge_patterns(table: NDArray[Any]) -> Merged | None:
    """Return which columns to keep, or None where too few are proportional to pay."""
    return _merge_exactly(table) if table.dtype == object else _merge_floats(table)


def _merge_exactly(table: NDArray[np.object_]) -> Merged | None:
    def reduced() -> Iterator[tuple[int, ...]]:
        for piece in pieces(table.shape[1], OBJECTS // len(table)):
            for column in table.T[piece].tolist():
                divisor = gcd(*column) or 1
                yield tuple(entry // divisor for entry in column)

    ids, first = grouped_one_by_one(reduced())
    # Integers have no error that a factor would scale.
    return None if len(first) == len(ids) else Merged(first, ids, 0, np.ones(len(ids)))


@cache
def _few_weights(rows: int) -> NDArray[np.float64]:
    return scattered((2, rows))


def _merge_floats(table: NDArray[np.float64]) -> Merged | None:
    """Find candidates by the ratio of two positive projections, then compare every entry."""
    rows, columns = table.shape
    if rows >= _MANY_ROWS:  # some of them may tell enough columns apart
        some = (np.arange(1, _SOME_ROWS + 1) * _GOLDEN % 1.0 * rows).astype(np.intp)
        codes = _codes(_projections(take(table, some))[1])
        if len(grouped(codes)[1]) > _WORTHWHILE * columns:
            return None
    base, ratio = _projections(table)
    codes = _codes(ratio)
    by_sorting = kernels.loops is None and _FEW_COLUMNS < columns <= PIECE  # which is faster there
    if by_sorting and len(sorted_distinct(codes)) > _WORTHWHILE * columns:
        return None
    number, first = grouped(codes)
    merging = np.ones(columns, dtype=bool)
    merging[first] = False
    others = np.flatnonzero(merging)
    wanted_ratio = take(ratio, take(first, take(number, others)))
    near = np.abs(take(ratio, others) - wanted_ratio) <= wanted_ratio * _SAME_RATIO
    alone, others = [others[~near]], others[near]
    factor = take(base, take(first, number))
    factor /= base
    for row in range(0, rows, max(1, rows // _PROBED_ROWS)):  # these refute most
        if columns - len(others) > _WORTHWHILE * columns:
            return None
        checkpoint()
        wanted = take(table[row], take(first, take(number, others)))
        same = np.abs(take(table[row], others) * take(factor, others) - wanted) <= wanted * _SAME
        alone.append(others[~same])
        others = others[same]
    for piece in pieces(len(others), max(1, _PIECE // rows)):
        some = others[piece]
        wanted = table.take(first[number[some]], axis=1)
        scaled = table.take(some, axis=1) * factor[some]
        alone.append(some[~(np.abs(scaled - wanted) <= wanted * _SAME).all(axis=0)])
    apart = np.concatenate(alone)
    if len(first) + len(apart) > _WORTHWHILE * columns:
        return None
    number[apart] = len(first) + np.arange(len(apart))
    factor[apart] = 1.0
    return Merged(np.concatenate([first, apart]), number, SAME_ROUNDINGS, factor)


def _projections(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each column the first of two projections, or 1 for a column of zeros, and their ratio."""
    rows, columns = table.shape
    base, ratio = projections = np.empty((2, columns))
    weights = _few_weights(rows) if rows <= _FEW_ROWS else scattered((2, rows))
    multiply_matrices(weights, table, projections)
    for piece in pieces(columns):
        base[piece][base[piece] == 0] = 1.0
        ratio[piece] /= base[piece]
    return base, ratio


def _codes(ratio: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return numbers that are equal where ratios agree to so many bits, but for some at their limits."""
    codes = np.empty(len(ratio), dtype=np.int64)
    for piece in pieces(len(ratio)):
        mantissas, scales = np.frexp(ratio[piece])
        codes[piece] = np.rint(mantissas * 2.0**_RATIO_BITS)
        codes[piece] += scales.astype(np.int64) << _RATIO_BITS + 1
    return codes
