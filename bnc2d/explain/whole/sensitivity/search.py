"""The first decision to change on either side of a number: all instances, or by compiling again.

An instance keeps its decision in an interval of values (``flips``). So where a classifier decides everything
alike at another value, it does so in between, and where it does not, an instance that is decided differently
has left its decision before. That gives a search for the first flip over any number of instances:

1. Look at some instances.
2. Compile the classifier at the first flip known, or, where the decision ends at that very value, so near
   before it that no other can change in between (``Family.gap``).
3. Where all is decided alike there, nothing flips earlier. Otherwise look at the instances that are decided
   differently: whoever flips earlier is among them. Where they are too many, draw some, go from the first
   that flips to neighbours that flip earlier, and compile again. Each round draws thousands, so rounds are
   few.

Instances in no class (``ties="none"``) may come back to a tie after they left it, so these are looked at one
by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, Rows
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.errors import LimitExceeded
from bnc2d.explain.whole.compare import common_diagram
from bnc2d.explain.whole.sensitivity.family import Family
from bnc2d.explain.whole.sensitivity.side import Side
from bnc2d.logic.diagram import counting
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.differing import differing
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS

# Classifiers of at most this many instances are looked at instance by instance.
FEW_INSTANCES = 1 << 16
# Instances drawn in each round.
_DRAWS = 1 << 12
# Up to this many instances the first draws leave few enough to look at all.
_TWO_ROUNDS = _DRAWS * _DRAWS
# The label of instances that do not count.
_OUTSIDE = -2


@dataclass
class Subject:
    """Whose decisions are to stay: a classifier, and its compiled model where there is one."""

    classifier: BaseClassifier
    model: BaseCompiledModel | None = None
    few: int = FEW_INSTANCES
    _all: list[tuple[Rows, Numbers]] = field(default_factory=list)

    @property
    def is_small(self) -> bool:
        """Whether instances are few enough to look at each."""
        return self.classifier.instance_count <= self.few

    def labels(self, rows: Rows) -> Numbers:
        """Return the decisions on rows, ``NO_CLASS`` for none, another negative number where none counts."""
        if self.model is None:
            return self.classifier.labels(rows).astype(np.int64)
        classes = len(self.classifier.classes)
        names = np.full(self.model.diagram.terminals, NO_CLASS, dtype=np.int64)
        names[:classes] = np.arange(classes)
        if self.model.constraint is not None:
            names[-1] = _OUTSIDE
        found: Numbers = names[self.model.diagram.labels(rows)]
        return found

    def all_instances(self) -> Iterable[tuple[Rows, Numbers]]:
        """Return all instances that count, with their decisions, in pieces; they are found once."""
        if not self._all:
            for rows in all_rows(self.classifier.feature_variables):
                checkpoint()
                self._all.append(self.of_those_that_count(rows))
        return self._all

    def of_those_that_count(self, rows: Rows) -> tuple[Rows, Numbers]:
        """Return the rows that count, with their decisions."""
        labels = self.labels(rows)
        kept = np.flatnonzero(labels != _OUTSIDE)
        return rows[kept], labels[kept]

    def compiled(self) -> BaseCompiledModel:
        """Return the compiled model; a classifier is compiled first."""
        if self.model is None:
            self.model = compile_classifier(self.classifier, formulas=False)
        return self.model

    @cached_property
    def without_class(self) -> tuple[Rows, Numbers, bool]:
        """Instances in no class that must be looked at, with their labels, and whether these are all of them.

        Of two classes a tie ends at once or never, so that these need it no more than others.
        """
        model = self.compiled()
        features, classes = len(model.features), len(model.classes)
        has_them = model.classifier.rule.leaves_ties and model.diagram.terminals > classes > 2
        if not has_them:
            return np.zeros((0, features), dtype=np.intp), np.zeros(0, dtype=np.int64), True
        rows, complete = drawn(model.diagram, classes, FEW_INSTANCES)
        return rows, np.full(len(rows), NO_CLASS, dtype=np.int64), complete


def drawn(diagram: Diagram, terminal: int, most: int) -> tuple[Rows, bool]:
    """Return instances of a terminal, all if they are at most ``most``, else draws; and whether all."""
    ways = counting.ways(diagram, [terminal])
    total = int(ways[diagram.root])
    if total <= most:
        positions: Iterable[int] = range(total)
    else:
        rng = Random(total)  # noqa: S311 - reproducible draws, not secrets
        positions = sorted({rng.randrange(total) for _ in range(most)})
    rows = np.array(list(counting.rows_in_order(diagram, ways, positions)), dtype=np.intp)
    return rows.reshape(-1, len(diagram.domain)), total <= most


class SensitivitySearch:
    """The first flips on both sides of a number; ``sides`` are those below and above."""

    def __init__(self, subject: Subject, family: Family) -> None:
        self._subject = subject
        self._family = family
        self.below, self.above = Side(family, falling=True), Side(family, falling=False)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Those below the value and above it."""
        return self.below, self.above

    def run(self, budget: Budget) -> None:
        """Find the first flips; past a limit, sides are left that are not proved."""
        try:
            with budget.limiting("the interval is not proved"):
                if not self._family.matters:
                    self._finish(self.sides)
                elif self._subject.is_small:
                    for rows, labels in self._subject.all_instances():
                        self._look(rows, labels, self.sides)
                    self._finish(self.sides)
                else:
                    self._among_many()
        except LimitExceeded:  # what is known by now is bounds
            pass

    def _finish(self, sides: Iterable[Side]) -> None:
        for side in sides:
            side.sure, side.proved = side.end, True

    def _look(self, rows: Rows, labels: Numbers, sides: Iterable[Side]) -> bool:
        """Look at instances on some sides; return whether some flip earlier than those known."""
        checkpoint()
        left = [side for side in sides if not side.done]
        if not left or not len(rows):
            return False
        sheet = self._family.weigh(rows, exact=False)
        found = [side.look(sheet, rows, labels) for side in left]
        return any(found)

    def _among_many(self) -> None:
        subject = self._subject
        rng = np.random.default_rng(0)
        sizes = [len(feature) for feature in subject.classifier.feature_variables]
        rows = np.stack([rng.integers(size, size=_DRAWS) for size in sizes], axis=1).astype(np.intp)
        self._look(*subject.of_those_that_count(rows), self.sides)
        if subject.classifier.instance_count > _TWO_ROUNDS:
            for side in self.sides:
                self._climb(side)
        subject.compiled()
        loose, labels, complete = subject.without_class
        self._look(loose, labels, self.sides)
        for side in self.sides:
            is_first = side.done
            while not is_first:
                differing_rows, is_first = self._differences(side.value(self._place_to_test(side)))
                self._look(*subject.of_those_that_count(differing_rows), [side])
                if not is_first:
                    self._climb(side)
                is_first |= side.done
            if complete or side.done:
                self._finish([side])

    def _climb(self, side: Side) -> None:
        """Go from the first flip known to neighbours that flip earlier, as long as there are some."""
        features = self._subject.classifier.feature_variables
        single = [(place, state) for place, feature in enumerate(features) for state in range(len(feature))]
        columns, states = np.array(single, dtype=np.intp).T
        while side.row is not None and not side.done:
            rows = np.tile(np.array(side.row, dtype=np.intp), (len(single), 1))
            rows[np.arange(len(single)), columns] = states
            if not self._look(*self._subject.of_those_that_count(rows), [side]):
                return

    def _place_to_test(self, side: Side) -> Fraction:
        """Return the last place, on a side's scale, where nothing has changed if no flip comes earlier."""
        stays = side.flip.included if side.flip is not None else self._family.closed
        return side.end if stays else side.end - self._family.gap()

    def _differences(self, value: Fraction) -> tuple[Rows, bool]:
        """Return instances that are decided differently at another value, and whether these are all."""
        model = self._subject.compiled()
        other = compile_classifier(self._family.at(value), formulas=False)
        diagram, (mine, theirs) = common_diagram(model, other, Budget())
        counts: NDArray[np.bool_] = np.arange(diagram.terminals) <= len(model.classes)
        return drawn(differing(diagram, mine, theirs, counts), 1, _DRAWS)
