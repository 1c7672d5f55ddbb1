"""The two tables of a cut, for all partial instances at once: messages sent towards the cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, positions, union
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cut import CutSide
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, compressed_cpt, multiply_out
from bnc2d.model.elimination import Join, eliminate, smallest_first


class Side:
    """Computes the table of one side, over its features, the separator and, where it is here, the target.

    The prior of a target without parents is left out: it is a weight of the decision. Inside a message, the
    smallest join comes first.
    """

    def __init__(self, prepared: Prepared, side: CutSide) -> None:
        network = prepared.network
        self._names = network.names
        self._ids = {name: position for position, name in enumerate(network.names)}
        self._sizes = {position: len(v) for position, v in enumerate(network.variables)}
        self._counts = StateCounts([len(v) for v in network.variables])
        self._feature_ids = frozenset(self._ids[name] for name in prepared.features)
        self.features = side.features
        apart = set() if network.parents(prepared.target) else {prepared.target}
        messages = [([name for name in m.cpts if name not in apart], m.summed) for m in side.messages]
        self._cpts = [network.cpt(name) for names, _ in messages for name in names]
        self._scopes = [self._mask([v.name for v in cpt.scope]) for cpt in self._cpts]
        self._joins: list[Join] = []
        left: list[Mask] = []
        unused = iter(self._scopes)
        for names, gone in messages:
            left += [next(unused) for _ in names]
            summed = self._mask(gone)
            joins = smallest_first(left, summed, self._counts.count)
            left = [scope for scope in (*left, *(join.result for join in joins)) if not scope & summed]
            self._joins += joins
        self._last = union(left)

    def _mask(self, names: Collection[Name]) -> Mask:
        return union([1 << self._ids[name] for name in names])

    def factor(
        self, given: Mapping[Name, int], exact: bool = False, structural: bool = False
    ) -> CompressedFactor:
        """Return the table with some features set, its rows in the order of the others in ``features``.

        ``structural`` as in ``multiply_out``.
        """

        def multiply(some: list[CompressedFactor], gone: Mask) -> CompressedFactor:
            checkpoint()
            return multiply_out(some, positions(gone), self._sizes, exact, structural)

        tables = [compressed_cpt(cpt, self._ids, self._feature_ids, given, exact) for cpt in self._cpts]
        whole = multiply(eliminate(tables, self._scopes, self._joins, multiply), 0)
        free = [self._ids[name] for name in self.features if name not in given]
        rows = whole.pattern_of_row.reshape([self._sizes[v] for v in whole.features])
        rows = rows.transpose([whole.features.index(v) for v in free]).reshape(-1)
        return replace(whole, features=tuple(free), pattern_of_row=rows)

    def features_to_fix(self, max_entries: int) -> set[Name]:
        """Return features to set beforehand: those in the most large tables, until none is over the limit."""
        tables = [*(join.result for join in self._joins), self._last]
        features = union([1 << variable for variable in self._feature_ids])
        fixed: Mask = 0
        while True:
            checkpoint()
            large = [scope for scope in tables if self._counts.count(scope & ~fixed) > max_entries]
            votes = Counter(v for scope in large for v in positions(scope & features & ~fixed))
            if not votes:
                return {self._names[variable] for variable in positions(fixed)}
            fixed |= 1 << max(sorted(votes), key=lambda variable: votes[variable])


def priors_of(prepared: Prepared) -> list[Fraction]:
    """Return the prior of each class, which no table of a ``Side`` has; 1 where the target has parents."""
    table = prepared.network.cpt(prepared.target)
    return [Fraction(1)] * len(table.child) if table.parents else table.exact.tolist()
