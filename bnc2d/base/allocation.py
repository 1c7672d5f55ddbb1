"""Memory of a process that is ours alone, as that of a command is: it is kept and used again.

New memory comes from the system page by page, and each page is cleared first: that takes longer than to fill
it. A library leaves this to whoever runs the process, so only commands and their workers ask for it.
"""

from __future__ import annotations

import ctypes
import sys

# Numbers of glibc's ``mallopt``: from which size on memory comes straight from the system and goes straight
# back, how much free memory is given back, how much more than wanted is asked for, and how many heaps threads
# may have: in one of their own, large arrays would not fit.
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _TOP_PAD, _ARENA_MAX = -3, -1, -2, -8
_NEVER = 2**31 - 1
_SETTINGS = {_MMAP_THRESHOLD: _NEVER, _TRIM_THRESHOLD: _NEVER, _TOP_PAD: 1 << 24, _ARENA_MAX: 1}


def keep_memory() -> None:
    """Keep what arrays give back for later ones; nothing changes where the C library has no such setting."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # musl has none
        for parameter, value in _SETTINGS.items():
            mallopt(parameter, value)
