"""Trees with a separator on every edge, drawn without crossings in a rectangle of a good shape.

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
from functools import cached_property

from bnc2d.logic.pictures.svg import number
from bnc2d.report.pictures_svg import MARGIN, Box, Edge, EdgeLook, Label, Look

_BESIDE = 18.0
_BELOW = 26.0
_DROP = 12.0  # from a separator to its node
_TRUNK = 16.0  # from the line down to what hangs off it
_WIDTHS = tuple(150.0 * 1.38**step for step in range(15))
_ASPECT = 1.4
_MAX_COLUMNS = 16
_COLUMN_HEIGHT = 450.0  # at least


@dataclass(frozen=True)
class TreeNode:
    """A node with the separator towards its parent (the root has none); the first child goes on below."""

    label: Label
    look: Look
    separator: Label | None
    separator_look: Look
    edge_look: EdgeLook
    children: tuple[int, ...]
    size: int  # variables in the cluster
    separator_size: int

    @cached_property
    def height(self) -> float:
        """The height of the node with its separator."""
        above = 0.0 if self.separator is None else self.separator.height + _DROP
        return above + self.label.height

    @cached_property
    def half(self) -> float:
        """Half the width of the node or its separator."""
        return max(self.label.width, 0.0 if self.separator is None else self.separator.width) / 2


@dataclass(frozen=True)
class TreeDrawing:
    """The boxes of a tree, a separator before its node, and its edges."""

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float


@dataclass(eq=False)
class _Shape:
    """A drawn subtree, in a rectangle whose left upper corner is (0, 0)."""

    units: list[tuple[int, float, float]] = field(default_factory=list)  # nodes of the path: axis and top
    parts: list[tuple[_Shape, float, float]] = field(default_factory=list)  # what hangs off: corner
    # Edges to a node, given by their corners after the start, which is below a node of the path.
    edges: list[tuple[int, int, list[tuple[float, float]]]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0

    @property
    def axis(self) -> float:
        """Where the first node of the path is."""
        return self.units[0][1]


def lay_out_tree(nodes: Sequence[TreeNode], *, mirrored: bool = False) -> TreeDrawing:
    """Return the drawing of a tree whose nodes come parents first; node 0 is the root.

    What hangs off a path is on its right, or, ``mirrored``, on its left.
    """
    chosen = min(_drawings(nodes, mirrored), key=lambda s: (max(s.width / _ASPECT, s.height), s.width))
    boxes: list[Box] = []
    edges: list[Edge] = []
    pending = [(chosen, MARGIN, MARGIN)]
    while pending:
        shape, left, top = pending.pop()
        below = {}
        for index, axis, unit_top in shape.units:
            node, x, y = nodes[index], left + axis, top + unit_top
            if node.separator is not None:
                boxes.append(Box(node.separator, node.separator_look, x, y + node.separator.height / 2))
            below[index] = (x, y + node.height)
            boxes.append(Box(node.label, node.look, x, y + node.height - node.label.height / 2))
        for parent, child, corners in shape.edges:
            x, y = below[parent]
            end = nodes[child].height - nodes[child].label.height / 2
            steps = [f"L{number(left + to_x)} {number(top + to_y)}" for to_x, to_y in corners[:-1]]
            last_x, last_y = corners[-1]
            steps.append(f"L{number(left + last_x)} {number(top + last_y + end)}")
            title = f"{nodes[parent].label.title} — {nodes[child].label.title}"
            path = f"M{number(x)} {number(y - 2)}{''.join(steps)}"
            edges.append(Edge(path, title, nodes[child].edge_look))
        pending.extend((part, left + x, top + y) for part, x, y in shape.parts)
    return TreeDrawing(tuple(boxes), tuple(edges), chosen.width + 2 * MARGIN, chosen.height + 2 * MARGIN)


def _drawings(nodes: Sequence[TreeNode], mirrored: bool) -> Iterator[_Shape]:
    """Yield drawings of the whole tree, of different shapes."""
    heads = {0}.union(*(node.children[1:] for node in nodes))
    # For each head of a path, the lowest drawing within each width (the narrowest, where none fits).
    best: dict[int, list[_Shape]] = {}
    steps = range(len(_WIDTHS))
    for head in sorted(heads - {0}, reverse=True):
        path = _path(nodes, head)
        made = [_shapes(nodes, best, path, step, mirrored, _MAX_COLUMNS // 4) for step in steps]
        best[head] = [
            _lowest([s for shapes in made[: step + 1] for s in shapes], _WIDTHS[step]) for step in steps
        ]
    path = _path(nodes, 0)
    for step in steps:
        yield from _shapes(nodes, best, path, step, mirrored, _MAX_COLUMNS)


def _shapes(
    nodes: Sequence[TreeNode],
    best: dict[int, list[_Shape]],
    path: Sequence[int],
    step: int,
    mirrored: bool,
    columns: int,
) -> list[_Shape]:
    """Return the drawings of a path within a width: straight, and, where it is long, in columns."""
    whole = _Column(nodes, best, path, step, mirrored).shape()
    most = min(columns, int(whole.height / _COLUMN_HEIGHT), len(path) // 2)
    folded = [
        _fold(nodes, best, path, step, mirrored, 1.02 * whole.height / count) for count in range(2, most + 1)
    ]
    return [whole, *folded]


def _path(nodes: Sequence[TreeNode], head: int) -> list[int]:
    path = [head]
    while nodes[path[-1]].children:
        path.append(nodes[path[-1]].children[0])
    return path


def _lowest(shapes: Sequence[_Shape], limit: float) -> _Shape:
    fitting = [shape for shape in shapes if shape.width <= limit]
    if fitting:
        return min(fitting, key=lambda shape: (shape.height, shape.width))
    return min(shapes, key=lambda shape: (shape.width, shape.height))


class _Column:
    """A piece of a path that runs down, with what hangs off it; x is measured from the path."""

    def __init__(
        self,
        nodes: Sequence[TreeNode],
        best: dict[int, list[_Shape]],
        path: Sequence[int],
        step: int,
        mirrored: bool,
        max_height: float | None = None,
    ) -> None:
        self._nodes, self._best, self._step, self._mirrored = nodes, best, step, mirrored
        self.units: list[tuple[int, float]] = []
        self.parts: list[tuple[_Shape, float, float]] = []
        self.edges: list[tuple[int, int, list[tuple[float, float]]]] = []
        self.left = self.right = 0.0
        self.height = 0.0  # of everything so far
        self.used = 0  # nodes of the path that are in this column
        top = 0.0
        for place, index in enumerate(path):
            node = nodes[index]
            self.units.append((index, top))
            self.left, self.right = max(self.left, node.half), max(self.right, node.half)
            self.height = max(self.height, top + node.height)
            self.used += 1
            full = max_height is not None and self.height > max_height
            following = None if full or place + 1 == len(path) else path[place + 1]
            top = self._hang(index, self.height + _BELOW, following)
            if following is None:
                break
            self.edges.append((index, following, [(0.0, top)]))

    def _hang(self, index: int, top: float, following: int | None) -> float:
        """Place what hangs off a node, from ``top`` on, and return where the following node starts."""
        lines: list[list[int]] = []
        limit, x = _WIDTHS[self._step], _TRUNK
        for child in self._nodes[index].children[1:]:
            width = self._best[child][self._step].width + _BESIDE
            if not lines or x + width > limit:
                lines.append([])
                x = _TRUNK
            lines[-1].append(child)
            x += width
        for number_of_line, line in enumerate(lines):
            beside = following is not None and number_of_line == len(lines) - 1
            x = self._nodes[following].half + _BESIDE if beside and following is not None else _TRUNK
            bottom = top
            for child in line:
                shape = self._best[child][self._step]
                corner = -x - shape.width if self._mirrored else x
                axis, turn = corner + shape.axis, top - _BELOW / 2
                self.parts.append((shape, corner, top))
                self.edges.append((index, child, [(0.0, turn), (axis, turn), (axis, top)]))
                self.left, self.right = max(self.left, -corner), max(self.right, corner + shape.width)
                x += shape.width + _BESIDE
                bottom = max(bottom, top + shape.height)
            self.height = max(self.height, bottom)
            if not beside:
                top = bottom + _BELOW
        return top

    def shape(self) -> _Shape:
        """Return this column alone."""
        made = _Shape()
        self.add_to(made, self.left, 0.0)
        made.width, made.height = self.left + self.right, self.height
        return made

    def add_to(self, shape: _Shape, axis: float, top: float) -> None:
        """Add this column to a shape."""
        shape.units += [(index, axis, top + y) for index, y in self.units]
        shape.parts += [(part, axis + x, top + y) for part, x, y in self.parts]
        shape.edges += [
            (parent, child, [(axis + x, top + y) for x, y in corners])
            for parent, child, corners in self.edges
        ]


def _fold(
    nodes: Sequence[TreeNode],
    best: dict[int, list[_Shape]],
    path: Sequence[int],
    step: int,
    mirrored: bool,
    max_height: float,
) -> _Shape:
    """Return the path in columns; the line to the next runs below what is there and up between the two."""
    shape = _Shape()
    x = 0.0
    done = 0
    last: tuple[int, float, float] | None = (
        None  # the node that the line comes from, its axis, how low it runs
    )
    while done < len(path):
        column = _Column(nodes, best, path[done:], step, mirrored, max_height)
        top = 0.0 if last is None else _BELOW
        axis = x + column.left
        if last is not None:
            gutter, turn = x - _BESIDE, _BELOW / 2
            corners = [(last[1], last[2]), (gutter, last[2]), (gutter, turn), (axis, turn), (axis, top)]
            shape.edges.append((last[0], path[done], corners))
        column.add_to(shape, axis, top)
        done += column.used
        x = axis + column.right
        shape.width = x
        shape.height = max(shape.height, top + column.height)
        if done < len(path):
            low = top + column.height + _BELOW / 2
            last = (path[done - 1], axis, low)
            shape.height = max(shape.height, low + 2.0)
        x += 2 * _BESIDE
    return shape
