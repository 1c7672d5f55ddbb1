"""Minimal sets of features that keep a decision with some probability: all of them by size, or one at once.

The probability may fall as well as grow with a set, so that nothing follows for the sets above or below one.
``minimal_by_size`` therefore looks at all of them, the small ones first, but for two kinds: those above a set
that was found, which are not minimal, and those that a bound rules out together.

1. Features are ranked, those that the decision misses most first. A set is made of one with a feature less by
   adding a feature of a later rank; so every set has one way to it.
2. Features of later ranks are *undecided*: where no choice of them can reach the probability, by the bound of
   ``Chances.judged``, nothing is made of the set.
3. A set that reaches it has no subset that does: they came before, and it would not have been made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bnc2d.base.arrays import Numbers, quiet_product
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.explain.probable.chances import Chances, Flags, Sets
from bnc2d.logic.domain import FeatureId

_SETS_AT_ONCE = 1 << 12
MOST_SETS = 1 << 22  # of one size, that are kept to be made larger
_FOUND_AT_ONCE = 1 << 10


def minimal_by_size(
    chances: Chances, among: Flags | None = None, largest: int | None = None, most: int = MOST_SETS
) -> Iterator[tuple[int, list[list[FeatureId]]]]:
    """Yield for one size after another the minimal sets of that size that reach the probability.

    Each is a list of features, and those of one size come in the order of the features. ``among`` are the
    columns of features that sets may have. With ``largest`` no larger sets are looked for; more than
    ``most`` sets of one size to go on from are a ``LimitExceeded``.
    """
    width = len(chances.features)
    ranked = _ranked(chances, np.ones(width, dtype=bool) if among is None else among)
    rank = np.full(width, -1)
    rank[ranked] = np.arange(len(ranked))
    kept, last = np.zeros((1, width), dtype=bool), np.array([-1])
    if chances.relevant(kept)[0]:
        yield 0, [[]]
        return
    yield 0, []
    found = np.zeros((0, width), dtype=bool)
    for size in range(1, (len(ranked) if largest is None else min(largest, len(ranked))) + 1):
        more = None if largest is None else largest - size
        alive: list[tuple[Sets, Numbers]] = []
        wanted = [np.zeros((0, width), dtype=bool)]
        count = 0
        for sets, ends in _one_more(kept, last, ranked):
            new = np.flatnonzero(~_above(sets, found))
            sets, ends = sets[new], ends[new]
            reached, larger = chances.judged(sets, rank > ends[:, None], more)
            wanted.append(sets[reached])
            alive.append((sets[larger], ends[larger]))
            count += int(larger.sum())
            if count > most:
                raise LimitExceeded(f"more than {most} sets of {size} features to go on from")
        level = np.concatenate(wanted)
        found = np.concatenate([found, level])
        yield size, sorted(chances.names_of(one) for one in level)
        if not count:
            return
        kept, last = (np.concatenate(parts) for parts in zip(*alive, strict=True))


def _ranked(chances: Chances, among: Flags) -> Numbers:
    """Return the columns, first those without which the others keep the decision least."""
    columns = np.flatnonzero(among)
    single = np.zeros((len(columns), len(among)), dtype=bool)
    single[np.arange(len(columns)), columns] = True
    without, alone = chances.scores(among & ~single), chances.scores(single)
    return columns[np.lexsort((columns, -alone, without))]


def _one_more(kept: Sets, last: Numbers, ranked: Numbers) -> Iterator[tuple[Sets, Numbers]]:
    """Yield the sets with a feature more, of a later rank than all, and the rank that was added."""
    ranks = np.arange(len(ranked))
    size = max(1, _SETS_AT_ONCE // max(1, len(ranked)))
    for start in range(0, len(kept), size):
        checkpoint()
        rows, ends = np.nonzero(ranks > last[start : start + size, None])
        sets = kept[start + rows]
        sets[np.arange(len(sets)), ranked[ends]] = True
        yield sets, ends


def _above(sets: Sets, found: Sets) -> Flags:
    """Return which sets have one that was found in them."""
    above = np.zeros(len(sets), dtype=bool)
    for start in range(0, len(found), _FOUND_AT_ONCE):
        checkpoint()
        some = found[start : start + _FOUND_AT_ONCE].astype(np.float32)
        shared = quiet_product(sets.astype(np.float32), some.T)
        above |= (shared == some.sum(axis=1)).any(axis=1)
    return above


def one_locally_minimal(chances: Chances) -> Flags | None:
    """Return the columns of a set that reaches the probability and that no single feature can leave.

    Features are added, each time that which helps most, until the set reaches it; then they are given up
    while it does. None where adding leads nowhere: what agrees with more features may have no weight.
    """
    width = len(chances.features)
    kept = np.zeros((1, width), dtype=bool)
    while not chances.relevant(kept)[0]:
        checkpoint()
        larger = _changed(kept[0], np.flatnonzero(~kept[0]))
        scores = chances.scores(larger)
        if not len(scores) or scores.max() < 0:
            return None
        kept = larger[scores.argmax()][None]
    while True:
        checkpoint()
        smaller = _changed(kept[0], np.flatnonzero(kept[0]))
        enough = np.flatnonzero(chances.relevant(smaller))
        if not len(enough):
            found: Flags = kept[0]
            return found
        kept = smaller[enough[chances.scores(smaller[enough]).argmax()]][None]


def _changed(kept: Flags, columns: Sequence[int] | Numbers) -> Sets:
    """Return the sets that differ from one in a column each."""
    sets = np.repeat(kept[None], len(columns), axis=0)
    sets[np.arange(len(columns)), columns] ^= True
    return sets
