"""Compiled models in files: versioned, checksummed, plain data.

A ``.bnc2d`` file is the line ``bnc2d-model VERSION SHA256`` and a gzipped JSON text: the network with exact
entries, the classifier's rule, the diagram, and the circuits that the compilation made. Nothing in it is
executed; everything in it is checked before use.

The digest is that of the text before it is packed. The same compilation gives the same text, whatever the
process, its hash seed, its threads or its executor, and whatever was asked of the model since; so equal first
lines mean equal models on all machines. The packed bytes are equal too where the releases of zlib are.

Version 1 held the figures of the run (``seconds`` and others, see ``Stats``) and the digest of the packed
bytes; its files are read as before, and are written as version 2.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable
from fractions import Fraction
from io import BytesIO
from typing import IO, Any, NamedTuple

import numpy as np

from bnc2d.base.arguments import path_name, size_in_bytes
from bnc2d.base.atomic import atomic_write
from bnc2d.base.gzip_bytes import gzipped
from bnc2d.base.numbers import MAX_DIGITS
from bnc2d.compile.domain import feature_domain
from bnc2d.compile.model import BaseCompiledModel, Stats
from bnc2d.errors import Bnc2dError, FormatError
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

VERSION = 2
MAX_BYTES = 2**28  # unpacked text of so many bytes takes some 25 times as much memory
_PIECE = 2**20
_MAGIC = "bnc2d-model"
_RAISE = "max_bytes raises the limit (--max-bytes on the command line)"


def save_model(model: BaseCompiledModel, path: str | os.PathLike[str]) -> None:
    """Write a model; the file appears whole or not at all."""
    atomic_write(path, model_to_bytes(model))


def model_to_bytes(model: BaseCompiledModel) -> bytes:
    """Return the content of a model's file."""
    text = json.dumps(_to_data(model), separators=(",", ":")).encode()
    return f"{_MAGIC} {VERSION} {hashlib.sha256(text).hexdigest()}\n".encode() + gzipped(text)


