"""One budget for a piece of work: its time, its memory, who may cancel it and who hears of its progress.

``with budget.limiting("the reasons are not counted"):`` makes every ``checkpoint()`` inside look at the
budget (see ``checkpoints.py``). Budgets nest, the outermost is looked at first, and each ends only its own
block: the signal ``OutOfTime`` passes through every other one. Work that has phases names them with ``phase``
and says how far it is with ``progress``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar

from bnc2d.base import kernels
from bnc2d.base.checkpoints import checkpoint, ending
from bnc2d.base.readers.arguments import seconds, size_in_bytes, wrong
from bnc2d.errors import LimitExceeded, TimeLimitExceeded

Item = TypeVar("Item")
# Called with the phase and how much of it is done, from 0 to 1; what it raises ends the work.
ProgressCallback: TypeAlias = Callable[[str, float], object]
# What users give: True stands for a bar on standard error.
Progress: TypeAlias = ProgressCallback | bool | None

_DEFAULT_MEMORY = 4 * 2**30
# Growth that is not told apart from that of libraries being loaded.
_LEAST_GROWTH = 128 * 2**20
# Seconds between two looks at the size of the process, and between two reports of the same progress.
_BETWEEN_LOOKS = 0.05
_BETWEEN_REPORTS = 0.1


class OutOfTime(Exception):  # noqa: N818 - a signal, caught by the budget that sent it
    """The time of a budget is up."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget


