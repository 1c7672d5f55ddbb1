"""What few features say: every way in which a region lets them be, one by one.

Where the features beyond a separator have few ways to be, all that they can say is enumerated, and bounds on
odds are those that are met. Of what they say of two states, up to a factor, only the two extremes matter,
since classes are compared by numbers that are linear in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.masks import VariableId, positions
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.product import Product, Scope
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.messages.values import Values
from bnc2d.regions.region import Region, States

Allowed: TypeAlias = Mapping[VariableId, States]  # the states that features may have

# Ways of the features of a subtree, and multiplications of a product of two rows.
_MOST_WAYS, _MOST_WORK = 64, 1 << 14
# Numbers stay above this; logarithms.
_LOWEST = log(1e-250)
# Rows are forgotten when there are more messages than this.
_MOST_KNOWN = 1 << 14


class FewWays:
    """Rows ``[way, state of the separator and the target]`` of subtrees that have few; ``at`` says which.

    ``classes`` are the classes of the target that are looked at, ``region`` bounds all regions. ``roundings``
    is how many rounding errors a number of a subtree has, at most.
    """

    def __init__(self, tree: Tree, leaves: Leaves, classes: Sequence[int], region: Region) -> None:
        self._tree, self._leaves, self._classes, self._region = tree, leaves, list(classes), region
        self._sizes = {**leaves.sizes(region), tree.target: len(self._classes)}
        self._scopes = [tuple(sorted((*n.scope, *([tree.target] * n.has_target)))) for n in tree.nodes]
        self._known: dict[tuple[object, ...], Values] = {}
        self._products: dict[int, Product] = {}
        self.roundings: list[int] = []
        self.at = self._subtrees()

    def _subtrees(self) -> list[bool]:
        """Return for each node whether what goes into it has few ways."""
        ways: list[int] = []
        lowest: list[float] = []
        few: list[bool] = []
        for number, node in enumerate(self._tree.nodes):
            chosen = prod(self._sizes[feature] for feature in node.chosen)
            if node.cpt is not None:
                entries = node.cpt.values
                ways.append(chosen)
                lowest.append(log(float(entries[entries > 0].min())))
                self.roundings.append(self._leaves.roundings(number))
                few.append(True)
                continue
            left, right = node.inputs
            ways.append(chosen * ways[left] * ways[right])
            lowest.append(lowest[left] + lowest[right])
            union = {*self._scopes[left], *self._scopes[right]}
            work = prod(self._sizes[v] for v in union)
            summed = work // prod(self._sizes[v] for v in self._scopes[number])
            self.roundings.append(self.roundings[left] + self.roundings[right] + 1 + min(summed, 1 << 30))
            fits = ways[-1] <= _MOST_WAYS and work <= _MOST_WORK and lowest[-1] > _LOWEST
            few.append(few[left] and few[right] and fits)
            if prod(self._sizes[v] for v in self._scopes[number]) == 2:
                ways[-1] = min(ways[-1], 2)
        return few

    def rows(self, number: int, allowed: Allowed) -> Values:
        """Return what the features below a node can say, given the states that each may have."""
        node = self._tree.nodes[number]
        key = (number, *(allowed[feature].tobytes() for feature in positions(node.below)))
        if key not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            rows = self._table(number, allowed) if node.cpt else self._joined(number, allowed)
            self._known[key] = _extremes(rows) if rows.shape[1] == 2 else rows
        return self._known[key]

    def _table(self, number: int, allowed: Allowed) -> Values:
        tree, node = self._tree, self._tree.nodes[number]
        region = list(self._region)
        for feature in node.chosen:
            region[tree.column[feature]] = allowed[feature]
        rows = self._leaves.rows(number, region)
        scope = list(node.scope)
        if node.has_target:
            rows = rows[self._classes].transpose(1, 0, 2)
            scope.insert(0, tree.target)
        table = rows.reshape(-1, *(self._sizes[v] for v in scope))
        table = table.transpose(0, *(1 + axis for axis in np.argsort(scope)))
        return np.asarray(table.reshape(len(table), -1))

    def _joined(self, number: int, allowed: Allowed) -> Values:
        node = self._tree.nodes[number]
        left, right = node.inputs
        if number not in self._products:
            scopes: list[Scope] = [self._scopes[left], self._scopes[right], self._scopes[number]]
            self._products[number] = Product(scopes[0], scopes[1], scopes[2], node.chosen, self._sizes)
        product = self._products[number]
        rows = product.numbers(self.rows(left, allowed), self.rows(right, allowed))
        if node.chosen:  # features that several tables have: only ways that are allowed
            masks = [
                np.isin(self._region[self._tree.column[feature]], allowed[feature]) for feature in node.chosen
            ]
            is_allowed = masks[0]
            for mask in masks[1:]:
                is_allowed = np.logical_and.outer(is_allowed, mask)
            rows = rows.reshape(-1, product.ways, rows.shape[1])[:, is_allowed.reshape(-1)]
            rows = rows.reshape(-1, rows.shape[2])
        return rows


def _extremes(rows: Values) -> Values:
    """Return the rows with the least and the largest ratio, of rows about two states."""
    possible = rows[rows.any(axis=1)]
    if len(possible) < 2:
        return possible if len(possible) else rows[:1]
    shares = possible[:, 0] / possible.sum(axis=1)
    return possible[sorted({int(shares.argmin()), int(shares.argmax())})]
