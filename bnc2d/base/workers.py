"""Threads that a computation was given: large steps are cut into pieces that run side by side.

``with working(2):`` makes every ``spread`` inside use two threads; without it, or with one, pieces run one
after the other. Pieces spend their time in numpy, which lets other threads run meanwhile, and each fills its
own part of the result, which does not depend on their number. Limits are looked at by who waits for the
pieces; where one is reached, or a piece fails, the others end at their next checkpoint.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar, cast

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


class _Threads:
    """An executor whose threads come with the first piece: small problems need none, nor what makes them."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: Executor | None = None

    def submit(self, work: Callable[..., Result], /, *arguments: object) -> Future[Result]:
        """Begin a piece."""
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._jobs)
        return self._pool.submit(work, *arguments)

    def shutdown(self) -> None:
        """Wait for all pieces."""
        if self._pool is not None:
            self._pool.shutdown()


@contextmanager
def working(jobs: int) -> Iterator[Executor | None]:
    """Give what is inside the ``with`` block so many threads; yields their executor, None for one thread."""
    if jobs <= 1:
        yield None
        return
    threads = _Threads(jobs)
    pool = cast("Executor", threads)  # nothing but ``submit`` is asked of it
    before = _threads.set(pool)
    try:
        yield pool
    finally:
        _threads.reset(before)
        threads.shutdown()


def usable_cores(most: int = 4) -> int:
    """Return how many cores this process may use; no more than ``most``, as few steps have use for them."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(most, own or 1))


class _Ended(Exception):  # noqa: N818 - a signal, which nobody waits for
    """Nobody waits for this piece any more."""


def spread(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int = _WAITING
) -> Iterator[Result]:
    """Yield what ``work`` gives for each item, in their order; at most ``at_once`` are begun and not taken.

    A single item is done here, so that its own pieces may be spread; inside other pieces no further threads
    are used, as those that run would wait for those that do not.
    """
    pool = _threads.get()
    remaining = iter(items)
    some = [] if pool is None else list(islice(remaining, 2))
    if pool is None or len(some) < 2:
        for item in chain(some, remaining):
            checkpoint()
            yield work(item)
        return
    with _wanted() as piece:
        yield from in_order(pool, piece, ((work, item) for item in chain(some, remaining)), at_once)


@contextmanager
def beside(work: Callable[[], Result], worth_it: bool) -> Iterator[Callable[[], Result]]:
    """Begin a piece in a thread, where there are some and it is worth one; yields what waits for its result.

    Else it is done when it is asked for. After the ``with`` block nobody waits for it any more.
    """
    pool = _threads.get() if worth_it else None
    if pool is None:
        yield work
        return
    with _wanted() as piece:
        begun = pool.submit(piece, work)
        try:
            yield lambda: _result(begun)
        finally:
            begun.cancel()


@contextmanager
def _wanted() -> Iterator[Callable[..., Any]]:
    """Yield what calls a function in a thread; after the block, such calls end at their next checkpoint."""
    ended = Event()

    def end_if_unwanted() -> None:
        if ended.is_set():
            raise _Ended

    def piece(work: Callable[..., Any], *arguments: object) -> Any:
        with ending(end_if_unwanted):
            return work(*arguments)

    try:
        yield piece
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
