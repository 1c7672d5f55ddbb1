"""The two tables of a cut, for all partial instances at once: messages sent towards the cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, positions, union
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cut import CutSide, Message
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, compressed_cpt, multiply_out
from bnc2d.model.elimination import eliminate, joined_tables, smallest_first


class Side:
    """Computes the table of one side, over its features, the separator and, where it is here, the target.

    The prior of a target without parents is left out: it is a weight of the decision.
    """

    def __init__(self, prepared: Prepared, side: CutSide) -> None:
        self._network = prepared.network
        self._ids = {name: position for position, name in enumerate(prepared.network.names)}
        self._sizes = {position: len(v) for position, v in enumerate(prepared.network.variables)}
        self._counts = StateCounts([len(v) for v in prepared.network.variables])
        self._feature_ids = frozenset(self._ids[name] for name in prepared.features)
        self._apart = {prepared.target} if has_prior(prepared) else set()
        self._messages = side.messages
        self.features = side.features

    def factor(
        self,
        given: Mapping[Name, int],
        exact: bool = False,
        structural: bool = False,
    ) -> CompressedFactor:
        """Return the table with some features set, its rows in the order of the others in ``features``.

        ``structural`` as in ``multiply_out``.
        """
        pool: list[CompressedFactor] = []
        for message in self._messages:
            checkpoint()
            pool += [
                compressed_cpt(self._network.cpt(name), self._ids, self._feature_ids, given, exact)
                for name in message.cpts
                if name not in self._apart
            ]
            pool = self._eliminated(pool, message, exact, structural)
        whole = multiply_out(pool, (), self._sizes, exact, structural)
        free = [self._ids[name] for name in self.features if name not in given]
        rows = whole.pattern_of_row.reshape([self._sizes[v] for v in whole.features])
        rows = rows.transpose([whole.features.index(v) for v in free]).reshape(-1)
        return replace(whole, features=tuple(free), pattern_of_row=rows)

    def _eliminated(
        self, pool: list[CompressedFactor], message: Message, exact: bool, structural: bool
    ) -> list[CompressedFactor]:
        """Return the factors with the variables of a message summed out."""
        summed = union([1 << self._ids[name] for name in message.summed])
        scopes = [union([1 << v for v in (*factor.scope, *factor.features)]) for factor in pool]

        def multiply(some: list[CompressedFactor], gone: Mask) -> CompressedFactor:
            return multiply_out(some, positions(gone), self._sizes, exact, structural)

        return eliminate(pool, scopes, smallest_first(scopes, summed, self._counts.count), multiply)


def has_prior(prepared: Prepared) -> bool:
    """Return whether the target has no parents, so that its table is a prior."""
    return not prepared.network.parents(prepared.target)


def features_to_fix(prepared: Prepared, side: CutSide, max_entries: int) -> set[Name]:
    """Return features to set beforehand: those in the most large tables, until none is over the limit."""
    network = prepared.network
    counts = StateCounts([len(variable) for variable in network.variables])
    features = union([1 << network.index(name) for name in prepared.features])
    tables: list[Mask] = []
    pool: list[Mask] = []
    for message in side.messages:
        pool += [union([1 << network.index(v) for v in network.cpt(name).scope]) for name in message.cpts]
        joins = smallest_first(
            pool, union([1 << network.index(name) for name in message.summed]), counts.count
        )
        tables += [join.result for join in joins]
        _, left = joined_tables(pool, joins)
        pool = [[*pool, *(join.result for join in joins)][table] for table in left]
    tables.append(union(pool))
    fixed: Mask = 0
    while True:
        checkpoint()
        large = [scope for scope in tables if counts.count(scope & ~fixed) > max_entries]
        votes = Counter(variable for scope in large for variable in positions(scope & features & ~fixed))
        if not votes:
            return {network.names[variable] for variable in positions(fixed)}
        fixed |= 1 << max(sorted(votes), key=lambda variable: votes[variable])
