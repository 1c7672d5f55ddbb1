"""How much each state of a separator counts before any feature is known: what clusters of rows go by."""

from __future__ import annotations

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import SMALLEST, Values
from bnc2d.regions.messages.product import Product, Scope
from bnc2d.regions.messages.tree import Tree

# No state is expected to count less, in proportion to one that counts most.
_LEAST_WEIGHT = 1e-30


class ExpectedWeights:
    """What comes from beyond the separators with features summed out, ``[class, state]`` for each node.

    There is one class where all have the same. Numbers are up to a factor for each node. They are made when
    first asked for; where a budget ends that, it goes on from there next time.
    """

    def __init__(self, tree: Tree, leaves: Leaves) -> None:
        self._nodes = tree.nodes
        self._leaves = leaves
        self._everything = [np.arange(tree.sizes[tree.ids[name]]) for name in tree.features]
        self._sizes = leaves.sizes(self._everything)
        self._inward: list[Values] = []
        self._outward: dict[int, Values] = {len(tree.nodes) - 1: np.ones((1, 1))}
        self._next = len(tree.nodes) - 1

    def of(self, number: int) -> Values:
        """Return the weights of a node."""
        nodes = self._nodes
        while len(self._inward) < len(nodes):
            at = len(self._inward)
            node = nodes[at]
            if node.inputs:
                one, other = node.inputs
                scopes = nodes[one].scope, nodes[other].scope, node.scope
                self._inward.append(self._multiplied(*scopes, self._inward[one], self._inward[other]))
            else:
                self._inward.append(self._leaves.rows(at, self._everything).sum(axis=1))
        while number not in self._outward:
            node = nodes[self._next]
            for place, to in enumerate(node.inputs):
                other = node.inputs[1 - place]
                scopes = node.scope, nodes[other].scope, nodes[to].scope
                self._outward[to] = self._multiplied(*scopes, self._outward[self._next], self._inward[other])
            self._next -= 1
        return self._outward[number]

    def _multiplied(self, left: Scope, right: Scope, kept: Scope, one: Values, other: Values) -> Values:
        product = Product(left, right, kept, (), self._sizes)
        classes = max(len(one), len(other))
        ones, others = (np.broadcast_to(said, (classes, said.shape[1])) for said in (one, other))
        said = np.empty((classes, product.states))
        for at, row in enumerate(said):
            checkpoint()
            row[:] = product.numbers(ones[at : at + 1], others[at : at + 1])[0]
        largest = max(max(float(row.max()) for row in said), SMALLEST)
        for row in said:  # in place: there may be many states
            checkpoint()
            row /= largest
            np.maximum(row, _LEAST_WEIGHT, out=row)
        return said
