"""Threads that a computation was given: large steps are cut into pieces that run side by side.

``with working(2):`` makes every ``spread`` inside use two threads; without it, or with one, pieces run one
after the other. Pieces spend their time in numpy, which lets other threads run meanwhile, and each fills its
own part of the result, which does not depend on their number. Limits are looked at by who waits for the
pieces; where one is reached, or a piece fails, the others end at their next checkpoint.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from bnc2d.base.checkpoints import checkpoint, ending

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAITING = 16  # pieces that wait at a time
_FEW = 16  # so many items are not worth a thread
_BATCHES, _BATCH = 16, 16  # in which items are spread, at least, and the most in each
_POLL = 0.1  # seconds between two checkpoints while a piece is awaited
_threads: ContextVar[Executor | None] = ContextVar("threads", default=None)


@contextmanager
def working(jobs: int) -> Iterator[Executor | None]:
    """Give what is inside the ``with`` block so many threads; yields their executor, None for one thread."""
    if jobs <= 1:
        yield None
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        before = _threads.set(pool)
        try:
            yield pool
        finally:
            _threads.reset(before)


class _Ended(Exception):  # noqa: N818 - a signal, which nobody waits for
    """Nobody waits for this piece any more."""


def spread(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int = _WAITING
) -> Iterator[Result]:
    """Yield what ``work`` gives for each item, in their order; at most ``at_once`` are begun and not taken.

    Inside a piece no further threads are used, as those that run would wait for those that do not.
    """
    pool = _threads.get()
    if pool is None:
        for item in items:
            checkpoint()
            yield work(item)
        return
    ended = Event()

    def end_if_unwanted() -> None:
        if ended.is_set():
            raise _Ended

    def piece(item: Item) -> Result:
        with ending(end_if_unwanted):
            return work(item)

    try:
        yield from in_order(pool, piece, ((item,) for item in items), at_once)
    finally:
        ended.set()


def in_order(
    executor: Executor,
    work: Callable[..., Result],
    arguments: Iterable[tuple[object, ...]],
    at_once: int = _WAITING,
) -> Iterator[Result]:
    """Yield what ``work`` gives for each tuple of arguments, in their order, from an executor."""
    waiting: deque[Future[Result]] = deque()
    try:
        for each in arguments:
            waiting.append(executor.submit(work, *each))
            if len(waiting) >= at_once:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def spread_out(work: Callable[[Item], None], items: Sequence[Item]) -> None:
    """Do ``work`` on each item, whose results are elsewhere; many of them at a time, and few in no thread."""

    def work_on(some: Sequence[Item]) -> None:
        for item in some:
            checkpoint()
            work(item)

    if len(items) < _FEW or _threads.get() is None:
        work_on(items)
        return
    size = min(_BATCH, -(-len(items) // _BATCHES))  # so that limits are looked at often
    for _ in spread(work_on, [items[start : start + size] for start in range(0, len(items), size)]):
        pass


def _result(future: Future[Result]) -> Result:
    """Wait for a piece of work, passing checkpoints."""
    while True:
        checkpoint()
        try:
            return future.result(_POLL)
        except TimeoutError:
            if future.done():  # then it is the piece's own
                raise
