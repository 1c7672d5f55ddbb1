"""Memory that arrays give back is kept and used again.

New memory comes from the system page by page, and each page is cleared first: that takes longer than to fill
it, in virtual machines several times as long, and threads wait for each other there.
"""

from __future__ import annotations

import numpy as np

# The largest array that glibc learns from (32 MiB, less what it adds to it).
_LARGEST = (1 << 25) - (1 << 13)


def keep_memory() -> None:
    """Keep what arrays give back for later ones, up to 64 MiB at a time.

    glibc takes large pieces of memory straight from the system, and gives them straight back. What counts as
    large is the largest such piece that was ever given back, so one that is never touched teaches it (the
    dynamic threshold of ``mallopt(3)``). So would any array of that size that the program makes and drops.
    Other C libraries learn nothing, and nothing changes.
    """
    np.empty(_LARGEST, dtype=np.uint8)
