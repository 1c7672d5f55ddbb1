"""Bounds on the ratios of classes, for many regions at once.

Every edge of the tree of tables parts it in two. What is said from either side has bounds; joined, they bound
the ratios of classes. Each edge gives other bounds, all of them true: where both sides *meet* is a choice.
An edge is named by its node that is farther from the tree's root: *up* goes from there towards the root,
*down* is what comes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.base.masks import VariableId
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.messages.values import Indices, Values
from bnc2d.regions.odds.grid import Grid, Joining, joining
from bnc2d.regions.odds.join import Allowed, joined
from bnc2d.regions.region import Region, States

# By region and feature: which of the feature's options, each a set of states.
Choices: TypeAlias = NDArray[np.intp]
Options: TypeAlias = Sequence[Sequence[States]]
NodeId: TypeAlias = int

# Numbers that are worked on together.
_PIECE = 1 << 20


class _Said(NamedTuple):
    """What is said along an edge: different bounds, and which of them each region has."""

    bounds: Values
    which: Indices


class OddsPasses:
    """Bounds for some ``classes``, in the order given, of regions within one that is given.

    Only features that several tables have are restricted at once; ``zeros`` says whether there are any.
    """

    def __init__(
        self, tree: Tree, leaves: Leaves, classes: Sequence[int], region: Region, *, zeros: bool
    ) -> None:
        self._tree, self._leaves, self._classes = tree, leaves, list(classes)
        self._region, self._zeros = region, zeros
        self._features = frozenset(tree.column)
        self._sizes = {**leaves.sizes(region), tree.target: len(self._classes)}
        self.root = len(tree.nodes) - 1
        self._parent: dict[NodeId, tuple[NodeId, NodeId]] = {}  # and what else goes into it
        for number, node in enumerate(tree.nodes):
            for place, source in enumerate(node.inputs):
                self._parent[source] = number, node.inputs[1 - place]
        self._tables: dict[tuple[object, ...], Values] = {}
        self._lay_out()

    def _lay_out(self) -> None:
        """Find how messages are joined along every edge, up, down and where both meet."""
        nodes, target = self._tree.nodes, self._tree.target
        self._up: list[Joining | None] = []
        grids: list[Grid] = []
        scopes: list[Grid] = []
        for node in nodes:
            scopes.append(self._grid(node.scope, target=node.has_target))
            how = None
            if node.inputs:
                left, right = ((grids[source], scopes[source]) for source in node.inputs)
                how = self._joining(left, right, scopes[-1].variables)
            self._up.append(how)
            grids.append(how.result if how else scopes[-1])
        nothing = self._grid((), target=False)
        self._down: dict[NodeId, Joining] = {}
        self._meeting: dict[NodeId, Joining] = {}
        down = {self.root: (nothing, nothing)}
        for number in reversed(range(self.root)):
            parent, other = self._parent[number]
            beyond = nodes[other].has_target or target in down[parent][1].variables
            scope = self._grid(nodes[number].scope, target=beyond)
            how = self._joining(down[parent], (grids[other], scopes[other]), scope.variables)
            self._down[number] = how
            down[number] = how.result, scope
            self._meeting[number] = self._joining(down[number], (grids[number], scopes[number]), (target,))
        self.numbers = sum(how.union.numbers for how in self._up if how is not None)

    def _grid(self, scope: Sequence[VariableId], *, target: bool) -> Grid:
        ascending = tuple(sorted((*scope, *([self._tree.target] if target else []))))
        return Grid(ascending, tuple(self._sizes[v] for v in ascending), self._features)

    def _joining(
        self, left: tuple[Grid, Grid], right: tuple[Grid, Grid], kept: Sequence[VariableId]
    ) -> Joining:
        forgotten = [v for grid, scope in (left, right) for v in set(scope.variables) - set(grid.variables)]
        return joining(left[0], right[0], forgotten, kept, self._tree.target)

    def bounds(self, choices: Choices, options: Options, meeting: NodeId) -> Values:
        """Return bounds ``[region, step, class]``: of the class so many steps on, beside the class.

        What both sides say meets at an edge, or at the root, if that is the only table.
        """
        if meeting == self.root:
            table = self._of_table(meeting, choices, options)
            return table.bounds[table.which]
        above = list(self._above(meeting))
        up = self._all_up(choices, options, without=set(above))
        down = self._nothing(choices)
        for number in (*reversed(above[:-1]), meeting):
            other = self._parent[number][1]
            down = self._join(self._down[number], down, up[other], choices, options)
        met = self._join(self._meeting[meeting], down, up[meeting], choices, options)
        return met.bounds[met.which]

    def bounds_everywhere(self, choice: Choices, options: Options) -> dict[NodeId, Values]:
        """Return the bounds ``[step, class]`` for one region by each edge."""
        choices = choice[None]
        if not self.root:
            return {self.root: self.bounds(choices, options, self.root)[0]}
        up = self._all_up(choices, options, without={self.root})
        down = {self.root: self._nothing(choices)}
        found = {}
        for number in reversed(range(self.root)):
            parent, other = self._parent[number]
            down[number] = self._join(self._down[number], down[parent], up[other], choices, options)
            met = self._join(self._meeting[number], down[number], up[number], choices, options)
            found[number] = met.bounds[0]
        return found

    def _above(self, number: NodeId) -> Iterator[NodeId]:
        while number in self._parent:
            number = self._parent[number][0]
            yield number

    def _nothing(self, choices: Choices) -> _Said:
        return _Said(np.ones((1, 0)), np.zeros(len(choices), dtype=np.intp))

    def _all_up(self, choices: Choices, options: Options, without: set[NodeId]) -> dict[NodeId, _Said]:
        said: dict[NodeId, _Said] = {}
        for number, node in enumerate(self._tree.nodes):
            if number not in without:
                how = self._up[number]
                if how is None:
                    said[number] = self._of_table(number, choices, options)
                else:
                    left, right = (said[source] for source in node.inputs)
                    said[number] = self._join(how, left, right, choices, options)
        return said

    def _of_table(self, number: NodeId, choices: Choices, options: Options) -> _Said:
        columns = [self._tree.column[feature] for feature in self._tree.nodes[number].chosen]
        first, which = _different([choices[:, column] for column in columns], len(choices))
        tables = [
            self._table(number, [options[column][choices[at, column]] for column in columns])
            for at in first.tolist()
        ]
        return _Said(np.stack(tables), which)

    def _table(self, number: NodeId, chosen: Sequence[States]) -> Values:
        """Return the bounds of a table, given the states that its own features may have."""
        key = (number, *(states.tobytes() for states in chosen))
        if key not in self._tables:
            tree, node = self._tree, self._tree.nodes[number]
            region = list(self._region)
            for feature, states in zip(node.chosen, chosen, strict=True):
                region[tree.column[feature]] = states
            rows = self._leaves.rows(number, region)
            scope = list(node.scope)
            if node.has_target:
                rows = rows[self._classes].transpose(1, 0, 2)
                scope.insert(0, tree.target)
            table = rows.reshape(-1, *(self._sizes[v] for v in scope))
            table = table.transpose(0, *(1 + axis for axis in np.argsort(scope)))
            grid = self._grid(node.scope, target=node.has_target)
            bounds = np.empty((len(grid.moves), *grid.sizes))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                for place, (variable, step) in enumerate(grid.moves):
                    moved = np.roll(table, -step, axis=1 + grid.variables.index(variable))
                    bounds[place] = np.where(moved == 0, 0.0, moved / table).max(axis=0)
            self._tables[key] = bounds * (1.0 + 8 * self._leaves.roundings(number) * UNIT_ROUNDOFF)
        return self._tables[key]

    def _join(self, how: Joining, left: _Said, right: _Said, choices: Choices, options: Options) -> _Said:
        columns = [self._tree.column[feature] for feature in how.chosen]
        keys = [left.which, right.which, *(choices[:, column] for column in columns)]
        first, which = _different(keys, len(choices))
        found = np.empty((len(first), len(how.result.moves), *how.result.sizes))
        for piece in pieces(len(first), _PIECE // max(1, how.union.numbers)):
            some = first[piece]
            allowed = {
                feature: self._allowed(column, choices[some, column], options)
                for feature, column in zip(how.chosen, columns, strict=True)
            }
            found[piece] = joined(
                how,
                left.bounds[left.which[some]],
                right.bounds[right.which[some]],
                allowed,
                zeros=self._zeros,
            )
        return _Said(found, which)

    def _allowed(self, column: int, chosen: Indices, options: Options) -> Allowed:
        every = self._region[column]
        return np.array([np.isin(every, options[column][at]) for at in chosen.tolist()])


def _different(keys: Sequence[Indices], count: int) -> tuple[Indices, Indices]:
    """Return the first of all regions that differ in some key, and which of them each region is like."""
    checkpoint()
    if count == 1 or not keys:
        return np.zeros(1, dtype=np.intp), np.zeros(count, dtype=np.intp)
    codes = keys[0].astype(np.int64)
    for key in keys[1:]:
        _, first, codes = distinct(codes * (int(key.max()) + 1) + key)
    _, first, which = distinct(np.asarray(codes, dtype=np.int64))
    return first, which
