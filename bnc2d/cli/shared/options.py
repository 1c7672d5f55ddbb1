"""What several commands share: network files and classifier options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bnc2d.base.readers.numbers import exact_from_text
from bnc2d.errors import FormatError, did_you_mean
from bnc2d.formats.builtin import example, examples
from bnc2d.formats.files import MAX_BYTES
from bnc2d.formats.io import read_network
from bnc2d.model.network import BayesianNetwork

_MAGIC = b"bnc2d-model "
_FEATURES = "or `all`: every variable but the target; default: all leaves but the target"


def add_network_options(command: argparse.ArgumentParser) -> None:
    """Add ``--normalise``, ``--max-bytes`` and ``--json``."""
    command.add_argument("--normalise", action="store_true", help="repair columns that do not sum to 1")
    add_size_option(command)


def add_size_option(command: argparse.ArgumentParser) -> None:
    """Add ``--max-bytes``, which is None where the reader's own limit holds, and ``--json``."""
    larger = "read larger files than by default, up to N bytes"
    command.add_argument("--max-bytes", type=byte_count, metavar="N", help=larger)
    command.add_argument("--json", action="store_true", help="print JSON for machines")


def add_time_option(command: argparse.ArgumentParser) -> None:
    """Add ``--time-limit`` of a question to a compiled model."""
    within = "seconds for the answer, beside compiling (default 60)"
    command.add_argument("--time-limit", type=amount, default=60.0, metavar="S", help=within)


def add_memory_option(command: argparse.ArgumentParser, what: str = "") -> None:
    """Add ``--memory-limit`` of so many GiB, as a number of bytes or None; ``what`` says for what."""
    default = f"{what}default: 4 or half of the machine"
    command.add_argument("--memory-limit", type=gibibytes, metavar="GIB", help=default)


def add_run_options(command: argparse.ArgumentParser, what: str) -> None:
    """Add which problems of a suite to run, and how; ``what`` is a "problem" or a "run"."""
    add = command.add_argument
    add("--filter", default="*", metavar="GLOB", help="names of problems to run")
    which = ("file", "0.5", "both")
    add("--threshold", choices=which, default="file", help="the problem's own (default), or 0.5")
    add("--time-limit", type=amount, default=60.0, metavar="S", help=f"per {what} (default 60)")
    add("--jobs", type=count, default=1, metavar="N", help=f"{what}s at a time")
    add("--normalise", action="store_true", help="go on with networks whose columns miss 1")


def amount(text: str) -> float:
    """Return a number that is not negative, for limits."""
    try:
        number = float(exact_from_text(text))
    except (OverflowError, ValueError):
        number = -1.0
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return number


def gibibytes(text: str) -> int:
    """Return the number of bytes of so many GiB; more than any machine has are as many."""
    return int(min(amount(text), 2.0**30) * 2**30)


def count(text: str) -> int:
    """Return a number of things, at least one."""
    return _whole(text, 10**9, "number from 1 on")


def list_length(text: str) -> int:
    """Return how many things to list; more than any computer holds are as many."""
    if text.isascii() and text.isdigit() and len(text.lstrip("0")) > 9:
        return 10**9
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def byte_count(text: str) -> int:
    """Return a number of bytes, for limits."""
    return _whole(text, 10**18, "number of bytes")


def _whole(text: str, most: int, expected: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= number < most:
        raise argparse.ArgumentTypeError(f"{text!r} is no {expected}")
    return number


def add_classifier_options(command: argparse.ArgumentParser, required: bool = True) -> None:
    """Add target, features, threshold, positive state and tie rule; not required where a model may come."""
    add = command.add_argument
    needed = "the variable to decide" if required else "the variable to decide (a network needs it)"
    add("--target", required=required, metavar="NAME", help=needed)
    add("--features", metavar="A,B,C", help=_FEATURES)
    add("--threshold", metavar="T", help="decide --positive iff its posterior exceeds T")
    add("--positive", metavar="STATE", help="default: the second state of the target")
    add("--ties", choices=("lowest", "none"), help="default: lowest")


def load_network(source: str, normalise: bool, max_bytes: int | None = None) -> BayesianNetwork:
    """Read a file, or a built-in network where no such file exists."""
    if not Path(source).exists():
        if source in examples():
            return example(source)
        if not Path(source).suffix:
            hint = did_you_mean(source, examples())
            raise FormatError(f"no such file, and no built-in network of this name{hint}", source)
    return read_network(source, normalise=normalise, max_bytes=max_bytes or MAX_BYTES)


def split_names(text: str, known: Sequence[str]) -> list[str]:
    """Split a comma-separated list; a known name may itself hold commas.

    >>> split_names("<20, [20, 50)", ["<20", "[20, 50)", "≥50"])
    ['<20', '[20, 50)']
    """
    found = []
    rest = text.strip()
    while rest:
        held = [name for name in known if "," in name and f"{rest},".startswith(f"{name},")]
        name = max(held, key=len) if held else rest.partition(",")[0]
        found.append(name.strip())
        rest = rest[len(name) + 1 :].lstrip()
    return [name for name in found if name]


def is_compiled(source: str) -> bool:
    """Return whether a file is a compiled model by its name, or says so itself."""
    if source.endswith(".bnc2d"):
        return True
    try:
        with Path(source).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
