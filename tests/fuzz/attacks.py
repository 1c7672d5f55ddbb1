"""Files made to hang a reader or to fill its memory: sizes in the billions, nesting, expansion."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from functools import cache

_TEN_MB = 10 * 2**20


def attacks(suffix: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of files of a format."""
    for character in (
        b"(",
        b"{",
        b"[",
        b"<",
        b'"',
        b"%",
        b"/",
        b"|",
        b"\0",
        b"\xff",
        b"a",
        b" ",
        b"\n",
        b"1 ",
        b"<a>",
    ):
        yield f"run{suffix}", character * (_TEN_MB // len(character))
    yield f"empty{suffix}", b""
    yield f"bomb{suffix}.gz", _bomb()
    yield f"short{suffix}.gz", gzip.compress(b"network a { }" * 1000)[:-9]
    yield f"fake{suffix}.gz", b"\x1f\x8b" + b"\0" * 100
    if suffix == ".bif":
        yield from _bif()
    elif suffix == ".net":
        yield from _net()
    elif suffix == ".uai":
        yield from _uai()
    else:
        yield from _xml(suffix, b"BIF" if suffix == ".xml" else b"smile")


@cache
def _bomb() -> bytes:
    """Return 300 MiB of zeros as one gzip member; after a full flush each piece has the same bytes."""
    piece, count, crc = b"\0" * 2**20, 300, 0
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = stream.compress(piece) + stream.flush(zlib.Z_FULL_FLUSH)
    for _ in range(count):
        crc = zlib.crc32(piece, crc)
    head = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
    return head + packed * count + stream.flush() + struct.pack("<II", crc, count * len(piece))


def _bif() -> Iterator[tuple[str, bytes]]:
    head = b"network n { }\n"
    wide = b"".join(b"variable v%d { type discrete [ 2 ] { a, b }; }\n" % i for i in range(70))
    scope = b", ".join(b"v%d" % i for i in range(1, 70))
    yield "default.bif", head + wide + b"probability ( v0 | " + scope + b" ) { default 0.5, 0.5; }"
    yield "states.bif", head + b"variable x { type discrete [ 4000000000 ] { a, b }; }"
    yield "nested.bif", head + b"variable x { type discrete [ 2 ] " + b"{" * _TEN_MB
    yield "rows.bif", head + wide + b"probability ( v0 | v1 ) { " + b"(a) 0.5, 0.5; " * 500_000 + b"}"
    yield "property.bif", b"network n { property " + b"x " * (_TEN_MB // 2)
    yield "quote.bif", head + b'variable "' + b"x" * _TEN_MB + b'" { type discrete [ 2 ] { a, b }; }'
    yield "comment.bif", head + b"/* " * (_TEN_MB // 3)
    many = b"".join(b"variable v%d { type discrete [ 2 ] { a, b }; }\n" % i for i in range(100_000))
    yield "tableless.bif", head + many


def _net() -> Iterator[tuple[str, bytes]]:
    node = b'net { }\nnode x { states = ("a" "b"); }\n'
    yield "nested.net", node + b"potential ( x ) { data = " + b"(" * _TEN_MB
    yield "unnested.net", node + b"potential ( x ) { data = " + b"()" * (_TEN_MB // 2)
    yield "long.net", node + b"potential ( x ) { data = (" + b"0.5 " * (_TEN_MB // 4) + b"); }"
    yield "attributes.net", b"net { a = " + b"(" * 5_000_000 + b")" * 5_000_000 + b"; }"
    yield "escape.net", b'net { a = "' + b'\\"' * (_TEN_MB // 2)


def _uai() -> Iterator[tuple[str, bytes]]:
    yield "count.uai", b"BAYES\n4000000000\n2 2\n"
    yield "cardinality.uai", b"BAYES\n2\n4000000000 4000000000\n2\n1 0\n2 0 1\n4000000000\n0.5"
    yield "scope.uai", b"BAYES\n1\n2\n1\n4000000000 0\n"
    yield "entries.uai", b"BAYES\n1\n2\n1\n1 0\n4000000000\n0.5 0.5"
    yield (
        "product.uai",
        b"BAYES\n40\n" + b"9999 " * 40 + b"\n40\n40 " + b" ".join(b"%d" % i for i in range(40)),
    )
    yield "digits.uai", b"BAYES\n" + b"9" * _TEN_MB
    yield "negative.uai", b"BAYES\n-1\n2\n1\n1 0\n2\n0.5 0.5"


def _xml(suffix: str, root: bytes) -> Iterator[tuple[str, bytes]]:
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, 30))
    head = b'<?xml version="1.0"?><!DOCTYPE ' + root
    yield (
        f"laughs{suffix}",
        head + b' [<!ENTITY l0 "ha">' + laughs + b"]><" + root + b">&l29;</" + root + b">",
    )
    yield (
        f"file{suffix}",
        head + b' [<!ENTITY f SYSTEM "file:///etc/passwd">]><' + root + b">&f;</" + root + b">",
    )
    yield f"dtd{suffix}", head + b' SYSTEM "http://localhost:1/x.dtd"><' + root + b"/>"
    yield f"parameter{suffix}", head + b' [<!ENTITY % p "<!ELEMENT a ANY>"> %p;]><' + root + b"/>"
    yield (
        f"quadratic{suffix}",
        head + b' [<!ENTITY a "' + b"a" * 100_000 + b'">]><' + root + b">" + b"&a;" * 100_000,
    )
    yield f"deep{suffix}", b"<a>" * 3_000_000
    yield (
        f"attributes{suffix}",
        b"<" + root + b" " + b" ".join(b'a%d="1"' % i for i in range(300_000)) + b"/>",
    )
    yield f"encoding{suffix}", b'<?xml version="1.0" encoding="utf-7"?><' + root + b"/>"
    yield f"latin{suffix}", b'<?xml version="1.0" encoding="latin-1"?><' + root + b">\xe9</" + root + b">"
    yield f"comment{suffix}", b"<" + root + b"><!-- " + b"- " * (_TEN_MB // 2)
