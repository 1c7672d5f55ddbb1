"""gzip without anything in it but the data: no time, no name, no trace of the system that wrote it."""

from __future__ import annotations

import zlib
from struct import pack

# Magic number, deflate, no flags, no time; then how it was packed (best, fastest) and the system (unknown).
_START, _PACKED, _SYSTEM = bytes.fromhex("1f8b080000000000"), {9: b"\x02", 1: b"\x04"}, b"\xff"
_RAW_DEFLATE = -15


def gzipped(data: bytes, level: int = 9) -> bytes:
    """Return ``data`` as one gzip member (RFC 1952), made of data, level and zlib's release alone."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, _RAW_DEFLATE)
    body = deflate.compress(data) + deflate.flush()
    header = _START + _PACKED.get(level, b"\x00") + _SYSTEM
    return header + body + pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF)
