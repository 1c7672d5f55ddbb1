"""Circuits as Graphviz text."""

from __future__ import annotations

from collections.abc import Sequence

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.fold import fold_all
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.pictures.labels import labels

_HEAD = """digraph nnf {
  bgcolor=transparent;
  node [fontname="Helvetica", fontsize=12, style=filled, color="#8c96a3", fillcolor="#f6f8fa"];
  edge [arrowhead=none, color="#8c96a3"];
"""
_STYLES = {
    Kind.CONSTANT: "shape=circle, margin=0.02",
    Kind.LITERAL: 'shape=box, style="rounded,filled", height=0.3, margin="0.1,0.04"',
    Kind.AND: 'shape=circle, margin=0.02, width=0.4, fillcolor="#4c5fd5", fontcolor=white',
    Kind.OR: 'shape=circle, margin=0.02, width=0.4, fillcolor="#0b8276", fontcolor=white',
}


def firing(manager: Manager, root: NodeId, positions: Sequence[int] | None) -> set[NodeId]:
    """Return the nodes below ``root`` that are true for an instance, given as state positions."""
    if positions is None:
        return set()
    sizes = manager.domain.cardinalities
    if len(positions) != len(sizes) or not all(
        0 <= p < size for p, size in zip(positions, sizes, strict=True)
    ):
        raise LogicError("highlight must give the position of a state for every feature of the domain")
    values = fold_all(manager, root, bool, lambda f, mask: bool(mask >> positions[f] & 1), all, any)
    return {node for node, value in values.items() if value}


def to_dot(manager: Manager, root: NodeId, *, highlight: Sequence[int] | None = None) -> str:
    """Return Graphviz text; nodes that are true for the instance ``highlight`` are set off."""
    nodes = manager.reachable(root)
    number = {node: position for position, node in enumerate(nodes)}
    true = firing(manager, root, highlight)
    lines = []
    for node in reversed(nodes):
        label, title = map(quoted, labels(manager, node))
        style = _STYLES[manager.kind(node)] + (', color="#e8590c", penwidth=2.5' if node in true else "")
        lines.append(f"  n{number[node]} [label={label}, tooltip={title}, {style}];\n")
        for child in manager.children(node):
            fires = ' [color="#e8590c", penwidth=2]' if node in true and child in true else ""
            lines.append(f"  n{number[node]} -> n{number[child]}{fires};\n")
    return _HEAD + "".join(lines) + "}\n"


def quoted(text: str) -> str:
    """Return a quoted string; Graphviz reads escapes and HTML entities in it."""
    escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
