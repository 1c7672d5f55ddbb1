"""Questions about regions of which only the instances within a box count: features may have some states.

What is asked of a region is asked of its part within the box, so that a box costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.model.decision import Labels
from bnc2d.regions.narrowed import NarrowedOracle
from bnc2d.regions.oracle import Asking, RegionOracle, one_by_one
from bnc2d.regions.questions import Choices
from bnc2d.regions.region import Label, Region, States


class BoxOracle(NarrowedOracle):
    """Answers as another oracle, but instances outside a box have a label of their own, ``outside``.

    The box has the states of the features that may not have all. The other oracle may give that label, too
    (``is_known``), to instances that do not count for another reason.
    """

    def __init__(
        self, oracle: RegionOracle, box: Mapping[FeatureId, StateMask], outside: Label, *, is_known: bool
    ) -> None:
        super().__init__(oracle, outside)
        self._is_known = is_known
        self._inside = {
            feature: np.array([mask >> state & 1 for state in range(size)], dtype=bool)
            for feature, size in enumerate(oracle.domain.cardinalities)
            if (mask := box.get(feature)) is not None
        }

    def labels(self, rows: Rows) -> Labels:
        """Return the label of each instance."""
        within = np.ones(len(rows), dtype=bool)
        for feature, inside in self._inside.items():
            within &= inside[rows[:, feature]]
        labels = np.full(len(rows), self._outside, dtype=np.intp)
        if within.any():
            labels[within] = self._oracle.labels(rows[within])
        return labels

    def find(self, region: Region, wanted: Collection[Label]) -> list[int] | None:
        """Return an instance of a region with a label wanted, or None where there is none."""
        part = list(region)
        for feature, inside in self._inside.items():
            part[feature] = region[feature][inside[region[feature]]]
            if self._outside in wanted and len(part[feature]) < len(region[feature]):
                instance = [int(states[0]) for states in region]
                instance[feature] = int(region[feature][~inside[region[feature]]][0])
                return instance
        labels = self._of_the_other(wanted)
        return self._oracle.find(part, labels) if labels and all(map(len, part)) else None

    def _of_the_other(self, labels: Collection[Label]) -> set[Label]:
        return set(labels) if self._is_known else set(labels) - {self._outside}

    def at_once(self, labels: Collection[Label]) -> int:
        """As many as the other oracle."""
        others = self._of_the_other(labels)
        return self._oracle.at_once(others) if others else 1

    def asking(self, labels: Collection[Label], options: Sequence[Sequence[States]]) -> Asking:
        """Return what says whether all instances of regions have one of the labels.

        Instances outside are right where their label is among them: what is left of an option decides, and a
        region of which nothing is left is right. Where it is not, an option with states outside is wrong.
        """
        labels_inside = self._of_the_other(labels)
        if not labels_inside:
            others = self._others(labels)
            return one_by_one(lambda region: self.find(region, others) is None, options)
        is_right = self._outside in labels
        cut = [list(states) for states in options]
        decided: dict[FeatureId, NDArray[np.bool_]] = {}  # of each option, whether it decides by itself
        for feature, inside in self._inside.items():
            left = [states[inside[states]] for states in options[feature]]
            lengths = np.array([len(states) for states in left])
            whole = np.array([len(states) for states in options[feature]])
            decided[feature] = lengths == 0 if is_right else lengths < whole
            pairs = zip(left, options[feature], strict=True)
            cut[feature] = [part if len(part) else states for part, states in pairs]
        inner = self._oracle.asking(labels_inside, cut)

        def ask(choices: Choices) -> NDArray[np.bool_]:
            settled = np.zeros(len(choices), dtype=bool)
            for feature, by_option in decided.items():
                settled |= by_option[choices[:, feature]]
            answers = np.full(len(choices), is_right)
            if not settled.all():
                answers[~settled] = inner(choices[~settled])
            return answers

        return ask
