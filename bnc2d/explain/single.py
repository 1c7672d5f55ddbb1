"""One reason of each kind at once, read off the decision diagram however large the formula is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.hashing import sorted_distinct
from bnc2d.explain.reasons import Case
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import FeatureId, StateMask

_States = list[NDArray[np.intp]]  # for each feature, the states it may have


def one_term(case: Case, *, general: bool) -> dict[FeatureId, StateMask]:
    """Return a sufficient reason, or a general one over its features; empty where nothing is needed.

    A sufficient reason whose literals are as weak as they can be together is a general one: no part of its
    features is enough, so it is variable-minimal.
    """
    features = one_sufficient(case.diagram, case.positions, case.labels, case.fixed)
    if not general:
        return {feature: case.own[feature] for feature in features}
    states = [np.arange(size) for size in case.domain.cardinalities]
    for feature in (*features, *case.fixed):
        states[feature] = np.array([case.positions[feature]])
    may = {feature: np.arange(case.domain.cardinalities[feature]) for feature in features}
    grown = _grown(case.diagram, states, may, case.labels)
    return {feature: _mask(grown[feature]) for feature in features}


def one_clause(case: Case, *, general: bool) -> dict[FeatureId, StateMask] | None:
    """Return a shortest necessary reason, or a general one over its features; None where there is none.

    The features in which a nearest instance outside the case differs are a necessary reason: giving up fewer
    of them is not enough, or there would be a nearer one. The other states that they may take, as many as
    always lead out, are what a general necessary reason rules out.
    """
    others = [label for label in range(case.diagram.terminals) if label not in case.labels]
    out = nearest(case.diagram, case.positions, others, case.fixed)
    if out is None:
        return None
    features = [f for f, own in enumerate(case.positions) if out[f] != own]
    if not general:
        return {feature: case.own[feature] for feature in features}
    states = [np.array([state]) for state in out]
    may = {
        feature: np.delete(np.arange(case.domain.cardinalities[feature]), case.positions[feature])
        for feature in features
    }
    grown = _grown(case.diagram, states, may, others)
    return {feature: case.domain.full(feature) & ~_mask(grown[feature]) for feature in features}


def one_sufficient(
    diagram: Diagram, positions: Sequence[int], labels: Collection[int], fixed: Collection[FeatureId]
) -> list[FeatureId]:
    """Return the features of a sufficient reason: each is given up, in order, where the others are enough.

    Whether they are is seen from the nodes that an instance can reach with the others as they are; with most
    features still set these are few, so a diagram of any size is walked in milliseconds.
    """
    walk = _Walk(diagram, positions, labels)
    free: set[FeatureId] = set()
    kept = []
    for feature in range(len(positions)):
        if feature in fixed:
            continue
        if walk.stays({*free, feature}):
            free.add(feature)
        else:
            kept.append(feature)
    return kept


class _Walk:
    """Where instances lead that agree with one instance but for some features."""

    def __init__(self, diagram: Diagram, positions: Sequence[int], labels: Collection[int]) -> None:
        self._diagram = diagram
        self._positions = positions
        self._wrong = np.array([terminal not in labels for terminal in range(diagram.terminals)])

    def stays(self, free: Collection[FeatureId]) -> bool:
        """Return whether all of them have one of the labels."""
        nodes = np.array([self._diagram.root], dtype=np.int64)
        for feature, level, first in self._diagram.walk:
            here = nodes >= first  # nodes of this level; those of the levels before are done
            if not here.any():
                continue
            rows = level[nodes[here] - first]
            below = rows.reshape(-1) if feature in free else rows[:, self._positions[feature]]
            nodes = sorted_distinct(np.concatenate([nodes[~here], below]))
            reached = nodes[nodes < self._diagram.terminals]
            if self._wrong[reached].any():
                return False
        return not self._wrong[nodes].any()


def _grown(
    diagram: Diagram, states: _States, may: Mapping[FeatureId, NDArray[np.intp]], labels: Collection[int]
) -> _States:
    """Return more states for the features of ``may``, among those given there, as many as can be.

    All instances within ``states`` have one of the labels, and so have all within the answer; no state more
    would do. Whether a state can be added depends on the other features' states only. Features are taken
    from the last level to the first: one pass down finds the nodes that each is asked at, with the features
    above as they came; one pass up finds from which nodes all instances within the answer stay.
    """
    asked: dict[FeatureId, NDArray[np.int64]] = {}
    nodes = np.array([diagram.root], dtype=np.int64)
    for feature, level, first in diagram.walk:
        here = nodes >= first
        asked[feature] = nodes[here] - first
        below = level[asked[feature]][:, states[feature]].reshape(-1)
        nodes = sorted_distinct(np.concatenate([nodes[~here], below]))
    stays = np.zeros(diagram.size, dtype=bool)
    stays[list(labels)] = True
    grown = list(states)
    for feature, level, first in reversed(diagram.walk):
        if feature in may:
            good = np.atleast_1d(stays[level[asked[feature]]].all(axis=0))
            grown[feature] = may[feature][good[may[feature]]]
        stays[first : first + len(level)] = stays[level[:, grown[feature]]].all(axis=1)
    return grown


def _mask(states: NDArray[np.intp]) -> StateMask:
    return sum(1 << state for state in states.tolist())
