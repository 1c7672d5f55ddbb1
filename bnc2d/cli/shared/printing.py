"""What every command may need to print, and nothing heavy: clean text, and a sign of life."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

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
    end = " " * indent
    if isinstance(data, list):
        lines = [f"{end} {pretty_json(value, indent + 1)}" for value in data]
        return "[\n" + ",\n".join(lines) + f"\n{end}]"
    return "{\n" + ",\n".join(pretty_entries(data, indent + 1)) + f"\n{end}}}"


def pretty_entries(data: Mapping[str, object], indent: int) -> list[str]:
    """Return the entries of an object, each on lines of its own."""
    keys = [f"{' ' * indent}{json.dumps(key, ensure_ascii=False)}: " for key in data]
    pairs = zip(keys, data.values(), strict=True)
    return [key + pretty_json(value, indent, len(key)) for key, value in pairs]


def print_json(facts: object, indent: int | None = None) -> None:
    """Print data for machines; a name that is no Unicode text (half a surrogate pair) becomes its escape."""
    packed = json.dumps(facts, ensure_ascii=False, indent=indent)
    print(packed.encode(errors="backslashreplace").decode())


def print_pretty(facts: object) -> None:
    """Print data for machines over several lines; names as in ``print_json``."""
    print(pretty_json(facts).encode(errors="backslashreplace").decode())


def answer(as_json: bool, facts: object, text: str) -> None:
    """Print facts as JSON for machines, or else the text."""
    if as_json:
        print_json(facts)
    else:
        print(printable(text))


def table(
    headings: Sequence[str], rows: Iterable[Iterable[object]], left: Collection[str], title: str = ""
) -> Table:
    """Return a table to print; columns are flush right but for those in ``left``."""
    from rich.table import Table  # only who prints one needs it
    from rich.text import Text

    found = Table(title=Text(title) if title else None)
    for heading in headings:
        found.add_column(heading, justify="left" if heading in left else "right", overflow="fold")
    for row in rows:
        found.add_row(*(Text(printable(str(cell))) for cell in row))
    return found


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