class Budget:
    """Limits and progress of a piece of work; the time starts to run when it is first looked at.

    ``memory_limit``, in bytes, bounds what the process may grow by, where the system tells; what is about to
    be made is held against ``memory``, the same or the default, by ``expect``. ``progress`` is called
    whenever the phase or its share done changes, and ten times a second in between.
    """

    def __init__(
        self, time_limit: float | None = None, memory_limit: int | None = None, progress: Progress = None
    ) -> None:
        self._time_limit = seconds(time_limit)
        self._bounds_growth = memory_limit is not None
        limit = default_memory() if memory_limit is None else memory_limit
        self.memory = size_in_bytes(limit, "memory_limit")
        self._progress = _checked(progress)
        self._report: ProgressCallback | None = None
        self._phase, self._done = "start", 0.0
        self._what: str | None = None
        self._reported: tuple[str, float] | None = None
        self._next_report = self._next_look = 0.0
        self._started: float | None = None
        self._size_before = 0
        self.seconds: dict[str, float] = {}

    def _spent(self) -> float:
        now = time.monotonic()
        if self._started is None:
            self._started = now
            self._size_before = resident_bytes() if self._bounds_growth else 0
        return now - self._started

    def left(self) -> float | None:
        """Return the seconds that are left, or None without a limit."""
        return None if self._time_limit is None else max(0.0, self._time_limit - self._spent())

    def share(self, fraction: float) -> Budget:
        """Return a budget with a share of the seconds that are left, and of memory if growth is bounded."""
        left = self.left()
        memory = int(fraction * self.memory) if self._bounds_growth else None
        return Budget(None if left is None else fraction * left, memory)

    def at_least(self, seconds: float) -> Budget:
        """Return a budget with the seconds that are left, or with so many where they are fewer."""
        left = self.left()
        return Budget(None if left is None else max(left, seconds))

    def shares(self, count: int) -> Iterator[Budget]:
        """Yield a budget for each of several pieces of work: an even share of what those before it left."""
        for waiting in range(count, 0, -1):
            share = self.share(1 / waiting)
            share.left()  # it runs from here on
            yield share

    def check(self) -> None:
        """Report progress; raise OutOfTime when the time is up, LimitExceeded when the memory is."""
        spent = self._spent()
        if self._report is not None:
            now = (self._phase, self._done)
            if now != self._reported or spent >= self._next_report:
                self._reported, self._next_report = now, spent + _BETWEEN_REPORTS
                self._report(*now)
                spent = self._spent()
        if self._time_limit is not None and spent >= self._time_limit:
            raise OutOfTime(self)
        if self._bounds_growth and spent >= self._next_look:
            self._next_look = spent + _BETWEEN_LOOKS
            grown = self._growth()
            if grown > _LEAST_GROWTH:
                needs = f"phase '{self._phase}'" if self._what is None else f"{self._what}: it"
                self.expect(grown, f"{needs} needs at least", "choose fewer features or raise memory_limit")

    def _growth(self) -> int:
        """Return by how much the process grew; where that is too much, without what it keeps free."""
        grown = resident_bytes() - self._size_before
        if grown > max(self.memory, _LEAST_GROWTH) and kernels.loops is not None:
            kernels.loops.give_back(0)
            grown = min(grown, resident_bytes() - self._size_before)
        return grown

    def expect(self, size: int, needs: str, remedy: str = "raise memory_limit") -> None:
        """Raise LimitExceeded if ``size`` bytes are more than the limit; ``needs`` says who needs them.

        >>> Budget(memory_limit=2**20).expect(2**21, "it needs")
        Traceback (most recent call last):
        bnc2d.errors.LimitExceeded: it needs 2.0 MiB, more than the limit of 1.0 MiB; raise memory_limit
        """
        if size > self.memory:
            limit = _bytes(self.memory)
            raise LimitExceeded(f"{needs} {_bytes(size)}, more than the limit of {limit}; {remedy}")

    def refused(self, what: str) -> LimitExceeded:
        """Return the error for what was refused memory, however much it asked for."""
        return LimitExceeded(
            f"{what} needs more memory than the limit of {_bytes(self.memory)}; raise memory_limit"
        )

    @contextmanager
    def limiting(self, what: str | None = None) -> Iterator[Budget]:
        """End what is done inside the ``with`` block at the limits; it must hold no ``yield``.

        ``LimitExceeded`` then says ``what`` was not finished, or else the phase and how far it was.
        """
        self._what = what
        try:
            with reporting(self._progress) as self._report, ending(self.check):
                self._spent()
                if what is not None:
                    self.check()
                yield self
        except OutOfTime as signal:
            if signal.budget is not self:
                raise
            limit = f"time limit of {self._time_limit:g} s"
            if what is not None:
                raise TimeLimitExceeded(f"{what} within the {limit}") from None
            where = f"in phase '{self._phase}' ({self._done:.0%} of it done)"
            raise TimeLimitExceeded(f"{limit} reached after {self._spent():.1f} s, {where}") from None

    def within(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield the items, looking at the budget at every checkpoint on the way to each."""
        self.check()
        while True:
            with ending(self.check):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name what is done inside the ``with`` block, and add its seconds to those of the phase."""
        with self.timed(name):
            self.progress(0.0)
            yield
            self.progress(1.0)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Do the same for a part of the phase, which says nothing of its progress."""
        started = time.perf_counter()
        self._phase, self._done = name, 0.0
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def progress(self, done: float) -> None:
        """Say which share of the phase is done; this is a checkpoint, too."""
        self._done = done
        checkpoint()


@contextmanager
def reporting(progress: Progress) -> Iterator[ProgressCallback | None]:
    """Give the callback that ``progress`` stands for: a bar on standard error for True, none for False."""
    if _checked(progress) is not True:
        yield None if isinstance(progress, bool) else progress
        return
    from rich.console import Console  # only a bar needs it
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    phase = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), phase)
    with Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("start", total=1.0)
        yield lambda phase, done: bar.update(task, description=_printable(phase), completed=done)


def _printable(text: str) -> str:
    """Return text that cannot steer the terminal: names come from files."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _checked(progress: Progress) -> Progress:
    if progress is None or isinstance(progress, bool) or callable(progress):
        return progress
    raise wrong("progress", progress, "a function, True or False")


def default_memory() -> int:
    """Return 4 GiB or half of the machine's memory, whichever is less, in bytes."""
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not every system tells
        return _DEFAULT_MEMORY
    return min(_DEFAULT_MEMORY, installed // 2)


def resident_bytes() -> int:
    """Return the memory of this process, or 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def _bytes(size: int) -> str:
    if size < 2**17:
        return f"{size} bytes"
    return f"{size / 2**20:.1f} MiB" if size < 2**80 else f"2^{size.bit_length() - 1} bytes"
