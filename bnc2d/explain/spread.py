"""Pieces of work on an executor, answered in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Answer = TypeVar("Answer")

# Pieces that an executor holds: each of them may hold a copy of the diagram.
_MOST_AT_ONCE = 256
PARTS = 16  # pieces there are at least, if so many rows, to share them out


def on_executor(
    pieces: Iterable[tuple[partial[Answer], Answer]], executor: Executor, left: Callable[[], float | None]
) -> Iterator[Answer]:
    """Yield the answer of each piece, in order; on an error those still waiting are given up.

    A piece comes with what is known of it, which takes the place of its answer where this is not there in
    time; ``left`` says how many seconds there are, or None without a limit.
    """
    waiting: deque[tuple[Future[Answer], Answer]] = deque()

    def next_answer() -> Answer:
        (future, known), seconds = waiting[0], left()
        try:
            answer = future.result(None if seconds is None else max(0.0, seconds))
        except TimeoutError:
            late = not future.done()  # otherwise it is the worker's own error, or just in time
            answer = known if late else future.result()
            future.cancel()
        waiting.popleft()
        return answer

    try:
        for piece, known in pieces:
            if len(waiting) == _MOST_AT_ONCE:
                yield next_answer()
            waiting.append((executor.submit(piece.func, *piece.args), known))
        while waiting:
            yield next_answer()
    finally:
        for future, _ in waiting:
            future.cancel()
