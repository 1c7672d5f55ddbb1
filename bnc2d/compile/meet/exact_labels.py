"""Exact labels for the cells that float64 cannot prove.

Patterns are merged by float64 values, so exact labels are given for groups of instances: each instance is a
group of its own where there are few, else integer tables of both sides prove which are proportional.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct
from bnc2d.base.masks import VariableId
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, Integers, paired_groups
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import DecisionRule


class Resolver(Protocol):
    """Gives exact labels of pairs of groups; every instance of a side is in one group."""

    @property
    def rows(self) -> Integers:
        """The group of each instance of the first side."""

    @property
    def columns(self) -> Integers:
        """The group of each instance of the second side."""

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of groups; -1 for "in no class"."""


@dataclass(frozen=True)
class ByInstances:
    """Every instance is a group of its own, decided by the classifier.

    ``template`` is an instance with the features set beforehand; ``indices`` are the features of each side by
    position, ``sizes`` their numbers of states.
    """

    classifier: BaseClassifier
    template: Sequence[int]
    indices: tuple[Sequence[int], Sequence[int]]
    sizes: tuple[Sequence[int], Sequence[int]]

    @property
    def rows(self) -> Integers:
        """The group of each instance of the first side."""
        return np.arange(prod(self.sizes[0]))

    @property
    def columns(self) -> Integers:
        """The group of each instance of the second side."""
        return np.arange(prod(self.sizes[1]))

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of groups; -1 for "in no class"."""
        instances = np.tile(np.array(self.template, dtype=np.intp), (len(rows), 1))
        for indices, sizes, ids in zip(self.indices, self.sizes, (rows, columns), strict=True):
            if len(indices):
                instances[:, indices] = np.stack(np.unravel_index(ids, sizes), axis=1)
        return self.classifier.labels(instances)


@dataclass(frozen=True)
class ByTables:
    """Integer tables of both sides; patterns are the groups."""

    first: CompressedFactor
    second: CompressedFactor
    target: VariableId
    priors: Sequence[Fraction]
    sizes: Mapping[VariableId, int]
    rule: DecisionRule

    @property
    def rows(self) -> Integers:
        """The group of each instance of the first side."""
        return self.first.pattern_of_row

    @property
    def columns(self) -> Integers:
        """The group of each instance of the second side."""
        return self.second.pattern_of_row

    def labels(self, rows: Integers, columns: Integers) -> NDArray[np.intp]:
        """Return the label of each pair of groups; -1 for "in no class"."""
        others = tuple(v for v in dict.fromkeys((*self.first.scope, *self.second.scope)) if v != self.target)
        axes = (self.target, *others)
        classes = len(self.priors)
        codes = paired_groups(self.first, self.second, axes, self.sizes).reshape(classes, -1)
        of_first, of_second = np.divmod(codes, len(self.second.table))
        scale = lcm(*(prior.denominator for prior in self.priors))
        integers = [int(prior * scale) for prior in self.priors]
        cells, _, indices = distinct(rows * self.second.patterns + columns)
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
        return labels[indices]
