"""CSV tables, read so that a damaged row costs no other row."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from typing import NamedTuple

from bnc2d.errors import FormatError, did_you_mean
from bnc2d.formats.files import decode, not_utf8

# What tables of numbers have for a number that is missing, besides an empty cell.
_NO_NUMBER = frozenset(("?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "-"))
# A quote that is not closed takes all lines up to the end with it. At most this often they are read again.
_MOST_REREAD = 100


class Record(NamedTuple):
    """The wanted cells of a row, as far as there are any, its first line, and what is wrong with it."""

    line: int
    cells: tuple[str, ...]
    error: str = ""


def read_table(
    data: bytes, path: str, columns: Sequence[str], may_be_unknown: Collection[str] = ()
) -> Iterator[Record]:
    """Return the rows of UTF-8 text as records of these columns, in their order; blank lines are skipped.

    A header that is not UTF-8 or CSV, that lacks one of the columns or repeats a name is a ``FormatError``,
    which tells how to say that a column is unknown, where it may be. A table without a header has no rows.
    """
    lines, position, header = _opened(data, path)
    if not header:
        return iter(())
    return _records(lines, position, len(header), _indices(header, columns, path, may_be_unknown))


def header_of(data: bytes, path: str) -> list[str]:
    """Return the names of the columns; columns without a name have an empty one."""
    return _opened(data, path)[2]


def _opened(data: bytes, path: str) -> tuple[list[str], int, list[str]]:
    """Return the lines of a table, how many of them its header takes, and the header."""
    lines = StringIO(data.decode("utf-8-sig", "surrogateescape"), newline="").readlines()
    reader = csv.reader(lines, skipinitialspace=True, strict=True)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path, 1) from None
    if _foreign_byte("".join(header)) is not None:
        decode(data, path)  # raises, and says where
    return lines, reader.line_num, header


def _indices(
    header: list[str], columns: Sequence[str], path: str, may_be_unknown: Collection[str]
) -> list[int]:
    """Return where the columns are; only columns without a name may be there twice."""
    indices: dict[str, int] = {}
    for index, name in enumerate(header):
        if name in indices and name:
            raise FormatError(f"more than one column {name!r}", path, 1)
        indices[name] = index
    for column in columns:
        if column not in indices:
            hint = did_you_mean(column, header)
            if column in may_be_unknown:
                hint += "; a column of ? says that it is unknown"
            if len(header) == 1 and any(separator in header[0] for separator in ";\t|"):
                hint = "; cells are separated by commas"
            raise FormatError(f"no column {column!r}{hint}", path, 1)
    return [indices[column] for column in columns]


def _records(lines: list[str], position: int, width: int, indices: list[int]) -> Iterator[Record]:
    """Yield the records of the lines from a position on."""
    reread = 0
    rest = iter(lines[position:])
    reader = csv.reader(rest, skipinitialspace=True, strict=True)
    while True:
        start = position + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            position += reader.line_num
            span = f" (lines {start} to {position})" if position > start else ""
            yield Record(start, (), f"not CSV: {error}{span}")
            if span and reread < _MOST_REREAD:
                reread += 1
                position = start
                rest = iter(lines[position:])
            reader = csv.reader(rest, skipinitialspace=True, strict=True)
            continue
        if not cells:
            continue
        if len(cells) != width:
            yield Record(start, (), f"{len(cells)} cells, but {width} columns")
            continue
        wanted = tuple(cells[index] for index in indices)
        foreign = _foreign_byte("".join(wanted))
        yield Record(start, wanted) if foreign is None else Record(start, (), not_utf8(foreign))


def _foreign_byte(text: str) -> int | None:
    """Return the first byte that was not UTF-8, which decoding left as a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return ord(text[error.start]) - 0xDC00
    return None


def is_table(source: object) -> bool:
    """Return whether a file is a table of data, by its name."""
    return isinstance(source, str) and source.lower().endswith(".csv")


def is_no_number(cell: str) -> bool:
    """Return whether a cell says, among numbers, that there is none."""
    return cell in _NO_NUMBER


def as_number(cell: str) -> int | float | None:
    """Return the number that a cell is, if any."""
    text = cell.strip()
    if not text.isascii() or "_" in text:  # Python reads more than people write
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None
