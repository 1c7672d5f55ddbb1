"""How much each state of a separator counts before any feature is known: what clusters of rows go by."""

from __future__ import annotations

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import SMALLEST, Values
from bnc2d.regions.messages.product import Product, Scope, Sizes
from bnc2d.regions.messages.tree import Tree


def expected_weights(tree: Tree, leaves: Leaves) -> list[Values]:
    """Return for each node what comes from beyond its separator, ``[class, state]``; features are summed out.

    There is one class where all have the same. Numbers are up to a factor for each node.
    """
    nodes = tree.nodes
    everything = [np.arange(tree.sizes[v]) for v in sorted(tree.column, key=tree.column.__getitem__)]
    sizes = leaves.sizes(everything)
    inward: list[Values] = []
    for number, node in enumerate(nodes):
        if node.inputs:
            one, other = node.inputs
            scopes = nodes[one].scope, nodes[other].scope, node.scope
            inward.append(_multiplied(*scopes, inward[one], inward[other], sizes))
        else:
            inward.append(leaves.rows(number, everything).sum(axis=1))
    outward: list[Values] = [np.ones((1, 1)) for _ in nodes]
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        for place, to in enumerate(node.inputs):
            other = node.inputs[1 - place]
            scopes = node.scope, nodes[other].scope, nodes[to].scope
            outward[to] = _multiplied(*scopes, outward[number], inward[other], sizes)
    return outward


def _multiplied(left: Scope, right: Scope, kept: Scope, one: Values, other: Values, sizes: Sizes) -> Values:
    checkpoint()
    product = Product(left, right, kept, (), sizes)
    classes = max(len(one), len(other))
    pairs = zip(*(np.broadcast_to(said, (classes, said.shape[1])) for said in (one, other)), strict=True)
    said = np.concatenate([product.numbers(first[None], second[None]) for first, second in pairs])
    return np.asarray(said / max(float(said.max()), SMALLEST))
