"""Lists of products in their true order, as clusters that are split only where it matters.

A list holds clusters of products, block by block (``products``). A cluster is known by the least and the
greatest value of its products (``starts`` and ``ends``, in one resolution); those of neighbours differ by
more than the slack, so all products of a cluster are less than all of the next.

- ``Chain.extend``: a block of a list times a ratio is a sorted run in a block of the next list. The runs that
  lead to a block are merged; what overlaps or is too close is one cluster (``merging``).
- ``crossing``: each product of one list wants to know how many of another are less than its inverse. A
  cluster whose inverse is clear of all others has the answer, whatever is in it. Only clusters that could
  meet are split, by the next resolution, and with them the clusters that they were made of; and so on until
  none is left, or the last resolution has shown that they are equal.

A resolution never joins what a coarser one has told apart: true values lie within the slack of what either
says. So what counts is how many clusters there are, not how many products. Large arrays are treated in
pieces, with a checkpoint several times a second.

Places in a list are *slots*: each block has one for products that are too small for it to matter how small,
one for each cluster, and one for products that are too large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import bounds, counted, joined, repeated, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.records import record
from bnc2d.compile.ratio.merging import Places, Runs, fill, merge
from bnc2d.compile.ratio.products import Integers, PairLogs, Resolution, Scale
from bnc2d.compile.ratio.residues import Identity, Moduli
from bnc2d.compile.ratio.room import Room

Marks: TypeAlias = NDArray[np.bool_]
Window: TypeAlias = tuple[Integers, Integers]  # least and greatest logarithm that matters, by block

# Bytes of a place, and of positions of an item that is chosen.
_PLACE = 4
PLACE_BYTES = (_PLACE, _PLACE)
_CHOSEN = 24
_RESIDUE = 4
# Clusters that may be of one product are no wider than so many times the slack.
_NARROW = 8
# Primes that are tried at once, and those that are less work than the numbers themselves.
_FEW_PRIMES = 4
_MOST_PRIMES = 80
# Clusters are split where products are next to their inverses.
_NEAR_TIES = (
    ", or, as many instances tie but for the last digits of the entries, give these as fractions (exact "
    "counts) or use arithmetic='float', by which such instances tie"
)


class Links(NamedTuple):
    """The runs from a list to the next, in any order: a block of the list, times a ratio of a stage."""

    stage: int
    ratios: Integers
    sources: Integers
    targets: Integers
    blocks: int  # of the next list


@dataclass(eq=False)
class Step:
    """What became of a list: the places of its clusters in the next one, in slots, run by run.

    ``first`` says where the blocks of the list begin, and its end; ``offsets`` where runs do in ``places``.
    """

    links: Links
    first: Integers
    offsets: Integers
    places: Places


@record
class Split:
    """What became of the clusters of a list: ``owner[new]`` is the old one, ``first[old]`` the first new one.

    ``fine`` are the new ones that have values, ``compared`` is how many comparisons it took.
    """

    owner: Places
    first: Integers
    fine: Integers
    compared: int


def blocks_of(first: Integers) -> Integers:
    """Return the block of each cluster, where blocks begin at ``first``."""
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def slots_of(first: Integers) -> Integers:
    """Return the slot of each cluster."""
    slots = np.arange(1, int(first[-1]) + 1)
    if len(first) > 2:
        slots += 2 * blocks_of(first)
    return slots


class Chain:
    """Lists of products of more and more stages; the last one with its values.

    ``first`` says where its blocks begin, ``value_blocks`` the block of each value.
    """

    def __init__(self, scale: Scale, room: Room) -> None:
        self._words, self._room = scale.words, room
        self.steps: list[Step] = []
        self.starts = self.ends = self._words.one()
        self.first = np.arange(2)
        self.value_blocks: Integers | None = np.zeros(1, dtype=np.int64)
        self.identity: Identity | None = None  # of the values

    def __len__(self) -> int:
        return len(self.starts)

    def growth(self, links: Links) -> int:
        """Return how many products there are after another step, at most."""
        return int(np.diff(self.first)[links.sources].sum())

    def extend(self, links: Links, window: Window) -> None:
        """Add a list; what is outside of the window of its block for certain has no cluster."""
        words, slack = self._words, self._words.slack
        begin, end = self.first[links.sources], self.first[links.sources + 1]
        offsets = bounds(end - begin)
        self._room.need(int(offsets[-1]), (_PLACE + 4 * words.size, _PLACE))
        shifts = words.shifts(links.stage, links.ratios, links.targets - links.sources)
        moves = links.targets * words.stride - shifts
        low, high = (limits[links.targets] + moves for limits in window)
        low = np.clip(np.searchsorted(self.ends, low - slack), begin, end)
        high = np.clip(np.searchsorted(self.starts, high + slack, side="right"), low, end)
        places = np.empty(int(offsets[-1]), dtype=np.int32)
        runs = Runs(low, high - low, links.targets, shifts, offsets[:-1] + low - begin)
        self.steps.append(Step(links, self.first, offsets, places))
        self.starts, self.ends, counts = merge(self.starts, self.ends, runs, links.blocks, places, words)
        self.first = bounds(counts)
        smallest = self.first[:-1] + 2 * np.arange(links.blocks)
        if links.blocks == 1:
            for piece in pieces(len(places)):
                places[piece] += 1
        else:
            steps = (2 * links.targets + 1).astype(np.int32)
            for piece, run in _by_run(offsets):
                places[piece] += steps[run]
        fill(places, offsets[:-1], low - begin, smallest[links.targets])
        fill(places, offsets[1:] - (end - high), end - high, (smallest + counts + 1)[links.targets])
        self.value_blocks = None

    def blocks(self) -> Integers:
        """Return the block of each value."""
        return blocks_of(self.first) if self.value_blocks is None else self.value_blocks

    @property
    def stages(self) -> list[int]:
        """The stages whose products are in the last list."""
        return [step.links.stage for step in self.steps]

    def split(self, marks: Marks, resolution: Resolution, identity: Identity | None = None) -> Split:
        """Split the marked clusters of the last list; it then has values for their parts only.

        With the identity of the empty product, it also has identities for them.
        """
        self.identity = identity
        split = Split(np.zeros(1, dtype=np.int32), np.arange(2), np.zeros(1, dtype=np.int64), 0)
        origins = self._origins(marks)
        self.starts = self.ends = resolution.one()
        firsts = [*(step.first for step in self.steps), self.first][1:]
        for step, after, marked in zip(self.steps, firsts, origins[1:], strict=True):
            split = self._split_step(step, after, marked, split, resolution)
        self.first = split.first[self.first]
        self.value_blocks = np.searchsorted(self.first, split.fine, side="right") - 1
        return split

    def _origins(self, marks: Marks) -> list[Marks]:
        """Return for each list which clusters the marked ones of the last list are made of."""
        found, first = [marks], self.first
        for step in reversed(self.steps):
            inside = _by_slot(found[-1], first)
            before = np.zeros(int(step.first[-1]), dtype=bool)
            begin = step.first[step.links.sources]
            for piece in pieces(len(step.places)):
                hits = np.flatnonzero(inside[step.places[piece]]) + piece.start
                runs = np.searchsorted(step.offsets, hits, side="right") - 1
                before[begin[runs] + hits - step.offsets[runs]] = True
            found.append(before)
            first = step.first
        return found[::-1]

    def _split_step(
        self, step: Step, after: Integers, marked: Marks, before: Split, resolution: Resolution
    ) -> Split:
        """Split the marked clusters of a list, given what became of the one before; replace the places.

        The blocks of the list began at ``after``.
        """
        links, size = step.links, resolution.size
        run, item, reached = self._chosen(step, _by_slot(marked, after), before, 4 * size)
        self._room.need(len(item), (0, size * resolution.is_exact))
        lengths = counted(run, len(links.targets))
        shifts = resolution.shifts(links.stage, links.ratios, links.targets - links.sources)
        runs = Runs(bounds(lengths)[:-1], lengths, links.targets, shifts, bounds(lengths)[:-1])
        numbers = np.empty(len(item), dtype=np.int32)
        starts = take(self.starts, item)
        ends = starts if self.starts is self.ends else take(self.ends, item)
        self.starts, self.ends, _ = merge(starts, ends, runs, links.blocks, numbers, resolution)
        if self.identity is not None and isinstance(resolution, PairLogs):
            narrow = resolution.widths(self.starts, self.ends) <= _NARROW * resolution.slack.imag
            self._room.need(len(self) * (len(self.identity.residues) + 2), (_RESIDUE, 0), _NEAR_TIES)
            self.identity.move(links.stage, item, links.ratios[run], numbers, narrow)
        owners = np.zeros(len(self), dtype=np.int64)
        to_slots = 2 * links.targets + 1
        for piece in pieces(len(item)):
            owners[numbers[piece]] = reached[piece] - to_slots[run[piece]]
        first, owner = _parts(owners, marked)
        fine = np.flatnonzero(marked[owner])
        self._replace(step, after, first, before)
        origin = step.offsets[:-1] - step.first[links.sources]
        for piece in pieces(len(item)):
            runs_of = run[piece]
            places_of = origin[runs_of] + before.fine[item[piece]]
            step.places[places_of] = fine[numbers[piece]] + to_slots[runs_of]
        compared = (len(item) if resolution.is_exact else len(self)) - int(np.count_nonzero(marked))
        return Split(owner, first, fine, before.compared + compared)

    def _chosen(
        self, step: Step, inside: Marks, before: Split, value_bytes: int
    ) -> tuple[Places, Places, Places]:
        """Return what leads to the marked slots of the next list: runs, numbers of fine clusters, slots.

        There has to be room for values of so many bytes.
        """
        links, first = step.links, step.first
        owner = before.owner[before.fine]
        begin = np.searchsorted(owner, first[links.sources])
        offsets = bounds(np.searchsorted(owner, first[links.sources + 1]) - begin)
        to_items, to_places = begin - offsets[:-1], step.offsets[:-1] - first[links.sources]  # by run
        found, total = [np.empty((3, 0), dtype=np.int32)], 0
        for piece, run in _by_run(offsets):
            items = np.arange(piece.start, piece.stop) + to_items[run]
            places = step.places[to_places[run] + owner[items]]
            kept = np.flatnonzero(inside[places])
            found.append(np.stack([run[kept], items[kept], places[kept]]).astype(np.int32))
            total += len(kept)
            self._room.need(total, (value_bytes + _CHOSEN, 0), _NEAR_TIES)
        runs, chosen, reached = map(joined, zip(*found, strict=True))
        return runs, chosen, reached

    def _replace(self, step: Step, after: Integers, first: Integers, before: Split) -> None:
        """Replace the places of a step: clusters of its list were split, and those of the next list."""
        if len(before.owner) == step.first[-1] and first[-1] == after[-1]:
            return  # none was
        blocks = 2 * np.arange(len(after) - 1)
        new_after = first[after]
        moved = np.empty(int(after[-1]) + 2 * len(blocks), dtype=np.int32)  # by old slot
        moved[slots_of(after)] = first[:-1] + 2 * blocks_of(after) + 1
        moved[after[:-1] + blocks] = new_after[:-1] + blocks
        moved[after[1:] + blocks + 1] = new_after[1:] + blocks + 1
        new_first = before.first[step.first]
        sources = step.links.sources
        offsets = bounds(np.diff(new_first)[sources])
        self._room.need(int(offsets[-1]), (2 * _PLACE, _PLACE), _NEAR_TIES)
        places = np.empty(int(offsets[-1]), dtype=np.int32)
        for piece, run in _by_run(offsets):
            flat = np.arange(piece.start, piece.stop)
            owner = before.owner[flat - (offsets[:-1] - new_first[sources])[run]]
            places[piece] = moved[step.places[owner + (step.offsets[:-1] - step.first[sources])[run]]]
        step.first, step.offsets, step.places = new_first, offsets, places


def _parts(owners: Integers, marked: Marks) -> tuple[Integers, Places]:
    """Return where the parts of clusters begin, and the cluster of each part; who is not marked has one."""
    counts = np.bincount(owners, minlength=len(marked))
    checkpoint()
    counts[~marked] = 1
    return bounds(counts), repeated(counts, np.int32)


def _by_slot(marks: Marks, first: Integers) -> Marks:
    """Return marks of clusters by slot."""
    inside = np.zeros(len(marks) + 2 * (len(first) - 1), dtype=bool)
    inside[slots_of(first)[marks]] = True
    return inside


def _by_run(offsets: Integers) -> Iterator[tuple[slice, Integers]]:
    """Yield pieces of the items of runs, and the run of each item; a checkpoint comes before each."""
    for piece in pieces(int(offsets[-1])):
        low = int(np.searchsorted(offsets, piece.start, side="right")) - 1
        high = int(np.searchsorted(offsets, piece.stop))
        edges = np.clip(offsets[low : high + 1], piece.start, piece.stop)
        yield piece, np.repeat(np.arange(low, high), edges[1:] - edges[:-1])


@record
class Crossing:
    """For each top cluster how many bottom ones are below its inverse, and whether the next one equals it.

    Those of all blocks before its own count as below.
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
    proven = np.zeros(len(below), dtype=bool)  # to be equal
    for resolution, primes in _finer(scale):
        unsure = (below < upto) & ~proven
        if not unsure.any():
            break
        of_top, of_bottom = _identities(top, bottom, scale, primes)
        hits = np.bincount(below[unsure], minlength=clusters + 1)
        hits -= np.bincount(upto[unsure], minlength=clusters + 1)
        above = top.split(unsure, resolution, of_top)
        under = bottom.split(np.cumsum(hits[:-1]) > 0, resolution, of_bottom)
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
        proven = proven[above.owner]
        if top.identity is not None and bottom.identity is not None:
            near = np.flatnonzero(up - less == 1)  # those that could meet one other
            places = above.fine[near]
            others = np.searchsorted(under.fine, below[places])
            proven[places] = top.identity.are_inverse(near, bottom.identity, others)
            compared += int(np.count_nonzero(proven[places]))
    return Crossing(below, (below < upto) | proven, clusters, compared)


