"""Lists of products in their true order, as clusters that are split only where it matters.

A list holds clusters of products. A cluster is known by the least and the greatest value of its products
(``starts`` and ``ends``, in one resolution); those of neighbours differ by more than the slack, so all
products of a cluster are less than all of the next.

- ``Chain.extend``: times a ratio, a list of clusters is a sorted run. Runs of all ratios are merged; what
  overlaps or is too close is one cluster.
- ``crossing``: each product of one list wants to know how many of another are less than its inverse. A
  cluster whose inverse is clear of all others has the answer, whatever is in it. Only clusters that could
  meet are split, by the next resolution, and with them the clusters that they were made of; and so on until
  none is left, or the last resolution has shown that they are equal.

A resolution never joins what a coarser one has told apart: true values lie within the slack of what either
says. So what counts is how many clusters there are, not how many products. Large arrays are treated in
pieces, with a checkpoint several times a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.compile.ratio.products import Integers, Resolution, Scale, Values
from bnc2d.errors import LimitExceeded

Places: TypeAlias = NDArray[np.int32]
Marks: TypeAlias = NDArray[np.bool_]

# Bytes of a place, and of positions of an item that is chosen.
_PLACE = 4
_CHOSEN = 16
# Positions have 32 bits: within this, no list has 2**31 products and no level as many nodes.
_MOST_BYTES = 30 * 2**30
# Clusters are split where products are next to their inverses.
_NEAR_TIES = (
    ", or, as many instances tie but for the last digits of the entries, give these as fractions (exact "
    "counts) or use arithmetic='float', by which such instances tie"
)


class Room:
    """What is left of a memory limit."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept = min(limit, _MOST_BYTES), 0

    def need(self, entries: int, size: tuple[int, int], hint: str = "") -> None:
        """Raise ``LimitExceeded`` unless entries of a size fit, for a moment and for good; keep count.

        ``hint`` is a further remedy, in words.
        """
        wanted = self._kept + entries * size[0]
        if wanted > self._limit:
            raise LimitExceeded(
                f"the distinct products of the features' ratios need {wanted / 2**20:.1f} MiB, more than the "
                f"limit of {self._limit / 2**20:.1f} MiB; choose fewer features or raise memory_limit{hint}"
            )
        self._kept += entries * size[1]


@dataclass(frozen=True)
class Split:
    """What became of the clusters of a list: ``owner[new]`` is the old one, ``first[old]`` the first new one.

    ``fine`` are the new ones that have values, ``compared`` is how many comparisons it took.
    """

    owner: Integers
    first: Integers
    fine: Integers
    compared: int


