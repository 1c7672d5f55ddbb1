"""Matrix products on one thread: who wants more cores gives an executor or asks for more jobs.

BLAS wakes a thread a core for every product of some size. Ours are many and small, or cut into pieces
(``arrays.py``), and waiting for threads costs more than they save: 2 to 8 times the time on a quiet machine
with two cores, far more where several processes share them. Nobody should have to set an environment variable
for that.
"""

from __future__ import annotations

import os
from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import Any

import numpy as np  # noqa: F401 - its BLAS must be loaded to be found
from threadpoolctl import ThreadpoolController


class _OneThread(ContextDecorator):
    """A block, or a function, whose matrix products use one thread; what was set before holds again after it.

    The number is one for the whole process. So where several threads of it are inside, the first one sets it
    and the last one sets it back.
    """

    def __init__(self) -> None:
        self._forget()
        if hasattr(os, "register_at_fork"):  # a lock that another thread held would never be free
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = [(library, library.get_num_threads()) for library in _libraries()]
                for library, _ in self._before:
                    _set_threads(library, 1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for library, threads in self._before:
                    _set_threads(library, threads)


one_thread = _OneThread()


@cache
def _libraries() -> Any:
    """Return what sets the threads of each BLAS; Apple's has no such thing."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set_threads(library: Any, threads: int) -> None:
    """Set the number for the process, from whichever thread.

    threadpoolctl 3.8 hears only the first thread that sets the number of OpenBLAS, as two could otherwise set
    back each other's; ``_OneThread`` sees to that by itself.
    """
    getattr(library, "_real_set_num_threads", library.set_num_threads)(threads)