def load_model(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> BaseCompiledModel:
    """Read a model; a damaged, foreign or newer file is refused with the reason.

    ``max_bytes`` bounds the file, packed and unpacked.
    """
    return read_model(path, max_bytes)[0]


class FileFacts(NamedTuple):
    """A model's file: the version of the format, the checksum in its first line, the digest of all of it."""

    version: int
    checksum: str
    sha256: str
    size: int


def read_model(
    path: str | os.PathLike[str], max_bytes: int = MAX_BYTES
) -> tuple[BaseCompiledModel, FileFacts]:
    """Return the model in a file, as ``load_model`` does, and what there is to say about the file."""
    name = path_name(path)
    max_bytes = size_in_bytes(max_bytes, "max_bytes")
    try:
        with open(name, "rb") as file:
            head, body = file.readline(200), _read_past(max_bytes, file)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FormatError(f"cannot read: {reason}", name) from None
    model = _model(head, body, name, max_bytes)
    _, version, checksum = head.decode().split()
    return model, FileFacts(
        int(version), checksum, hashlib.sha256(head + body).hexdigest(), len(head) + len(body)
    )


def model_from_bytes(data: bytes) -> BaseCompiledModel:
    """Return the model that ``model_to_bytes`` was given, with the checks of ``load_model``."""
    head, _, body = data.partition(b"\n")
    return _model(head, body, "model", MAX_BYTES)


def _model(head: bytes, body: bytes, name: str, max_bytes: int) -> BaseCompiledModel:
    text = _checked_text(head, body, name, max_bytes)
    try:
        return _from_data(json.loads(text))
    except Bnc2dError as error:
        raise FormatError(f"the model in the file is not valid: {error}", name) from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise FormatError(
            f"the model in the file is not valid ({type(error).__name__}: {error})", name
        ) from None


def _read_past(max_bytes: int, file: IO[bytes] | gzip.GzipFile) -> bytes:
    """Return the content, or one byte more than allowed; by pieces, because read(n) reserves n bytes."""
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _checked_text(head: bytes, body: bytes, path: str, max_bytes: int) -> bytes:
    fields = head.decode("ascii", "replace").split()
    if len(fields) != 3 or fields[0] != _MAGIC or not fields[1].isdecimal():
        raise FormatError("not a compiled model (it does not start with 'bnc2d-model')", path)
    version = int(fields[1])
    if version > VERSION:
        raise FormatError(
            f"written by a newer bnc2d (file version {version}, known up to {VERSION}); upgrade bnc2d", path
        )
    if len(body) > max_bytes:
        raise FormatError(f"more than {max_bytes} bytes; {_RAISE}", path)
    if version < 2 and hashlib.sha256(body).hexdigest() != fields[2]:
        raise _damaged("the checksum does not fit the content", path)
    try:
        with gzip.GzipFile(fileobj=BytesIO(body)) as unpacked:
            text = _read_past(max_bytes, unpacked)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(f"it cannot be unpacked ({error})", path) from None
    if len(text) > max_bytes:
        raise FormatError(f"more than {max_bytes} bytes unpacked; {_RAISE}", path)
    if version >= 2 and hashlib.sha256(text).hexdigest() != fields[2]:
        raise _damaged("the checksum does not fit the content", path)
    return text


def _damaged(reason: str, path: str) -> FormatError:
    return FormatError(f"damaged: {reason}; write it again", path)


def _to_data(model: BaseCompiledModel) -> dict[str, Any]:
    classifier, diagram = model.classifier, model.diagram
    network = classifier.network
    return {
        "network": {
            "name": network.name,
            "variables": [[variable.name, list(variable.states)] for variable in network.variables],
            "tables": [
                [
                    [network.index(v) for v in cpt.scope],
                    [str(entry) for entry in cpt.exact.reshape(-1).tolist()],
                ]
                for cpt in network.cpts
            ],
        },
        "classifier": {
            "target": classifier.target,
            "features": list(classifier.features),
            "threshold": None if classifier.threshold is None else str(classifier.threshold),
            "positive": classifier.positive,
            "ties": classifier.ties,
        },
        "diagram": {
            "order": list(diagram.order),
            "ends": diagram.terminals,
            "levels": [level.tolist() for level in diagram.levels],
            "root": diagram.root,
        },
        "formulas": [
            [label, negated, *_circuit_data(formula)]
            for (label, negated), formula in sorted(model.formulas.items())
        ],
        "stats": model.stats.of_any_run(),
    }


def _circuit_data(formula: NNF) -> tuple[list[list[int]], int]:
    """Return the nodes bottom-up as ``[kind, ...]``, children as positions, and the position of the root."""
    manager = formula.manager
    place: dict[NodeId, int] = {}
    nodes: list[list[int]] = []
    for node in manager.reachable(formula.root):
        place[node] = len(nodes)
        kind = int(manager.kind(node))
        if kind == Kind.CONSTANT:
            nodes.append([kind, node])
        elif kind == Kind.LITERAL:
            nodes.append([kind, *manager.literal_of(node)])
        else:
            nodes.append([kind, *(place[child] for child in manager.children(node))])
    return nodes, place[formula.root]


def _from_data(data: dict[str, Any]) -> BaseCompiledModel:
    network_data, rule = data["network"], data["classifier"]
    variables = [Variable(name, tuple(states)) for name, states in network_data["variables"]]
    cpts = []
    for scope, entries in network_data["tables"]:
        *parents, child = (variables[position] for position in scope)
        cpts.append(CPT(child, parents, [_fraction(entry) for entry in entries]))
    network = BayesianNetwork(variables, cpts, str(network_data["name"]))
    threshold = None if rule["threshold"] is None else _fraction(rule["threshold"])
    positive = rule["positive"]
    classifier = BaseClassifier(network, rule["target"], rule["features"], threshold, positive, rule["ties"])
    stats = Stats(**data["stats"])
    model = BaseCompiledModel(classifier, _diagram(data["diagram"], classifier), stats)
    for label, negated, nodes, root in data["formulas"]:
        if not 0 <= label < len(classifier.classes):
            raise ValueError(f"no class {label}")
        model.formulas[label, bool(negated)] = NNF(model.manager, _circuit(model.manager, nodes)[root])
    return model


def _fraction(text: str) -> Fraction:
    numerator, _, denominator = text.partition("/")
    if len(text) > 8 * MAX_DIGITS:
        raise ValueError("a number is too long")
    return Fraction(int(numerator), int(denominator or 1))


def _diagram(data: dict[str, Any], classifier: BaseClassifier) -> Diagram:
    sizes = [len(variable) for variable in classifier.feature_variables]
    order = tuple(int(position) for position in data["order"])
    if sorted(order) != list(range(len(sizes))):
        raise ValueError("the diagram's order is no permutation of the features")
    levels = tuple(
        np.array(level, dtype=np.int64).reshape(len(level), sizes[feature])
        for feature, level in zip(order, data["levels"], strict=True)
    )
    ends = len(classifier.classes) + classifier.rule.leaves_ties
    diagram = Diagram(feature_domain(classifier), order, ends, levels, int(data["root"]))
    flaw = diagram.flaw()
    if flaw is not None:
        raise ValueError(f"the diagram: {flaw}")
    return diagram


def _circuit(manager: Manager, nodes: list[list[int]]) -> list[NodeId]:
    made: list[NodeId] = []
    add: dict[int, Callable[[list[NodeId]], NodeId]] = {Kind.AND: manager.add_and, Kind.OR: manager.add_or}
    for kind, *payload in nodes:
        if kind == Kind.CONSTANT:
            made.append(int(bool(payload[0])))
        elif kind == Kind.LITERAL:
            feature, mask = payload
            if not 0 <= feature < len(manager.domain):
                raise ValueError("a literal of no feature")
            made.append(manager.add_literal(feature, mask))
        else:
            if not all(0 <= child < len(made) for child in payload):
                raise ValueError("a gate before its children")
            made.append(add[kind]([made[child] for child in payload]))
    return made
