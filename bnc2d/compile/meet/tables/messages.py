"""The two tables of a cut, for all partial instances at once: messages sent towards the cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cut import CutSide, Message
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, compressed_cpt, multiply_out
from bnc2d.model.elimination import VariableId


class Side:
    """Computes the table of one side, over its features, the separator and, where it is here, the target.

    The prior of a target without parents is left out: it is a weight of the decision.
    """

    def __init__(self, prepared: Prepared, side: CutSide) -> None:
        self._network = prepared.network
        self._ids = {name: position for position, name in enumerate(prepared.network.names)}
        self._sizes = {position: len(v) for position, v in enumerate(prepared.network.variables)}
        self._feature_ids = frozenset(self._ids[name] for name in prepared.features)
        self._apart = {prepared.target} if has_prior(prepared) else set()
        self._messages = side.messages
        self.features = side.features

    def part(
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
        part = multiply_out(pool, (), self._sizes, exact, structural)
        free = [self._ids[name] for name in self.features if name not in given]
        rows = part.pattern_of_row.reshape([self._sizes[v] for v in part.features])
        rows = rows.transpose([part.features.index(v) for v in free]).reshape(-1)
        return replace(part, features=tuple(free), pattern_of_row=rows)

    def _eliminated(
        self, pool: list[CompressedFactor], message: Message, exact: bool, structural: bool
    ) -> list[CompressedFactor]:
        """Return the parts with the variables of a message summed out."""
        summed = {self._ids[name] for name in message.summed}
        while (step := _next_step([{*p.scope, *p.features} for p in pool], summed, self._sizes)) is not None:
            inside = set(step.inside)
            together = [pool[position] for position in step.inside]
            joined = multiply_out(together, step.gone, self._sizes, exact, structural)
            pool = [part for position, part in enumerate(pool) if position not in inside] + [joined]
        return pool


def has_prior(prepared: Prepared) -> bool:
    """Return whether the target has no parents, so that its table is a prior."""
    return not prepared.network.parents(prepared.target)


def features_to_fix(prepared: Prepared, side: CutSide, max_entries: int) -> set[Name]:
    """Return features to set beforehand: those in the most large tables, until none is over the limit."""
    network = prepared.network
    sizes = {position: len(variable) for position, variable in enumerate(network.variables)}
    features = {network.index(name) for name in prepared.features}
    tables: list[frozenset[VariableId]] = []
    pool: list[frozenset[VariableId]] = []
    for message in side.messages:
        pool += [frozenset(network.index(v) for v in network.cpt(name).scope) for name in message.cpts]
        while (step := _next_step(pool, {network.index(name) for name in message.summed}, sizes)) is not None:
            inside = set(step.inside)
            joined = frozenset().union(*(pool[position] for position in inside)).difference(step.gone)
            pool = [axes for position, axes in enumerate(pool) if position not in inside] + [joined]
            tables.append(joined)
    tables.append(frozenset().union(*pool))
    fixed: set[VariableId] = set()
    while True:
        checkpoint()
        large = [axes for axes in tables if prod(sizes[v] for v in axes - fixed) > max_entries]
        votes = Counter(variable for axes in large for variable in (axes & features) - fixed)
        if not votes:
            return {network.names[variable] for variable in fixed}
        fixed.add(max(sorted(votes), key=lambda variable: votes[variable]))


@dataclass(frozen=True)
class _Step:
    """Multiply the parts at the positions ``inside`` and sum out the variables ``gone``."""

    inside: tuple[int, ...]
    gone: tuple[VariableId, ...]


def _next_step(
    scopes: Sequence[Collection[VariableId]], summed: set[VariableId], sizes: Mapping[VariableId, int]
) -> _Step | None:
    """Return how to eliminate next: a variable of ``summed`` that joins the smallest product, or None.

    With the parts of a variable go those that add no axis to their product, and with the variable go all
    others that no part outside still mentions: no axis stays longer than it must.
    """
    left = summed & {variable for scope in scopes for variable in scope}
    if not left:
        return None
        checkpoint()
    joined = {v: set().union(*(scope for scope in scopes if v in scope)) for v in left}
    chosen = min(sorted(left), key=lambda v: prod(sizes[other] for other in joined[v]))
    inside = [position for position, scope in enumerate(scopes) if joined[chosen].issuperset(scope)]
    kept = {v for position, scope in enumerate(scopes) if position not in inside for v in scope}
    return _Step(tuple(inside), tuple(sorted(v for v in left & joined[chosen] if v not in kept)))
