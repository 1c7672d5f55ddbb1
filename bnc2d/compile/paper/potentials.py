"""The potentials of the nodes of an f-tree: what the tables of the network come to in its clusters.

Factors stand for their true values up to a positive factor, which changes no decision.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

import numpy as np

from bnc2d.base.masks import VariableId, mask_of, positions
from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.errors import LimitExceeded
from bnc2d.model.elimination import eliminate, smallest_first
from bnc2d.model.factors import Factor, multiply_out

_MAX_ENTRIES = 1 << 26  # 512 MiB


def potentials_of(prepared: Prepared, tree: FeatureTree) -> list[Factor]:
    """Return the potential of each node; their product, summed out, is ``P(Y, X)``.

    Variables in no cluster of the f-tree are eliminated first. They live in parts of the jointree that hang
    off the f-tree by one separator each, and what elimination leaves of such a part is over variables that
    the part shares with the f-tree: over that separator. So a cluster covers every table that is left.
    """
    clusters = [{prepared.ids[name] for name in node.cluster} for node in tree.nodes]
    outside = set(range(len(prepared.scopes))).difference(*clusters)
    tables = [Factor.of_cpt(cpt, prepared.ids, np.float64) for cpt in prepared.network.cpts]
    joins = smallest_first(prepared.scopes, mask_of(outside), prepared.counts.count)
    left = eliminate(
        tables, prepared.scopes, joins, lambda some, gone: multiply(prepared, some, positions(gone))
    )
    assigned: list[list[Factor]] = [[] for _ in clusters]
    for table in left:
        home = next(node for node, cluster in enumerate(clusters) if cluster.issuperset(table.scope))
        assigned[home].append(table)
    return [multiply(prepared, tables) for tables in assigned]


def project(prepared: Prepared, factors: Sequence[Factor], kept: Collection[VariableId]) -> Factor:
    """Return the product over the variables ``kept``; the others are summed out."""
    return multiply(prepared, factors, {v for factor in factors for v in factor.scope}.difference(kept))


def multiply(prepared: Prepared, factors: Sequence[Factor], summed: Collection[VariableId] = ()) -> Factor:
    """Return the product with some variables summed out; 1 where there is no factor."""
    scope = list(dict.fromkeys(variable for factor in factors for variable in factor.scope))
    size = prod(prepared.sizes[variable] for variable in scope)
    if size > _MAX_ENTRIES:
        shown = ", ".join(prepared.network.names[variable] for variable in scope[:6])
        raise LimitExceeded(
            f"the paper's method needs a table of {size} entries (limit {_MAX_ENTRIES}) "
            f"over {shown}{' …' if len(scope) > 6 else ''}"
        )
    return multiply_out(factors or [Factor.one(np.float64)], summed)
