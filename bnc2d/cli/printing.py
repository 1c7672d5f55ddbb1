"""What every command may need to print, and nothing heavy: clean text, and a sign of life."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def printable(text: str) -> str:
    r"""Return text in which names from files cannot steer the terminal; line ends stay.

    >>> printable("\x1b[31mD")
    '�[31mD'
    """
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


@contextmanager
def working(what: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show on a terminal's standard error that work goes on; yield a function that says what it is now."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # only a terminal needs it
    from rich.text import Text

    with Console(stderr=True).status(Text(what)) as status:
        yield lambda now: status.update(Text(printable(now)))
