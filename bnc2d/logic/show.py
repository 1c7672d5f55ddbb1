"""Circuits as text, in the paper's notation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from bnc2d.logic.fold import fold
from bnc2d.logic.manager import Manager, NodeId
from bnc2d.logic.queries import edge_count, node_count

MAX_CHARACTERS = 2000

_Shown: TypeAlias = tuple[bool, int, str]  # is it compound, its first feature, its text


def formula(manager: Manager, root: NodeId, max_characters: int = MAX_CHARACTERS) -> str:
    """Return the circuit in infix notation, or a summary where that would pass ``max_characters``.

    Literals come before compounds, then the first feature decides the order, so the text depends on the
    circuit alone. A shared node is spelled out wherever it is used: the length is computed before any text.
    """
    show = manager.domain.show_literal

    def joined_length(parts: Sequence[int]) -> int:
        return min(max_characters + 1, sum(parts) + 5 * len(parts))

    def literal_length(feature: int, mask: int) -> int:
        return len(show(feature, mask))

    length = fold(manager, root, lambda _: 1, literal_length, joined_length, joined_length)
    if length > max_characters:
        return f"<NNF: {node_count(manager, root)} nodes, {edge_count(manager, root)} edges>"

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
        joined(" ∧ "),
        joined(" ∨ "),
    )
    return text[1:-1] if is_compound else text
