"""Trees with a box on every edge, drawn without crossings in a rectangle of a good shape.

The tree is taken apart into paths: from a node to its first child, the first child of that, and so on. A path
runs straight down. What hangs off a node of it is drawn beside the next node, or, if there is much, in lines
above that; the path from the root may go on in further columns. How wide a line may be is chosen from the
leaves up for a dozen widths, and the drawing of the best shape is taken. Rectangles around subtrees never
overlap, so nothing in them does. (Drawings of this kind are called HV-drawings: Crescenzi, Di Battista and
Piperno 1992.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from bnc2d.draw.graph import MARGIN, Edge, Graph, Line, Picture, PlacedBox

_BESIDE = 18.0
_BELOW = 26.0
_DROP = 12.0  # from the box on an edge to the node below
_TRUNK = 16.0  # from the line down to what hangs off it
_WIDTHS = tuple(150.0 * 1.38**step for step in range(15))
_ASPECT = 1.4
_MAX_COLUMNS = 16
_COLUMN_HEIGHT = 450.0  # at least

Point = tuple[float, float]


def lay_out_tree(graph: Graph, *, mirrored: bool = False) -> Picture:
    """Return the drawing of a tree whose boxes come parents first; box 0 is the root.

    What hangs off a path is on its right, or, ``mirrored``, on its left.
    """
    tree = _Tree(graph, mirrored)
    chosen = min(tree.drawings(), key=lambda s: (max(s.width / _ASPECT, s.height), s.width))
    boxes: list[PlacedBox] = []
    lines: list[Line] = []
    pending = [(chosen, MARGIN, MARGIN)]
    while pending:
        shape, left, top = pending.pop()
        below: dict[int, Point] = {}
        for node, x, y in ((node, left + axis, top + height) for node, axis, height in shape.nodes):
            box, edge = graph.boxes[node], tree.above[node]
            if edge is not None and edge.box is not None:
                boxes.append(PlacedBox(edge.box.label, edge.box.style, -1, x, y + edge.box.height / 2))
            bottom = y + tree.heights[node]
            below[node] = (x, bottom - 2)
            boxes.append(PlacedBox(box.label, box.style, node, x, bottom - box.height / 2))
        for edge, corners in shape.edges:
            points = [(left + x, top + y) for x, y in corners]
            (x, y), child = points.pop(), graph.boxes[edge.end]
            end = (x, y + tree.heights[edge.end] - child.height / 2)
            lines.append(Line((below[edge.start], *points, end), edge.style, edge.title))
        pending.extend((part, left + x, top + y) for part, x, y in shape.parts)
    return Picture(graph, boxes, lines)


@dataclass(eq=False)
class _Shape:
    """A drawn path with what hangs off it; a finished one has its left upper corner at (0, 0)."""

    nodes: list[tuple[int, float, float]] = field(default_factory=list)  # of the path: axis and top
    parts: list[tuple[_Shape, float, float]] = field(default_factory=list)  # what hangs off: corner
    # An edge, given by its corners after the start, which is below a node of the path.
    edges: list[tuple[Edge, list[Point]]] = field(default_factory=list)
    left: float = 0.0  # from the axis of a column, while it grows
    width: float = 0.0
    height: float = 0.0

    @property
    def axis(self) -> float:
        """Where the first node of the path is."""
        return self.nodes[0][1]

    def include(self, left: float, right: float, bottom: float) -> None:
        """Make room to these sides, measured from the axis."""
        right = max(right, self.width - self.left)
        self.left = max(self.left, left)
        self.width = self.left + right
        self.height = max(self.height, bottom)

    def add(self, other: _Shape, x: float, y: float) -> None:
        """Add what another shape holds, moved."""
        self.nodes += [(node, axis + x, top + y) for node, axis, top in other.nodes]
        self.parts += [(part, left + x, top + y) for part, left, top in other.parts]
        self.edges += [(edge, [(a + x, b + y) for a, b in corners]) for edge, corners in other.edges]


class _Tree:
    """Draws the paths of a tree, those nearest to the leaves first."""

    def __init__(self, graph: Graph, mirrored: bool) -> None:
        self.mirrored = mirrored
        self.below = graph.edges_from
        self.above: list[Edge | None] = [None] * len(graph.boxes)
        self.heights = [box.height for box in graph.boxes]
        self.halves = [box.width / 2 for box in graph.boxes]
        for edge in graph.edges:
            self.above[edge.end] = edge
            if edge.box is not None:
                self.heights[edge.end] += edge.box.height + _DROP
                self.halves[edge.end] = max(self.halves[edge.end], edge.box.width / 2)
        # For each head of a path, the lowest drawing within each width (the narrowest, where none fits).
        self.best: dict[int, list[_Shape]] = {}

    def drawings(self) -> Iterator[_Shape]:
        """Yield drawings of the whole tree, of different shapes."""
        heads = {edge.end for edges in self.below for edge in edges[1:]}
        for head in sorted(heads, reverse=True):
            path, found = self._path(head), list[_Shape]()
            self.best[head] = []
            for step, width in enumerate(_WIDTHS):
                found += self._shapes(path, step, _MAX_COLUMNS // 4)
                self.best[head].append(_lowest(found, width))
        path = self._path(0)
        for step in range(len(_WIDTHS)):
            yield from self._shapes(path, step, _MAX_COLUMNS)

    def _path(self, head: int) -> list[int]:
        path = [head]
        while self.below[path[-1]]:
            path.append(self.below[path[-1]][0].end)
        return path

    def _shapes(self, path: Sequence[int], step: int, columns: int) -> list[_Shape]:
        """Return the drawings of a path within a width: straight, and, where it is long, in columns."""
        whole = self._fold(path, step, inf)
        most = min(columns, int(whole.height / _COLUMN_HEIGHT), len(path) // 2)
        return [whole, *(self._fold(path, step, 1.02 * whole.height / count) for count in range(2, most + 1))]

    def _column(self, path: Sequence[int], step: int, max_height: float) -> _Shape:
        """Return the first nodes of a path one below the other; x is measured from the path."""
        column = _Shape()
        top = 0.0
        for node in path:
            column.nodes.append((node, 0.0, top))
            column.include(self.halves[node], self.halves[node], top + self.heights[node])
            is_last = node == path[-1] or column.height > max_height
            top = self._hang(column, node, column.height + _BELOW, step, is_last)
            if is_last:
                break
            column.edges.append((self.below[node][0], [(0.0, top)]))
        return column

    def _hang(self, column: _Shape, node: int, top: float, step: int, is_last: bool) -> float:
        """Place what hangs off a node, from ``top`` on, and return where the following node starts."""
        lines: list[list[Edge]] = []
        x = _TRUNK
        for edge in self.below[node][1:]:
            width = self.best[edge.end][step].width + _BESIDE
            if not lines or x + width > _WIDTHS[step]:
                lines.append([])
                x = _TRUNK
            lines[-1].append(edge)
            x += width
        for line in lines:
            beside = line is lines[-1] and not is_last
            x = self.halves[self.below[node][0].end] + _BESIDE if beside else _TRUNK
            bottom = top
            for edge in line:
                shape = self.best[edge.end][step]
                corner = -x - shape.width if self.mirrored else x
                axis, turn = corner + shape.axis, top - _BELOW / 2
                column.parts.append((shape, corner, top))
                column.edges.append((edge, [(0.0, turn), (axis, turn), (axis, top)]))
                column.include(-corner, corner + shape.width, top + shape.height)
                x += shape.width + _BESIDE
                bottom = max(bottom, top + shape.height)
            if not beside:
                top = bottom + _BELOW
        return top

    def _fold(self, path: Sequence[int], step: int, max_height: float) -> _Shape:
        """Return the path in columns; the line to the next runs below the one and up between the two."""
        shape = _Shape()
        left = top = 0.0
        start = (0.0, 0.0)  # where the line from the column before turns
        while path:
            column = self._column(path, step, max_height)
            axis, edge = left + column.left, self.above[path[0]]
            if shape.nodes and edge is not None:
                gutter, turn = left - _BESIDE, _BELOW / 2
                corners = [start, (gutter, start[1]), (gutter, turn), (axis, turn), (axis, top)]
                shape.edges.append((edge, corners))
            shape.add(column, axis, top)
            shape.width = left + column.width
            shape.height = max(shape.height, top + column.height)
            path = path[len(column.nodes) :]
            if path:
                start = (axis, top + column.height + _BELOW / 2)
                shape.height = max(shape.height, start[1] + 2.0)
                left, top = shape.width + 2 * _BESIDE, _BELOW
        return shape


def _lowest(shapes: Sequence[_Shape], limit: float) -> _Shape:
    fitting = [shape for shape in shapes if shape.width <= limit]
    if fitting:
        return min(fitting, key=lambda shape: (shape.height, shape.width))
    return min(shapes, key=lambda shape: (shape.width, shape.height))
