"""The nearest instance that leads to other terminals, by dynamic programming on a decision diagram."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, piece_of
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import sorted_distinct
from bnc2d.logic.diagram.counting import integers
from bnc2d.logic.diagram.diagram import Diagram, Level, Terminal
from bnc2d.logic.domain import FeatureId

# What it costs to change a feature: one price for all states, or one a state, None where it may not have it.
Price: TypeAlias = int | Sequence[int | None]


def nearest(
    diagram: Diagram,
    positions: Sequence[int],
    wanted: Collection[Terminal],
    fixed: Collection[FeatureId],
    prices: Sequence[Price] | None = None,
) -> list[int] | None:
    """Return the nearest instance that leads to a wanted terminal, as state positions; None if there is none.

    Near is what changes few features, or what costs little where changes have ``prices``, which are from 0
    on; fixed features do not change. Bottom-up, a level at a time, each node gets the least price of the
    changes below it: the least over its states of the child's price, plus that of a state that is not the
    instance's. On the way down again the instance's own state is taken where it is among the best, else the
    first best one. Where prices differ so little that one change more is never cheaper, only the nodes that
    few enough changes lead to are looked at.
    """
    steps = [
        _step(
            diagram.domain.cardinalities[feature],
            own,
            1 if prices is None else prices[feature],
            feature in fixed,
        )
        for feature, own in enumerate(positions)
    ]
    costs = [price for step in steps for price in step if price is not None]
    never = sum(max((price for price in step if price is not None), default=0) for step in steps) + 1
    fewest = _within_reach(diagram, positions, wanted, steps)
    if fewest is None:
        return None
    count, nodes = fewest
    if count * max(costs, default=0) >= (count + 1) * min(costs, default=1):
        nodes = None
    least: NDArray[Any] = np.full(diagram.size, never, dtype=integers(2 * never * len(positions)))
    least[list(wanted)] = 0
    added: dict[FeatureId, NDArray[Any]] = {}
    for level in reversed(diagram.walk):
        states = level.table.shape[1]
        step = np.array([never if price is None else price for price in steps[level.feature]], least.dtype)
        step[positions[level.feature]] = 0
        added[level.feature] = step
        for rows in _rows(level, nodes, piece_of(least.dtype) // states):
            found = np.minimum((least[level.table[rows]] + step).min(axis=1), never)
            least[level.nodes][rows] = found
    node = diagram.root
    row = list(positions)
    for feature, table, first in diagram.walk:
        if node >= first:
            totals = least[table[node - first]] + added[feature]
            own = positions[feature]
            row[feature] = own if totals[own] == least[node] else int(np.argmin(totals))
            node = int(table[node - first, row[feature]])
    return row


def _step(size: int, own: int, price: Price, is_fixed: bool) -> list[int | None]:
    """Return what changing a feature to each of its states costs, None where it may not have it."""
    if is_fixed:
        return [None] * size
    step: list[int | None] = [price] * size if isinstance(price, int) else list(price)
    step[own] = None  # no change
    return step


def _rows(level: Level, nodes: Numbers | None, size: int) -> Iterator[slice | Numbers]:
    """Yield the rows of a level's table of some nodes (ascending; None: all), so many at a time."""
    if nodes is None:
        yield from pieces(len(level.table), size)
        return
    begin, end = np.searchsorted(nodes, [level.first, level.nodes.stop])
    for piece in pieces(int(end - begin), size):
        yield nodes[begin:end][piece] - level.first


def _within_reach(
    diagram: Diagram,
    positions: Sequence[int],
    wanted: Collection[Terminal],
    steps: Sequence[Sequence[int | None]],
) -> tuple[int, Numbers | None] | None:
    """Return how few changes lead to a wanted terminal, and the nodes, ascending, that so few lead to.

    One change more at a time: from the nodes that so many changes lead to, the instance's own states lead
    on with no change, other states with one. None where no changes lead to a wanted terminal.
    """
    open_to = [[state for state, price in enumerate(step) if price is not None] for step in steps]
    ends = list(wanted)
    never = len(positions) + 1
    changes = np.full(diagram.size, never, dtype=np.int64)
    changes[diagram.root] = 0
    reached: list[Numbers] = []
    front = np.array([diagram.root], dtype=np.int64)
    for count in range(never):
        further = [front[:0]]
        nodes = front
        for feature, table, first in diagram.walk:
            checkpoint()
            here = nodes[nodes >= first]
            if not len(here):
                continue
            reached.append(here)
            children = table[here - first]
            own = children[:, positions[feature]]
            if open_to[feature]:
                is_open = len(open_to[feature]) == children.shape[1] - 1
                others = (children if is_open else children[:, open_to[feature]]).reshape(-1)
                others = others[changes[others] > count + 1]
                changes[others] = count + 1
                further.append(others)
            own = own[changes[own] > count]
            changes[own] = count
            nodes = sorted_distinct(joined([nodes[nodes < first], own]))
        if (changes[ends] <= count).any():
            return count, np.sort(joined([front[:0], *reached]))
        front = sorted_distinct(joined(further))
        front = front[changes[front] == count + 1]
    return None
