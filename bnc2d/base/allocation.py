"""Memory of a process that is ours alone, as that of a command is: it is kept and used again.

New memory comes from the system page by page, and each page is cleared first: that takes longer than to fill
it. A library leaves this to whoever runs the process, so only commands and their workers ask for it.
"""

from __future__ import annotations

import numpy as np

# The largest array that glibc learns from (32 MiB, less what it adds to it).
_LARGEST = (1 << 25) - (1 << 13)


def keep_memory() -> None:
    """Keep what arrays give back for later ones, up to 64 MiB at a time.

    glibc takes large pieces of memory straight from the system, and gives them straight back. What counts as
    large is the largest such piece that was ever given back, so one that is never touched teaches it (the
    dynamic threshold of ``mallopt(3)``). Other C libraries learn nothing, and nothing changes.
    """
    np.empty(_LARGEST, dtype=np.uint8)
