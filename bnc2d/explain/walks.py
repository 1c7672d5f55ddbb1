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

from bnc2d.checking import Check, no_check
from bnc2d.compile.diagram import Diagram
from bnc2d.compile.subfunctions import Numbers
from bnc2d.errors import LimitExceeded

Part: TypeAlias = dict[int, int]  # feature -> state, for some features
# Pairs of nodes at one level; each takes some 50 bytes while the level is worked on.
MAX_PAIRS = 2**25


def integers(bound: int) -> type[Any]:
    """Return the type for arrays of whole numbers below ``bound``: machine integers where they suffice."""
    return np.int64 if bound < 2**62 else object


def path_to(diagram: Diagram, node: int) -> Part:
    """Return states that lead from the root to a node."""
    part: Part = {}
    for feature, level, first in reversed(
        list(zip(diagram.order, diagram.levels, diagram.offsets(), strict=True))
    ):
        if node == diagram.root:
            break
        if first > node:
            row, state = np.divmod(np.flatnonzero(level == node)[:1], level.shape[1])
            if row.size:
                part[feature] = int(state[0])
                node = first + int(row[0])
    return part


def tell_apart(diagram: Diagram, one: int, other: int) -> Part:
    """Return states that lead from two different nodes to two different labels."""
    part: Part = {}
    for feature, level, first in zip(diagram.order, diagram.levels, diagram.offsets(), strict=True):
        if max(one, other) >= first and len(level):
            ones, others = (_children(level, first, np.array([node]))[0] for node in (one, other))
            state = int(np.flatnonzero(ones != others)[0])
            part[feature] = state
            one, other = int(ones[state]), int(others[state])
    return part


@dataclass(frozen=True)
class LabelPair:
    """Where a walk through pairs ended: ``weight`` of all that end there, and how one of them did."""

    weight: int
    start: int
    part: Part


def label_pairs(
    diagram: Diagram, starts: Numbers, weights: Sequence[int], check: Check = no_check
) -> dict[tuple[int, int], LabelPair]:
    """Return the pairs of different labels that pairs of nodes lead to.

    ``starts`` are the pairs ``[pair, 2]``. The weight of a pair is divided evenly among the states of each
    feature that it decides and must allow that. Equal nodes are not followed. ``check`` is called at every
    level; more than ``MAX_PAIRS`` pairs at a level are refused.
    """
    size = diagram.ends + diagram.node_count
    codes = starts[:, 0] * size + starts[:, 1]
    weight: NDArray[Any] = np.array(weights, dtype=integers(sum(weights) + 1))
    at = np.flatnonzero(starts[:, 0] != starts[:, 1])
    codes, weight, origin = _merged(codes[at], weight[at], at)
    trail: list[tuple[int, Numbers, Numbers]] = []  # feature; for each pair the one before; its state or -1
    for feature, level, first in zip(diagram.order, diagram.levels, diagram.offsets(), strict=True):
        check()
        left, right = np.divmod(codes, size)
        deciding = (left >= first) | (right >= first)
        if not len(level) or not deciding.any():
            continue
        stay, go = np.flatnonzero(~deciding), np.flatnonzero(deciding)
        states = level.shape[1]
        if len(stay) + len(go) * states > MAX_PAIRS:
            raise LimitExceeded(f"more than {MAX_PAIRS} pairs of diagram nodes to look at")
        lefts, rights = (_children(level, first, nodes[go]) for nodes in (left, right))
        differ = np.flatnonzero((lefts != rights).reshape(-1))
        before = np.concatenate([stay, go[differ // states]])
        state = np.concatenate([np.full(len(stay), -1), differ % states])
        parts = np.concatenate([weight[stay], weight[go[differ // states]] // states])
        reached = np.concatenate([codes[stay], (lefts * size + rights).reshape(-1)[differ]])
        codes, weight, kept = _merged(reached, parts, np.arange(len(reached)))
        trail.append((feature, before[kept], state[kept]))
    found = {}
    for row, code in enumerate(codes.tolist()):
        part: Part = {}
        place = row
        for feature, before, state in reversed(trail):
            if state[place] >= 0:
                part[feature] = int(state[place])
            place = int(before[place])
        found[code // size, code % size] = LabelPair(int(weight[row]), int(origin[place]), part)
    return found


def _children(level: Numbers, first: int, nodes: Numbers) -> Numbers:
    """Return what each node leads to, ``[node, state]``; a node of a later level leads to itself."""
    return np.where((nodes >= first)[:, None], level[np.maximum(nodes - first, 0)], nodes[:, None])


def _merged(codes: Numbers, weight: NDArray[Any], origin: Numbers) -> tuple[Numbers, NDArray[Any], Numbers]:
    """Return the distinct codes, the sum of their weights, and the origin of the first of each."""
    distinct, index, inverse = np.unique(codes, return_index=True, return_inverse=True)
    total = np.zeros(len(distinct), dtype=weight.dtype)
    np.add.at(total, inverse, weight)
    return distinct, total, origin[index]
