"""Walks through a decision diagram: down to a node, apart from a pair of nodes, and through all pairs.

Nodes of a reduced diagram with different numbers are different functions, so two of them can always be told
apart by going down with both: some state of the next feature leads to two different nodes again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, piece_of, take
from bnc2d.base.checkpoints import PIECE, checked, checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.counting import integers
from bnc2d.logic.diagram.diagram import Diagram, Level
from bnc2d.logic.domain import FeatureId

Assignment: TypeAlias = dict[FeatureId, int]  # feature -> state, for some features
# Pairs of nodes at one level; each takes some 50 bytes while the level is worked on.
MAX_PAIRS = 2**25


def path_to(diagram: Diagram, node: int) -> Assignment:
    """Return states that lead from the root to a node."""
    found: Assignment = {}
    for feature, table, first in reversed(diagram.walk):
        if node == diagram.root:
            break
        if first > node:
            row, state = np.divmod(np.flatnonzero(table == node)[:1], table.shape[1])
            if row.size:
                found[feature] = int(state[0])
                node = first + int(row[0])
    return found


def tell_apart(diagram: Diagram, one: int, other: int) -> Assignment:
    """Return states that lead from two different nodes to two different labels."""
    found: Assignment = {}
    for level in diagram.walk:
        if max(one, other) >= level.first:
            ones, others = level.children(np.array([one, other]))
            state = int(np.flatnonzero(ones != others)[0])
            found[level.feature] = state
            one, other = int(ones[state]), int(others[state])
    return found


def instance_with(diagram: Diagram, part: Assignment) -> dict[str, str]:
    """Return the instance with these states, the other features in their first."""
    return diagram.domain.decode([part.get(feature, 0) for feature in range(len(diagram.domain))])


@dataclass(frozen=True)
class LabelPair:
    """Where a walk through pairs ended: ``weight`` of all that end there, and how one of them did."""

    weight: int
    start: int
    assignment: Assignment


def label_pairs(
    diagram: Diagram, starts: Numbers, weights: Sequence[int]
) -> dict[tuple[int, int], LabelPair]:
    """Return the pairs of different labels that pairs of nodes lead to.

    ``starts`` are the pairs ``[pair, 2]``. The weight of a pair is divided evenly among the states of each
    feature that it decides and must allow that. Equal nodes are not followed. More
    than ``MAX_PAIRS`` pairs at a level are refused.
    """
    size = diagram.size
    codes = starts[:, 0] * size + starts[:, 1]
    weight: NDArray[Any] = np.array(weights, dtype=integers(sum(weights) + 1))
    at = np.flatnonzero(starts[:, 0] != starts[:, 1])
    codes, weight, origin = _merged(codes[at], weight[at], at)
    trail: list[tuple[int, Numbers, Numbers]] = []  # feature; for each pair the one before; its state or -1
    for level in diagram.walk:
        checkpoint()
        if not len(codes):
            break
        before, state, parts, reached = _one_level_down(codes, weight, size, level)
        codes, weight, kept = _merged(reached, parts, np.arange(len(reached)))
        trail.append((level.feature, before[kept], state[kept]))
    pairs = {}
    for row, code in enumerate(checked(codes.tolist())):
        found: Assignment = {}
        place = row
        for feature, before, state in reversed(trail):
            if state[place] >= 0:
                found[feature] = int(state[place])
            place = int(before[place])
        pairs[code // size, code % size] = LabelPair(int(weight[row]), int(origin[place]), found)
    return pairs


def _one_level_down(
    codes: Numbers, weight: NDArray[Any], size: int, level: Level
) -> tuple[Numbers, Numbers, NDArray[Any], Numbers]:
    """Return what pairs of nodes lead to: for each step its pair, state (-1: it stays), weight and code.

    Pairs that stay come first, then all steps of those that the level decides.
    """
    states = level.table.shape[1]
    stays: list[Numbers] = [np.zeros(0, dtype=np.int64)]
    steps: list[tuple[Numbers, Numbers, Numbers]] = []  # pair, state, code
    count = 0
    for piece in pieces(len(codes), PIECE // states):
        left, right = np.divmod(codes[piece], size)
        deciding = (left >= level.first) | (right >= level.first)
        stays.append(np.flatnonzero(~deciding) + piece.start)
        go = np.flatnonzero(deciding)
        count += len(stays[-1]) + len(go) * states
        if count > MAX_PAIRS:
            raise LimitExceeded(f"more than {MAX_PAIRS} pairs of diagram nodes to look at")
        lefts, rights = (level.children(nodes[go]) for nodes in (left, right))
        differ = np.flatnonzero((lefts != rights).reshape(-1))
        reached = (lefts * size + rights).reshape(-1)[differ]
        steps.append((go[differ // states] + piece.start, differ % states, reached))
    stay = joined(stays)
    before, state, reached = (
        joined([np.zeros(0, dtype=np.int64), *parts]) for parts in zip(*steps, strict=True)
    )
    moved = take(weight, before)
    for piece in pieces(len(moved), piece_of(weight.dtype)):
        moved[piece] //= states
    return (
        joined([stay, before]),
        joined([np.full(len(stay), -1), state]),
        joined([take(weight, stay), moved]),
        joined([take(codes, stay), reached]),
    )


def _merged(codes: Numbers, weight: NDArray[Any], origin: Numbers) -> tuple[Numbers, NDArray[Any], Numbers]:
    """Return the distinct codes, the sum of their weights, and the origin of the first of each."""
    found, first, numbers = distinct(codes)
    total = np.zeros(len(found), dtype=weight.dtype)
    for piece in pieces(len(codes)):
        np.add.at(total, numbers[piece], weight[piece])
    return found, total, origin[first]
