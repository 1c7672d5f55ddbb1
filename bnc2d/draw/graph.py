"""What is drawn: a graph of boxes and edges with their styles, and a picture, which is a graph in its places.

Styles should differ in outline as well as in colour, so that a picture reads in grey; boxes are opaque and
edges a middle grey, so that it reads on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bnc2d.draw import palette
from bnc2d.draw.text import Label

MARGIN = 16.0
DISC = 30.0  # the size of a round box


@dataclass(frozen=True)
class Style:
    """How a box looks: colours of its inside, outline and text; round corners, dashes, a second outline.

    A box with a sign (a path in SVG's notation) or ``is_round`` is a disc of one size, without outline.
    """

    fill: str = palette.PAPER
    stroke: str = palette.GREY
    width: float = 1.2
    ink: str = palette.INK
    radius: float = 4.0  # at most half the height: a pill
    dash: str = ""
    inner: str = ""  # the colour of the second outline
    is_round: bool = False
    sign: str = ""  # drawn in place of the text


@dataclass(frozen=True)
class LineStyle:
    """How an edge looks; where several share a line, the widest is seen."""

    colour: str = palette.GREY
    width: float = 1.4
    dash: str = ""


PLAIN_LINE = LineStyle()


@dataclass(frozen=True)
class Box:
    """A label in a style."""

    label: Label
    style: Style = Style()

    @property
    def width(self) -> float:
        """The width of the outline."""
        return DISC if self.style.is_round else self.label.width

    @property
    def height(self) -> float:
        """The height of the outline."""
        return DISC if self.style.is_round else self.label.height


@dataclass(frozen=True)
class Edge:
    """From a box to another, by their positions in the graph; perhaps with a box on it (in trees)."""

    start: int
    end: int
    style: LineStyle = PLAIN_LINE
    title: str = ""
    box: Box | None = None


@dataclass(frozen=True)
class Graph:
    """Boxes and edges without places, and what the styles mean.

    Edges of a directed graph go down, and show it with ``arrows``.
    """

    title: str
    boxes: Sequence[Box]
    edges: Sequence[Edge]
    is_directed: bool = False
    arrows: bool = False
    legend: Sequence[tuple[Style | LineStyle, str]] = ()

    @cached_property
    def edges_from(self) -> list[list[Edge]]:
        """For each box the edges that start there, in the order of ``edges``."""
        found: list[list[Edge]] = [[] for _ in self.boxes]
        for edge in self.edges:
            found[edge.start].append(edge)
        return found

    @cached_property
    def parents(self) -> list[list[int]]:
        """For each box those that edges lead from."""
        found: list[list[int]] = [[] for _ in self.boxes]
        for edge in self.edges:
            found[edge.end].append(edge.start)
        return found


@dataclass(frozen=True)
class PlacedBox(Box):
    """A box by its centre; ``node`` is its position in the graph, or -1 for a box on an edge."""

    node: int = -1
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Line:
    """A line along points, or, ``is_curved``, a piece of an edge between two rows; ``tip`` has an arrow."""

    points: Sequence[tuple[float, float]]
    style: LineStyle
    title: str = ""
    is_curved: bool = False
    tip: bool = False


class Picture:
    """Boxes over lines in the rectangle from (0, 0) on that just holds them, with a margin."""

    def __init__(self, graph: Graph, boxes: Sequence[PlacedBox], lines: Sequence[Line]) -> None:
        self.graph, self.boxes, self.lines = graph, boxes, lines
        points = [point for line in lines for point in line.points]
        corners = [(box.x + box.width / 2, box.y + box.height / 2) for box in boxes]
        self.width, self.height = (max(values) + MARGIN for values in zip(*corners, *points, strict=True))
