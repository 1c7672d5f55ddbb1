"""Different ways out: nearest changes, each still open if a feature of each before it cannot change.

They are found in a hitting-set tree (Reiter 1987), best first. At a node some features are kept, and the
nearest instance that changes none of them is looked for. An instance is a way out unless it changes all the
features that an earlier way changes; then one of those features must be kept, too, in each child of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.explain.changes.prices import Prices
from bnc2d.explain.keys import Key
from bnc2d.logic.domain import FeatureId

Features: TypeAlias = frozenset[FeatureId]
Row: TypeAlias = list[int]
# Given features to keep, the instance of the least key, by state positions, that changes none of them.
Search: TypeAlias = Callable[[Features], Row | None]


def ways_out(search: Search, prices: Prices) -> Iterator[Row]:
    """Yield the instances, each the nearest that changes not all the features of one before it."""
    known: list[tuple[Features, Features, Row | None]] = []  # what was kept, what changed, the nearest
    waiting: list[tuple[Key, list[FeatureId], Row]] = []
    seen: set[Features] = set()
    found: list[Features] = []

    def nearest(kept: Features) -> Row | None:
        """Return the nearest where these are kept; what is best where fewer are kept may be best here."""
        for fewer, changed, row in known:
            if fewer <= kept and changed.isdisjoint(kept):
                return row
        row = search(kept)
        known.append((kept, frozenset() if row is None else prices.changed(row), row))
        return row

    def add(kept: Features) -> None:
        checkpoint()
        if kept not in seen:
            seen.add(kept)
            row = nearest(kept)
            if row is not None:
                heappush(waiting, (prices.key(row), sorted(kept), row))

    add(frozenset())
    while waiting:
        _, kept, row = heappop(waiting)
        changed = prices.changed(row)
        earlier = next((one for one in found if one <= changed), None)
        if earlier is None:
            found.append(changed)
            earlier = changed
            yield row
        for feature in sorted(earlier):
            add(frozenset([*kept, feature]))
