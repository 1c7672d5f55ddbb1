"""The one way in and the one way out: the ending of the name, or ``format=``, picks the module."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypeAlias

from bnc2d.base.atomic import atomic_write, gzipped
from bnc2d.base.readers.arguments import flag, instance_of, named, path_name, size_in_bytes
from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError, UnsupportedError, did_you_mean
from bnc2d.formats.files import MAX_BYTES, read_bytes
from bnc2d.formats.parsing.assemble import MAX_NAME, ParsedNetwork, warn_of_misses
from bnc2d.model.network import BayesianNetwork

FORMATS = {
    "bif": (".bif",),
    "net": (".net",),
    "uai": (".uai",),
    "xmlbif": (".xml", ".xmlbif"),
    "xdsl": (".xdsl",),
}

_Parse: TypeAlias = Callable[[bytes, str], ParsedNetwork]
_Render: TypeAlias = Callable[[BayesianNetwork, str], Iterator[str]]


def _reader_and_writer(name: str) -> tuple[_Parse, _Render]:
    """Return what reads and what writes a format; its module is loaded only here."""
    match name:
        case "bif":
            from bnc2d.formats.bif import parse, render
        case "net":
            from bnc2d.formats.net import parse, render
        case "uai":
            from bnc2d.formats.uai import parse, render
        case "xmlbif":
            from bnc2d.formats.xmlbif import parse, render
        case _:
            from bnc2d.formats.xdsl import parse, render
    return parse, render


def read_network(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the natural word for it
    normalise: bool = False,
    max_bytes: int = MAX_BYTES,
) -> BayesianNetwork:
    """Return the network in a file: .bif, .net, .uai, .xml or .xmlbif, .xdsl, each also with .gz.

    ``format`` ("bif", "net", "uai", "xmlbif", "xdsl") overrides the ending. Entries are the exact decimals
    of the file. A column that misses 1 by more than 1e-6 is an error unless ``normalise``; smaller misses are
    normalised exactly, with one ``NormalisationWarning`` per file unless it is ``write_network`` that spelt
    them so. ``max_bytes`` bounds the file, packed and unpacked. Raises ``FormatError`` for everything that
    cannot be read, with the line where there is one.
    """
    name = path_name(path)
    flag(normalise, "normalise")
    max_bytes = size_in_bytes(max_bytes, "max_bytes")
    parse, _ = _reader_and_writer(_format_of(name, format, must_exist=True))
    network, misses = parse(read_bytes(name, max_bytes), name).assemble(normalise=normalise)
    warn_of_misses(misses, name)
    return network


def write_network(
    net: BayesianNetwork,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write a network so that reading it gives an equal one (UAI keeps positions, not names).

    The file appears in one step or not at all, and the same network always gives the same bytes. Columns such
    as 1/3, 2/3 have no finite decimals; they are written as proportional ones, of 20 digits more than their
    common denominator, that reading normalises back exactly and without a warning. Raises
    ``UnsupportedError`` for names the format cannot hold.
    """
    name = path_name(path)
    instance_of(BayesianNetwork, net, "net")
    _, render = _reader_and_writer(_format_of(name, format))
    for text in [text for variable in net.variables for text in (variable.name, *variable.states)]:
        if len(text) > MAX_NAME:
            message = f"the name {shorten(text)!r} has more than {MAX_NAME} characters, the limit"
            raise UnsupportedError(message, name)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UnsupportedError(f"the name {shorten(text)!r} has no UTF-8 form", name) from None
    data = "".join(render(net, name)).encode()
    atomic_write(name, gzipped(data) if name.lower().endswith(".gz") else data)


def _format_of(path: str, name: str | None, *, must_exist: bool = False) -> str:
    if name is not None:
        if not isinstance(name, str) or name not in FORMATS:
            raise FormatError(f"unknown format {named(name)}{did_you_mean(name, FORMATS)}", path)
        return name
    for candidate, endings in FORMATS.items():
        if path.lower().removesuffix(".gz").endswith(endings):
            return candidate
    if must_exist and not os.path.isfile(path):  # more to the point than its ending
        reason = "it is a folder" if os.path.isdir(path) else "no such file"
        raise FormatError(f"cannot read: {reason}", path)
    known = " ".join(ending for endings in FORMATS.values() for ending in endings)
    raise FormatError(f"unknown ending; known: {known} (each also with .gz), or name a format=", path)
