"""Memory that arrays give back is kept and used again.

New memory comes from the system page by page, and each page is cleared first: that takes longer than to fill
it, in virtual machines several times as long, and threads wait for each other there. So glibc is told to keep
what large arrays give back (``mallopt(3)``), by a function in C, where that was built. Without it glibc still
learns from a large array that is given back, but only up to 32 MiB. Other C libraries are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from bnc2d.base import kernels

# Arrays of more bytes than the first come from the system, and go back at once. Of smaller ones, so much is
# kept at the end of the heap while we work, and in all when we are done. The heap grows by so much ahead.
_PIECE = 1 << 27
_MOST = 1 << 29
_AHEAD = 1 << 26
# The largest array that glibc learns from (32 MiB, less what it adds to it).
_LEARNT = (1 << 25) - (1 << 13)


def keep_memory(whole_process: bool = False) -> None:
    """Keep what arrays give back for later ones, also those of other threads where the process is all ours.

    The C library does so from then on, for everything in this process.
    """
    if kernels.loops is None or not kernels.loops.keep_memory(_PIECE, _MOST, _AHEAD, whole_process):
        np.empty(_LEARNT, dtype=np.uint8)


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep memory, from now on, but give it back after the ``with`` block where it is over half a GiB."""
    keep_memory()
    try:
        yield
    finally:
        if kernels.loops is not None:
            kernels.loops.give_back(_MOST)
