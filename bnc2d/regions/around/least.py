"""The lightest set of features that is enough, by rows that every such set covers.

An instance with another label, against which features must be kept, gives a row: keeping a feature gives
back at most so much of the margin, whatever else is kept, and together they must give back all that is
missing. Where features are independent given the class, one row for each other class says it all; a single
one is left to elimination with prices (``nearest``). Elsewhere rows are added as covers turn out not to be
enough: from the instance that shows it, and the set of features of which one must be kept (implicit hitting
sets: Ignatiev, Previti, Liffiton and Marques-Silva 2015).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.around.covers import Covers
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.nearest import lightest_kept
from bnc2d.regions.around.rows import Row, Rows


def least_sufficient(around: Around, prices: Sequence[int]) -> list[int]:
    """Return the set of features that is enough at the least price; of several that with the first feature.

    Prices are positive integers.
    """
    critical = around.critical()
    margins = around.comparisons.margins
    if margins.is_threshold:
        return lightest_kept(around, prices, critical)
    covers, rows = Covers(prices), Rows(around)
    best = critical
    while not _is_enough(around, best, covers, rows):
        best = covers.lightest(critical) or []  # all features together are a cover
    price = sum(prices[feature] for feature in best)
    members = [*critical]
    without: list[int] = []
    for feature in range(len(prices)):
        if len(members) == len(best):
            break
        if feature in critical:
            continue
        while feature not in best:
            found = covers.lightest([*members, feature], without, price)
            if found is None:
                break
            if _is_enough(around, found, covers, rows):
                best = found
        (members if feature in best else without).append(feature)
    return best


def _is_enough(around: Around, members: Sequence[int], covers: Covers, rows: Rows) -> bool:
    """Return whether a set of features is enough; where it is not, add a row that says so."""
    checkpoint()
    region = around.region(members)
    behind = np.flatnonzero(around.comparisons.behind_in(region)).tolist()
    for pair in behind:
        instance = around.comparisons.instance_behind(pair, region)
        row = rows.of(pair, instance)
        if row is None or float(row.gives[list(members)].sum()) >= row.needs:
            gives = np.zeros(len(around.row))
            gives[_one_of(around, instance)] = 1.0
            row = Row(gives, 1.0, 0.0)
        covers.add(row.gives, row.needs)
    return not behind


def _one_of(around: Around, instance: Sequence[int]) -> list[int]:
    """Return features of which one must be kept: fewer changes of them than those given do not do it."""
    changed = [f for f, (own, other) in enumerate(zip(around.row, instance, strict=True)) if own != other]
    kept = np.ones((1, len(around.row)), dtype=bool)
    kept[0, changed] = False
    for feature in changed:
        kept[0, feature] = True
        kept[0, feature] = not around.stays(kept)[0]
    return np.flatnonzero(~kept[0]).tolist()
