"""Time, memory and progress of a compilation."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from bnc2d.base.arguments import seconds, wrong
from bnc2d.base.checkpoints import surrounding
from bnc2d.errors import TimeLimitExceeded

# Called with the phase and how much of it is done, from 0 to 1.
ProgressCallback: TypeAlias = Callable[[str, float], None]

_DEFAULT_MEMORY = 4 * 2**30


class Watch:
    """Times the phases of a compilation, reports progress and ends it at its time limit."""

    def __init__(self, time_limit: float | None, progress: ProgressCallback | None) -> None:
        self._time_limit = seconds(time_limit)
        self._limits_around = surrounding()
        self._started = time.monotonic()
        self._progress = progress
        self._phase, self._done = "start", 0.0
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name what is done inside the ``with`` block, and add up its seconds."""
        self._phase = name
        with self.timed(name):
            self.check(0.0)
            yield
            self.check(1.0)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the seconds inside the ``with`` block to a phase, before it begins."""
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def check(self, done: float | None = None) -> None:
        """Report progress where there is some; raise ``LimitExceeded`` once the time is up.

        Limits that hold around the compilation are looked at, too.
        """
        self._limits_around()
        if done is not None:
            self._done = done
        if self._progress is not None:
            self._progress(self._phase, self._done)
        spent = time.monotonic() - self._started
        if self._time_limit is not None and spent > self._time_limit:
            raise TimeLimitExceeded(
                f"time limit of {self._time_limit:g} s reached after {spent:.1f} s, "
                f"in phase '{self._phase}' ({self._done:.0%} of it done)"
            )


@contextmanager
def reporting(progress: ProgressCallback | bool | None) -> Iterator[ProgressCallback | None]:
    """Give the callback that ``progress`` stands for: a bar on standard error for True, none for False."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        from rich.console import Console  # only a bar needs it
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("compile", total=1.0)
            yield lambda phase, done: bar.update(task, description=phase, completed=done)
    else:
        if not callable(progress):
            raise wrong("progress", progress, "a function, True or False")
        yield progress


def default_memory_limit() -> int:
    """Return 4 GiB or half of the machine's memory, whichever is less, in bytes."""
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not every system tells
        return _DEFAULT_MEMORY
    return min(_DEFAULT_MEMORY, installed // 2)
