"""How long work can be ended from outside: it calls a function many times a second, which may raise."""

from collections.abc import Callable
from typing import TypeAlias

Check: TypeAlias = Callable[[], object]


def no_check() -> None:
    """Never raise."""
