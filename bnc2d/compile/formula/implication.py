"""Which sub-functions of a diagram imply which, found by walking pairs of nodes level by level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import hash_weights, sorted_distinct, stable_order

# Random instances, 64 to a word, refute nearly every implication that does not hold.
_WORDS = 8
# A level with more pairs than this, or more pairs of children, is not walked: what is not proven counts as
# not implied.
_PAIRS_AT_ONCE = 250_000
_CHILDREN_AT_ONCE = 1 << 22
# Random instances are compared for so many pairs together.
_REFUTED_AT_ONCE = 1 << 16
_NO, _YES = -2, -1  # settled pairs, where a code of an open pair could stand


class Implications:
    """Answers for the nodes of one diagram with the ends 0 (false) and 1 (true)."""

    def __init__(self, levels: Sequence[NDArray[np.int64]], offsets: Sequence[int]) -> None:
        self._levels = levels
        self._offsets = offsets
        self._count = 2 + sum(len(level) for level in levels)
        self._samples = self._sample()
        self._first = self._samples[:, 0].copy()  # refutes most on its own

    def _sample(self) -> NDArray[np.uint64]:
        """Return for each node its values on random instances, as bits."""
        numbers = hash_weights(64 * _WORDS * len(self._levels)).reshape(-1, 64 * _WORDS) >> np.uint64(20)
        samples = np.zeros((self._count, _WORDS), dtype=np.uint64)
        samples[1] = ~np.uint64(0)
        for row, level, first in zip(numbers, reversed(self._levels), reversed(self._offsets), strict=True):
            checkpoint()
            size = level.shape[1]
            states = row % np.uint64(size)
            packed = np.packbits(
                states == np.arange(size, dtype=np.uint64)[:, None], axis=1, bitorder="little"
            )
            chosen = packed.view(np.uint64)  # [state]: the instances that have it
            for piece in pieces(len(level), PIECE // (4 * _WORDS)):
                values = samples[first : first + len(level)][piece]
                for state, instances in enumerate(chosen):
                    values |= samples[level[piece, state]] & instances
        return samples

    def holds(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair whether the left node is proven to imply the right one."""
        asked = self._settle(left, right)
        checkpoint()
        pending = sorted_distinct(asked[asked >= 0])
        walked: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # pairs, and the pairs below each
        for level, first in zip(self._levels, self._offsets, strict=True):
            if not len(pending):
                break
            checkpoint()
            a, b = np.divmod(pending, self._count)
            here = (a >= first) | (b >= first)
            if not here.any():
                continue
            pairs, waiting = pending[here], pending[~here]
            if len(pairs) > min(_PAIRS_AT_ONCE, _CHILDREN_AT_ONCE // level.shape[1]):
                below = np.full((len(pairs), 1), _NO, dtype=np.int64)
            else:
                below = self._settle(*(self._cofactors(node[here], level, first) for node in (a, b)))
                below[(below == _NO).any(axis=1)] = _NO
            walked.append((pairs, below))
            pending = sorted_distinct(np.concatenate([waiting, below[below >= 0]]))
        if not walked:
            settled: NDArray[np.bool_] = asked == _YES
            return settled
        codes = np.concatenate([pairs for pairs, _ in walked])
        ranks = stable_order(codes)
        # The settled codes -1 and -2 index the two values at the end.
        values = np.zeros(len(codes) + 2, dtype=bool)
        values[_YES] = True
        end = len(codes)
        for pairs, below in reversed(walked):
            checkpoint()
            start = end - len(pairs)
            values[start:end] = values[_positions(below, codes, ranks)].all(axis=1)
            end = start
        return values[_positions(asked, codes, ranks)]

    def refuted(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair whether a random instance is in the left node and not in the right one."""
        found = np.empty(len(left), dtype=bool)
        for piece in pieces(len(left), _REFUTED_AT_ONCE):
            a, b = left[piece], right[piece]
            hit = (self._first[a] & ~self._first[b]) != 0
            rest = np.flatnonzero(~hit)
            hit[rest] = (self._samples[a[rest]] & ~self._samples[b[rest]]).any(axis=1)
            found[piece] = hit
        return found

    def _settle(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return YES or NO where that is easily seen, else the code of the pair."""
        shape = left.shape
        left, right = left.reshape(-1), right.reshape(-1)
        codes = left * self._count + right
        # A reduced diagram has one node for false and one for true.
        codes[(left == 1) | (right == 0)] = _NO
        codes[(left == right) | (left == 0) | (right == 1)] = _YES
        unsettled = np.flatnonzero(codes >= 0)
        codes[unsettled[self.refuted(left[unsettled], right[unsettled])]] = _NO
        return codes.reshape(shape)

    @staticmethod
    def _cofactors(nodes: NDArray[np.int64], level: NDArray[np.int64], first: int) -> NDArray[np.int64]:
        """Return the children of the nodes that are in the level; others stay for every state."""
        rows = np.repeat(nodes[:, None], level.shape[1], axis=1)
        inside = nodes >= first
        rows[inside] = level[nodes[inside] - first]
        return rows


def _positions(
    wanted: NDArray[np.int64], codes: NDArray[np.int64], ranks: NDArray[np.int64]
) -> NDArray[np.int64]:
    positions = wanted.reshape(-1).copy()
    open_pairs = np.flatnonzero(positions >= 0)
    for piece in pieces(len(open_pairs)):
        places = open_pairs[piece]
        positions[places] = ranks[np.searchsorted(codes, positions[places], sorter=ranks)]
    return positions.reshape(wanted.shape)
