"""All minimal sets of features that are enough, or without which the others are not, one after another."""

from __future__ import annotations

from collections.abc import Iterator

from bnc2d.logic.primes.dualise import minimal_sets
from bnc2d.logic.primes.thresholds import threshold_sets
from bnc2d.regions.around.instance import Around, FeatureSet
from bnc2d.regions.around.rows import Rows
from bnc2d.regions.exact import least_instance


def sufficient_sets(around: Around) -> Iterator[FeatureSet]:
    """Yield all minimal sets that are enough."""
    if not around.comparisons.margins.is_threshold:
        return minimal_sets(around.enough, around.features, len(around.row))
    return _by_threshold(around, necessary=False)


def necessary_sets(around: Around) -> Iterator[FeatureSet]:
    """Yield all minimal sets without which the others are not enough."""
    if not around.comparisons.margins.is_threshold:
        return minimal_sets(lambda words: ~around.enough(~words), around.features, len(around.row))
    return _by_threshold(around, necessary=True)


def _by_threshold(around: Around, *, necessary: bool) -> Iterator[FeatureSet]:
    """Yield the sets where one sum decides: what features give back of it, against their worst states.

    Critical features, which a zero may make so, are set aside: all sufficient sets have them, and each alone
    is a necessary one.
    """
    critical = around.critical()
    worst = least_instance(around.comparisons.margins, 0, around.region(critical))
    row = Rows(around).of(0, worst)
    if necessary:
        yield from ([feature] for feature in critical)
    if row is None or around.is_enough(critical):
        if not necessary:
            yield critical
        return
    gives, error = row.gives.tolist(), 4.0 * row.error
    if necessary:
        kept = set(range(len(around.row)))
        slack = sum(gives) - row.needs - 2.0 * row.error
        changes = threshold_sets(
            gives, slack, error, lambda free: not around.is_enough(kept.difference(free))
        )
        yield from changes
    else:
        sets = threshold_sets(
            gives, row.needs, error, lambda members: around.is_enough([*critical, *members])
        )
        yield from (sorted([*critical, *members]) for members in sets)
