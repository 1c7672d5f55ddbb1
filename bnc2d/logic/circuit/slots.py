"""The table that finds equal gates (see ``store``): slots, each with a gate or empty.

It has open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4). Many gates probe
at once: all that meet an empty slot write themselves there, and who reads back another has found a gate to
compare with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers
from bnc2d.base.checkpoints import pieces

EMPTY = -1


def filled(size: int, is_gate: NDArray[np.bool_], hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return a table of ``size`` slots, a power of two, with the nodes that are gates."""
    slots = np.full(size, EMPTY, dtype=np.int32)
    for piece in pieces(len(is_gate)):
        pending = np.flatnonzero(is_gate[piece]) + piece.start
        slot = (hashes[pending] & np.uint64(size - 1)).astype(np.int64)
        while len(pending):
            free = slots[slot] == EMPTY
            slots[slot[free]] = pending[free]
            left = slots[slot] != pending
            pending = pending[left]
            slot = (slot[left] + 1) & (size - 1)
    return slots


def meet(slots: NDArray[np.int32], slot: Numbers, rows: Numbers) -> Numbers:
    """Return who is at the slots; at an empty one the first of the rows that come there."""
    there = slots.take(slot).astype(np.int64)
    empty = (there == EMPTY).nonzero()[0]
    if len(empty):
        backwards = empty[::-1]  # of several, the last to write is the first row
        slots[slot[backwards]] = rows[backwards]
        there[empty] = slots.take(slot[empty])
    return there
