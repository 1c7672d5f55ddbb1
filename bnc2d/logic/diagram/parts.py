"""The parts of a node's cells: those that lead to one child.

A cell is a state of a feature, or a combination of states of several; a row has the children that the cells
of a node lead to. Tables are ``[cell, row]``: the same cell of all rows lies together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.checkpoints import PIECE, pieces

Cells: TypeAlias = NDArray[np.int32]  # numbers of nodes

# Rows of at most this many cells are parted by comparing every two of them.
_COMPARED_CELLS = 8


class Parts(NamedTuple):
    """The parts of rows of cells that lead to one function: row, function, sum of the weights of its cells.

    Rows ascend. The order of a row's parts depends on that row only.
    """

    rows: Numbers
    targets: Numbers
    sets: NDArray[Any]


def parts_in_pieces(cells: Cells, weights: NDArray[Any]) -> Iterator[Parts]:
    """Yield the parts of some rows of ``[cell, row]`` after the other; each cell has a weight."""
    for piece in pieces(cells.shape[1], PIECE // len(cells)):
        rows, targets, sets = _parts_of(cells[:, piece], weights)
        yield Parts(rows + piece.start, targets, sets)


def parts_of(cells: Cells) -> Parts:
    """Return the parts of each row of ``[cell, row]``; bit ``i`` of a set stands for cell ``i``."""
    bits = cell_bits(len(cells))
    if 0 < cells.size <= PIECE:
        return _parts_of(cells, bits)
    none = np.zeros(0, dtype=np.int64)
    found = [Parts(none, none, bits[:0]), *parts_in_pieces(cells, bits)]
    return Parts(*(joined(column) for column in zip(*found, strict=True)))


def _parts_of(cells: Cells, weights: NDArray[Any]) -> Parts:
    if len(cells) <= _COMPARED_CELLS:
        return _parts_by_comparing(cells, weights)
    width = len(cells)
    largest = (int(cells.max(initial=0)) + 1) * width
    small = np.dtype(np.int32 if largest < 1 << 31 else np.int64)  # half the size is sorted faster
    codes: NDArray[Any] = cells.T.astype(small)
    codes *= width
    codes += np.arange(width, dtype=small)
    codes.sort(axis=1)
    targets = codes // width
    codes -= targets * width
    begins = np.ones(codes.shape, dtype=bool)
    np.not_equal(targets[:, 1:], targets[:, :-1], out=begins[:, 1:])
    firsts = np.flatnonzero(begins)
    sets = np.add.reduceat(weights[codes.reshape(-1)], firsts)
    return Parts(firsts // width, targets.reshape(-1)[firsts].astype(np.int64), sets)


def _parts_by_comparing(cells: Cells, weights: NDArray[Any]) -> Parts:
    """Find the parts of rows with few cells by comparing every two cells."""
    width, rows = cells.shape
    small = np.min_scalar_type(int(weights.sum()))
    narrow = weights.astype(small)
    sets = np.repeat(narrow, rows).reshape(width, rows)  # of each cell, with the later ones that are alike
    begins = np.ones((width, rows), dtype=bool)
    for cell in range(width):
        for later in range(cell + 1, width):
            alike = cells[cell] == cells[later]
            sets[cell] += alike * narrow[later]
            begins[later] &= ~alike
    indices = np.flatnonzero(begins.T)
    which = indices // width
    indices = (indices - which * width) * rows + which
    targets = cells.reshape(-1).take(indices).astype(np.int64)
    return Parts(which, targets, sets.reshape(-1).take(indices).astype(weights.dtype))


def cell_bits(width: int) -> NDArray[Any]:
    """Return weights whose sums are sets of cells: bit ``i`` stands for cell ``i``."""
    if width > 64:
        return np.array([1 << cell for cell in range(width)], dtype=object)
    return np.left_shift(np.uint64(1), np.arange(width, dtype=np.uint64))
