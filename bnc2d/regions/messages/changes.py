"""What each change of one feature makes of an instance: the ratio of two classes after it.

All of them come from one pass towards the root of the tree and one back (Darwiche 2003, "A differential
approach to inference in Bayesian networks").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import mask_of, positions
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.product import Product, Scope
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.messages.values import Values
from bnc2d.regions.region import Region

_Key: TypeAlias = tuple[object, ...]

# Messages are forgotten when they take more than this many numbers.
_MOST_KNOWN = 1 << 24
_SMALLEST = 1e-290


class Question(NamedTuple):
    """A class and a rival, by position."""

    label: int
    rival: int


class Changes:
    """Looks at instances, one at a time; messages that they share are computed once."""

    def __init__(self, tree: Tree, leaves: Leaves) -> None:
        self._tree = tree
        self._leaves = leaves
        self._known: dict[_Key, Values] = {}
        self._known_numbers = 0
        self._products: dict[_Key, Product] = {}

    def ratios(self, instance: Sequence[int], question: Question, free: Region) -> dict[int, Values]:
        """Return for features that a region leaves free, by column, the ratio after a change to each state.

        It is infinite where the rival has zero. Features that several tables have are left out.
        """
        tree, nodes = self._tree, self._tree.nodes
        asked = mask_of(v for v in tree.leaf_of if len(free[tree.column[v]]) > 1)
        region = [np.array([state], dtype=np.intp) for state in instance]
        inward = self._inward(region, question)
        outward = {len(nodes) - 1: np.ones((1, 1))}
        for number in reversed(range(len(nodes))):
            for place, to in enumerate(nodes[number].inputs):
                if nodes[to].below & asked:
                    checkpoint()
                    other = nodes[number].inputs[1 - place]
                    scopes = nodes[number].scope, nodes[other].scope, nodes[to].scope
                    outward[to] = self._multiplied(*scopes, outward[number], inward[other], region)
        found = {}
        for feature in positions(asked):
            number, column = tree.leaf_of[feature], tree.column[feature]
            said = self._of_table(number, [*region[:column], free[column], *region[column + 1 :]], question)
            both = np.broadcast_to(said, (2, *said.shape[1:]))
            own, rival = np.einsum("cws,cs->cw", both, np.broadcast_to(outward[number], (2, said.shape[2])))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                found[column] = np.where(rival > 0, own / rival, np.inf)
        return found

    def _inward(self, region: Region, question: Question) -> list[Values]:
        """Return what each node but the root says: ``[class, state]``, one class where both have the same."""
        if self._known_numbers > _MOST_KNOWN:
            self._known, self._known_numbers = {}, 0
        tree, nodes = self._tree, self._tree.nodes
        states = {feature: int(region[column][0]) for feature, column in tree.column.items()}
        said: list[Values] = []
        for number, node in enumerate(nodes[:-1]):
            asked = question if node.has_target else None
            key: _Key = (number, asked, *(states[feature] for feature in positions(node.below)))
            if key not in self._known:
                if node.inputs:
                    one, other = node.inputs
                    scopes = nodes[one].scope, nodes[other].scope, node.scope
                    made = self._multiplied(*scopes, said[one], said[other], region)
                else:
                    made = self._of_table(number, region, question)[:, 0]
                self._known[key] = made
                self._known_numbers += made.size
            said.append(self._known[key])
        return said

    def _multiplied(
        self, left: Scope, right: Scope, kept: Scope, one: Values, other: Values, region: Region
    ) -> Values:
        """Return the product of two messages, scaled."""
        key = (left, right, kept)
        if key not in self._products:
            self._products[key] = Product(left, right, kept, (), self._leaves.sizes(region))
        product = self._products[key]
        classes = max(len(one), len(other))
        pairs = zip(*(np.broadcast_to(said, (classes, said.shape[1])) for said in (one, other)), strict=True)
        said = np.concatenate([product.numbers(first[None], second[None]) for first, second in pairs])
        return said / max(float(said.max()), _SMALLEST)

    def _of_table(self, number: int, region: Region, question: Question) -> Values:
        rows = self._leaves.rows(number, region)
        return rows[list(question)] if len(rows) > 1 else rows
