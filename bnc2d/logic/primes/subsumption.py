"""Families of sets, a set being the bits of an int: minimal members and pairwise unions, bit-parallel.

Small families stay Python ints. Large ones become rows of 64-bit words in numpy: sorted by the number of
bits, so that a set is tested only against smaller ones, and split on single bits, so that most pairs are
never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BitSet: TypeAlias = int
Words: TypeAlias = NDArray[np.uint64]  # [set, word]
Spend: TypeAlias = Callable[[int], None]  # is told of work to come, and raises when there was too much
Test: TypeAlias = Callable[[Words], NDArray[np.bool_]]  # tells which sets are minimal
TestFor: TypeAlias = Callable[[int], Test | None]  # for so many sets, or None where comparing is faster

_SMALL = 24  # families up to this size are compared in Python
_FEW_PAIRS = 1_024  # up to so many pairs are united in Python
_DIRECT = 256  # families up to this size are compared all with all, in one step
_PAIRS = 1 << 18  # so many pairs are compared at once instead of being split further
_CHUNK = 1 << 20  # so many unions are formed before the subsumed ones are removed
_BETWEEN_LOOKS = 1 << 16  # so many disjoint unions are formed between two looks at the clock


def _no_limit(_: int) -> None:
    pass


def minimal(sets: Iterable[BitSet], spend: Spend = _no_limit) -> list[BitSet]:
    """Return the sets that contain no other one, each once, in no particular order."""
    distinct = set(sets)
    if len(distinct) <= _SMALL:
        return _minimal_of_few(distinct)
    if 0 in distinct:
        return [0]
    return _unpack(_minimal_rows(_pack(distinct, _width(distinct)), spend))


def minimal_unions(
    left: Sequence[BitSet], right: Sequence[BitSet], spend: Spend, test_for: TestFor | None = None
) -> list[BitSet]:
    """Return the minimal unions of a member of ``left`` and one of ``right``; both families are minimal.

    A member that contains one of the other family is itself such a union and subsumes all others that it is
    part of, so only the remaining members are paired. ``spend`` is told the number of pairs beforehand, and
    ``test_for`` asked for another way to tell which of so many unions are minimal.
    """
    if not left or not right:
        return []
    spend(len(left) + len(right))
    if len(left) * len(right) <= _FEW_PAIRS:
        return minimal(_unions_of_few(left, right), spend)
    width = max(_width(left), _width(right))
    rows, others = _pack(left, width), _pack(right, width)
    rows_done, others_done = _covered(rows, others, spend), _covered(others, rows, spend)
    kept = [rows[rows_done], others[others_done]]
    rows, others = rows[~rows_done], others[~others_done]
    pairs = len(rows) * len(others)
    spend(pairs)
    test = None if test_for is None else test_for(pairs)
    step = max(1, _CHUNK // max(1, len(others)))
    for start in range(0, len(rows), step):
        spend(0)
        unions = (rows[start : start + step, None, :] | others[None, :, :]).reshape(-1, width)
        if test is not None:
            unions = unions[test(unions)]
        elif start + step < len(rows):
            unions = _minimal_rows(_distinct(np.concatenate([*kept, unions])), spend)
            kept = []
        kept.append(unions)
    distinct = _distinct(np.concatenate(kept))
    return _unpack(_minimal_rows(distinct, spend) if test is None else distinct)


def disjoint_unions(left: Sequence[BitSet], right: Sequence[BitSet], spend: Spend) -> list[BitSet]:
    """Return all unions of two families over disjoint bits; minimal because both families are."""
    spend(len(left) * len(right))
    if len(left) * len(right) <= _BETWEEN_LOOKS:
        return [one | other for one in left for other in right]
    if len(left) < len(right):
        left, right = right, left
    step = max(1, _BETWEEN_LOOKS // len(right))
    unions: list[BitSet] = []
    for start in range(0, len(left), step):
        spend(0)
        unions += [one | other for one in left[start : start + step] for other in right]
    return unions


def _unions_of_few(left: Sequence[BitSet], right: Sequence[BitSet]) -> set[BitSet]:
    """Return all minimal unions and some others."""
    unions = {one | other for one in left for other in right}
    done = unions.intersection(left)
    others_done = unions.intersection(right)
    if not done and not others_done:
        return unions
    rest = [one for one in left if one not in done]
    others = [other for other in right if other not in others_done]
    return done.union(others_done, [one | other for one in rest for other in others])


def _minimal_of_few(sets: Iterable[BitSet]) -> list[BitSet]:
    kept: list[BitSet] = []
    for candidate in sorted(sets, key=int.bit_count):
        for smaller in kept:
            if smaller & candidate == smaller:
                break
        else:
            kept.append(candidate)
    return kept


def _width(sets: Iterable[BitSet]) -> int:
    return max(1, (max(sets).bit_length() + 63) // 64)


def _pack(sets: Iterable[BitSet], width: int) -> Words:
    if width == 1:
        return np.array(list(sets), dtype=np.uint64).reshape(-1, 1)
    joined = b"".join(member.to_bytes(8 * width, "little") for member in sets)
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64).reshape(-1, width)


def _unpack(rows: Words) -> list[BitSet]:
    width = rows.shape[1]
    if width == 1:
        members: list[int] = rows[:, 0].tolist()
        return members
    joined, size = rows.astype("<u8").tobytes(), 8 * width
    return [int.from_bytes(joined[start : start + size], "little") for start in range(0, len(joined), size)]


def _distinct(rows: Words) -> Words:
    if rows.shape[1] == 1:
        return np.unique(rows[:, 0]).reshape(-1, 1)
    ordered = rows[np.lexsort(rows.T)]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[fresh]


def _minimal_rows(rows: Words, spend: Spend) -> Words:
    """Return the minimal ones of distinct rows: level by level, sets with equally many bits together."""
    if len(rows) <= _DIRECT:
        alone: NDArray[np.bool_] = _contained(rows, rows).sum(axis=1) == 1
        return rows[alone]
    sizes = np.bitwise_count(rows).sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    rows, sizes = rows[order], sizes[order]
    starts = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(rows)]
    kept = rows[: starts[1]]
    for start, end in pairwise(starts[1:]):
        level = rows[start:end]
        kept = np.concatenate([kept, level[~_covered(level, kept, spend)]])
    return kept


def _covered(rows: Words, by: Words, spend: Spend) -> NDArray[np.bool_]:
    """Return which rows contain a row of ``by``.

    Divide and conquer: members of ``by`` with a certain bit are compared only with the rows that have it.
    """
    found = np.zeros(len(rows), dtype=bool)
    pending = [(np.arange(len(rows)), by)]
    while pending:
        spend(0)
        index, smaller = pending.pop()
        index = index[~found[index]]
        here = rows[index]
        while len(index) * len(smaller) > _PAIRS:
            word, bit = _best_split(here, smaller)
            if word < 0:
                break
            flag = np.uint64(1) << np.uint64(bit)
            has, smaller_has = (here[:, word] & flag) != 0, (smaller[:, word] & flag) != 0
            pending.append((index[has], smaller[smaller_has]))
            smaller = smaller[~smaller_has]
        if not len(smaller):
            continue
        step = max(1, _PAIRS // len(smaller))
        for start in range(0, len(index), step):
            found[index[start : start + step]] = _contained(here[start : start + step], smaller).any(axis=1)
    return found


def _best_split(rows: Words, by: Words) -> tuple[int, int]:
    """Return word and bit of the split that spares most pairs, or (-1, -1) when none spares enough."""
    have, by_have = _bit_shares(rows), _bit_shares(by)
    spared = (1 - have) * by_have
    best = int(np.argmax(spared))
    return divmod(best, 64) if spared[best] > 0.05 else (-1, -1)


def _bit_shares(rows: Words) -> NDArray[np.float64]:
    """Return for each bit the share of rows that have it, from at most 1,024 of them."""
    sample = rows[:: max(1, len(rows) // 1024)]
    octets = np.ascontiguousarray(sample.astype("<u8")).view(np.uint8)
    shares: NDArray[np.float64] = np.unpackbits(octets, axis=1, bitorder="little").mean(axis=0)
    return shares


def _contained(rows: Words, by: Words) -> NDArray[np.bool_]:
    """Return for each row (down) and each row of ``by`` (across) whether the first contains the second."""
    missing = by[None, :, 0] & ~rows[:, None, 0]
    for word in range(1, rows.shape[1]):
        missing |= by[None, :, word] & ~rows[:, None, word]
    contained: NDArray[np.bool_] = missing == 0
    return contained
