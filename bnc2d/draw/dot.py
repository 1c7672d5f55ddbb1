"""Graphs as Graphviz text, in the styles of their pictures."""

from __future__ import annotations

from collections.abc import Sequence

from bnc2d.draw import palette
from bnc2d.draw.graph import PLAIN_LINE, Edge, Graph, Style

_HEAD = f"""{{word}} bnc2d {{{{
  bgcolor=transparent;
  node [fontname="Helvetica", fontsize=12];
  edge [fontname="Helvetica", fontsize=10, color="{palette.GREY}"{{arrow}}];
"""


def to_dot(graph: Graph) -> str:
    """Return every box and every edge as Graphviz text."""
    word, sign = ("digraph", "->") if graph.is_directed else ("graph", "--")
    lines = [_HEAD.format(word=word, arrow="" if graph.arrows else ", arrowhead=none")]
    for position, box in enumerate(graph.boxes):
        label = f"label={_lines(box.label.lines)}, tooltip={quoted(box.label.title)}"
        lines.append(f"  n{position} [{label}, {_style(box.style)}];\n")
    for edge in graph.edges:
        attributes = ", ".join(_edge_attributes(edge))
        attributes = f" [{attributes}]" if attributes else ""
        lines.append(f"  n{edge.start} {sign} n{edge.end}{attributes};\n")
    return "".join(lines) + "}\n"


def quoted(text: str) -> str:
    """Return a quoted string; Graphviz reads escapes and HTML entities in it."""
    escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _lines(lines: Sequence[str]) -> str:
    """Return the lines of a label as one quoted string; only the breaks between them are escapes."""
    return '"' + r"\n".join(quoted(line)[1:-1] for line in lines) + '"'


def _style(style: Style) -> str:
    box = 'shape=box, height=0.3, margin="0.1,0.04"'
    words = [word for word, wanted in (("rounded", style.radius > 4), ("dashed", style.dash)) if wanted]
    found = ["shape=circle, margin=0.02, width=0.4" if style.is_round else box]
    found += [f"style={quoted(','.join([*words, 'filled']))}", f'fillcolor="{style.fill}"']
    found.append(f'color="{style.fill if style.is_round else style.stroke}", fontcolor="{style.ink}"')
    found += [f"penwidth={style.width:g}"] if style.width != Style.width else []
    return ", ".join(found + (["peripheries=2"] if style.inner else []))


def _edge_attributes(edge: Edge) -> list[str]:
    found = []
    if edge.title or edge.box is not None:
        label, title = ((), edge.title) if edge.box is None else (edge.box.label.lines, edge.box.label.title)
        found += [f"label={_lines(label)}", f"tooltip={quoted(title)}"]
    found += [f'color="{edge.style.colour}"'] if edge.style.colour != PLAIN_LINE.colour else []
    found += [f"penwidth={edge.style.width:g}"] if edge.style.width != PLAIN_LINE.width else []
    return found + (["style=dashed"] if edge.style.dash else [])
