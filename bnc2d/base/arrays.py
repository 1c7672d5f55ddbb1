"""Operations on large arrays, piece by piece, so that a checkpoint is never far (``checkpoints.py``).

Small arrays are left to numpy as they are. Pieces change no value but sums: terms are added in another order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import PIECE, checkpoint, pieces

Entry = TypeVar("Entry", bound=np.generic)
Float = TypeVar("Float", bound=np.floating[Any])
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]  # [instance, feature] -> position of the state

# Python integers may be long, so that fewer of them are a piece.
OBJECTS = 1 << 12
# Multiplications of a matrix product that are a piece.
_PRODUCTS = 1 << 22


def piece_of(dtype: np.dtype[Any]) -> int:
    """Return how many entries of a type are a piece."""
    return OBJECTS if dtype.hasobject else PIECE


def array_pieces(shape: Sequence[int], size: int = PIECE) -> Iterator[tuple[int | slice, ...]]:
    """Yield indices of pieces of at most ``size`` entries that cover an array, each after a checkpoint.

    An index is of the leading axes: numbers, and last a slice.
    """
    if prod(shape) <= size:
        if prod(shape):
            checkpoint()
            yield (slice(None),) if len(shape) else ()
        return
    axis, below = len(shape) - 1, 1
    while below * shape[axis] <= size:
        below *= shape[axis]
        axis -= 1
    for above in product(*map(range, shape[:axis])):
        for piece in pieces(shape[axis], size // below):
            yield (*above, piece)


def take(table: NDArray[Entry], indices: NDArray[np.integer[Any]]) -> NDArray[Entry]:
    """Return ``table[indices]``, for indices in one dimension."""
    size = len(indices) if table.ndim == 1 else len(indices) * prod(table.shape[1:])
    if size <= 8 * PIECE:  # to take is much faster than to sort
        return table.take(indices, axis=0)  # faster than indexing
    taken = np.empty((len(indices), *table.shape[1:]), dtype=table.dtype)
    for piece in pieces(len(indices), PIECE // max(1, prod(table.shape[1:]))):
        taken[piece] = table.take(indices[piece], axis=0)
    return taken


def take_columns(table: NDArray[Entry], indices: NDArray[np.intp]) -> NDArray[Entry]:
    """Return ``table[:, indices]`` of a matrix."""
    taken = np.empty((len(table), len(indices)), dtype=table.dtype)
    for piece in array_pieces(taken.shape):
        wanted = indices[piece[1]] if len(piece) > 1 else indices
        taken[piece] = table[piece[0]].take(wanted, axis=-1)  # several times faster than indexing
    return taken


def joined(arrays: Sequence[NDArray[Entry]]) -> NDArray[Entry]:
    """Return the arrays one after the other, as ``np.concatenate`` does."""
    length = sum(map(len, arrays))
    if length <= PIECE:
        return np.concatenate(arrays)
    whole = np.empty((length, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    start = 0
    for array in arrays:
        for piece in pieces(len(array)):
            whole[start + piece.start : start + piece.stop] = array[piece]
        start += len(array)
    return whole


def contiguous(array: NDArray[Entry]) -> NDArray[Entry]:
    """Return the array itself where it lies in one piece in memory, else a copy that does."""
    if array.size <= PIECE or array.flags.c_contiguous:
        return np.ascontiguousarray(array)
    copy = np.empty(array.shape, dtype=array.dtype)
    for piece in array_pieces(array.shape):
        copy[piece] = array[piece]
    return copy


def repeated(counts: Numbers, dtype: type[np.integer[Any]] = np.int64) -> NDArray[Any]:
    """Return each position as many times as its count says."""
    whole = np.empty(int(counts.sum()), dtype=dtype)
    start = 0
    for piece in pieces(len(counts)):
        some = np.repeat(np.arange(piece.start, piece.stop, dtype=dtype), counts[piece])
        whole[start : start + len(some)] = some
        start += len(some)
    return whole


def bounds(lengths: Numbers) -> Numbers:
    """Return where parts of these lengths begin, one after the other, and the end."""
    found = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=found[1:])
    return found


def ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of the ranges that begin at ``starts``, one range after the other."""
    ends = lengths.cumsum()
    shifts = starts - ends
    shifts += lengths
    whole: Numbers = shifts.repeat(lengths)
    whole += np.arange(len(whole))
    return whole


def counted(numbers: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Return how often each number below ``size`` occurs."""
    counts = np.zeros(size, dtype=np.int64)
    for piece in pieces(len(numbers), max(PIECE, size)):
        counts += np.bincount(numbers[piece], minlength=size)
    return counts


def sum_out(array: NDArray[Entry], gone: Collection[int]) -> NDArray[Entry]:
    """Return the sums over some axes."""
    size = piece_of(array.dtype)
    if array.size <= size:
        few: NDArray[Entry] = np.add.reduce(array, axis=tuple(gone), dtype=array.dtype)
        return few
    sums = np.zeros([count for axis, count in enumerate(array.shape) if axis not in gone], dtype=array.dtype)
    for piece in array_pieces(array.shape, size):
        first = len(piece) - 1  # the axis that is the first of the piece
        axes = tuple(axis - first for axis in gone if axis >= first)
        place = tuple(index for axis, index in enumerate(piece) if axis not in gone)
        sums[place] += np.add.reduce(array[piece], axis=axes, dtype=array.dtype)
    return sums


def quiet_product(left: NDArray[Float], right: NDArray[Float]) -> NDArray[Float]:
    """Return ``left @ right`` of finite matrices, which may be float32, without a warning of invalid values.

    OpenBLAS (0.3.31, on processors with AVX-512) warns at random where float32 has five terms and one column:
    it also computes with what is left in its memory from other products, and drops that.
    """
    with np.errstate(invalid="ignore"):
        product: NDArray[Float] = left @ right
    return product


def multiply_matrices(left: NDArray[Any], right: NDArray[Any], out: NDArray[Any]) -> None:
    """Write ``left @ right`` to ``out``: products of matrices, one for each index of the leading axes."""
    rows, terms, columns = *left.shape[-2:], right.shape[-1]
    multiply = np.multiply if terms == 1 else np.matmul  # BLAS is no help where there is a single term
    products, size = _PRODUCTS, PIECE
    if out.dtype.hasobject:
        products, size = OBJECTS, max(1, OBJECTS // max(1, terms))
    for above in array_pieces(out.shape[:-2], max(1, min(PIECE, products // max(1, rows * terms * columns)))):
        if rows * terms * columns <= products:
            multiply(left[above], right[above], out=out[above])
            continue
        step = max(1, products // max(1, terms * min(columns, size)))
        a, b, c = left[above], right[above], out[above]
        for upper in pieces(rows, step):
            for across in pieces(columns, size):
                multiply(a[..., upper, :], b[..., across], out=c[..., upper, across])
