"""Completions read off a decision diagram with the known features fixed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import InstanceError, LimitExceeded
from bnc2d.explain.missing.splitting import Verdict
from bnc2d.logic.diagram.diagram import Diagram, Level
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.logic.diagram.walks import Assignment, label_pairs, path_to, tell_apart
from bnc2d.logic.domain import FeatureId

Completion: TypeAlias = list[int]  # state positions of all features
Pair: TypeAlias = tuple[Completion, Completion]


class DiagramCompletions:
    """The completions of what is known, in the diagram of all decisions.

    ``own`` is the label that the partial instance has. With ``outside`` the last terminal is for instances
    that do not count: they are no completions.
    """

    def __init__(
        self, diagram: Diagram, known: Mapping[FeatureId, int], own: int, *, outside: bool = False
    ) -> None:
        self.known = known
        self.diagram = with_fixed(diagram, known)
        self._outside = diagram.terminals - 1 if outside else None
        # Where no instance is in no class, the diagram has no terminal for that label.
        self._own = own if own < diagram.terminals - outside else None
        counts = self.diagram.counts()
        if self._outside is not None:
            counts[self._outside] = 0
        self._counts = counts
        if not sum(counts):
            raise InstanceError("no completion of what is known satisfies the constraint")
        self._levels = sorted(self.diagram.walk, key=lambda level: level.first)
        self._firsts = [level.first for level in self._levels]

    @property
    def share(self) -> Fraction:
        """The share of the completions that have the label, exactly."""
        return Fraction(0 if self._own is None else self._counts[self._own], sum(self._counts))

    def witness(self) -> Completion | None:
        """Return a completion that has another label; None where there is none."""
        for label, number in enumerate(self._counts):
            if number and label != self._own:
                return self.completion(path_to(self.diagram, label))
        return None

    def completion(self, part: Mapping[FeatureId, int]) -> Completion:
        """Return the completion with these states, the other missing features in their first."""
        states = {**part, **self.known}
        return [states.get(feature, 0) for feature in range(len(self.diagram.domain))]

    def pair(self, feature: FeatureId) -> Pair | None:
        """Return two completions that differ in a feature alone and have different labels, if there are any.

        The diagram is reduced: a feature matters exactly where it has a node, and a node has two different
        edges. Where some instances do not count, a node may tell only these from others.
        """
        level = next((level for level in self.diagram.walk if level.feature == feature), None)
        if level is None:
            return None
        if self._outside is not None:
            return self._counting_pair(level, self._outside)
        edges = level.table[0].tolist()
        state = next(state for state, child in enumerate(edges) if child != edges[0])
        rest = tell_apart(self.diagram, edges[0], edges[state])
        return self._completed(level, 0, rest, (0, state))

    def _completed(self, level: Level, node: int, rest: Assignment, states: tuple[int, int]) -> Pair:
        both = path_to(self.diagram, level.first + node) | rest
        one, other = (self.completion({**both, level.feature: state}) for state in states)
        return one, other

    def _counting_pair(self, level: Level, outside: int) -> Pair | None:
        """Return a pair of completions that both count: all pairs of edges of the level are followed."""
        for one, other in combinations(range(level.table.shape[1]), 2):
            checkpoint()
            starts = level.table[:, [one, other]]
            for labels, found in label_pairs(self.diagram, starts, [0] * len(starts)).items():
                if outside not in labels:
                    return self._completed(level, found.start, found.assignment, (one, other))
        return None

    @property
    def root(self) -> int:
        """The root of the diagram (see ``splitting.Tree``)."""
        return self.diagram.root

    def verdicts(self, nodes: Sequence[int]) -> list[Verdict]:
        """Return what is known of parts: a terminal settles one."""
        return [self._verdict(node) for node in nodes]

    def _verdict(self, node: int) -> Verdict:
        if node >= self.diagram.terminals:
            return Verdict.OPEN
        if node == self._outside:
            return Verdict.OUTSIDE
        return Verdict.KEPT if node == self._own else Verdict.LOST

    def feature(self, node: int) -> FeatureId:
        """Return the feature that a node decides."""
        return self._level(node).feature

    def children(self, node: int) -> list[int]:
        """Return the nodes that the states of its feature lead to."""
        level = self._level(node)
        found: list[int] = level.table[node - level.first].tolist()
        return found

    def _level(self, node: int) -> Level:
        return self._levels[bisect_right(self._firsts, node) - 1]

    def path_count(self, most: int) -> int:
        """Return how many paths lead from the root to terminals, or ``most + 1`` where there are more."""
        paths = np.ones(self.diagram.size)
        for level in reversed(self.diagram.walk):
            checkpoint()
            paths[level.nodes] = np.minimum(paths[level.table].sum(axis=1), most + 1.0)
        return int(paths[self.diagram.root])

    def paths(self, any_state: Sequence[int], most: int) -> list[tuple[Verdict, list[int]]]:
        """Return every path with its verdict, as a row in which features that it does not ask are "any"."""
        if self.path_count(most) > most:
            raise LimitExceeded(f"more than {most} paths")
        row = [self.known.get(feature, any_state[feature]) for feature in range(len(any_state))]
        found: list[tuple[Verdict, list[int]]] = []
        left = [(self.root, row)]
        while left:
            checkpoint()
            node, row = left.pop()
            verdict = self._verdict(node)
            if verdict is not Verdict.OPEN:
                found.append((verdict, row))
                continue
            feature = self.feature(node)
            for state, child in enumerate(self.children(node)):
                left.append((child, [*row[:feature], state, *row[feature + 1 :]]))
        return found
