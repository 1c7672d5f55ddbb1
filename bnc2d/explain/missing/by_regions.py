"""Completions that are too many to list, asked of the network by questions about regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from random import Random
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.graph.pruning import target_part
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.missing.by_diagram import Completion, Pair
from bnc2d.explain.missing.splitting import Verdict
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.regions.oracle import Asking, RegionOracle
from bnc2d.regions.questions import Choices
from bnc2d.regions.region import States

# Seconds that one question about a region may take where hidden variables are in the way, and the share of
# the time that all of them may; without an answer the region is split.
_QUESTION_SECONDS, _QUESTIONS_SHARE = 0.05, 0.3
# Completions that are drawn between two looks at what they show.
_DRAWN = 16
_ROUNDS_IN_VAIN = 8


class RegionCompletions:
    """The completions of what is known, as a region of a classifier's instances.

    ``own`` is the label that the partial instance has; ``order`` lists the missing features, those that say
    most about the target first: parts are split in this order.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        oracle: RegionOracle,
        known: Mapping[FeatureId, int],
        own: int,
        order: Sequence[FeatureId],
    ) -> None:
        self._classifier = classifier
        self._oracle = oracle
        self._known = known
        self._own = own
        labels = range(len(classifier.classes) + classifier.rule.leaves_ties)
        self._others = [label for label in labels if label != own]
        self.order = tuple(order)
        self._sizes = [len(variable) for variable in classifier.feature_variables]
        self._asking: dict[int, Asking] = {}
        self._started, self._asked = monotonic(), 0.0  # since when, and how long questions took
        self._random = Random(0)  # noqa: S311 - the same answer each time

    def witness(self) -> Completion | None:
        """Return a completion that has another label; None where it is proved that there is none."""
        return self._oracle.find([options[0] for options in self._options], self._others)

    def irrelevant(self) -> list[FeatureId]:
        """Return missing features that the others separate from the target, and that make nothing impossible.

        No completion is decided otherwise for them.
        """
        part = target_part(self._classifier)
        mentioned = set(part.classifier.features)
        mentioned |= {variable.name for cpt in part.zero_tables for variable in cpt.scope}
        names = self._classifier.features
        return [feature for feature in self.order if names[feature] not in mentioned]

    def pairs(self, features: Sequence[FeatureId], start: Completion) -> Iterator[tuple[FeatureId, Pair]]:
        """Yield for some of the features two completions that differ in it alone and have different labels.

        Completions are drawn at random, and near pairs that were found, where decisions are close; from each
        one every feature is changed alone. ``start`` is the first. Ends when all are found, or a number of
        rounds found none.
        """
        left = list(features)
        near = [start]
        in_vain = 0
        while left and in_vain < _ROUNDS_IN_VAIN:
            checkpoint()
            bases = np.array([*near[-_DRAWN:], *self._drawn(_DRAWN)], dtype=np.intp)
            near, found = [], []
            for feature in left:
                checkpoint()
                pair = self._pair_from(bases, feature)
                if pair is not None:
                    found.append(feature)
                    near += pair
                    yield feature, pair
            if not found:  # a walk between two labels crosses from one to another
                pair_of = self._crossing(bases)
                if pair_of is not None:
                    near += pair_of[1]
                    if pair_of[0] in left:
                        found.append(pair_of[0])
                        yield pair_of
            left = [feature for feature in left if feature not in found]
            in_vain = 0 if found else in_vain + 1

    def _drawn(self, number: int) -> list[Completion]:
        return [
            [self._known.get(f, self._random.randrange(size)) for f, size in enumerate(self._sizes)]
            for _ in range(number)
        ]

    def _pair_from(self, bases: Rows, feature: FeatureId) -> Pair | None:
        size = self._sizes[feature]
        rows = np.repeat(bases, size, axis=0)
        rows[:, feature] = np.tile(np.arange(size), len(bases))
        labels = self._labels(rows).reshape(len(bases), size)
        differing = np.argwhere(labels != labels[:, :1])
        if not len(differing):
            return None
        base, state = differing[0].tolist()
        return rows[base * size].tolist(), rows[base * size + state].tolist()

    def _crossing(self, bases: Rows) -> tuple[FeatureId, Pair] | None:
        """Return where the label changes on the way from one completion to another of another label."""
        labels = self._labels(bases)
        other = np.flatnonzero(labels != labels[0])
        if not other.size:
            return None
        row, goal = bases[0].copy(), bases[int(other[0])]
        steps, changed = [row.copy()], []
        for feature in self._random.sample(self.order, len(self.order)):
            if row[feature] != goal[feature]:
                row[feature] = goal[feature]
                steps.append(row.copy())
                changed.append(feature)
        on_the_way = self._labels(np.array(steps, dtype=np.intp))
        at = int(np.flatnonzero(on_the_way[1:] != on_the_way[:-1])[0])
        return changed[at], (steps[at].tolist(), steps[at + 1].tolist())

    def _labels(self, rows: Rows) -> NDArray[np.integer]:
        return self._oracle.labels(rows)

    @property
    def root(self) -> tuple[int, ...]:
        """No feature is set (see ``splitting.Tree``); a node holds states of the first of the order."""
        return ()

    def feature(self, node: tuple[int, ...]) -> FeatureId:
        """Return the first feature of the order that is not set."""
        return self.order[len(node)]

    def children(self, node: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the node with each state of its feature."""
        return [(*node, state) for state in range(self._sizes[self.feature(node)])]

    def verdicts(self, nodes: Sequence[tuple[int, ...]]) -> list[Verdict]:
        """Return what is known of parts: one completion of each says which question to ask, if any."""
        choices = np.array([self._choice(node) for node in nodes], dtype=np.intp)
        first = np.maximum(choices - 1, 0)  # its first state where a feature may have any
        first[:, list(self._known)] = list(self._known.values())
        labels = self._labels(first)
        settled = np.array([len(node) == len(self.order) for node in nodes])
        for label in np.unique(labels[~settled]).tolist():
            here = np.flatnonzero((labels == label) & ~settled)
            settled[here] = self._all(label, choices[here])
        return [
            Verdict.OPEN if not known else Verdict.KEPT if label == self._own else Verdict.LOST
            for known, label in zip(settled.tolist(), labels.tolist(), strict=True)
        ]

    def _choice(self, node: tuple[int, ...]) -> list[int]:
        """Return which of its options a part chooses for each feature: any state, or one."""
        chosen = [0] * len(self._sizes)
        for feature, state in zip(self.order, node, strict=False):
            chosen[feature] = state + 1
        return chosen

    @cached_property
    def _options(self) -> list[list[States]]:
        """Any state and each one, for a missing feature; the state of a known one."""
        return [
            [np.array([self._known[feature]])]
            if feature in self._known
            else [np.arange(size), *(np.array([state]) for state in range(size))]
            for feature, size in enumerate(self._sizes)
        ]

    def _all(self, label: int, choices: Choices) -> NDArray[np.bool_]:
        """Return which parts are known to have this label all over, or to have all but the own label.

        Where no hidden variable is in the way, many are asked at once about the one label. Otherwise each has
        its time, and is asked whether it keeps, or loses, the label of the partial instance.
        """
        if self._oracle.at_once([label]) > 1:
            if label not in self._asking:
                self._asking[label] = self._oracle.asking([label], self._options)
            return self._asking[label](choices)
        wanted = self._others if label == self._own else [self._own]
        found = np.zeros(len(choices), dtype=bool)
        for place, choice in enumerate(choices.tolist()):
            checkpoint()
            before = monotonic()
            if self._asked > _QUESTION_SECONDS + _QUESTIONS_SHARE * (before - self._started):
                break
            region = [options[at] for options, at in zip(self._options, choice, strict=True)]
            with suppress(TimeLimitExceeded), Budget(_QUESTION_SECONDS).limiting("the part is open"):
                found[place] = self._oracle.find(region, wanted) is None
            self._asked += monotonic() - before
        return found
