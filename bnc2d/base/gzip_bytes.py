"""gzip without anything in it but the data: no time, no name, no trace of the system that wrote it."""

from __future__ import annotations

import zlib
from struct import pack

# Magic number, deflate, no flags, no time, best compression, unknown system (RFC 1952).
_HEADER = bytes.fromhex("1f8b08000000000002ff")
_RAW_DEFLATE = -15


def gzipped(data: bytes) -> bytes:
    """Return ``data`` as one gzip member, which depends on the data and the release of zlib alone."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE)
    body = deflate.compress(data) + deflate.flush()
    return _HEADER + body + pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF)
