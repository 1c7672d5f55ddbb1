"""Circuits as text, in the paper's notation."""

from __future__ import annotations

from collections.abc import Sequence

from bnc2d.logic.fold import fold
from bnc2d.logic.manager import Kind, Manager, NodeId
from bnc2d.logic.queries import edge_count, node_count

MAX_CHARACTERS = 2000


def formula(manager: Manager, root: NodeId, max_characters: int = MAX_CHARACTERS) -> str:
    """Return the circuit in infix notation, or a summary where that would pass ``max_characters``.

    A shared node is spelled out wherever it is used, so the length is computed before any text is made.
    """
    show = manager.domain.show_literal

    def joined_length(parts: Sequence[int]) -> int:
        return min(max_characters + 1, sum(parts) + 5 * len(parts))

    def literal_length(feature: int, mask: int) -> int:
        return len(show(feature, mask))

    length = fold(manager, root, lambda _: 1, literal_length, joined_length, joined_length)
    if length > max_characters:
        return f"<NNF: {node_count(manager, root)} nodes, {edge_count(manager, root)} edges>"

    text = fold(
        manager,
        root,
        lambda value: "⊤" if value else "⊥",
        show,
        lambda parts: f"({' ∧ '.join(parts)})",
        lambda parts: f"({' ∨ '.join(parts)})",
    )
    compound = manager.kind(root) in (Kind.AND, Kind.OR)
    return text[1:-1] if compound else text
