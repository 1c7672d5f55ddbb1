"""Exact labels for the cells that float64 cannot prove.

Patterns are merged by float64 values, so exact labels are given for groups of instances: each instance is a
group of its own where there are few, else integer tables of both sides prove which are proportional.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct
from bnc2d.base.masks import VariableId
from bnc2d.compile.meet.join import groups_by_class
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, Integers
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import DecisionRule


@dataclass(frozen=True)
class Resolver:
    """Exact labels of pairs of groups; every instance of a side is in one group.

    ``rows`` and ``columns`` are the group of each instance of the first side and of the second; ``labels``
    returns the label of each pair of groups, -1 for "in no class".
    """

    rows: Integers
    columns: Integers
    labels: Callable[[Integers, Integers], NDArray[np.intp]]


def by_instances(
    classifier: BaseClassifier,
    template: Sequence[int],
    indices: tuple[Sequence[int], Sequence[int]],
    sizes: tuple[Sequence[int], Sequence[int]],
) -> Resolver:
    """Return a resolver in which every instance is a group of its own, decided by the classifier.

    ``template`` is an instance with the features set beforehand; ``indices`` are the features of each side by
    position, ``sizes`` their numbers of states.
    """

    def labels(rows: Integers, columns: Integers) -> NDArray[np.intp]:
        instances = np.tile(np.array(template, dtype=np.intp), (len(rows), 1))
        for side, cardinalities, ids in zip(indices, sizes, (rows, columns), strict=True):
            if len(side):
                instances[:, side] = np.stack(np.unravel_index(ids, cardinalities), axis=1)
        return classifier.labels(instances)

    return Resolver(np.arange(prod(sizes[0])), np.arange(prod(sizes[1])), labels)


def by_tables(
    first: CompressedFactor,
    second: CompressedFactor,
    target: VariableId,
    priors: Sequence[Fraction],
    sizes: Mapping[VariableId, int],
    rule: DecisionRule,
) -> Resolver:
    """Return a resolver by integer tables of both sides, whose patterns are the groups."""
    of_first, of_second = np.divmod(groups_by_class(first, second, target, sizes), len(second.table))
    scale = lcm(*(prior.denominator for prior in priors))
    weights = [int(prior * scale) for prior in priors]

    def labels(rows: Integers, columns: Integers) -> NDArray[np.intp]:
        cells, _, indices = distinct(rows * second.patterns + columns)
        found = np.empty(len(cells), dtype=np.intp)
        for at, cell in enumerate(cells.tolist()):
            checkpoint()
            u, v = divmod(cell, second.patterns)
            joint = [
                weight * int(np.dot(first.table[of_first[y], u], second.table[of_second[y], v]))
                for y, weight in enumerate(weights)
            ]
            found[at] = rule.exact_label(joint)
        return found[indices]

    return Resolver(first.pattern_of_row, second.pattern_of_row, labels)