class Chain:
    """Lists of products of more and more groups; the last one with its values.

    ``places[step][ratio, cluster]`` is the position among the clusters of the next list: -1 for products so
    small, and the number of clusters for those so large, that they decide whatever comes.
    """

    def __init__(self, scale: Scale, room: Room) -> None:
        self._words, self._room = scale.words, room
        self._groups: list[int] = []
        self.places: list[Places] = []
        self.starts = self.ends = self._words.one()

    def __len__(self) -> int:
        return len(self.starts)

    def extend(self, group: int, window: tuple[int, int]) -> None:
        """Multiply by the ratios of a group; drop what is outside of a window of logarithms for certain."""
        words = self._words
        logs = words.logs[group].tolist()
        self._room.need(len(self) * len(logs), (_PLACE + 4 * words.size, _PLACE))
        places = np.empty((len(logs), len(self)), dtype=np.int32)
        runs, kept = [], []
        for ratio, log in enumerate(logs):
            checkpoint()
            low = int(np.searchsorted(self.ends, window[0] - words.slack - log))
            high = max(low, int(np.searchsorted(self.starts, window[1] + words.slack - log, side="right")))
            piece = slice(low, high)
            runs.append(
                (words.times(self.starts[piece], group, ratio), words.times(self.ends[piece], group, ratio))
            )
            kept.append(piece)
        targets = [row[piece] for row, piece in zip(places, kept, strict=True)]
        self.starts, self.ends = merge(runs, targets, words)
        for row, piece in zip(places, kept, strict=True):
            row[: piece.start] = -1
            row[piece.stop :] = len(self)
        self._groups.append(group)
        self.places.append(places)

    def split(self, marks: Marks, resolution: Resolution) -> Split:
        """Split the marked clusters of the last list; it then has values for their parts only."""
        split = Split(np.zeros(1, dtype=np.int64), np.arange(2), np.zeros(1, dtype=np.int64), 0)
        origins = self._origins(marks)
        self.starts = self.ends = resolution.one()
        for step in range(len(self.places)):
            split = self._split_step(step, origins[step + 1], split, resolution)
        return split

    def _origins(self, marks: Marks) -> list[Marks]:
        """Return for each list which clusters the marked ones of the last list are made of."""
        found = [marks]
        for places in reversed(self.places):
            inside = _with_ends(found[-1])
            before = np.zeros(places.shape[1], dtype=bool)
            for row in places:
                checkpoint()
                before |= inside[row + 1]
            found.append(before)
        return found[::-1]

    def _split_step(self, step: int, marked: Marks, before: Split, resolution: Resolution) -> Split:
        """Split the marked clusters of a list, given what became of the one before; replace the places."""
        old, group, inside = self.places[step], self._groups[step], _with_ends(marked)
        chosen: list[Integers] = []  # for each ratio, positions among those with values
        whose: list[Places] = []
        for row in old:
            checkpoint()
            reached = row[before.owner[before.fine]]
            chosen.append(np.flatnonzero(inside[reached + 1]))
            whose.append(reached[chosen[-1]])
        items = sum(map(len, chosen))
        self._room.need(
            items, (4 * resolution.size + _CHOSEN, resolution.size * resolution.is_exact), _NEAR_TIES
        )
        runs = []
        for ratio, some in enumerate(chosen):
            checkpoint()
            starts = resolution.times(self.starts[some], group, ratio)
            ends = starts if resolution.is_exact else resolution.times(self.ends[some], group, ratio)
            runs.append((starts, ends))
        targets = [np.empty(len(some), dtype=np.int32) for some in chosen]
        self.starts, self.ends = merge(runs, targets, resolution)
        owners = np.zeros(len(self), dtype=np.int64)
        for target, owner in zip(targets, whose, strict=True):
            owners[target] = owner
        counts = np.where(marked, np.bincount(owners, minlength=len(marked)), 1)
        first = np.concatenate([[0], np.cumsum(counts)])
        fine = np.flatnonzero(np.repeat(marked, counts))
        moved = np.concatenate([[-1], first])  # by position + 1
        self._room.need(len(old) * len(before.owner), (2 * _PLACE, _PLACE), _NEAR_TIES)
        places = np.empty((len(old), len(before.owner)), dtype=np.int32)
        for ratio, (some, target) in enumerate(zip(chosen, targets, strict=True)):
            checkpoint()
            places[ratio] = moved[old[ratio][before.owner] + 1]
            places[ratio, before.fine[some]] = fine[target]
        self.places[step] = places
        compared = (items if resolution.is_exact else len(self)) - int(np.count_nonzero(marked))
        return Split(np.repeat(np.arange(len(marked)), counts), first, fine, before.compared + compared)


def _with_ends(marks: Marks) -> Marks:
    """Return marks by position + 1, for positions from -1 to their number."""
    return np.concatenate([[False], marks, [False]])


