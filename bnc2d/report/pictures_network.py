"""A network in rows, causes above effects, with the target and the features marked."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from bnc2d.logic.pictures.layers import ROW_HEIGHT, Slots, order, place_slots, row_heights
from bnc2d.logic.pictures.svg import number
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork
from bnc2d.report.pictures_svg import MARGIN, Box, Edge, Look, Picture, bounds, one_line

# A row is made no wider than this, or than the picture would be high.
_ROW_WIDTH = 1_100.0
_ASPECT = 1.3
# Where there are many edges, those of one parent share a colour: middle tones, for light and dark pages.
_MANY_EDGES = 25
_COLOURS = ("#8c96a3", "#5b8bc9", "#b5835a", "#6fa06a", "#a678b4", "#c07d8b", "#5aa5a5", "#a39a4f")
_AREA = 75.0  # what a row takes in height, with the space to the next


def network_picture(network: BayesianNetwork, classifier: BaseClassifier | None = None) -> Picture:
    """Return the drawing of a network.

    1. Rows: the longest path from a root, a root just above its first child; a row that would be too wide
       passes on what can wait.
    2. Edges of one parent share a chain of way points through the rows that they pass, so that a line always
       comes from one variable.
    3. Order and places as for circuits (``layers``).
    """
    names = network.names
    labels = [one_line(name) for name in names]
    rows = choose_rows(network, [label.width for label in labels])
    slots = _slots(network, rows, [label.width for label in labels])
    order(slots)
    xs = place_slots(slots)
    ys = row_heights(slots, xs)
    looks = network_looks(network, classifier)
    boxes = tuple(
        Box(labels[node], looks[node], xs[slot], ys[slots.row_of[slot]])
        for slot, node in enumerate(slots.nodes)
        if slots.is_box[slot]
    )
    colours = _COLOURS if len(network.edges) > _MANY_EDGES else ("",)
    titles = [label.title for label in labels]
    edges = tuple(
        _edge(slots, xs, ys, above, below, titles, colours)
        for above, ends in enumerate(slots.down)
        for below in ends
    )
    width, height = bounds(boxes)
    width = max(width, max(xs) + MARGIN)
    about = f"{network.name or 'Network'}: {len(names)} variables, {len(network.edges)} edges"
    if classifier is not None:
        about += f", target {classifier.target}, {len(classifier.features)} features"
    present = set(looks)
    meanings: list[tuple[Look, str]] = [
        ("target", "target"),
        ("feature", "feature"),
        ("inner", "other variable"),
        ("dropped", "does not matter for the target"),
    ]
    legend = tuple((look, text) for look, text in meanings if look in present)
    return Picture(about, boxes, edges, width, height, legend if classifier is not None else ())


def network_looks(network: BayesianNetwork, classifier: BaseClassifier | None) -> list[Look]:
    """Return what each variable is to the classifier."""
    if classifier is None:
        return ["inner"] * len(network)
    kept = network.ancestors([classifier.target, *classifier.features])
    features = set(classifier.features)
    return [
        "target"
        if name == classifier.target
        else "feature"
        if name in features
        else "inner"
        if name in kept
        else "dropped"
        for name in network.names
    ]


def parents_by_index(network: BayesianNetwork) -> list[list[int]]:
    """Return the positions of the parents of each variable."""
    return [[network.index(parent) for parent in cpt.parents] for cpt in network.cpts]


def longest_paths(parents: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return for each variable the longest path from a root, and the longest to a leaf."""
    children: list[list[int]] = [[] for _ in parents]
    waiting = [len(above) for above in parents]
    for node, above in enumerate(parents):
        for parent in above:
            children[parent].append(node)
    found = [node for node, count in enumerate(waiting) if count == 0]
    for node in found:
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                found.append(child)
    depth, height = [0] * len(parents), [0] * len(parents)
    for node in found:
        depth[node] = max((depth[parent] + 1 for parent in parents[node]), default=0)
    for node in reversed(found):
        height[node] = max((height[child] + 1 for child in children[node]), default=0)
    return depth, height


def choose_rows(network: BayesianNetwork, widths: Sequence[float]) -> list[int]:
    """Return a row for each variable, below those of its parents, no row much too wide.

    A narrow limit on the boxes of a row makes edges pass many rows, where they take room too; of a few limits
    the one is taken whose picture is smallest, counting its height and its widest row.
    """
    parents = parents_by_index(network)
    depth, height = longest_paths(parents)
    children: list[list[int]] = [[] for _ in parents]
    for node, above in enumerate(parents):
        for parent in above:
            children[parent].append(node)
    wish = list(depth)
    for node in sorted(range(len(parents)), key=lambda node: -depth[node]):
        # A variable with one parent or none stands just above its first child; that costs no room, as edges
        # of one parent share their way. What has no neighbours at all comes last, out of the way.
        if len(parents[node]) <= 1 and (children[node] or not parents[node]):
            wish[node] = max(0, min((wish[child] for child in children[node]), default=len(parents) + 1) - 1)
    square = _ASPECT * sqrt(sum((width + 14) * _AREA for width in widths))
    limits = sorted({max(_ROW_WIDTH, square * factor) for factor in (1.0, 1.5, 2.2, 3.2)})
    tried = [_fill_rows(parents, wish, height, widths, limit) for limit in limits]
    return min(tried, key=lambda rows: _size(parents, rows, widths))


