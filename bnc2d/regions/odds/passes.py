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
from bnc2d.base.masks import VariableId, positions
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import Indices, Values
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.odds.few import FewWays
from bnc2d.regions.odds.grid import Grid, Joining, joining
from bnc2d.regions.odds.join import Allowed, Table, joined
from bnc2d.regions.region import Region, States

# By region and feature: which of the feature's options, each a set of states.
Choices: TypeAlias = NDArray[np.intp]
Options: TypeAlias = Sequence[Sequence[States]]
NodeId: TypeAlias = int

# Numbers that are worked on together.
_PIECE = 1 << 20
# Tables of bounds are forgotten when they take more numbers than this.
_MOST_KNOWN = 1 << 22


class _Said(NamedTuple):
    """What is said along an edge: different bounds, and which of them each region has."""

    bounds: Values
    which: Indices


class OddsPasses:
    """Bounds for some ``classes``, in the order given, of regions within one that is given.

    Only features that several tables have are restricted at once; ``zeros`` says whether there are any.
    ``few`` enumerates what few features can say.
    """

    def __init__(
        self, tree: Tree, leaves: Leaves, classes: Sequence[int], region: Region, *, zeros: bool
    ) -> None:
        self._tree, self._region, self._zeros = tree, region, zeros
        self._features = frozenset(tree.column)
        self._sizes = {**leaves.sizes(region), tree.target: len(classes)}
        self.root = len(tree.nodes) - 1
        self._parent: dict[NodeId, tuple[NodeId, NodeId]] = {}  # and what else goes into it
        for number, node in enumerate(tree.nodes):
            for place, source in enumerate(node.inputs):
                self._parent[source] = number, node.inputs[1 - place]
        self._tables: dict[tuple[object, ...], Values] = {}
        self._known_numbers = 0
        self.few = FewWays(tree, leaves, classes, region)
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
                left, right = ((grids[source], scopes[source]) for source in self._ordered(len(grids)))
                how = self._joining(left, right, scopes[-1].variables)
            self._up.append(how)
            grids.append(scopes[-1] if how is None or self.few.at[len(grids)] else how.result)
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
        joins = zip(self._up, self.few.at, strict=True)
        self.numbers = sum(how.union.numbers for how, is_few in joins if how and not is_few)

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
            table = self._of_few(meeting, choices, options)
            return table.bounds[table.which]
        path = [*reversed(list(self._above(meeting))[:-1]), meeting]
        up = self._all_up(choices, options, [meeting, *(self._parent[number][1] for number in path)])
        down = self._nothing(choices)
        for number in path:
            other = self._parent[number][1]
            down = self._join(self._down[number], down, up[other], choices, options, other)
        met = self._join(self._meeting[meeting], down, up[meeting], choices, options, meeting)
        return met.bounds[met.which]

    def bounds_everywhere(self, choice: Choices, options: Options) -> dict[NodeId, Values]:
        """Return the bounds ``[step, class]`` for one region by each edge."""
        choices = choice[None]
        if not self.root:
            return {self.root: self.bounds(choices, options, self.root)[0]}
        up = self._all_up(choices, options, range(self.root))
        down = {self.root: self._nothing(choices)}
        found = {}
        for number in reversed(range(self.root)):
            parent, other = self._parent[number]
            down[number] = self._join(self._down[number], down[parent], up[other], choices, options, other)
            met = self._join(self._meeting[number], down[number], up[number], choices, options, number)
            found[number] = met.bounds[0]
        return found

    def _above(self, number: NodeId) -> Iterator[NodeId]:
        while number in self._parent:
            number = self._parent[number][0]
            yield number

    def _nothing(self, choices: Choices) -> _Said:
        return _Said(np.ones((1, 0)), np.zeros(len(choices), dtype=np.intp))

    def _all_up(self, choices: Choices, options: Options, edges: Sequence[NodeId]) -> dict[NodeId, _Said]:
        """Return what is said up along some edges, and along others on the way."""
        said: dict[NodeId, _Said] = {}
        waiting, needed = list(edges), set(edges)
        while waiting:
            number = waiting.pop()
            if not self.few.at[number]:
                more = set(self._tree.nodes[number].inputs) - needed
                needed |= more
                waiting += more
        for number in sorted(needed):
            how = self._up[number]
            if how is None or self.few.at[number]:
                said[number] = self._of_few(number, choices, options)
            else:
                left, right = self._ordered(number)
                said[number] = self._join(how, said[left], said[right], choices, options, right)
        return said

    def _of_few(self, number: NodeId, choices: Choices, options: Options) -> _Said:
        """Return what features say that have few ways to be."""
        columns = [self._tree.column[feature] for feature in positions(self._tree.nodes[number].below)]
        first, which = _different([choices[:, column] for column in columns], len(choices))
        found = []
        for at in first.tolist():
            region = list(self._region)
            for column in columns:
                region[column] = options[column][choices[at, column]]
            found.append(self._bounds_of(number, region, columns))
        return _Said(np.stack(found), which)

    def _bounds_of(self, number: NodeId, region: Region, columns: Sequence[int]) -> Values:
        """Return the bounds that hold for all that features can say within a region."""
        key = (number, *(region[column].tobytes() for column in columns))
        if key not in self._tables:
            if self._known_numbers > _MOST_KNOWN:
                self._tables, self._known_numbers = {}, 0
            node = self._tree.nodes[number]
            grid = self._grid(node.scope, target=node.has_target)
            rows = self.few.ways(number, region).rows
            rows = rows.reshape(len(rows), *grid.sizes)
            bounds = np.empty((len(grid.moves), *grid.sizes))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                for place, (variable, step) in enumerate(grid.moves):
                    checkpoint()
                    moved = np.roll(rows, -step, axis=1 + grid.variables.index(variable))
                    bounds[place] = np.where(moved == 0, 0.0, moved / rows).max(axis=0)
            self._tables[key] = bounds * (1.0 + 8 * self.few.roundings[number] * UNIT_ROUNDOFF)
            self._known_numbers += bounds.size
        return self._tables[key]

    def _ordered(self, number: NodeId) -> tuple[NodeId, NodeId]:
        """Return what goes into a node; if one of both is known, it comes last."""
        one, other = self._tree.nodes[number].inputs
        return (other, one) if self._is_known(one) else (one, other)

    def _is_known(self, number: NodeId) -> bool:
        """Return whether no feature has a say in what a node says, and few numbers hold it."""
        return self.few.at[number] and not self._tree.nodes[number].below

    def _known(self, number: NodeId) -> Table | None:
        if not self._zeros or not self._is_known(number):
            return None
        factor = 1.0 + 8 * self.few.roundings[number] * UNIT_ROUNDOFF
        return Table(self.few.ways(number, self._region).rows[0], factor)

    def _join(
        self, how: Joining, left: _Said, right: _Said, choices: Choices, options: Options, of_right: NodeId
    ) -> _Said:
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
                self._known(of_right),
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