def merge(
    runs: Sequence[tuple[Values, Values]], targets: Sequence[Places], resolution: Resolution
) -> tuple[Values, Values]:
    """Merge runs of clusters, each with starts and ends; return those of the new clusters.

    Writes into ``targets`` where the items of each run went.
    """
    cuts = _cuts([run[0] for run in runs], resolution.piece)
    nothing: Values = resolution.one()[:0]
    starts, ends = [nothing], [nothing]
    reached = nothing  # the end of the last cluster, once there is one
    count = 0
    for low, high in pairwise(cuts):
        checkpoint()
        pieces = [slice(*piece) for piece in zip(low, high, strict=True)]
        found, last = (
            np.concatenate([nothing, *(run[side][piece] for run, piece in zip(runs, pieces, strict=True))])
            for side in (0, 1)
        )
        order = np.argsort(found, kind="stable")
        found = found[order]
        last = np.maximum.accumulate(np.concatenate([reached, last[order]]))
        known = found[1 - len(reached) :]  # those with a cluster before them
        fresh = np.ones(len(found), dtype=bool)
        fresh[len(found) - len(known) :] = known > resolution.beyond(last[:-1])
        starts.append(found[fresh])
        ends.append(last[:-1][fresh[len(found) - len(known) :]])
        reached = last[-1:]
        numbers = np.empty(len(found), dtype=np.int32)
        numbers[order] = np.cumsum(fresh) + (count - 1)
        count += len(starts[-1])
        at = 0
        for target, piece in zip(targets, pieces, strict=True):
            target[piece] = numbers[at : at + piece.stop - piece.start]
            at += piece.stop - piece.start
    return np.concatenate(starts), np.concatenate([*ends, reached])


def _cuts(runs: Sequence[Values], piece: int) -> list[tuple[int, ...]]:
    """Return positions in all runs that cut them at common values, into about ``piece`` items at a time."""
    lengths = tuple(map(len, runs))
    cuts: list[tuple[int, ...]] = []
    if sum(lengths) > piece:
        step = max(1, piece // (2 * len(runs)))
        sample = np.sort(np.concatenate([run[::step] for run in runs]))
        pivots = sample[piece // step :: piece // step]
        cuts = list(zip(*(np.searchsorted(run, pivots).tolist() for run in runs), strict=True))
    return [(0,) * len(runs), *cuts, lengths]


@dataclass(frozen=True)
class Crossing:
    """For each top cluster how many bottom ones are below its inverse, and whether the next one equals it.

    ``clusters`` counts the bottom ones, ``compared`` the comparisons beyond the first resolution.
    """

    below: Integers
    equal: Marks
    clusters: int
    compared: int


def crossing(top: Chain, bottom: Chain, scale: Scale) -> Crossing:
    """Split the clusters of both chains until those that are not equal are clear of each other."""
    below, upto = _counts(top, bottom, scale.words)
    clusters, compared = len(bottom), 0
    for resolution in scale.finer():
        unsure = below < upto
        if not unsure.any():
            break
        hits = np.bincount(below[unsure], minlength=clusters + 1)
        hits -= np.bincount(upto[unsure], minlength=clusters + 1)
        above, under = top.split(unsure, resolution), bottom.split(np.cumsum(hits[:-1]) > 0, resolution)
        less, up = _counts(top, bottom, resolution)
        own = below[above.owner]  # by new cluster, the first old one that it could meet
        before = np.searchsorted(under.owner[under.fine], own[above.fine])
        below = under.first[own]
        upto = below.copy()
        below[above.fine] += less - before
        upto[above.fine] += up - before
        clusters = len(under.owner)
        compared += above.compared + under.compared
        compared += len(less) if resolution.is_exact else int(np.count_nonzero(less == up))
    return Crossing(below, below < upto, clusters, compared)


def _counts(top: Chain, bottom: Chain, resolution: Resolution) -> tuple[Integers, Integers]:
    """Return how many bottom clusters are certainly below the inverse of each top one, and not above it."""
    ends = resolution.beyond(bottom.ends)
    below, upto = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for piece in pieces(len(top)):
        below.append(np.searchsorted(ends, resolution.inverse(top.ends[piece])))
        greatest = resolution.beyond(resolution.inverse(top.starts[piece]))
        upto.append(np.searchsorted(bottom.starts, greatest, side="right"))
    return np.concatenate(below), np.concatenate(upto)
