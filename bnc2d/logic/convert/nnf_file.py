"""Circuits as ``.nnf`` files: the c2d form, and a multi-valued form for features with any number of states.

The c2d form, written when every feature has two states, is what c2d and Dsharp write (``d4_file.py`` has that
of d4, which is read too)::

    nnf NODES EDGES VARIABLES
    L 3            variable 3 is true;  L -3: it is false
    A c i1 ... ic  conjunction of c earlier nodes;  A 0 is true
    O j c i1 ... ic  disjunction; j is a decision variable or 0 (written as 0);  O 0 0 is false

The multi-valued form, written for every other circuit::

    nnf NODES VARIABLES EDGES
    k1 ... kn      the number of states of each variable
    L 3 5          the state of variable 3 is 0 or 2: bit i of the (decimal) number stands for state i
    A c i1 ... ic  conjunction
    O c i1 ... ic  disjunction
    T, F           true, false

Variables count from 1, nodes from 0 in the order of the file; children come before their parents, the root
is the last node. In the c2d form *true* is the state that reads so (``yes`` of ``yes``/``no``), otherwise the
second state. A line ``c feature "BP" ["Low", "High"]`` a feature keeps names and states; other readers take
it for a comment. It is left out when the names are the ones a file without such lines gets: features
``v1``, ``v2``, ... with states ``0``, ``1``, ... Names that end in ``.gz`` are compressed.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Sequence
from typing import IO, NoReturn, cast

from bnc2d.base.atomic import atomic_write, gzipped
from bnc2d.base.checkpoints import checked
from bnc2d.base.readers.arguments import instance_of, path_name, size_in_bytes
from bnc2d.errors import FormatError, LogicError, UnsupportedError
from bnc2d.logic.circuit.arrays import ListedGate, listed
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant
from bnc2d.logic.convert.d4_file import D4Reader, is_line_of_d4
from bnc2d.logic.convert.variables import Variables, check_variables, over_features, true_masks
from bnc2d.logic.domain import Domain, FeatureId, StateMask

MAX_BYTES = 256 * 2**20
# A file may claim any number of states in a few bytes, so claims are bounded before they cost memory. With
# 2,048 states a mask has 617 digits, which every Python converts whatever its limit on digits.
MAX_STATES = 2_048
MAX_STATES_IN_ALL = 2_000_000
_MAX_DIGITS = 18
_GZIP_MAGIC = b"\x1f\x8b"
_NAMES = b"feature"


def write_nnf(manager: Manager, root: NodeId, path: str | os.PathLike[str]) -> None:
    """Write the circuit in one step; the form follows from the domain, equal circuits give equal bytes."""
    name = path_name(path)
    domain = manager.domain
    if max(domain.cardinalities, default=0) > MAX_STATES:
        raise UnsupportedError(f"a feature has more than {MAX_STATES} states", name)
    boolean = all(size == 2 for size in domain.cardinalities)
    if is_constant(root):
        false, true = ("O 0 0", "A 0") if boolean else ("F", "T")
        nodes, edges = [true if root == TRUE else false], 0
    else:
        literals, gates = listed(manager, root)
        nodes = _literal_lines(domain, literals, boolean) + _gate_lines(gates, boolean)
        edges = sum(len(children) for _, children in gates)
    counts = (len(nodes), edges, len(domain)) if boolean else (len(nodes), len(domain), edges)
    lines = ["nnf {} {} {}".format(*counts)]
    if not boolean:
        lines.append(" ".join(map(str, domain.cardinalities)))
    if domain != _default_domain(domain.cardinalities):
        for feature, states in zip(domain.names, domain.states, strict=True):
            lines.append(f"c feature {json.dumps(feature)} {json.dumps(states)}")
    lines += nodes
    data = ("\n".join(lines) + "\n").encode("ascii")
    atomic_write(name, gzipped(data) if name.lower().endswith(".gz") else data)


def _literal_lines(
    domain: Domain, literals: Sequence[tuple[FeatureId, StateMask]], boolean: bool
) -> list[str]:
    if not boolean:
        return [f"L {feature + 1} {mask}" for feature, mask in literals]
    positive = true_masks(domain)
    return [f"L {f + 1 if mask == positive[f] else -(f + 1)}" for f, mask in literals]


def _gate_lines(gates: Sequence[ListedGate], boolean: bool) -> list[str]:
    disjunction = "O 0" if boolean else "O"
    return [
        f"{disjunction if is_or else 'A'} {len(children)} {' '.join(map(str, children))}"
        for is_or, children in checked(gates)
    ]


def _default_domain(cardinalities: Sequence[int]) -> Domain:
    states = {size: tuple(map(str, range(size))) for size in set(cardinalities)}
    return Domain({f"v{number}": states[size] for number, size in enumerate(cardinalities, 1)})


def read_nnf(
    path: str | os.PathLike[str],
    domain: Domain | None = None,
    *,
    variables: Variables = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[Manager, NodeId]:
    """Return a new manager and the root of the circuit in a file of either form, or of d4's.

    ``domain`` replaces the names in the file (or missing from it) and must have the same numbers of states. A
    file that ``write_nnf`` wrote gives the same circuit; in other files the manager's local simplifications
    may merge nodes, which keeps the models. ``variables`` says which variables stand for the features, or the
    states, of the domain (see ``variables.py``). Every fault is a ``FormatError`` that names the line.
    """
    name = path_name(path)
    if domain is not None:
        instance_of(Domain, domain, "domain")
    meant = check_variables(domain, variables)
    max_bytes = size_in_bytes(max_bytes, "max_bytes")
    try:
        with open(name, "rb") as file:
            zipped = file.read(2) == _GZIP_MAGIC
            file.seek(0)
            stream = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if zipped else file
            if _is_of_d4(stream, max_bytes):
                return over_features(*D4Reader(name).read(stream, max_bytes), domain, meant, name)
            if meant is None:
                return _Reader(name, domain).read(stream, max_bytes)
            manager, root = _Reader(name, None).read(stream, max_bytes)
    except EOFError:
        raise FormatError("the gzip data ends too early; the file is truncated", name) from None
    except (OSError, ValueError, zlib.error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FormatError(f"cannot read: {reason}", name) from None
    if any(size != 2 for size in manager.domain.cardinalities):
        raise FormatError("variables= is for files over Boolean variables, and this has others", name)
    return over_features(manager, root, domain, meant, name)


def _is_of_d4(stream: IO[bytes], max_bytes: int) -> bool:
    """Return whether the first line that is no comment is one of d4's; the stream is at its start again."""
    fields: list[bytes] = []
    while (not fields or fields[0] == b"c") and (raw := stream.readline(max_bytes + 1)):
        fields = raw.split()
    stream.seek(0)
    return bool(fields) and is_line_of_d4(fields)


