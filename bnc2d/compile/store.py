"""Compiled models in files: versioned, checksummed, plain data.

A ``.bnc2d`` file is the line ``bnc2d-model VERSION SHA256`` and gzipped content: a line of JSON, then the
tables of the diagram as raw little-endian numbers (see ``file_content``). Nothing in it is executed;
everything in it is checked before use.

The digest is that of the content before it is packed. The same compilation gives the same content, whatever
the process, its hash seed, its threads or its executor, and whatever was asked of the model since; so equal
first lines mean equal models on all machines. The packed bytes are equal too where the releases of zlib are.

Versions 1 and 2 were JSON alone, with the diagram in lists and all circuits; version 1 held the figures of
the run (``seconds`` and others, see ``Stats``) and the digest of the packed bytes. Their files are read as
before, and are written as version 3. Version 4 is version 3 with a constraint that the model is under:
readers that know of none must not leave it out in silence. Version 5 is either of them with the scales of
variables that were made from columns of data, and with how the classifier was trained on them.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import NamedTuple

from bnc2d.base.atomic import atomic_write, gzipped, read_limited, reason
from bnc2d.base.readers.arguments import path_name, size_in_bytes
from bnc2d.compile.file_content import Stored, from_bytes, from_text, has_scales, to_bytes
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.errors import Bnc2dError, FormatError

VERSION, WITH_CONSTRAINT, WITH_SCALES = 3, 4, 5
# Content takes up to 8 times as much memory, and 25 times where it is text.
MAX_BYTES = 2**28
_FIRST_WITH_TABLES = 3
_FIRST_DIGEST_OF_CONTENT = 2
# Of a million nodes (17 MB) zlib's levels 1 and 6 both leave two thirds; 1 takes a third of the time.
_PACKING = 1
_GZIP = 16  # tells zlib that the stream has gzip's header and checksum
_MAGIC = "bnc2d-model"
_RAISE = "max_bytes raises the limit (--max-bytes on the command line)"


def save_model(model: BaseCompiledModel, path: str | os.PathLike[str]) -> None:
    """Write a model; the file appears whole or not at all."""
    atomic_write(path, model_to_bytes(model))


def model_to_bytes(model: BaseCompiledModel) -> bytes:
    """Return the content of a model's file."""
    content = to_bytes(model)
    digest = hashlib.sha256(content).hexdigest()
    version = VERSION if model.constraint is None else WITH_CONSTRAINT
    if has_scales(model):
        version = WITH_SCALES
    return f"{_MAGIC} {version} {digest}\n".encode() + gzipped(content, _PACKING)


def load_model(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Stored:
    """Read a model and its constraint; a damaged, foreign or newer file is refused with the reason.

    ``max_bytes`` bounds the file, packed and unpacked.
    """
    return _read(path, max_bytes)[0]


class FileFacts(NamedTuple):
    """A model's file: the version of the format, the checksum in its first line, the digest of all of it."""

    version: int
    checksum: str
    sha256: str
    size: int


def read_model(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> tuple[Stored, FileFacts]:
    """Return what is in a file, as ``load_model`` does, and what there is to say about the file."""
    model, head, body = _read(path, max_bytes)
    _, version, checksum = head.decode().split()
    whole = hashlib.sha256(head)
    whole.update(body)
    return model, FileFacts(int(version), checksum, whole.hexdigest(), len(head) + len(body))


def _read(path: str | os.PathLike[str], max_bytes: int) -> tuple[Stored, bytes, bytes]:
    """Return what is in a file, its first line and all that follows."""
    name = path_name(path)
    max_bytes = size_in_bytes(max_bytes, "max_bytes")
    try:
        with open(name, "rb") as file:
            head = file.readline(200)
            checked = _checked_head(head, name)
            body = read_limited(file, name, max_bytes)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read: {reason(error)}", name) from None
    return _model(*checked, body, name, max_bytes), head, body


def model_from_bytes(data: bytes) -> BaseCompiledModel:
    """Return the model that ``model_to_bytes`` was given, with the checks of ``load_model``."""
    head, _, body = data.partition(b"\n")
    return _model(*_checked_head(head, "model"), body, "model", MAX_BYTES).model


def _model(version: int, digest: str, body: bytes, name: str, max_bytes: int) -> Stored:
    content = _checked_content(version, digest, body, name, max_bytes)
    try:
        return from_bytes(content) if version >= _FIRST_WITH_TABLES else from_text(content)
    except Bnc2dError as error:
        raise FormatError(f"the model in the file is not valid: {error}", name) from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise FormatError(
            f"the model in the file is not valid ({type(error).__name__}: {error})", name
        ) from None


def _unpacked_past(max_bytes: int, packed: bytes) -> bytes:
    """Return what was packed, or one byte more than allowed."""
    parts: list[bytes] = []
    left = max_bytes + 1
    while packed and left > 0:  # a file of gzip may have several members
        member = zlib.decompressobj(zlib.MAX_WBITS | _GZIP)
        parts.append(member.decompress(packed, left))
        left -= len(parts[-1])
        if not member.eof and left > 0:
            raise zlib.error("it ends too early")
        packed = member.unused_data
    return b"".join(parts) if len(parts) != 1 else parts[0]


def _checked_head(head: bytes, path: str) -> tuple[int, str]:
    """Return the version and the digest in the first line of a file."""
    fields = head.decode("ascii", "replace").split()
    if len(fields) != 3 or fields[0] != _MAGIC or not fields[1].isdecimal():
        raise FormatError("not a compiled model (it does not start with 'bnc2d-model')", path)
    version = int(fields[1])
    if version > WITH_SCALES:
        known = f"file version {version}, known up to {WITH_SCALES}"
        raise FormatError(f"written by a newer bnc2d ({known}); upgrade bnc2d", path)
    return version, fields[2]


def _checked_content(version: int, digest: str, body: bytes, path: str, max_bytes: int) -> bytes:
    """Return the unpacked content of a file whose checksum is right."""
    if version < _FIRST_DIGEST_OF_CONTENT:
        _check_digest(body, digest, path)
    try:
        content = _unpacked_past(max_bytes, body)
    except zlib.error as error:
        raise FormatError(f"damaged: it cannot be unpacked ({error}); write it again", path) from None
    if len(content) > max_bytes:
        raise FormatError(f"more than {max_bytes} bytes unpacked; {_RAISE}", path)
    if version >= _FIRST_DIGEST_OF_CONTENT:
        _check_digest(content, digest, path)
    return content


def _check_digest(data: bytes, digest: str, path: str) -> None:
    if hashlib.sha256(data).hexdigest() != digest:
        raise FormatError("damaged: the checksum does not fit the content; write it again", path)
