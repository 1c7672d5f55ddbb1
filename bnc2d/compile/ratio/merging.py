"""Sorted runs of clusters, merged into the clusters of a list: what overlaps or is too close is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import ranges
from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.ratio.products import Integers, Resolution, Values

Places: TypeAlias = NDArray[np.int32]

# Runs at least this long on average are treated one by one, shorter ones all at once.
_LONG_RUN = 256


class Runs(NamedTuple):
    """Parts of a list that are moved: where they begin, how long they are, to which block and by what shift.

    ``out`` says where the numbers of the new clusters go.
    """

    begin: Integers
    length: Integers
    target: Integers
    shift: Values
    out: Integers


def merge(
    starts: Values, ends: Values, runs: Runs, blocks: int, out: Places, resolution: Resolution
) -> tuple[Values, Values, Integers]:
    """Merge moved parts of a list of clusters; return starts and ends of the new clusters, and their numbers.

    Those are counts by block. Writes into ``out`` which cluster each item became.
    """
    nothing: Values = resolution.one()[:0]
    found_starts, found_ends = [nothing], [nothing]
    reached = nothing  # the end of the last cluster, once there is one
    counts = np.zeros(blocks, dtype=np.int64)
    count = 0
    for ids, begin, length, out_at in _pieces(starts, runs, resolution):
        checkpoint()
        shift = np.repeat(runs.shift[ids], length)
        found = resolution.moved(_gathered(starts, begin, length), shift)
        last = (
            found
            if resolution.is_exact or starts is ends
            else resolution.moved(_gathered(ends, begin, length), shift)
        )
        order = np.argsort(found, kind="stable")  # fast for runs
        found = found[order]
        last = np.maximum.accumulate(np.concatenate([reached, last[order]]))
        known = found[1 - len(reached) :]  # those with a cluster before them
        fresh = np.ones(len(found), dtype=bool)
        fresh[len(found) - len(known) :] = known > resolution.beyond(last[:-1])
        found_starts.append(found[fresh])
        found_ends.append(last[:-1][fresh[len(found) - len(known) :]])
        reached = last[-1:]
        targets = runs.target[ids]
        if targets[0] == targets[-1]:
            counts[targets[0]] += len(found_starts[-1])
        else:
            counts += np.bincount(np.repeat(targets, length)[order[fresh]], minlength=blocks)
        numbers = np.empty(len(found), dtype=np.int32)
        numbers[order] = np.cumsum(fresh) + (count - 1)
        count += len(found_starts[-1])
        _scatter(out, out_at, length, numbers)
    found_ends.append(reached)
    new_starts, new_ends = _joined(found_starts), _joined(found_ends)
    if not resolution.is_exact and np.array_equal(new_starts, new_ends):
        new_ends = new_starts  # half of the work is saved from here on
    return new_starts, new_ends, counts


def _joined(parts: list[Values]) -> Values:
    """Return the parts one after the other; each is given up as soon as it is there."""
    whole: Values = np.empty(sum(map(len, parts)), dtype=parts[0].dtype)
    start = 0
    parts.reverse()
    while parts:
        checkpoint()
        part = parts.pop()
        whole[start : start + len(part)] = part
        start += len(part)
    return whole


def _pieces(
    starts: Values, runs: Runs, resolution: Resolution
) -> Iterator[tuple[Integers, Integers, Integers, Integers]]:
    """Yield parts of runs, in the order of their moved values, about as many items as are sorted at once.

    They are the numbers of the runs, where their parts begin, how long they are, and where they go.
    """
    order = np.argsort(runs.target, kind="stable")
    order = order[runs.length[order] > 0]
    if not len(order):
        return
    total = np.concatenate([[0], np.cumsum(runs.length[order])])
    target = runs.target[order]
    edges = np.concatenate([[0], np.flatnonzero(np.diff(target)) + 1, [len(order)]])  # where a block begins
    reach = total[edges]
    block = 0
    while block < len(edges) - 1:
        upto = int(np.searchsorted(reach, reach[block] + resolution.piece, side="right")) - 1
        ids = order[edges[block] : edges[max(upto, block + 1)]]
        begin, length, out = runs.begin[ids], runs.length[ids], runs.out[ids]
        if upto > block:
            yield ids, begin, length, out
            block = upto
            continue
        moved = []
        for a, n, shift in zip(begin.tolist(), length.tolist(), runs.shift[ids], strict=True):
            checkpoint()
            moved.append(resolution.moved(starts[a : a + n], _of_one(shift, n)))
        for low, high in pairwise(_cuts(moved, resolution.piece)):
            some = np.flatnonzero(high > low)
            if len(some):
                yield ids[some], (begin + low)[some], (high - low)[some], (out + low)[some]
        block += 1


def _of_one(shift: object, count: int) -> Values:
    """Return an array of one shift."""
    array = np.empty(1, dtype=object if isinstance(shift, tuple) else np.asarray(shift).dtype)
    array[0] = shift
    return np.repeat(array, count)


def _cuts(runs: Sequence[Values], piece: int) -> list[Integers]:
    """Return positions in all runs that cut them at common values, into about ``piece`` items at a time."""
    step = max(1, piece // (2 * len(runs)))
    sample = np.sort(np.concatenate([run[::step] for run in runs]))
    pivots = sample[piece // step :: piece // step]
    cuts = np.array([np.searchsorted(run, pivots) for run in runs]).T
    return [np.zeros(len(runs), dtype=np.int64), *cuts, np.array([len(run) for run in runs])]


def _are_long(length: Integers) -> bool:
    return int(length.sum()) >= _LONG_RUN * len(length)


def _gathered(values: Values, begin: Integers, length: Integers) -> Values:
    """Return parts of an array, one after the other."""
    if len(begin) == 1:
        return values[int(begin[0]) : int(begin[0] + length[0])]
    if _are_long(length):
        return np.concatenate(
            [values[a : a + n] for a, n in zip(begin.tolist(), length.tolist(), strict=True)]
        )
    return values[ranges(begin, length)]


def _scatter(out: Places, begin: Integers, length: Integers, values: Places) -> None:
    """Write values to parts of an array, one after the other."""
    if not _are_long(length):
        out[ranges(begin, length)] = values
        return
    at = 0
    for a, n in zip(begin.tolist(), length.tolist(), strict=True):
        out[a : a + n] = values[at : at + n]
        at += n


def fill(out: Places, begin: Integers, length: Integers, values: Integers) -> None:
    """Write one value to each of some parts of an array."""
    some = np.flatnonzero(length)
    if not len(some):
        return
    begin, length, values = begin[some], length[some], values[some]
    if not _are_long(length):
        out[ranges(begin, length)] = np.repeat(values, length)
        return
    for a, n, value in zip(begin.tolist(), length.tolist(), values.tolist(), strict=True):
        checkpoint()
        out[a : a + n] = value
