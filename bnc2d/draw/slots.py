"""Rows of slots, each a box or a way point of edges that pass the row."""

from __future__ import annotations

from bnc2d.draw.graph import Edge

WAY_POINT = 10.0
# Beyond this many slots the finer steps of a layout are done less often.
_MANY = 3_000


class Slots:
    """Boxes and way points with their rows and neighbours; slot numbers are positions in these lists."""

    def __init__(self) -> None:
        self.nodes: list[int] = []  # what a slot draws, or what its edges share
        self.is_box: list[bool] = []
        self.widths: list[float] = []
        self.up: list[list[int]] = []
        self.down: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.row_of: list[int] = []
        self.links: dict[tuple[int, int], Edge] = {}  # of the edges that share a piece, the widest

    @property
    def are_many(self) -> bool:
        """Whether a layout should save time."""
        return len(self.nodes) > _MANY

    def add(self, node: int, row: int, width: float | None) -> int:
        """Add a box of this width, or (without a width) a way point, and return its slot."""
        slot = len(self.nodes)
        self.nodes.append(node)
        self.is_box.append(width is not None)
        self.widths.append(WAY_POINT if width is None else width)
        self.up.append([])
        self.down.append([])
        self.row_of.append(row)
        while len(self.rows) <= row:
            self.rows.append([])
        self.rows[row].append(slot)
        return slot

    def link(self, above: int, below: int, edge: Edge) -> None:
        """Add a piece of an edge between neighbouring rows."""
        known = self.links.get((above, below))
        if known is None:
            self.down[above].append(below)
            self.up[below].append(above)
        if known is None or known.style.width < edge.style.width:
            self.links[above, below] = edge
