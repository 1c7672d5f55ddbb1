"""What few features say: every way in which a region lets them be, one by one.

Where the features beyond a separator have few ways to be, all that they can say is enumerated, and bounds on
odds are those that are met. Of what they say of two states, up to a factor, only the two extremes matter,
since classes are compared by numbers that are linear in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, prod
from typing import NamedTuple

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import positions
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import Indices, Unknown, Values
from bnc2d.regions.messages.product import Product, Scope
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.region import Region

# What is few: ways of the features of a subtree, multiplications of a product of two rows, bounds on rows.
_FEW_WAYS, _LITTLE_WORK, _FEW_BOUNDS = 64, 1 << 14, 1 << 20
# Positive numbers of a row, beside its largest, are above this; the product of two is in the range of floats.
_SMALLEST = 1e-140
# Where everything is enumerated: multiplications of all products of two nodes, and numbers of one.
MOST_WORK, _MOST_NUMBERS = 1 << 31, 1 << 23
# Multiplications of one operation, which nothing can interrupt.
_AT_ONCE = 1 << 27
# Numbers that are worked on together.
_PIECE = 1 << 20
# Rows are forgotten when they take more numbers than this.
_MOST_KNOWN = 1 << 23


class Ways(NamedTuple):
    """Rows ``[way, state of the separator and the target]``, and where each comes from."""

    rows: Values
    choice: Indices


class FewWays:
    """Rows of subtrees; ``at`` says for each node whether it has few, whatever is asked.

    ``classes`` are the classes of the target that are looked at, ``region`` bounds all regions. ``roundings``
    is how many rounding errors a number of a subtree has, at most.
    """

    def __init__(self, tree: Tree, leaves: Leaves, classes: Sequence[int], region: Region) -> None:
        self._tree, self._leaves, self._classes, self._region = tree, leaves, list(classes), region
        self._sizes = {**leaves.sizes(region), tree.target: len(self._classes)}
        self._scopes = [tuple(sorted((*n.scope, *([tree.target] * n.has_target)))) for n in tree.nodes]
        self._known: dict[tuple[object, ...], Ways] = {}
        self._known_numbers = 0
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
            work, states = self._work(number), self._states(number)
            self.roundings.append(
                self.roundings[left] + self.roundings[right] + 2 + min(work, 1 << 30) // states
            )
            bounds = ways[-1] * states * sum(self._sizes[v] - 1 for v in self._scopes[number])
            fits = ways[-1] <= _FEW_WAYS and work <= _LITTLE_WORK and lowest[-1] > log(_SMALLEST)
            fits = fits and bounds <= _FEW_BOUNDS
            few.append(few[left] and few[right] and fits)
            if states == 2:
                ways[-1] = min(ways[-1], 2)
        return few

    def _states(self, number: int) -> int:
        return prod(self._sizes[variable] for variable in self._scopes[number])

    def _work(self, number: int) -> int:
        """Return the multiplications for two rows."""
        left, right = self._tree.nodes[number].inputs
        return prod(self._sizes[v] for v in {*self._scopes[left], *self._scopes[right]})

    def work(self, region: Region, *, extremes: bool) -> int:
        """Return about how many multiplications enumerating a region takes; very many, if it has no room."""
        column = self._tree.column
        ways: list[int] = []
        total = 0
        for number, node in enumerate(self._tree.nodes):
            count = prod(len(region[column[feature]]) for feature in node.chosen)
            if node.inputs:
                pairs = count * ways[node.inputs[0]] * ways[node.inputs[1]]
                total += ways[node.inputs[0]] * ways[node.inputs[1]] * self._work(number)
                count = pairs
                if number < len(self._tree.nodes) - 1 and pairs * self._states(number) > _MOST_NUMBERS:
                    return 1 << 62
            ways.append(min(count, 2) if extremes and self._states(number) == 2 else count)
        return total

    def ways(self, number: int, region: Region, *, extremes: bool = True) -> Ways:
        """Return what the features below a node can say, given a region; may raise ``Unknown``.

        With ``extremes`` rows about two states are left out if they are between others.
        """
        column = self._tree.column
        below = positions(self._tree.nodes[number].below)
        key = (number, extremes, *(region[column[feature]].tobytes() for feature in below))
        if key not in self._known:
            if self._known_numbers > _MOST_KNOWN:
                self._known, self._known_numbers = {}, 0
            node = self._tree.nodes[number]
            found = (
                self._table(number, region) if node.cpt else self._joined(number, region, extremes=extremes)
            )
            if extremes and found.rows.shape[1] == 2:
                found = _extremes(found)
            self._known[key] = found
            self._known_numbers += found.rows.size + found.choice.size
            return found
        return self._known[key]

    def _table(self, number: int, region: Region) -> Ways:
        tree, node = self._tree, self._tree.nodes[number]
        inside = list(self._region)
        for feature in node.chosen:
            inside[tree.column[feature]] = region[tree.column[feature]]
        rows = self._leaves.rows(number, inside)
        scope = list(node.scope)
        if node.has_target:
            rows = rows[self._classes].transpose(1, 0, 2)
            scope.insert(0, tree.target)
        table = rows.reshape(-1, *(self._sizes[v] for v in scope))
        table = table.transpose(0, *(1 + axis for axis in np.argsort(scope)))
        return Ways(table.reshape(len(table), -1), self._leaves.choice(len(table)))

    def _joined(self, number: int, region: Region, *, extremes: bool) -> Ways:
        checkpoint()
        node = self._tree.nodes[number]
        left, right = (self.ways(source, region, extremes=extremes) for source in node.inputs)
        rows, choice = self._product(number, self._scopes[number], left.rows, right.rows, region)
        largest = rows.max(axis=1, initial=0.0)
        some = np.flatnonzero(largest > 0) if (largest > 0).any() else np.zeros(1, dtype=np.intp)
        rows = rows[some] / np.where(largest[some] > 0, largest[some], 1.0)[:, None]
        if rows.min(initial=1.0, where=rows > 0) < _SMALLEST:
            raise Unknown
        return Ways(rows, choice[some])

    def _product(self, number: int, kept: Scope, left: Values, right: Values, region: Region) -> Ways:
        """Return what two sides say together, in all ways in which features that go here may be."""
        node = self._tree.nodes[number]
        if number not in self._products:
            one, other = (self._scopes[source] for source in node.inputs)
            self._products[number] = Product(one, other, kept, node.chosen, self._sizes)
        product = self._products[number]
        step = max(1, _AT_ONCE // (len(right) * product.work))
        parts = []
        for start in range(0, len(left), step):
            checkpoint()
            parts.append(product.numbers(left[start : start + step], right))
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        choice = product.choice(len(left), len(right))
        if node.chosen:
            is_allowed = np.ones(1, dtype=bool)
            for feature in node.chosen:
                column = self._tree.column[feature]
                mask = np.isin(self._region[column], region[column])
                is_allowed = np.logical_and.outer(is_allowed, mask).reshape(-1)
            some = is_allowed[choice[:, 2]]
            rows, choice = rows[some], choice[some]
            choice[:, 2] = (np.cumsum(is_allowed) - 1)[choice[:, 2]]
        return Ways(rows, choice)

    def totals(self, region: Region, *, extremes: bool) -> Iterator[Ways]:
        """Yield the numbers of all classes, up to a factor, for every instance, or every one that matters.

        The tree must have several tables. May raise ``Unknown``.
        """
        root = len(self._tree.nodes) - 1
        left, right = (
            self.ways(source, region, extremes=extremes) for source in self._tree.nodes[root].inputs
        )
        step = max(1, _PIECE // (len(right.rows) * max(len(self._classes), self._work(root) >> 6)))
        for start in range(0, len(left.rows), step):
            checkpoint()
            rows = left.rows[start : start + step]
            found = self._product(root, (self._tree.target,), rows, right.rows, region)
            yield Ways(found.rows, found.choice + np.array([start, 0, 0], dtype=np.intp))

    def instance(self, region: Region, choice: Sequence[int], *, extremes: bool) -> list[int]:
        """Return the instance that a choice at the root stands for."""
        numbers = range(len(self._tree.nodes) - 1)
        choices = [self.ways(number, region, extremes=extremes).choice for number in numbers]
        return self._leaves.instance(choices, region, choice)


def _extremes(ways: Ways) -> Ways:
    """Return the rows with the least and the largest ratio, of rows about two states."""
    rows, choice = ways
    some = np.flatnonzero(rows.any(axis=1))
    if len(some) < 2:
        some = some if len(some) else np.zeros(1, dtype=np.intp)
    else:
        shares = rows[some, 0] / rows[some].sum(axis=1)
        some = some[sorted({int(shares.argmin()), int(shares.argmax())})]
    return Ways(rows[some], choice[some])
