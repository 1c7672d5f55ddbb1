"""Seeded malformed network files: good files of every format, damaged in the ways that files get damaged."""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from bnc2d.formats.io import write_network
from bnc2d.testing import random_network

SUFFIXES = (".bif", ".net", ".uai", ".xml", ".xdsl")

_NUMBERS = [
    *b"nan inf -inf -1 -0.5 1e999999999 1e-999999999 1e-400 1e400 0x10 1_0 99999999999 2147483648".split(),
    *b"18446744073709551616 1,5 1/3 0 1 2 0.5 1e + . 1e5".split(),
    b"",
    b"9" * 4000,
    b"0." + b"3" * 3000,
]
_SPLICES = [
    *b'( ) { } [ ] | ; , " \' < > & &lt; &#0; &bomb; % // /* */ = \\ \\" <![CDATA[ ]]> <!-- -->'.split(),
    *b"default table property variable probability network node potential data states decision".split(),
    *b"BAYES MARKOV <utility> </smile> </BIF> <TABLE> <GIVEN> <parents>".split(),
    *(b"\0", b"\xff\xfe", b"\xc3\x28", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", "é∈日本".encode()),
    b"utility node U {}",
    b"continuous node C {}",
    b"model_nodes = ();",
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>",
    b"discrete [ 4000000000 ]",
    b"<noisymax id='n'/>",
    b"type discrete",
]


@cache
def good_files(suffix: str) -> tuple[bytes, ...]:
    """Return a few valid files of the format, small to medium."""
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{suffix}"
        for seed, size in enumerate((1, 2, 4, 7, 12)):
            write_network(random_network(seed, variables=size, max_states=4, digits=1 + seed % 4), path)
            contents.append(path.read_bytes())
    return tuple(contents)


def damaged(suffix: str, seed: int) -> tuple[str, bytes]:
    """Return a file name and contents: a good file after one to four kinds of damage, at times gzipped."""
    rng = Random(f"{suffix}/{seed}")  # noqa: S311 - reproducible test data
    data = rng.choice(good_files(suffix))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        data = rng.choice(_DAMAGES)(rng, data)
    if rng.random() < 0.05:
        return f"net{suffix}.gz", _damage_gzip(rng, gzip.compress(data, 1))
    return f"net{suffix}", data


def _cut(rng: Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 2, 8, 64, 512)))


def _flip(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8)) if data else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _truncate(rng: Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _remove(rng: Random, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    return data[:start] + data[stop:]


def _repeat(rng: Random, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    return data[:start] + data[start:stop] * rng.choice((2, 3, 50, 1000)) + data[stop:]


def _move(rng: Random, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    rest = data[:start] + data[stop:]
    to = rng.randrange(len(rest) + 1)
    return rest[:to] + data[start:stop] + rest[to:]


def _splice(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(_SPLICES) * rng.choice((1, 1, 1, 2, 1000)) + data[at:]


def _replace_number(rng: Random, data: bytes) -> bytes:
    return _replace_match(rng, data, rb"[0-9.]+", rng.choice(_NUMBERS))


def _replace_word(rng: Random, data: bytes) -> bytes:
    words = re.findall(rb"\w+", data)
    return _replace_match(rng, data, rb"\w+", rng.choice([*words, *_SPLICES]))


def _drop_line(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def _swap_lines(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _other_format(rng: Random, data: bytes) -> bytes:
    other = rng.choice(good_files(rng.choice(SUFFIXES)))
    at, start = rng.randrange(len(data) + 1), rng.randrange(len(other))
    return data[:at] + other[start:]


def _replace_match(rng: Random, data: bytes, pattern: bytes, text: bytes) -> bytes:
    spans = [match.span() for match in re.finditer(pattern, data)]
    if not spans:
        return data
    start, stop = rng.choice(spans)
    return data[:start] + text + data[stop:]


def _damage_gzip(rng: Random, data: bytes) -> bytes:
    damage = rng.choice((None, _truncate, _flip))
    return damage(rng, data) if damage else data


_DAMAGES: list[Callable[[Random, bytes], bytes]] = [
    _flip,
    _truncate,
    _remove,
    _repeat,
    _move,
    _splice,
    _replace_number,
    _replace_word,
    _drop_line,
    _swap_lines,
    _other_format,
]
