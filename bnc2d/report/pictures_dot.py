"""Networks and trees as Graphviz text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnc2d.logic.pictures.dot import quoted
from bnc2d.report.pictures_svg import EdgeLook, Label, Look

_HEAD = """{kind} {{
  bgcolor=transparent;
  node [fontname="Helvetica", fontsize=12, shape=box, style=filled, color="#8c96a3", fillcolor="#f6f8fa"];
  edge [fontname="Helvetica", fontsize=10, color="#8c96a3"];
"""
_LOOKS: dict[Look, str] = {
    "target": ', peripheries=2, color="#26338f", fillcolor="#4c5fd5", fontcolor=white',
    "feature": ', style="rounded,filled", color="#0b8276", fillcolor="#d3f0ec", penwidth=1.8',
    "inner": "",
    "dropped": ', style="dashed,filled", fillcolor=white, fontcolor="#6b7480"',
    "cluster": ', style="rounded,filled"',
    "holder": ', style="rounded,filled", peripheries=2, color="#4c5fd5", fillcolor="#dfe3fb"',
    "spine": ', style="rounded,filled", color="#4c5fd5", fillcolor="#dfe3fb", penwidth=2.6',
    "last": ', style="rounded,filled", color="#4c5fd5", fillcolor="#d3f0ec", penwidth=2.6',
    "separator": "",
    "splitting": "",
}
_EDGE_LOOKS: dict[EdgeLook, str] = {
    "plain": "",
    "spine": ', color="#4c5fd5", penwidth=3',
    "splitting": ', color="#e8590c", style=dashed, penwidth=2',
    "spine splitting": ', color="#e8590c", style=dashed, penwidth=3.5',
}


@dataclass(frozen=True)
class Link:
    """An edge between nodes by position, with the separator on it, if there is one."""

    start: int
    end: int
    label: Label | None = None
    look: EdgeLook = "plain"


def graph_dot(nodes: Sequence[tuple[Label, Look]], links: Sequence[Link], *, directed: bool) -> str:
    """Return Graphviz text."""
    lines = [_HEAD.format(kind="digraph bnc2d" if directed else "graph bnc2d")]
    for position, (label, look) in enumerate(nodes):
        lines.append(f"  n{position} [label={_lines(label)}, tooltip={quoted(label.title)}{_LOOKS[look]}];\n")
    arrow = "->" if directed else "--"
    for link in links:
        shown = quoted("") if link.label is None else _lines(link.label)
        title = quoted("" if link.label is None else link.label.title)
        lines.append(
            f"  n{link.start} {arrow} n{link.end} [label={shown}, tooltip={title}{_EDGE_LOOKS[link.look]}];\n"
        )
    return "".join(lines) + "}\n"


def _lines(label: Label) -> str:
    """Return the lines of a label as one quoted string; only the breaks between them are escapes."""
    return '"' + r"\n".join(quoted(line)[1:-1] for line in label.lines) + '"'
