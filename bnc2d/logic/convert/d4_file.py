"""Circuits in the form that d4 writes: nodes and arcs, with literals on the arcs.

The lines, each ended by 0::

    o 1 0          node 1 is a disjunction;  a: a conjunction,  t: true,  f: false
    1 2 -3 4 0     an arc from node 1 to node 2, with the conjunction of literals ¬3 and 4

A child counts together with the literals of its arc. Nodes and arcs may come in any order. The root is the
node that no arc leads to; where there are several (d4 leaves some behind) it is node 1. Variables are not
declared: there are as many as the largest number says.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import IO, NoReturn

from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import FormatError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.domain import Domain

MAX_VARIABLES = 1_000_000
_MAX_DIGITS = 18
_KINDS = (b"o", b"a", b"t", b"f")
_LEAVES = {b"t": TRUE, b"f": FALSE}


def is_line_of_d4(fields: list[bytes]) -> bool:
    """Return whether the first line of a file (comments apart) is one of this form."""
    return fields[0] in _KINDS or (fields[0].isdigit() and fields[-1] == b"0")


class D4Reader:
    """The state of reading one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._line = 0
        self._kinds: dict[int, bytes] = {}  # by the number of a node, in the order of the file
        # Of each arc the nodes, the line, and where its literals start among those of all.
        self._sources, self._targets, self._lines = array("q"), array("q"), array("q")
        self._starts, self._literals = array("q", [0]), array("i")
        self._variables = 0

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        """Raise the error that names the line."""
        raise FormatError(message, self._path, self._line if line is None else line)

    def read(self, stream: IO[bytes], max_bytes: int) -> tuple[Manager, NodeId]:
        """Return a manager with features ``v1``, ``v2``, ... of states 0 and 1, and the root in it."""
        left = max_bytes
        while raw := stream.readline(left + 1):
            self._line += 1
            left -= len(raw)
            if left < 0:
                self.fail(f"more than {max_bytes} bytes; max_bytes raises the limit")
            fields = raw.split()
            if fields and fields[0] != b"c":
                self._read_line(fields)
        return self._circuit()

    def _read_line(self, fields: list[bytes]) -> None:
        if fields[-1] != b"0" or len(fields) < 3:
            self.fail(f"expected a node ('o 1 0') or an arc ('1 2 -3 0'), not {_show(fields)}")
        if fields[0] in _KINDS:
            if len(fields) != 3:
                self.fail(f"expected one number between '{fields[0].decode()}' and 0, not {_show(fields)}")
            node = self._number(fields[1], "a node")
            if node in self._kinds:
                self.fail(f"node {node} is declared twice")
            self._kinds[node] = fields[0]
            return
        self._sources.append(self._number(fields[0], "the start of an arc"))
        self._targets.append(self._number(fields[1], "the end of an arc"))
        self._lines.append(self._line)
        for field in fields[2:-1]:
            variable = self._number(field.removeprefix(b"-"), "a variable")
            if variable > MAX_VARIABLES:
                self.fail(f"variable {variable} is beyond the limit of {MAX_VARIABLES}")
            self._variables = max(self._variables, variable)
            self._literals.append(-variable if field.startswith(b"-") else variable)
        self._starts.append(len(self._literals))

    def _number(self, field: bytes, what: str) -> int:
        if not field.isdigit() or len(field) > _MAX_DIGITS or not int(field):
            self.fail(
                f"{what} must be a number from 1 on of at most {_MAX_DIGITS} digits, not {_show([field])}"
            )
        return int(field)

    def _circuit(self) -> tuple[Manager, NodeId]:
        if not self._kinds:
            self.fail("no node is declared")
        arcs_of: dict[int, list[int]] = {node: [] for node in self._kinds}
        for arc, (source, target, line) in enumerate(
            zip(self._sources, self._targets, self._lines, strict=True)
        ):
            for node in (source, target):
                if node not in arcs_of:
                    self.fail(f"node {node} is not declared", line)
            if self._kinds[source] in _LEAVES:
                self.fail(f"an arc starts at node {source}, which is a constant", line)
            arcs_of[source].append(arc)
        states = ("0", "1")
        manager = Manager(Domain({f"v{number}": states for number in range(1, self._variables + 1)}))
        root = self._root()
        ids: dict[int, NodeId] = {}
        for node in self._children_first(root, arcs_of):
            kind = self._kinds[node]
            if kind in _LEAVES:
                ids[node] = _LEAVES[kind]
                continue
            parts = [self._part(manager, arc, ids) for arc in arcs_of[node]]
            ids[node] = manager.add_or(parts) if kind == b"o" else manager.add_and(parts)
        return manager, ids[root]

    def _part(self, manager: Manager, arc: int, ids: dict[int, NodeId]) -> NodeId:
        literals = self._literals[self._starts[arc] : self._starts[arc + 1]]
        nodes = [manager.add_literal(abs(number) - 1, 2 if number > 0 else 1) for number in literals]
        return manager.add_and([*nodes, ids[self._targets[arc]]])

    def _root(self) -> int:
        ends = set(self._targets)
        tops = [node for node in self._kinds if node not in ends]
        if not tops:
            self.fail("every node has an arc that leads to it, so that there is no root")
        inner = [node for node in tops if self._kinds[node] not in _LEAVES] or tops
        if len(inner) > 1 and 1 not in inner:
            self.fail(f"no arc leads to nodes {inner[0]} and {inner[1]}, so that the root is not clear")
        return 1 if 1 in inner else inner[0]

    def _children_first(self, root: int, arcs_of: dict[int, list[int]]) -> Iterable[int]:
        """Yield the nodes below the root, children before parents; refuse cycles."""
        done: set[int] = set()
        path: set[int] = {root}
        pending = [(root, iter(arcs_of[root]))]
        while pending:
            node, arcs = pending[-1]
            for arc in arcs:
                target = self._targets[arc]
                if target in path:
                    self.fail(f"the arc to node {target} closes a cycle", self._lines[arc])
                if target not in done:
                    path.add(target)
                    pending.append((target, iter(arcs_of[target])))
                    break
            else:
                checkpoint()
                pending.pop()
                path.discard(node)
                done.add(node)
                yield node


def _show(fields: list[bytes]) -> str:
    """Return the fields in quotes, shortened."""
    text = b" ".join(fields[:6])[:200].decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:39] + "…")