def _fill_rows(
    parents: Sequence[Sequence[int]],
    wish: Sequence[int],
    height: Sequence[int],
    widths: Sequence[float],
    limit: float,
) -> list[int]:
    """Return rows in which boxes take no more than ``limit``; where not all fit, long paths go first."""
    rows = [-1] * len(parents)
    left = sorted(range(len(parents)), key=lambda node: (-height[node], node))
    row = 0
    while left:
        room = limit
        later = []
        for node in left:
            free = all(0 <= rows[parent] < row for parent in parents[node])
            if free and wish[node] <= row and (room == limit or widths[node] <= room):
                rows[node] = row
                room -= widths[node] + 14
            else:
                later.append(node)
        left = later
        row += 1
    used = {row: position for position, row in enumerate(sorted(set(rows)))}
    return [used[row] for row in rows]


def _size(parents: Sequence[Sequence[int]], rows: Sequence[int], widths: Sequence[float]) -> float:
    """Return about how large a picture is: its height or its widest row, way points counted."""
    room = [0.0] * (max(rows) + 1)
    last = list(rows)
    for node, above in enumerate(parents):
        room[rows[node]] += widths[node] + 14
        for parent in above:
            last[parent] = max(last[parent], rows[node])
    for node, end in enumerate(last):
        for row in range(rows[node] + 1, end):
            room[row] += 24.0
    return max(max(room) / _ASPECT, _AREA * len(room))


def way_points(network: BayesianNetwork) -> int:
    """Return about how many rows edges pass in all; a drawing with very many is a tangle."""
    depth, _ = longest_paths(parents_by_index(network))
    longest: dict[str, int] = {}
    for parent, child in network.edges:
        rows = depth[network.index(child)] - depth[network.index(parent)] - 1
        longest[parent] = max(longest.get(parent, 0), rows)
    return sum(longest.values())


def _slots(network: BayesianNetwork, rows: Sequence[int], widths: Sequence[float]) -> Slots:
    slots = Slots()
    box = {node: slots.add(node, rows[node], widths[node]) for node in _neighbours_first(network)}
    at: dict[tuple[int, int], int] = {}
    for parent, child in sorted((p, c) for c, above in enumerate(parents_by_index(network)) for p in above):
        above = box[parent]
        for row in range(rows[parent] + 1, rows[child]):
            if (parent, row) not in at:
                at[parent, row] = slots.add(parent, row, None)
                slots.link(above, at[parent, row])
            above = at[parent, row]
        slots.link(above, box[child])
    # Edges that pass a row start in its middle, so that many children of one parent lie to both sides.
    for row_slots in slots.rows:
        boxes = [slot for slot in row_slots if slots.is_box[slot]]
        passing = [slot for slot in row_slots if not slots.is_box[slot]]
        row_slots[:] = [*boxes[: len(boxes) // 2], *passing, *boxes[len(boxes) // 2 :]]
    return slots


def _neighbours_first(network: BayesianNetwork) -> list[int]:
    """Return the variables depth first, so that the first order keeps what belongs together side by side."""
    near: list[list[int]] = parents_by_index(network)
    for child, above in enumerate([list(parents) for parents in near]):
        for parent in above:
            near[parent].append(child)
    found: list[int] = []
    seen: set[int] = set()
    pending = list(reversed(range(len(near))))
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            found.append(node)
            pending.extend(other for other in reversed(near[node]) if other not in seen)
    return found


def _edge(
    slots: Slots,
    xs: Sequence[float],
    ys: Sequence[float],
    above: int,
    below: int,
    titles: Sequence[str],
    colours: Sequence[str],
) -> Edge:
    """Return a piece of an edge: upright inside the rows, so that it passes labels at a distance."""
    y1, y2 = ys[slots.row_of[above]], ys[slots.row_of[below]]
    ends_here = slots.is_box[below]
    x1, x2, top, bottom = xs[above], xs[below], y1 + ROW_HEIGHT / 2, y2 - ROW_HEIGHT / 2
    middle = number((y1 + y2) / 2)
    x, to = number(x1), number(x2)
    curve = f"V{number(top)}C{x} {middle} {to} {middle} {to} {number(bottom - 4)}"
    # The line ends inside the arrow, which ends at the box.
    path = f"M{x} {number(y1)}{curve}" + ("" if ends_here else f"V{number(y2)}")
    tip = (x2, bottom) if ends_here else None
    parent = slots.nodes[above]
    title = f"{titles[parent]} → {titles[slots.nodes[below]]}" if ends_here else f"from {titles[parent]}"
    return Edge(path, title, tip=tip, colour=colours[parent % len(colours)])