def _finer(scale: Scale) -> Iterator[tuple[Resolution, int]]:
    """Yield resolutions after the first, each with the number of primes that may prove products equal.

    Long logarithms tell most products apart; many primes are for those that are left.
    """
    for resolution in scale.finer():
        if isinstance(resolution, PairLogs):
            yield resolution, _FEW_PRIMES
            yield resolution, _MOST_PRIMES
        else:
            yield resolution, 0


def _identities(
    top: Chain, bottom: Chain, scale: Scale, primes: int
) -> tuple[Identity | None, Identity | None]:
    """Return identities to begin with, where they take at most so many primes."""
    found = None
    if primes and scale.pair_unit < 1:
        apart = scale.pair_unit * 4 * (_NARROW + 1) * float(scale.pairs.slack.imag)
        found = Moduli(scale.ratios).identities(top.stages, bottom.stages, apart, primes)
    return found or (None, None)


def _counts(top: Chain, bottom: Chain, resolution: Resolution) -> tuple[Integers, Integers]:
    """Return how many bottom clusters are certainly below the inverse of each top one, and not above it."""
    ends, blocks = resolution.beyond(bottom.ends), top.blocks()
    below, upto = np.empty((2, len(top)), dtype=np.int64)
    for piece in pieces(len(top)):
        below[piece] = np.searchsorted(ends, resolution.inverse(top.ends[piece], blocks[piece]))
        greatest = resolution.beyond(resolution.inverse(top.starts[piece], blocks[piece]))
        upto[piece] = np.searchsorted(bottom.starts, greatest, side="right")
    return below, upto
