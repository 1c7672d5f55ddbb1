"""Bytes in: gzip, size limits, UTF-8; and folders to write to."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from typing import IO

from bnc2d.base.atomic import read_limited, reason
from bnc2d.errors import FormatError

MAX_BYTES = 64 * 2**20
_GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: str, max_bytes: int = MAX_BYTES, *, may_be_empty: bool = False) -> bytes:
    """Return the content of a file, decompressed when its ending or its first bytes say gzip.

    ``max_bytes`` bounds what is read and what that unpacks to, also where the file has no size (a pipe).
    """
    try:
        with open(path, "rb") as file:
            return read_stream(file, path, max_bytes, may_be_empty=may_be_empty)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read: {reason(error)}", path) from None


def read_stream(stream: IO[bytes], path: str, max_bytes: int, *, may_be_empty: bool = False) -> bytes:
    """Return what a stream gives, as ``read_bytes`` does; ``path`` is its name in messages."""
    data = read_limited(stream, path, max_bytes)
    if not data and not may_be_empty:
        raise FormatError("the file is empty", path)
    if not path.lower().endswith(".gz") and not data.startswith(_GZIP_MAGIC):
        return data
    import gzip  # most files are not packed

    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as unpacked:
            return read_limited(unpacked, path, max_bytes)
    except EOFError:
        raise FormatError("the gzip data ends too early; the file is truncated", path) from None
    except (OSError, zlib.error) as error:
        raise FormatError(f"the gzip data is corrupt: {error}", path) from None


def decode(data: bytes, path: str) -> str:
    """Return the text of UTF-8 ``data`` (a byte order mark is dropped), or name the line that is not."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(not_utf8(data[error.start]), path, line) from None


def not_utf8(byte: int) -> str:
    """Return what is wrong with a byte, and the remedy."""
    return f"byte 0x{byte:02x} is not UTF-8; convert the file to UTF-8 (iconv -t utf-8)"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot make the folder: {error.strerror}", folder) from None
