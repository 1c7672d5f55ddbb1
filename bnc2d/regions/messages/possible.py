"""Whether a region has an impossible instance: one that has the probability zero in every class.

Only what is zero matters. A row says for each class which states of the separator are possible; it is
needless if another row has all of its zeros.
"""

from __future__ import annotations

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import Indices, Unknown, Values
from bnc2d.regions.messages.product import Product
from bnc2d.regions.messages.tree import Tree
from bnc2d.regions.region import Region

# Beyond this many rows of a product, or numbers, nothing is known.
_MOST_ROWS = 1 << 10
_MOST_NUMBERS = 1 << 22


def impossible_instance(tree: Tree, leaves: Leaves, region: Region) -> list[int] | None:
    """Return an impossible instance of a region, None where there is none; may raise ``Unknown``."""
    sizes = leaves.sizes(region)
    said: list[Values] = []  # [class, row, state], zeros and ones
    choices: list[Indices] = []
    for number, node in enumerate(tree.nodes):
        checkpoint()
        if node.inputs:
            left, right = (said[other] for other in node.inputs)
            scopes = [tree.nodes[other].scope for other in node.inputs]
            product = Product(scopes[0], scopes[1], node.scope, node.chosen, sizes)
            count = left.shape[1] * right.shape[1] * product.ways
            classes = max(len(left), len(right))
            if count > _MOST_ROWS or count * classes * product.states > _MOST_NUMBERS:
                raise Unknown
            both = zip(
                *(np.broadcast_to(one, (classes, *one.shape[1:])) for one in (left, right)), strict=True
            )
            rows = np.stack([product.numbers(*pair) > 0 for pair in both]).astype(np.float64)
            choice = product.choice(left.shape[1], right.shape[1])
        else:
            rows = (leaves.rows(number, region) > 0).astype(np.float64)
            choice = leaves.choice(rows.shape[1])
        kept = _fewest_possible(rows.transpose(1, 0, 2).reshape(rows.shape[1], -1))
        said.append(rows[:, kept])
        choices.append(choice[kept])
    impossible = np.flatnonzero(~said[-1].any(axis=(0, 2)))
    return leaves.instance(choices, region, choices[-1][impossible[0]]) if impossible.size else None


def _fewest_possible(rows: Values) -> Indices:
    """Return rows such that each row has all zeros of none but them."""
    _, first = np.unique(rows, axis=0, return_index=True)
    first = np.sort(first)
    rows = rows[first]
    beyond = rows @ (1.0 - rows).T  # what the first has and the second has not
    has_all = (beyond == 0) & ~np.eye(len(rows), dtype=bool)  # the first has all zeros of the second
    return np.asarray(first[~has_all.any(axis=0)])
