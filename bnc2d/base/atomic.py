"""Files: written in one step, so that a failure or Ctrl-C leaves what was there; read up to a limit; gzip."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from struct import pack
from typing import IO, TYPE_CHECKING

from bnc2d.base.readers.arguments import path_name
from bnc2d.errors import FormatError

if TYPE_CHECKING:
    from gzip import GzipFile

_CHUNK = 2**20
# Magic number, deflate, no flags, no time; then how it was packed (best, fastest) and the system (unknown).
_START, _PACKED, _SYSTEM = bytes.fromhex("1f8b080000000000"), {9: b"\x02", 1: b"\x04"}, b"\xff"
_RAW_DEFLATE = -15


def atomic_write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to a file in one step (see ``atomic_open``)."""
    with atomic_open(path) as file:
        file.write(data)


@contextmanager
def atomic_open(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a new file in the same folder, which takes the name ``path`` when the block ends well.

    Symbolic links are followed and the permissions of an existing file are kept; anything that exists and is
    not a regular file is refused.
    """
    name = path_name(path)
    mode = None
    try:
        target = os.path.realpath(name)
        with suppress(FileNotFoundError):
            status = os.stat(target)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("it exists and is not a regular file")
            mode = stat.S_IMODE(status.st_mode)
        folder, last = os.path.split(target)
        temporary = os.path.join(folder, f".{last[:60]}.{os.urandom(8).hex()}.tmp")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot write: {reason(error)}", name) from None
    try:
        with open(temporary, "xb") as file:  # Ctrl-C may come as soon as it exists
            yield file
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise FormatError(f"cannot write: {reason(error)}", name) from None
        raise


def reason(error: OSError | ValueError) -> str:
    """Return why a file cannot be opened."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def read_limited(file: IO[bytes] | GzipFile, path: str, max_bytes: int) -> bytes:
    """Return all that a file holds; refuse more than ``max_bytes``."""
    chunks: list[bytes] = []
    size = 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        if size > max_bytes:
            raise FormatError(
                f"more than {max_bytes} bytes; max_bytes raises the limit (--max-bytes on the command line)",
                path,
            )
        chunks.append(chunk)
    return b"".join(chunks)


def gzipped(data: bytes, level: int = 9) -> bytes:
    """Return ``data`` as one gzip member (RFC 1952), made of data, level and zlib's release alone."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, _RAW_DEFLATE)
    body = deflate.compress(data) + deflate.flush()
    header = _START + _PACKED.get(level, b"\x00") + _SYSTEM
    return header + body + pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF)
