"""Iterators of primes that know whether they gave everything, and the clock that ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Generic, Literal, TypeVar

from bnc2d.base.arguments import limit as checked_limit
from bnc2d.base.arguments import seconds
from bnc2d.base.checkpoints import ending
from bnc2d.errors import LogicError, TimeLimitExceeded

Item = TypeVar("Item")


class OutOfTime(Exception):  # noqa: N818 - a signal, caught by whoever set the clock
    """The time limit of a clock has passed."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock


class Clock:
    """A time limit that starts to run when it is first looked at."""

    def __init__(self, time_limit: float | None) -> None:
        self._limit = seconds(time_limit, error=LogicError)
        self._started: float | None = None

    def share_used(self) -> float:
        """Return which share of the limit has passed; 0 without a limit."""
        if self._limit is None:
            return 0.0
        now = perf_counter()
        if self._started is None:
            self._started = now
        elapsed = now - self._started
        return elapsed / self._limit if self._limit else 1.0

    def left(self) -> float | None:
        """Return the seconds that are left, or None without a limit."""
        return None if self._limit is None else max(0.0, (1 - self.share_used()) * self._limit)

    def share(self, part: float) -> Clock:
        """Return a clock with a share of the seconds that are left."""
        left = self.left()
        return Clock(None if left is None else part * left)

    def check(self) -> None:
        """Raise OutOfTime when the limit has passed."""
        if self.share_used() >= 1:
            raise OutOfTime(self)

    def ends(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield the items, looking at the clock at every checkpoint on the way to each."""
        self.check()
        while True:
            with ending(self.check):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    @contextmanager
    def limiting(self, what: str) -> Iterator[None]:
        """End what is done inside the ``with`` block with ``LimitExceeded``; ``what`` says what it was."""
        try:
            with ending(self.check):
                self.check()
                yield
        except OutOfTime as signal:
            if signal.clock is not self:
                raise
            raise TimeLimitExceeded(f"{what} within the time limit of {self._limit:g} s") from None


class Primes(Iterator[Item], Generic[Item]):
    """A lazy iterator that ends early at a limit and says so.

    ``complete`` becomes True when everything was given. ``cut`` becomes ``"limit"`` or ``"time"`` when the
    iterator ended before; to tell "exactly as many as the limit" from "more", it looks one item ahead. The
    clock starts with the first item asked for.
    """

    def __init__(
        self,
        make: Callable[[Clock], Iterator[Item]],
        limit: int | None,
        clock: Clock,
        ordered: Callable[[], bool] = lambda: False,
    ) -> None:
        self.complete = False
        self.cut: Literal["limit", "time"] | None = None
        self._left = checked_limit(limit, LogicError)
        self._ordered = ordered
        self._clock = clock
        self._items = self._open(make, clock)

    @staticmethod
    def _open(make: Callable[[Clock], Iterator[Item]], clock: Clock) -> Iterator[Item]:
        yield from make(clock)

    @property
    def ordered(self) -> bool:
        """Whether the items come shortest first; known, and False before, once the first was asked for."""
        return self._ordered()

    def __iter__(self) -> Primes[Item]:
        return self

    def __next__(self) -> Item:
        if self.complete or self.cut:
            raise StopIteration
        try:
            item = next(self._items)
        except StopIteration:
            self.complete = True
            raise
        except OutOfTime as signal:
            if signal.clock is not self._clock:
                raise
            self.cut = "limit" if self._left == 0 else "time"
            raise StopIteration from None
        if self._left == 0:
            self.cut = "limit"
            self.close()
            raise StopIteration
        if self._left is not None:
            self._left -= 1
        return item

    def close(self) -> None:
        """Free what the enumeration holds (a SAT solver, say)."""
        close = getattr(self._items, "close", None)
        if close is not None:
            close()