class _Reader:
    """The state of reading one file: header, then names, then nodes."""

    def __init__(self, path: str, domain: Domain | None) -> None:
        self.path = path
        self.given = domain
        self.line = 0
        self.header: tuple[int, int, int] | None = None
        self.header_line = 0
        self.cardinalities: list[int] | None = None  # stays None in the c2d form
        self.named: dict[str, tuple[str, ...]] = {}
        self.named_lines: list[int] = []
        self.manager: Manager | None = None
        self.true_masks: list[StateMask] = []
        self.ids: list[NodeId] = []  # node of each number in the file
        self.edges = 0
        self.nodes_said = self.edges_said = self.variables = 0  # by the header, once its order is known

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        raise FormatError(message, self.path, self.line if line is None else line)

    def read(self, stream: IO[bytes], max_bytes: int) -> tuple[Manager, NodeId]:
        left = max_bytes
        while raw := stream.readline(left + 1):
            self.line += 1
            left -= len(raw)
            if left < 0:
                self.fail(f"more than {max_bytes} bytes; max_bytes raises the limit")
            if self.line == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            fields = raw.split()
            if fields:
                self.read_line(fields, raw)
        return self.finish()

    def read_line(self, fields: list[bytes], raw: bytes) -> None:
        if fields[0] == b"c":
            if len(fields) > 2 and fields[1] == _NAMES and fields[2].startswith(b'"'):
                self.read_names(raw)
        elif self.header is None:
            self.read_header(fields)
        elif self.manager is None and self.cardinalities is None and fields[0].isdigit():
            self.read_cardinalities(fields)
        else:
            self.read_node(fields)

    def number(self, field: bytes, what: str) -> int:
        if not field.isdigit() or len(field) > _MAX_DIGITS:
            self.fail(f"{what} must be a number of at most {_MAX_DIGITS} digits, not {_show(field)}")
        return int(field)

    def read_header(self, fields: list[bytes]) -> None:
        if fields[0] != b"nnf" or len(fields) != 4:
            self.fail(f"expected the header 'nnf' with three counts, not {_show(b' '.join(fields[:5]))}")
        first, second, third = (self.number(field, "a count in the header") for field in fields[1:])
        self.header = first, second, third
        self.header_line = self.line

    def read_cardinalities(self, fields: list[bytes]) -> None:
        sizes = [self.number(field, "a number of states") for field in fields]
        if not all(1 <= size <= MAX_STATES for size in sizes):
            self.fail(f"a number of states must lie in 1 to {MAX_STATES}")
        self.cardinalities = sizes
        _, variables, _ = self.counts()
        if len(sizes) != variables:
            self.fail(
                f"the header counts {variables} variables, this line has {len(sizes)} numbers of states"
            )

    def read_names(self, raw: bytes) -> None:
        if self.manager is not None:
            self.fail("names of features must come before the first node")
        decoder = json.JSONDecoder()
        try:
            text = raw.decode("utf-8").strip()
            name, end = decoder.raw_decode(text, text.index('"'))
            rest = text[end:].lstrip()
            states, end = decoder.raw_decode(rest)
            if rest[end:] or not isinstance(name, str) or not isinstance(states, list):
                raise ValueError
            self.named_lines.append(self.line)
            if name in self.named:
                self.fail(f"feature {_show(name)} is named twice")
            self.named[name] = Domain({name: states}).states[0]
        except LogicError as error:
            self.fail(str(error))
        except (ValueError, TypeError, RecursionError):
            self.fail('expected a name and a list of states in JSON: c feature "BP" ["Low", "High"]')

    def counts(self) -> tuple[int, int, int]:
        """Return the header's nodes, variables and edges; the forms differ in their order."""
        if self.header is None:
            self.fail("the header 'nnf' with three counts is missing")
        nodes, second, third = self.header
        return (nodes, third, second) if self.cardinalities is None else (nodes, second, third)

    def start(self) -> Manager:
        """Settle the domain when the first node comes."""
        self.nodes_said, self.variables, self.edges_said = self.counts()
        variables = self.variables
        for what, found in (("the domain", self.given), ("the file names", self.named or None)):
            if found is not None and len(found) != variables:
                message = f"the header counts {variables} variables, {what} {len(found)}"
                self.fail(message, self.header_line)
        if 2 * variables > MAX_STATES_IN_ALL:
            self.fail(f"more than {MAX_STATES_IN_ALL // 2} variables", self.header_line)
        sizes = [2] * variables if self.cardinalities is None else self.cardinalities
        if sum(sizes) > MAX_STATES_IN_ALL:
            self.fail(f"more than {MAX_STATES_IN_ALL} states in all", self.header_line)
        for line, size, (name, states) in zip(self.named_lines, sizes, self.named.items(), strict=False):
            if len(states) != size:
                self.fail(f"feature {_show(name)} has {size} states, {len(states)} are named", line)
        domain = self.given
        if domain is None:
            domain = Domain(self.named) if self.named else _default_domain(sizes)
        for name, size, known in zip(domain.names, sizes, domain.cardinalities, strict=True):
            if size != known:
                message = f"the file has {size} states where the domain's feature {_show(name)} has {known}"
                self.fail(message, self.header_line)
        if self.cardinalities is None:
            self.true_masks = true_masks(domain)
        self.manager = Manager(domain)
        return self.manager

    def read_node(self, fields: list[bytes]) -> None:
        manager = self.manager or self.start()
        if len(self.ids) == self.nodes_said:
            self.fail(f"the header counts {self.nodes_said} nodes, the file has more")
        kind = fields[0]
        if kind == b"L":
            self.ids.append(manager.add_literal(*self.literal(fields)))
        elif kind == b"A":
            self.ids.append(manager.add_and(self.children(fields, 1)))
        elif kind == b"O" and self.cardinalities is None:
            if len(fields) > 1:
                self.variable(fields[1], 0)
            self.ids.append(manager.add_or(self.children(fields, 2)))
        elif kind == b"O":
            self.ids.append(manager.add_or(self.children(fields, 1)))
        elif kind in (b"T", b"F") and len(fields) == 1:
            self.ids.append(TRUE if kind == b"T" else FALSE)
        else:
            self.fail(f"expected a node (L, A, O, T or F), not {_show(b' '.join(fields[:5]))}")

    def variable(self, field: bytes, lowest: int = 1) -> int:
        variable = self.number(field, "a variable")
        if not lowest <= variable <= self.variables:
            self.fail(f"variable {variable} does not lie in {lowest} to {self.variables}")
        return variable

    def literal(self, fields: list[bytes]) -> tuple[FeatureId, StateMask]:
        if self.cardinalities is None:
            if len(fields) != 2:
                self.fail("expected one signed variable after L")
            feature = self.variable(fields[1].removeprefix(b"-")) - 1
            true_mask = self.true_masks[feature]
            return feature, 0b11 ^ true_mask if fields[1].startswith(b"-") else true_mask
        if len(fields) != 3:
            self.fail("expected a variable and a number whose bits are states after L")
        feature = self.variable(fields[1]) - 1
        size = self.cardinalities[feature]
        digits = size * 31 // 100 + 1  # log10(2) is a little below 0.31
        if not fields[2].isdigit() or len(fields[2]) > digits or int(fields[2]) >> size:
            message = f"the states of variable {feature + 1} must be a number from 0 to 2^{size}-1"
            self.fail(f"{message}, not {_show(fields[2])}")
        return feature, int(fields[2])

    def children(self, fields: list[bytes], at: int) -> list[NodeId]:
        """Return the children that follow their count, which stands in field ``at``."""
        if len(fields) <= at:
            self.fail(f"expected a count of children after {' and '.join(_show(f) for f in fields)}")
        count = self.number(fields[at], "a count of children")
        numbers = fields[at + 1 :]
        if count != len(numbers):
            self.fail(f"{count} children announced, {len(numbers)} listed")
        known = len(self.ids)
        self.edges += count
        if self.edges > self.edges_said:
            self.fail(f"the header counts {self.edges_said} edges, the file has more")
        children = []
        for field in numbers:
            child = self.number(field, "a child")
            if child >= known:
                self.fail(f"node {known} refers to node {child}, which does not come before it")
            children.append(self.ids[child])
        return children

    def finish(self) -> tuple[Manager, NodeId]:
        if self.line == 0:
            raise FormatError("the file is empty", self.path)
        nodes, _, edges = self.counts()
        if len(self.ids) != nodes:
            self.fail(f"the header counts {nodes} nodes, the file has {len(self.ids)}", self.header_line)
        if self.edges != edges:
            self.fail(f"the header counts {edges} edges, the file has {self.edges}", self.header_line)
        if self.manager is None:
            self.fail("the circuit has no node, so it has no root")
        return self.manager, self.ids[-1]


def _show(text: bytes | str) -> str:
    """Return the text in quotes, shortened."""
    shown = text[:200].decode("utf-8", "replace") if isinstance(text, bytes) else text
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")
