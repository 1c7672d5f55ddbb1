"""The potentials of the nodes of an f-tree: what the tables of the network come to in its clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import prod

import numpy as np

from bnc2d.base.masks import StateCounts, VariableId, positions, union
from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.errors import LimitExceeded
from bnc2d.model.elimination import eliminate, smallest_first
from bnc2d.model.factors import Factor, multiply_out

_MAX_ENTRIES = 1 << 26  # 512 MiB


class Potentials:
    """The potential of each node of an f-tree, and products of them; variables are positions in the network.

    Factors stand for their true values up to a positive factor, which changes no decision.
    """

    def __init__(self, prepared: Prepared, tree: FeatureTree) -> None:
        network = prepared.network
        self.names = network.names
        self._ids = {name: position for position, name in enumerate(network.names)}
        self._sizes = [len(variable) for variable in network.variables]
        self.assigned = self._assign(prepared, tree)

    def ids(self, names: Iterable[Name]) -> list[VariableId]:
        """Return the variables of these names."""
        return [self._ids[name] for name in names]

    def size(self, variables: Iterable[VariableId]) -> int:
        """Return the number of instances of some variables."""
        return prod(self._sizes[variable] for variable in variables)

    def project(self, factors: Sequence[Factor], kept: Collection[VariableId]) -> Factor:
        """Return the product over the variables ``kept``; the others are summed out."""
        return self.multiply(factors, {v for factor in factors for v in factor.scope}.difference(kept))

    def multiply(self, factors: Sequence[Factor], summed: Collection[VariableId] = ()) -> Factor:
        """Return the product with some variables summed out; 1 where there is no factor."""
        scope = list(dict.fromkeys(variable for factor in factors for variable in factor.scope))
        if self.size(scope) > _MAX_ENTRIES:
            shown = ", ".join(self.names[variable] for variable in scope[:6])
            raise LimitExceeded(
                f"the paper's method needs a table of {self.size(scope)} entries (limit {_MAX_ENTRIES}) "
                f"over {shown}{' …' if len(scope) > 6 else ''}"
            )
        return multiply_out(factors or [Factor.one(np.float64)], summed)

    def _assign(self, prepared: Prepared, tree: FeatureTree) -> list[Factor]:
        """Return the potential of each node; their product, summed out, is ``P(Y, X)``.

        Variables in no cluster of the f-tree are eliminated first. They live in parts of the jointree that
        hang off the f-tree by one separator each, and what elimination leaves of such a part is over
        variables that the part shares with the f-tree: over that separator. So a cluster covers every table
        that is left.
        """
        clusters = [set(self.ids(node.cluster)) for node in tree.nodes]
        outside = set(range(len(self.names))).difference(*clusters)
        tables = [Factor.of_cpt(cpt, self._ids, np.float64) for cpt in prepared.network.cpts]
        scopes = [union([1 << variable for variable in table.scope]) for table in tables]
        joins = smallest_first(
            scopes, union([1 << variable for variable in outside]), StateCounts(self._sizes).count
        )
        left = eliminate(tables, scopes, joins, lambda some, gone: self.multiply(some, positions(gone)))
        assigned: list[list[Factor]] = [[] for _ in clusters]
        for table in left:
            home = next(node for node, cluster in enumerate(clusters) if cluster.issuperset(table.scope))
            assigned[home].append(table)
        return [self.multiply(tables) for tables in assigned]
