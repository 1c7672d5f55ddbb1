"""Whether a region has an impossible instance: one that has the probability zero in every class.

Only what is zero matters. A row says for each class which states of the separator are possible; it is
needless if another row has all of its zeros.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.masks import positions
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import Indices, Unknown, Values
from bnc2d.regions.messages.product import Product, Sizes
from bnc2d.regions.messages.tree import Node, Tree
from bnc2d.regions.region import Region

Key: TypeAlias = tuple[bytes, ...]

# Beyond this many rows of a product, or multiplications, nothing is known.
_MOST_ROWS = 1 << 10
_MOST_NUMBERS = 1 << 26
# Rows are forgotten when they take more than this many numbers.
_MOST_KNOWN = 1 << 23


class _Rows(NamedTuple):
    possible: Values  # [class, row, state], zeros and ones; one class where all have the same
    choice: Indices


class Zeros:
    """Looks for impossible instances; what regions share is done once."""

    def __init__(self, tree: Tree, leaves: Leaves) -> None:
        self._tree = tree
        self._leaves = leaves
        self._known: dict[tuple[int, Key], _Rows | None] = {}
        self._known_numbers = 0

    def impossible_instance(self, region: Region) -> list[int] | None:
        """Return an impossible instance of a region, None where there is none; may raise ``Unknown``."""
        if self._known_numbers > _MOST_KNOWN:
            self._known, self._known_numbers = {}, 0
        nodes, column = self._tree.nodes, self._tree.column
        sizes = self._leaves.sizes(region)
        found: list[_Rows] = []
        for number, node in enumerate(nodes):
            key = number, tuple(region[column[feature]].tobytes() for feature in positions(node.below))
            if key not in self._known:
                checkpoint()
                inputs = [found[other] for other in node.inputs]
                rows = self._joined(node, inputs, sizes) if inputs else self._leaf(number, region)
                self._known[key] = rows
                self._known_numbers += 0 if rows is None else rows.possible.size
            known = self._known[key]
            if known is None:
                raise Unknown
            found.append(known)
        impossible = np.flatnonzero(~found[-1].possible.any(axis=(0, 2)))
        if not impossible.size:
            return None
        choices = [rows.choice for rows in found]
        return self._leaves.instance(choices, region, choices[-1][impossible[0]])

    def _leaf(self, number: int, region: Region) -> _Rows:
        possible = (self._leaves.rows(number, region) > 0).astype(np.float64)
        return _needed(_Rows(possible, self._leaves.choice(possible.shape[1])))

    def _joined(self, node: Node, inputs: list[_Rows], sizes: Sizes) -> _Rows | None:
        """Return the rows of a product; None where they are too many."""
        scopes = [self._tree.nodes[other].scope for other in node.inputs]
        try:
            product = Product(scopes[0], scopes[1], node.scope, node.chosen, sizes)
        except Unknown:
            return None
        left, right = (rows.possible for rows in inputs)
        count = left.shape[1] * right.shape[1] * product.ways
        classes = max(len(left), len(right))
        if count > _MOST_ROWS or count * classes * product.work > _MOST_NUMBERS:
            return None
        pairs = zip(*(np.broadcast_to(one, (classes, *one.shape[1:])) for one in (left, right)), strict=True)
        possible = np.stack([product.numbers(*pair) > 0 for pair in pairs]).astype(np.float64)
        return _needed(_Rows(possible, product.choice(left.shape[1], right.shape[1])))


def _needed(rows: _Rows) -> _Rows:
    """Return rows such that each has all zeros of none but itself."""
    flat = rows.possible.transpose(1, 0, 2).reshape(rows.possible.shape[1], -1)
    if len(flat) == 1:
        return rows
    if flat.all():
        kept = np.zeros(1, dtype=np.intp)
    else:
        first = distinct_rows(np.packbits(flat > 0, axis=1).astype(np.int64))[1]
        flat = flat[first]
        beyond = flat @ (1.0 - flat).T  # what the first has and the second has not
        has_all = (beyond == 0) & ~np.eye(len(flat), dtype=bool)  # the first has all zeros of the second
        kept = first[~has_all.any(axis=0)]
    return _Rows(rows.possible[:, kept], rows.choice[kept])
