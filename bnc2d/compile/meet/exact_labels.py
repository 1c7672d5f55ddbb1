"""Exact labels for the cells that float64 cannot prove.

Patterns are merged by float64 values, so what is exact is told for kinds of instances: each instance for
itself where there are few, else all that integer tables of both sides prove to be proportional.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import Check, checkpoint
from bnc2d.base.hashing import distinct
from bnc2d.compile.meet.tables.compressed_factor import Integers, Part, spread
from bnc2d.model.classifier import Classifier
from bnc2d.model.decision import DecisionRule
from bnc2d.model.elimination import VariableId


class Resolver(Protocol):
    """Tells exact labels of pairs of kinds; every instance of a side is of one kind."""

    @property
    def rows(self) -> Integers:
        """The kind of each instance of the first side."""

    @property
    def columns(self) -> Integers:
        """The kind of each instance of the second side."""

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of kinds; -1 for "in no class"."""


@dataclass(frozen=True)
class ByInstances:
    """Every instance is a kind of its own, decided by the classifier.

    ``template`` is an instance with the features set beforehand; ``places`` are the positions of the features
    of each side, ``sizes`` their numbers of states. ``check`` is called often and may raise.
    """

    classifier: Classifier
    template: Sequence[int]
    places: tuple[Sequence[int], Sequence[int]]
    sizes: tuple[Sequence[int], Sequence[int]]
    check: Check

    @property
    def rows(self) -> Integers:
        """The kind of each instance of the first side."""
        return np.arange(prod(self.sizes[0]))

    @property
    def columns(self) -> Integers:
        """The kind of each instance of the second side."""
        return np.arange(prod(self.sizes[1]))

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of kinds; -1 for "in no class"."""
        instances = np.tile(np.array(self.template, dtype=np.intp), (len(rows), 1))
        for places, sizes, numbers in zip(self.places, self.sizes, (rows, columns), strict=True):
            if len(places):
                instances[:, places] = np.stack(np.unravel_index(numbers, sizes), axis=1)
        return self.classifier.labels(instances, self.check)


@dataclass(frozen=True)
class ByParts:
    """Integer tables of both sides; patterns are the kinds."""

    first: Part
    second: Part
    target: VariableId
    priors: Sequence[Fraction]
    sizes: Mapping[VariableId, int]
    rule: DecisionRule

    @property
    def rows(self) -> Integers:
        """The kind of each instance of the first side."""
        return self.first.pattern_of_row

    @property
    def columns(self) -> Integers:
        """The kind of each instance of the second side."""
        return self.second.pattern_of_row

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of kinds; -1 for "in no class"."""
        others = tuple(v for v in dict.fromkeys((*self.first.scope, *self.second.scope)) if v != self.target)
        axes = (self.target, *others)
        classes = len(self.priors)
        of_first, of_second = (
            spread(part, axes, self.sizes).reshape(classes, -1) for part in (self.first, self.second)
        )
        scale = lcm(*(prior.denominator for prior in self.priors))
        integers = [int(prior * scale) for prior in self.priors]
        codes = rows * self.second.patterns + columns
        cells, _, places = distinct(codes)
        labels = np.empty(len(cells), dtype=np.intp)
        left, right = self.first.table, self.second.table
        for at, cell in enumerate(cells.tolist()):
            checkpoint()
            u, v = divmod(cell, self.second.patterns)
            joint = [
                integers[y] * int(np.dot(left[of_first[y], u], right[of_second[y], v]))
                for y in range(classes)
            ]
            labels[at] = self.rule.exact_label(joint)
        return labels[places]
