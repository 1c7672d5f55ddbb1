"""A classifier trained on a table, as the options of a command say."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bnc2d.api.classifier import Classifier
from bnc2d.cli.shared.options import split_names
from bnc2d.cli.shared.printing import say
from bnc2d.cli.shared.tables import as_number, header_of, is_no_number, read_table
from bnc2d.errors import ArgumentError, ClassifierError, FormatError, MissingExtraError
from bnc2d.formats.files import read_bytes

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 2**28
TRAINING = ("structure", "bins", "missing")
_UNKNOWN = ("", "?")


def add_training_options(command: argparse.ArgumentParser) -> None:
    """Add ``--structure``, ``--bins`` and ``--missing``, which are for tables of data."""
    add = command.add_argument
    tan = "of data.csv: naive Bayes (default), or each feature may depend on another"
    add("--structure", choices=("naive", "tan"), help=tan)
    words = "how numbers are cut: how many bins a column, or `age=18,65; income=4`; default: auto"
    add("--bins", metavar="BINS", help=words)
    states = "what empty cells are: a state (default), a reason to drop the row, or not counted"
    add("--missing", choices=("state", "drop", "unknown"), help=states)


def no_training_options(options: argparse.Namespace, source: str) -> None:
    """Refuse options for tables where there is none."""
    for name in TRAINING:
        if getattr(options, name, None) is not None:
            raise ClassifierError(f"{source} is no table of data (data.csv), so --{name} does not apply")


def train(source: str, options: argparse.Namespace) -> Classifier:
    """Return the classifier that the options describe, trained on a table; a line says how well it does."""
    if options.target is None:
        raise ClassifierError(f"{source} is a table: --target COLUMN must say what to decide")
    frame = read_frame(source, options.max_bytes or MAX_BYTES)
    from bnc2d.data.train import from_data

    columns = [str(name) for name in frame.columns]
    wanted = options.features
    features = None if wanted in (None, "all") else split_names(wanted, columns)
    found = from_data(
        frame,
        target=options.target,
        features=features,
        structure=options.structure or "naive",
        bins="auto" if options.bins is None else read_bins(options.bins, columns),
        missing=options.missing or "state",
        threshold=options.threshold,
        positive=options.positive,
        ties=options.ties or "lowest",
    )
    say("note", f"{found.target} of {source}: {found.training}")
    return found


def read_bins(text: str, columns: Sequence[str]) -> Any:
    """Return what ``bins`` of ``from_data`` is: ``4``, ``auto``, or ``age=18,65; income=4; grade=labels``."""
    if "=" not in text:
        number = as_number(text)
        return text.strip() if number is None else number
    found: dict[str, Any] = {}
    for entry in filter(None, map(str.strip, text.split(";"))):
        name = next((one for one in columns if entry.startswith(f"{one}=")), entry.partition("=")[0].strip())
        words = entry.partition("=")[2] if not entry.startswith(f"{name}=") else entry[len(name) + 1 :]
        if name in found or not words.strip():
            raise ArgumentError(f"--bins takes entries such as age=18,65 apart by semicolons, not {entry!r}")
        values = [as_number(word) for word in words.split(",")]
        if len(values) == 1:
            found[name] = words.strip() if values[0] is None else values[0]
        elif None in values:
            raise ArgumentError(f"--bins: the cuts of {name!r} must be numbers, not {words!r}")
        else:
            found[name] = values
    return found


def read_frame(source: str, max_bytes: int) -> pd.DataFrame:
    """Return the table of a file: columns in which every cell is a number, or empty, hold numbers.

    A row that is damaged is an error that names its line: it would be missed in silence otherwise.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "data") from None
    data = read_bytes(source, max_bytes)
    names = [name for name in header_of(data, source) if name]
    records = []
    for record in read_table(data, source, names):
        if record.error:
            raise FormatError(record.error, source, record.line)
        records.append(record.cells)
    columns = zip(*records, strict=True) if records else [()] * len(names)
    return pd.DataFrame({name: _column(cells) for name, cells in zip(names, columns, strict=True)})


def _column(cells: Sequence[str]) -> list[Any]:
    """Return the values of a column: numbers where all that is known are, else texts."""
    numbers = [None if cell in _UNKNOWN or is_no_number(cell) else as_number(cell) for cell in cells]
    if all(
        number is not None or cell in _UNKNOWN or is_no_number(cell)
        for number, cell in zip(numbers, cells, strict=True)
    ) and any(number is not None for number in numbers):
        return [float("nan") if number is None else number for number in numbers]
    return [None if cell in _UNKNOWN else cell for cell in cells]
