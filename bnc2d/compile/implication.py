"""Which sub-functions of a diagram imply which, found by walking pairs of nodes level by level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.diagram import Numbers

# Random instances, 64 to a word, refute nearly every implication that does not hold.
_WORDS = 8
_SEED = 20260
# A walk that would meet more pairs than this gives up: what it has not proven counts as not implied.
_PAIRS_AT_ONCE = 200_000


class Implications:
    """Answers for the nodes of one diagram with the ends 0 (false) and 1 (true)."""

    def __init__(self, levels: Sequence[Numbers], offsets: Sequence[int]) -> None:
        self._levels = levels
        self._offsets = offsets
        self._count = 2 + sum(len(level) for level in levels)
        self._samples = self._sample()

    def _sample(self) -> NDArray[np.uint64]:
        """Return for each node its values on random instances, as bits."""
        random = np.random.default_rng(_SEED)
        samples = np.zeros((self._count, _WORDS), dtype=np.uint64)
        samples[1] = ~np.uint64(0)
        for level, first in zip(reversed(self._levels), reversed(self._offsets), strict=True):
            size = level.shape[1]
            states = random.integers(size, size=64 * _WORDS)
            values = np.zeros((len(level), _WORDS), dtype=np.uint64)
            for state in range(size):
                chosen = np.packbits(states == state, bitorder="little").view(np.uint64)
                values |= samples[level[:, state]] & chosen
            samples[first : first + len(level)] = values
        return samples

    def holds(self, left: Numbers, right: Numbers) -> NDArray[np.bool_]:
        """Return for each pair whether the left node is proven to imply the right one."""
        tables: list[tuple[Numbers, Numbers]] = []  # per level: distinct pairs, and those they lead to
        known: list[NDArray[np.bool_]] = []
        answers, open_pairs = self._easy(left, right)
        asked = open_pairs
        pending = np.unique(open_pairs)
        for level, first in zip(self._levels, self._offsets, strict=True):
            a, b = np.divmod(pending, self._count)
            last = first + len(level)
            decides_a, decides_b = a >= first, b >= first
            here = decides_a | decides_b
            pairs = pending[here]
            waiting = pending[~here]
            a, b, decides_a, decides_b = a[here], b[here], decides_a[here], decides_b[here]
            if len(pairs) > _PAIRS_AT_ONCE or not len(level):
                tables.append((pairs, np.zeros((len(pairs), 0), dtype=np.int64)))
                known.append(np.zeros(len(pairs), dtype=bool))
                pending = waiting
                continue
            from_a = np.where(decides_a[:, None], level[np.clip(a - first, 0, last - first - 1)], a[:, None])
            from_b = np.where(decides_b[:, None], level[np.clip(b - first, 0, last - first - 1)], b[:, None])
            true, unknown = self._easy(from_a.reshape(-1), from_b.reshape(-1))
            codes = np.full(from_a.size, -1, dtype=np.int64)  # -1: does not hold, -2: holds
            codes[true] = -2
            codes[self._unsettled] = unknown
            codes = codes.reshape(from_a.shape)
            refuted = (codes == -1).any(axis=1)
            tables.append((pairs, np.where(refuted[:, None], -1, codes)))
            known.append(np.zeros(0, dtype=bool))
            follow = codes[~refuted]
            pending = np.unique(np.concatenate([waiting, follow[follow >= 0]]))
        self._resolve(tables, known)
        return self._answer(left, right, asked, answers, tables, known)
