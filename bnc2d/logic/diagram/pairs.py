"""Two instances that differ in some features only and lead to labels that do not go together."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, Level
from bnc2d.logic.diagram.walks import MAX_PAIRS, Assignment
from bnc2d.logic.domain import FeatureId


def find_pair(
    diagram: Diagram, steps: Mapping[FeatureId, Numbers], wanted: NDArray[np.bool_]
) -> tuple[Assignment, Assignment] | None:
    """Return states of two instances that lead to a pair of terminals wanted, or None where none do.

    ``steps`` has for features in which the two may differ an array ``[step, 2]`` of the states that they may
    have, equal ones among them; all others are equal. ``wanted`` is ``[terminal, terminal]``, false for equal
    ones. More than ``MAX_PAIRS`` pairs of nodes at a level are refused.

    Pairs of nodes are followed from the root down, a level at a time. A pair is dropped where no terminals
    below are wanted together, or where both are one node and no feature below can part them.
    """
    size = diagram.size
    hopeful = _Hopeful(diagram, steps, wanted)
    codes = np.array([diagram.root * size + diagram.root], dtype=np.int64)
    codes = codes[hopeful(codes)]
    trail: list[tuple[FeatureId, Numbers, Numbers]] = []  # feature; the pair before; the step or -1
    for level in diagram.walk:
        checkpoint()
        ended = np.flatnonzero((codes // size < diagram.terminals) & (codes % size < diagram.terminals))
        if ended.size:  # such a pair is hopeful only where it is wanted
            return _traced(trail, int(ended[0]), steps)
        if not len(codes):
            return None
        before, step, reached = _one_level_down(codes, size, level, steps.get(level.feature), hopeful)
        codes, kept, _ = distinct(reached)
        trail.append((level.feature, before[kept], step[kept]))
    return _traced(trail, 0, steps) if len(codes) else None


class _Hopeful:
    """Tells the pairs of nodes, by their codes, from which a pair of terminals wanted may be reached."""

    def __init__(self, diagram: Diagram, parting: Collection[FeatureId], wanted: NDArray[np.bool_]) -> None:
        self._size = diagram.size
        self._reached = np.zeros((diagram.size, diagram.terminals), dtype=bool)
        self._reached[: diagram.terminals] = np.eye(diagram.terminals, dtype=bool)
        self._parted = np.zeros(diagram.size, dtype=bool)
        for level in reversed(diagram.walk):
            for piece in pieces(len(level.table), PIECE // (level.table.shape[1] * diagram.terminals)):
                nodes = slice(level.first + piece.start, level.first + piece.stop)
                children = level.table[piece]
                self._reached[nodes] = self._reached[children].any(axis=1)
                self._parted[nodes] = level.feature in parting or self._parted[children].any(axis=1)
        self._rivals = np.zeros_like(self._reached)  # the terminals wanted with one that is reached
        for terminal, others in enumerate(wanted):
            checkpoint()
            if others.any():
                self._rivals[np.ix_(self._reached[:, terminal], others)] = True

    def __call__(self, codes: Numbers) -> NDArray[np.bool_]:
        found = np.zeros(len(codes), dtype=bool)
        for piece in pieces(len(codes), PIECE // self._rivals.shape[1]):
            left, right = np.divmod(codes[piece], self._size)
            apart = (left != right) | self._parted[left]
            found[piece] = apart & (self._rivals[left] & self._reached[right]).any(axis=1)
        return found


def _one_level_down(
    codes: Numbers, size: int, level: Level, steps: Numbers | None, hopeful: _Hopeful
) -> tuple[Numbers, Numbers, Numbers]:
    """Return what pairs lead to: for each its pair, step (-1: it stays) and code."""
    states = np.arange(level.table.shape[1])
    one, other = (states, states) if steps is None else steps.T
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    count = 0
    for piece in pieces(len(codes), PIECE // len(one)):
        left, right = np.divmod(codes[piece], size)
        deciding = (left >= level.first) | (right >= level.first)
        stay, go = np.flatnonzero(~deciding), np.flatnonzero(deciding)
        reached = level.children(left[go])[:, one] * size + level.children(right[go])[:, other]
        reached = reached.reshape(-1)
        kept = np.flatnonzero(hopeful(reached))
        found.append((stay + piece.start, np.full(len(stay), -1), codes[piece][stay]))
        found.append((go[kept // len(one)] + piece.start, kept % len(one), reached[kept]))
        count += len(stay) + len(kept)
        if count > MAX_PAIRS:
            raise LimitExceeded(f"more than {MAX_PAIRS} pairs of diagram nodes to look at")
    before, step, after = (joined(list(parts)) for parts in zip(*found, strict=True))
    return before, step, after


def _traced(
    trail: list[tuple[FeatureId, Numbers, Numbers]], place: int, steps: Mapping[FeatureId, Numbers]
) -> tuple[Assignment, Assignment]:
    """Return the states that led to a pair of nodes."""
    first: Assignment = {}
    second: Assignment = {}
    for feature, before, step in reversed(trail):
        taken = int(step[place])
        if taken >= 0:
            pair = steps[feature][taken] if feature in steps else (taken, taken)
            first[feature], second[feature] = int(pair[0]), int(pair[1])
        place = int(before[place])
    return first, second
