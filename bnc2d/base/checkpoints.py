"""Cooperative cancellation: long work passes checkpoints; whoever sets a limit says what happens there.

``with ending(check):`` makes every ``checkpoint()`` inside call ``check``, which may raise; that of a budget
(``budget.py``) is the usual one. Scopes nest, and the outermost limit comes first (Smith, "Timeouts and
cancellation for humans", 2018, calls them cancel scopes). Work ends only at checkpoints, so that nothing is
left half changed, which an exception raised from outside, by a signal or a thread, could not promise.

So that a limit of t seconds ends within t + 1, work passes a checkpoint every fifth of a second or more
often: loops call ``checkpoint()``, large operations on arrays go piece by piece (``pieces``, ``arrays.py``),
and what no checkpoint can reach, a call into a library, runs in a process that can be ended. Ctrl-C needs
the same, but for the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Check: TypeAlias = Callable[[], object]
Item = TypeVar("Item")

# Entries of an array that take less than a tenth of a second, even to sort, and on a busy machine.
PIECE = 1 << 18
# Nodes of a circuit that take about as long.
_NODES = 1 << 12

_checks: ContextVar[tuple[Check, ...]] = ContextVar("checks", default=())


def checkpoint() -> None:
    """Call the checks of all scopes around, the outermost first; each may raise."""
    for check in _checks.get():
        check()


@contextmanager
def ending(check: Check) -> Iterator[None]:
    """Call ``check`` at every checkpoint inside the ``with`` block, which must hold no ``yield``."""
    before = _checks.set((*_checks.get(), check))
    try:
        yield
    finally:
        _checks.reset(before)


def pieces(length: int, size: int = PIECE) -> Iterator[slice]:
    """Yield slices of at most ``size`` that cover ``length`` entries; a checkpoint comes before each."""
    for start in range(0, length, max(1, size)):
        checkpoint()
        yield slice(start, min(start + max(1, size), length))


def checked(items: Sequence[Item], size: int = _NODES) -> Iterator[Item]:
    """Yield the items, with a checkpoint before every ``size`` of them."""
    for piece in pieces(len(items), size):
        yield from items[piece]
