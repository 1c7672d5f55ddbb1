"""The part of a decision diagram around an instance, and the monotone functions of its reasons.

Which features of an instance are *kept* decides where the others can lead. "Wherever they lead, the label is
a wanted one" is a monotone function of the kept features, whose minimal sets are the sufficient reasons: at a
node of feature x it is that of the child for the instance's own state where x is kept, else the conjunction
over all children. "Changing these features only can lead to another label" is its dual, whose minimal sets
are the necessary reasons. It is read off the diagram without a formula, a level at a time; nodes with
different functions are few even where nodes are many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.diagrams import BitDiagrams, Level, Node

Sets: TypeAlias = NDArray[np.uint64]  # many sets of features, each a bit of the words: [feature, word]

_EVERY = np.uint64(2**64 - 1)
_PIECE = 1 << 16  # nodes that are evaluated together for many sets
_BEGINNING = 64  # entries of a column that tell most of them apart


class MetLevel(NamedTuple):
    """The nodes of one level that are met; states that lead to the same children are one group."""

    feature: FeatureId
    nodes: Numbers  # their numbers in the diagram
    groups: list[StateMask]  # the instance's own state is in the first
    children: list[Numbers]  # for each group, of each node


@dataclass(frozen=True)
class Neighbourhood:
    """What instances within some states lead to; ``states`` has for each feature the instance's own first.

    ``labels`` are those that are wanted.
    """

    diagram: Diagram
    states: Sequence[Sequence[int]]
    labels: Collection[int]

    @cached_property
    def levels(self) -> list[MetLevel]:
        """The levels with nodes that are met, in the order of the diagram."""
        diagram = self.diagram
        met = np.zeros(diagram.size, dtype=bool)
        met[diagram.root] = True
        found = []
        for feature, table, first in diagram.walk:
            here = np.flatnonzero(met[first : first + len(table)])
            if not len(here):
                continue
            groups, columns = _alike(take(table, here), self.states[feature])
            for children in columns:
                for piece in pieces(len(children)):
                    met[children[piece]] = True
            found.append(MetLevel(feature, here + first, groups, columns))
        return found

    @cached_property
    def features(self) -> list[FeatureId]:
        """The features that can matter, in the order of the diagram: those with several groups of states."""
        return [met.feature for met in self.levels if len(met.groups) > 1]

    @cached_property
    def node_count(self) -> int:
        """The number of nodes met that can matter."""
        return sum(len(met.nodes) for met in self.levels if len(met.groups) > 1)

    def fold(self, rule: Callable[[MetLevel, list[list[int]]], list[int]]) -> int:
        """Return the value of the root; wanted labels have value 1, others 0.

        The rule gives the values of the nodes of a level from those of their children, one for each group;
        nodes whose children have equal values are one to it.
        """
        diagram = self.diagram
        values = np.zeros(diagram.size, dtype=np.int64)
        values[list(self.labels)] = 1
        for met in reversed(self.levels):
            checkpoint()
            below = [take(values, children) for children in met.children]
            if len(below) == 1:
                values[met.nodes] = below[0]
            else:
                rows, row_of_node = _distinct_rows(below)
                values[met.nodes] = take(np.array(rule(met, rows), dtype=np.int64), row_of_node)
        return int(values[diagram.root])

    def kept(self, diagrams: BitDiagrams, level_of: Mapping[FeatureId, Level]) -> Node:
        """Return the BDD of "the label is a wanted one while these features are kept"."""

        def rule(met: MetLevel, rows: list[list[Node]]) -> list[Node]:
            diagrams.spend(len(rows))
            level = level_of[met.feature]
            return [diagrams.choice(level, diagrams.join(False, row), row[0]) for row in rows]

        return self.fold(rule)

    def excluded(
        self,
        diagrams: BitDiagrams,
        level_of: Mapping[FeatureId, Level],
        level_of_group: Mapping[tuple[FeatureId, StateMask], Level],
    ) -> Node:
        """Return the BDD of "the label is a wanted one while these groups of states are excluded".

        Groups with a level are excluded where its bit is present, and the bit of their feature if that has a
        level too, which comes right before those of its groups.
        """

        def rule(met: MetLevel, rows: list[list[Node]]) -> list[Node]:
            own = level_of.get(met.feature)
            levels = [level_of_group.get((met.feature, group)) for group in met.groups]
            found = []
            for row in rows:
                diagrams.spend(len(row))
                whole = diagrams.join(False, row)
                part = diagrams.join(
                    False, [node for node, at in zip(row, levels, strict=True) if at is None]
                )
                for node, level in reversed(list(zip(row, levels, strict=True))):
                    if level is not None:
                        part = diagrams.choice(level, diagrams.join(False, (part, node)), part)
                found.append(part if own is None else diagrams.choice(own, whole, part))
            return found

        return self.fold(rule)

    def holds(self, kept: Sets) -> NDArray[np.uint64]:
        """Return for which of many sets of kept features the label is always a wanted one."""
        diagram = self.diagram
        values = np.zeros((diagram.size, kept.shape[1]), dtype=np.uint64)
        values[list(self.labels)] = _EVERY
        for met in reversed(self.levels):
            for piece in pieces(len(met.nodes), _PIECE):
                own, *others = (values[children[piece]] for children in met.children)
                values[met.nodes[piece]] = own & (kept[met.feature] | reduce(and_, others, own))
        root: NDArray[np.uint64] = values[diagram.root]
        return root


def _alike(table: Numbers, states: Sequence[int]) -> tuple[list[StateMask], list[Numbers]]:
    """Return the groups of states with equal columns of ``[node, state]``, and the column of each group."""
    groups: list[StateMask] = []
    columns: list[Numbers] = []
    numbers: dict[bytes, list[int]] = {}  # groups by the first entries of their columns
    for state in states:
        column = np.ascontiguousarray(table[:, state])
        begun = numbers.setdefault(column[:_BEGINNING].tobytes(), [])
        group = next((number for number in begun if np.array_equal(columns[number], column)), len(groups))
        if group == len(groups):
            begun.append(group)
            groups.append(0)
            columns.append(column)
        groups[group] |= 1 << state
    return groups, columns


def _distinct_rows(columns: list[Numbers]) -> tuple[list[list[int]], Numbers]:
    """Return the different rows of a table given by its columns, and for each row which of them it is."""
    codes = columns[0]
    for column in columns[1:]:
        base = int(column.max()) + 1
        if (int(codes.max()) + 1) * base >= 2**62:
            codes = distinct(codes)[2]
        codes = codes * base + column
    _, firsts, row_of = distinct(codes)
    return np.stack([column[firsts] for column in columns], axis=1).tolist(), row_of
