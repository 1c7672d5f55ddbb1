"""The tables at the leaves of a tree, restricted to a region, and the instances that choices stand for."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from bnc2d.base.masks import VariableId
from bnc2d.regions.messages.message import Indices, Values
from bnc2d.regions.messages.tree import Node, Tree
from bnc2d.regions.region import Region, States, first_instance


class Leaves:
    """Tables ``[class, *chosen, *scope]`` of the leaves, with one class where the target is not mentioned."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tables = {number: self._table(node) for number, node in enumerate(tree.nodes) if node.cpt}

    def _table(self, node: Node) -> Values:
        """Return the table of a node, with what only it mentions summed out."""
        tree = self._tree
        if node.cpt is None:
            raise ValueError("a join has no table")
        scope = [tree.ids[variable.name] for variable in node.cpt.scope]
        kept = [*([tree.target] if node.has_target else []), *node.chosen, *node.scope]
        gone = tuple(axis for axis, variable in enumerate(scope) if variable not in kept)
        left = [variable for variable in scope if variable in kept]
        table: Values = node.cpt.values.sum(axis=gone).transpose([left.index(variable) for variable in kept])
        return table if node.has_target else table[None]

    def rows(self, number: int, region: Region) -> Values:
        """Return the rows ``[class, way, state]`` of a leaf: ways in which its features are chosen."""
        node = self._tree.nodes[number]
        allowed = [self._allowed(variable, region) for variable in (*node.chosen, *node.scope)]
        table = self._tables[number]
        ways = prod([len(states) for states in allowed[: len(node.chosen)]])
        rows: Values = table[np.ix_(np.arange(len(table)), *allowed)].reshape(len(table), ways, -1)
        return rows

    def roundings(self, number: int) -> int:
        """Return how many rounding errors an entry of a leaf has, at most."""
        cpt = self._tree.nodes[number].cpt
        return 1 + cpt.values.size // self._tables[number].size if cpt else 0

    def choice(self, ways: int) -> Indices:
        """Return where the rows of a leaf come from; see ``Messages``."""
        choice = np.zeros((ways, 3), dtype=np.intp)
        choice[:, 2] = np.arange(ways)
        return choice

    def sizes(self, region: Region) -> dict[VariableId, int]:
        """Return the number of states of each variable, for features those that the region allows."""
        column = self._tree.column
        return {
            variable: len(region[column[variable]]) if variable in column else size
            for variable, size in enumerate(self._tree.sizes)
        }

    def instance(self, choices: Sequence[Indices], region: Region, choice: Sequence[int]) -> list[int]:
        """Return the instance that a choice at the root leads to, given the choices of all other nodes.

        Features that no table has take their first state.
        """
        nodes, column = self._tree.nodes, self._tree.column
        found = first_instance(region)
        left = [(len(nodes) - 1, choice)]
        while left:
            number, (*rows, chosen) = left.pop()
            node = nodes[number]
            shape = [len(region[column[feature]]) for feature in node.chosen]
            places = np.unravel_index(int(chosen), shape) if shape else ()
            for feature, place in zip(node.chosen, places, strict=True):
                found[column[feature]] = int(region[column[feature]][place])
            left += [(other, choices[other][row]) for other, row in zip(node.inputs, rows, strict=False)]
        return found

    def _allowed(self, variable: VariableId, region: Region) -> States:
        tree = self._tree
        if variable in tree.column:
            return region[tree.column[variable]]
        return np.arange(tree.sizes[variable])
