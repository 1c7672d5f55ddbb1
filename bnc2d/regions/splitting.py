"""Many regions at once of which only the instances that satisfy a constraint count.

Whole regions are asked about first. Those that fail are split along the diagram of the constraint, and their
parts asked about, many at once and the last ones first: one that fails where everything is allowed decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.diagram.diagram import Diagram, NodeNumber
from bnc2d.logic.domain import FeatureId
from bnc2d.regions.oracle import Asking, RegionOracle
from bnc2d.regions.questions import Choices
from bnc2d.regions.region import Label, States

FORBIDDEN, ALLOWED = 0, 1  # the terminals of a constraint
_PARTS_AT_ONCE = 64

_Key: TypeAlias = tuple[int, ...]


class _Step(NamedTuple):
    """A node: its feature, what it leads to, and ``[option, child]`` what is left of an option, or -1."""

    feature: FeatureId
    children: list[NodeNumber]
    left: NDArray[np.intp]


class _Part(NamedTuple):
    """A part of a region: which region, the options chosen, and the node of the constraint reached."""

    region: int
    choice: NDArray[np.intp]
    node: NodeNumber


class Splitting:
    """Says of regions, each a choice of one option a feature, whether all that is allowed has one label.

    The oracle must answer that for many regions at once without the constraint.
    """

    def __init__(
        self, oracle: RegionOracle, labels: set[Label], allowed: Diagram, options: Sequence[Sequence[States]]
    ) -> None:
        self._root = allowed.root
        self._steps: dict[NodeNumber, _Step] = {}
        wider = [list(sets) for sets in options]
        for feature, table, first in allowed.walk:
            places = {_key(states): place for place, states in enumerate(wider[feature])}
            for node, children in enumerate(table, start=first):
                self._steps[node] = _step(feature, children, options[feature], wider[feature], places)
        # Two that answer: each is quick where it is asked about as many regions as the time before.
        self._whole: Asking = oracle.asking(labels, wider)
        self._parts: Asking = oracle.asking(labels, wider)

    def __call__(self, choices: Choices) -> NDArray[np.bool_]:
        """Return for each region whether all instances that are allowed have the label."""
        answers = np.asarray(self._whole(choices))
        failed = np.flatnonzero(~answers).tolist()
        if self._root == ALLOWED:
            return answers
        answers[failed] = True
        waiting = [_Part(region, choices[region], self._root) for region in failed]
        while waiting:
            checkpoint()
            parts = [
                part
                for before in waiting[-_PARTS_AT_ONCE // 4 :]
                if answers[before.region]
                for part in self._split(before)
            ]
            del waiting[-_PARTS_AT_ONCE // 4 :]
            for start in range(0, len(parts), _PARTS_AT_ONCE):
                some = parts[start : start + _PARTS_AT_ONCE]
                for part, is_right in zip(some, self._ask(some), strict=True):
                    if is_right:
                        continue
                    if part.node == ALLOWED:
                        answers[part.region] = False
                    else:
                        waiting.append(part)
        return answers

    def _split(self, part: _Part) -> list[_Part]:
        feature, children, left = self._steps[part.node]
        found = []
        for child, option in zip(children, left[part.choice[feature]].tolist(), strict=True):
            if option >= 0:
                choice = part.choice.copy()
                choice[feature] = option
                found.append(_Part(part.region, choice, child))
        return found

    def _ask(self, parts: list[_Part]) -> list[bool]:
        """Ask about parts; the same number is asked about every time, as questions remember the last ones."""
        rows = np.stack([part.choice for part in parts])
        more = np.repeat(rows[-1:], _PARTS_AT_ONCE - len(rows), axis=0)
        answers: list[bool] = self._parts(np.concatenate([rows, more]))[: len(rows)].tolist()
        return answers


def _step(
    feature: FeatureId,
    children: NDArray[np.int64],
    options: Sequence[States],
    wider: list[States],
    places: dict[_Key, int],
) -> _Step:
    """Return what a node does to options; sets of states that are none of them yet are added to ``wider``.

    A way through the diagram meets a feature once, so only the options given can be chosen before it.
    """
    further = [child for child in np.unique(children).tolist() if child != FORBIDDEN]
    left = np.full((len(options), len(further)), -1, dtype=np.intp)
    for number, states in enumerate(options):
        for place, child in enumerate(further):
            part = states[children[states] == child]
            if len(part) and _key(part) not in places:
                places[_key(part)] = len(wider)
                wider.append(part)
            if len(part):
                left[number, place] = places[_key(part)]
    return _Step(feature, further, left)


def _key(states: States) -> _Key:
    return tuple(states.tolist())
