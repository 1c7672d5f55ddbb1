"""Iterators of primes that know whether they gave everything."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Generic, TypeVar

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.arguments import seconds
from bnc2d.base.readers.choices import Cut
from bnc2d.errors import LogicError

Item = TypeVar("Item")


class Primes(Iterator[Item], Generic[Item]):
    """A lazy iterator that ends early at a limit and says so.

    ``complete`` becomes True when everything was given. ``cut`` becomes ``"limit"`` or ``"time"`` when the
    iterator ended before; to tell "exactly as many as the limit" from "more", it looks one item ahead. The
    time of the budget starts with the first item asked for.
    """

    def __init__(
        self,
        make: Callable[[Budget], Iterator[Item]],
        limit: int | None,
        time_limit: float | None,
        ordered: Callable[[], bool] = lambda: False,
    ) -> None:
        self.complete = False
        self.cut: Cut | None = None
        self._left = checked_limit(limit, LogicError)
        self._ordered = ordered
        self._budget = Budget(seconds(time_limit, error=LogicError))
        self._items = self._open(make, self._budget)

    @staticmethod
    def _open(make: Callable[[Budget], Iterator[Item]], budget: Budget) -> Generator[Item, None, None]:
        yield from make(budget)

    @property
    def ordered(self) -> bool:
        """Whether the items come shortest first; known, and False before, once the first was given.

        Of some large models it is known once the second was asked for.
        """
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
            if signal.budget is not self._budget:
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
        self._items.close()
