"""Something to draw, in all forms: SVG, PNG and Graphviz text. None of them needs another program."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bnc2d.base.atomic import atomic_write
from bnc2d.draw.dot import to_dot
from bnc2d.draw.graph import Graph, Picture
from bnc2d.draw.png import to_png
from bnc2d.draw.svg import to_svg
from bnc2d.errors import FormatError

FORMATS = (".svg", ".png", ".dot")


@dataclass(frozen=True)
class Figure:
    """A graph with the way to lay it out, or to summarise it where a picture would be a tangle."""

    title: str
    nodes: int
    edges: int
    graph: Callable[[], Graph]
    layout: Callable[[Graph], Picture]
    summary: Callable[[], str] | None = None

    @property
    def is_summary(self) -> bool:
        """Whether SVG and PNG only show a summary."""
        return self.summary is not None

    def svg(self) -> str:
        """Return the picture as an SVG document."""
        return to_svg(self.layout(self.graph())) if self.summary is None else self.summary()

    _repr_svg_ = svg

    def dot(self) -> str:
        """Return everything as Graphviz text."""
        return to_dot(self.graph())

    def png(self) -> bytes:
        """Return the picture as PNG on white."""
        return to_png(self.svg())

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write a ``.svg``, ``.png`` or ``.dot`` file, whole or not at all; return its size in bytes."""
        suffix = Path(path).suffix.lower()
        if suffix not in FORMATS:
            raise FormatError("a picture's name must end in .svg, .png or .dot", os.fspath(path))
        data = self.png() if suffix == ".png" else (self.svg() if suffix == ".svg" else self.dot()).encode()
        atomic_write(path, data)
        return len(data)
