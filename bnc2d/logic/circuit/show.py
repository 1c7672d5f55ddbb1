"""Circuits as text, in the paper's notation.

A small circuit is one formula. In a large one, parts that are used more than once, or that would make a line
long, have lines of their own, ``[1] = …``, and stand as ``[1]`` where they are used; so the text is never
longer than a small multiple of the circuit, whose formula could be exponentially long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import edge_count, node_count

MAX_CHARACTERS = 2000

_LINE = 100  # what is longer has a line of its own
_REFERENCE = 4  # about the length of "[12]"
_SYMBOLS = {Kind.AND: " ∧ ", Kind.OR: " ∨ "}

_Shown: TypeAlias = tuple[bool, int, str]  # is it compound, its first feature, its text


def spelled_out(manager: Manager, root: NodeId, max_characters: int = MAX_CHARACTERS) -> str | None:
    """Return the circuit as one formula, or None where that would pass ``max_characters``.

    Literals come before compounds, then the first feature decides the order, so the text depends on the
    circuit alone. A shared node is spelled out wherever it is used: the length is computed before any text.
    """
    if len(manager.reachable(root)) > max_characters:  # a node has a character at least
        return None
    show = manager.domain.show_literal

    def joined_length(parts: Sequence[int]) -> int:
        return min(max_characters + 1, sum(parts) + 5 * len(parts))

    def literal_length(feature: int, mask: int) -> int:
        return len(show(feature, mask))

    length = fold(manager, root, lambda _: 1, literal_length, joined_length, joined_length)
    if length > max_characters:
        return None

    def joined(symbol: str) -> Callable[[Sequence[_Shown]], _Shown]:
        def join(parts: Sequence[_Shown]) -> _Shown:
            ordered = sorted(parts)
            return True, min(part[1] for part in parts), f"({symbol.join(part[2] for part in ordered)})"

        return join

    is_compound, _, text = fold(
        manager,
        root,
        lambda value: (False, -1, "⊤" if value else "⊥"),
        lambda feature, mask: (False, feature, show(feature, mask)),
        joined(_SYMBOLS[Kind.AND]),
        joined(_SYMBOLS[Kind.OR]),
    )
    return text[1:-1] if is_compound else text


def to_text(manager: Manager, root: NodeId, limit: int | None = None) -> str:
    """Return the circuit as text; past ``limit`` characters it ends, and a last line says what is missing."""
    limit = checked_limit(limit, LogicError)
    text = spelled_out(manager, root, MAX_CHARACTERS if limit is None else min(limit, MAX_CHARACTERS))
    if text is not None:
        return text
    if limit is None:
        return "\n".join(_Parts(manager, root).lines())
    shown, left = [], limit
    for line in _Parts(manager, root).lines():
        if len(line) >= left:
            shown.append(f"{line[:left].rpartition(' ')[0]} …".lstrip())
            size = f"{node_count(manager, root)} nodes, {edge_count(manager, root)} edges"
            return "\n".join([*shown, f"({size}; to_text() gives the whole text, to_dict() data)"])
        shown.append(line)
        left -= len(line) + 1
    return "\n".join(shown)


def _short_first(shown: _Shown) -> tuple[bool, int, int, str]:
    """Return the order of parts: as in one formula, but ``[6]`` comes before ``[10]``."""
    is_compound, first, text = shown
    return is_compound, first, len(text), text


class _Parts:
    """A circuit in lines: the root's, then one for each named part, parents before children."""

    def __init__(self, manager: Manager, root: NodeId) -> None:
        self._manager = manager
        self._root = root
        gates = sorted(manager.gates(root))
        uses = Counter(child for _, _, children in gates for child in children)
        self._first: dict[NodeId, int] = {}  # the first feature of each node
        lengths: dict[NodeId, int] = {}
        for node, feature, mask in manager.literals(root):
            self._first[node] = feature
            lengths[node] = len(manager.domain.show_literal(feature, mask))
        named = []
        for node, _, children in gates:
            self._first[node] = min(self._first[child] for child in children)
            lengths[node] = sum(lengths[child] for child in children) + 3 * len(children)
            if node != root and (uses[node] > 1 or lengths[node] > _LINE):
                named.append(node)
                lengths[node] = _REFERENCE
        self._numbers = {node: number for number, node in enumerate(reversed(named), 1)}

    def lines(self) -> Iterator[str]:
        """Yield the lines one after another, each made when it is asked for."""
        yield self._line(self._root)
        for node, number in self._numbers.items():
            yield f"[{number}] = {self._line(node)}"

    def _line(self, node: NodeId) -> str:
        """Return a gate's own formula; nesting is bounded, as parts that are long have names."""
        manager = self._manager
        kind = manager.kind(node)
        if kind == Kind.CONSTANT:
            return "⊤" if node == TRUE else "⊥"
        if kind == Kind.LITERAL:
            return manager.domain.show_literal(*manager.literal_of(node))
        parts = sorted(map(self._part, manager.children(node)), key=_short_first)
        return _SYMBOLS[kind].join(text for _, _, text in parts)

    def _part(self, node: NodeId) -> _Shown:
        is_gate, first = bool(self._manager.children(node)), self._first[node]
        if node in self._numbers:
            return True, first, f"[{self._numbers[node]}]"
        return is_gate, first, f"({self._line(node)})" if is_gate else self._line(node)
