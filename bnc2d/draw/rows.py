"""Rows for the boxes of a graph without cycles, each below those of its parents."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter
from math import sqrt

from bnc2d.draw.graph import Graph

# A row is made no wider than this, or than the picture would be high.
_ROW_WIDTH = 1_100.0
_ASPECT = 1.3
_ROW = 75.0  # what a row takes in height, with the space to the next
_BETWEEN = 14.0


def longest_paths(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Return the longest path to each box over its neighbours (all parents, or all children) and theirs.

    >>> longest_paths([[], [0], [0, 1]])
    [0, 1, 2]
    """
    length = [0] * len(neighbours)
    for node in TopologicalSorter(dict(enumerate(neighbours))).static_order():
        length[node] = max((length[near] + 1 for near in neighbours[node]), default=0)
    return length


def choose_rows(graph: Graph) -> list[int]:
    """Return a row for each box; boxes are passed on to later rows where a row would be too wide.

    Edges of one parent are taken to share their way.
    """
    parents, children = graph.parents, [[edge.end for edge in edges] for edges in graph.edges_from]
    widths = [box.width + _BETWEEN for box in graph.boxes]
    depth, height = longest_paths(parents), longest_paths(children)
    wish = list(depth)
    for node in sorted(range(len(parents)), key=lambda node: -depth[node]):
        # A box with one parent or none stands just above its first child; that costs no room, as edges
        # of one parent share their way. What has no neighbours at all comes last, out of the way.
        if len(parents[node]) <= 1 and (children[node] or not parents[node]):
            wish[node] = max(0, min((wish[child] for child in children[node]), default=len(parents) + 1) - 1)
    limit = max(_ROW_WIDTH, _ASPECT * sqrt(_ROW * sum(widths)))
    rows = [-1] * len(parents)
    left = sorted(range(len(parents)), key=lambda node: (-height[node], node))  # long paths first
    row = 0
    while left:
        room = limit
        later = []
        for node in left:
            free = all(0 <= rows[parent] < row for parent in parents[node])
            if free and wish[node] <= row and (room == limit or widths[node] - _BETWEEN <= room):
                rows[node] = row
                room -= widths[node]
            else:
                later.append(node)
        left = later
        row += 1
    used = {row: position for position, row in enumerate(sorted(set(rows)))}
    return [used[row] for row in rows]
