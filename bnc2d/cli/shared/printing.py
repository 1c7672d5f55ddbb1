"""What every command may need to print, and nothing heavy: clean text, and a sign of life."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_WIDTH = 100


def printable(text: str) -> str:
    r"""Return text in which names from files cannot steer the terminal; line ends stay.

    >>> printable("\x1b[31mD")
    '�[31mD'
    """
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def pretty_json(data: object, indent: int = 0, taken: int = 0) -> str:
    """Return JSON in which whatever fits a line is on one line; ``taken`` characters of the first are used.

    >>> print(pretty_json({"short": [1, 2], "long": ["x" * 60, "y" * 60]}).replace("x" * 60, "xx"))
    {
     "short": [1, 2],
     "long": [
      "xx",
      "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
     ]
    }
    """
    flat = json.dumps(data, ensure_ascii=False)
    if max(indent, taken) + len(flat) <= _WIDTH or not isinstance(data, dict | list) or not data:
        return flat
    inner = "\n" + " " * (indent + 1)
    if isinstance(data, list):
        lines = [inner + pretty_json(value, indent + 1) for value in data]
        return f"[{','.join(lines)}\n{' ' * indent}]"
    keys = [inner + json.dumps(key, ensure_ascii=False) + ": " for key in data]
    values = data.values()
    lines = [
        key + pretty_json(value, indent + 1, len(key) - 1) for key, value in zip(keys, values, strict=True)
    ]
    return f"{{{','.join(lines)}\n{' ' * indent}}}"


def answer(as_json: bool, facts: object, text: str) -> None:
    """Print facts as JSON for machines, or else the text."""
    packed = json.dumps(facts, ensure_ascii=False)
    # A name that is no Unicode text (half a surrogate pair) becomes its JSON escape.
    print(packed.encode(errors="backslashreplace").decode() if as_json else printable(text))


def say(kind: str, message: str) -> None:
    """Print one line on standard error; names from files must not steer the terminal."""
    print(f"bnc2d: {kind}: {printable(' '.join(message.split()))}", file=sys.stderr)


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
