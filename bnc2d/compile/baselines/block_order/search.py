"""Block orderings of the features of a classifier (Shih, Choi and Darwiche 2019).

A block ordering is ``F_1, S_1, F_2, S_2, …``: blocks of features with a binary variable after each but the
last, such that ``S_i`` d-separates ``S_(i-1)`` and ``F_i`` from all later features (``S_0`` is the target).
The compiler lists the instances of every block, so the largest block should be small.

1. For the class ``C`` and the features ``F`` that are left, take the moral graph of their ancestors: earlier
   features are summed out, so what only they need is gone.
2. Without ``C`` it falls into components. All but one are blocks after which the class stays ``C``; each is
   tried as the last one, which may be divided further.
3. In a single component, try every binary variable ``S`` whose removal cuts features off from ``C``: those
   that stay are a block, the others are ordered behind the class ``S``. Of two variables that cut off nested
   sets the one with the larger set is enough, as the other can still come after it.
4. Where no variable cuts anything off, all features are one block.
5. Join neighbours while they stay small: a sub-classifier costs more than a few instances of a block.

The features are leaves of the prepared network, so the variables ``S`` are never observed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, VariableId, mask_of, positions, union
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.model.elimination import components
from bnc2d.model.min_fill import graph_of

_SMALL_BLOCK = 5
# At most this many times in a row the class moves; what is left then is one block.
_MAX_DEPTH = 250
_Plan: TypeAlias = tuple["_Step", ...]


@dataclass(frozen=True)
class Block:
    """Features, the class ``above`` before them and the class ``below`` behind them (None: the end)."""

    features: tuple[Name, ...]
    above: Name
    below: Name | None


def find_block_order(prepared: Prepared) -> tuple[Block, ...]:
    """Return a block ordering whose largest block is smallest."""
    return _Search(prepared).blocks()


def join_small_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the ordering with neighbours joined up to a few features; it separates the same features."""
    joined: list[Block] = []
    for block in blocks:
        if joined and len(joined[-1].features) + len(block.features) <= _SMALL_BLOCK:
            last = joined.pop()
            block = Block(last.features + block.features, last.above, block.below)
        joined.append(block)
    return tuple(joined)


class _Step(NamedTuple):
    """A block as masks; ``below`` is None for the last one."""

    features: Mask
    above: VariableId
    below: VariableId | None


def _cost(plan: _Plan) -> tuple[int, int]:
    """Return the size of the largest block, then the instances of all blocks."""
    sizes = [step.features.bit_count() for step in plan]
    return max(sizes), sum(1 << size for size in sizes if size)


class _Search:
    """Finds the best ordering of (class, features), each pair once."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._features = mask_of(prepared.feature_ids)
        self._binary = mask_of([v for v, size in enumerate(prepared.sizes) if size == 2])
        self._ancestors: list[Mask] = []
        for child in prepared.network.names:
            checkpoint()
            above = prepared.network.ancestors([child])
            self._ancestors.append(mask_of([prepared.ids[name] for name in above]))
        self._known: dict[tuple[VariableId, Mask], _Plan] = {}
        self._depth = 0

    def blocks(self) -> tuple[Block, ...]:
        names = self._prepared.network.names
        blocks: list[Block] = []
        for features, above, below in self._best(self._prepared.target_id, self._features):
            inside = tuple(names[v] for v in self._prepared.feature_ids if features >> v & 1)
            block = Block(inside, names[above], None if below is None else names[below])
            if blocks and not blocks[-1].features:  # the class moved past no feature: one step does both
                block = replace(block, above=blocks.pop().above)
            blocks.append(block)
        return tuple(blocks)

    def _best(self, above: VariableId, features: Mask) -> _Plan:
        key = (above, features)
        if key not in self._known:
            checkpoint()
            # While a pair is under way, coming back to it gains nothing over one block.
            self._known[key] = (_Step(features, above, None),)
            self._depth += 1
            if self._depth <= _MAX_DEPTH:
                self._known[key] = self._search(above, features)
            self._depth -= 1
        return self._known[key]

    def _search(self, above: VariableId, features: Mask) -> _Plan:
        kept = union(self._ancestors[position] for position in (above, *positions(features)))
        scopes = [self._prepared.scopes[position] for position in positions(kept)]
        near = graph_of(scopes, len(self._prepared.scopes))
        parts = components([scope & ~(1 << above) for scope in scopes])
        groups = [part & features for part in parts if part & features]
        if len(groups) > 1:
            return min((self._one_by_one(above, groups, last) for last in groups), key=_cost)
        plans = [self._known[above, features]]
        for below, behind in self._cuts(above, features, near, kept).items():
            plans.append((_Step(features & ~behind, above, below), *self._best(below, behind)))
        return min(plans, key=_cost)

    def _one_by_one(self, above: VariableId, groups: list[Mask], last: Mask) -> _Plan:
        """Return the plan that takes a group after the other, large ones first while there are few cases."""
        others = sorted((group for group in groups if group != last), key=lambda group: -group.bit_count())
        return (*(_Step(group, above, above) for group in others), *self._best(above, last))

    def _cuts(
        self, above: VariableId, features: Mask, near: list[Mask], kept: Mask
    ) -> dict[VariableId, Mask]:
        """Return variables with the features that they cut off from the class, the largest sets only."""
        cuts: dict[VariableId, Mask] = {}
        for below in positions(kept & self._binary & ~self._features & ~(1 << above)):
            beside = _component(near, above, kept & ~(1 << below))
            behind = features & ~beside
            if behind and not any(behind & ~other == 0 for other in cuts.values()):
                cuts = {b: other for b, other in cuts.items() if other & ~behind}
                cuts[below] = behind
        return cuts


def _component(near: list[Mask], start: VariableId, allowed: Mask) -> Mask:
    """Return the variables that a path inside ``allowed`` joins to the start."""
    found = fresh = 1 << start
    while fresh:
        fresh = union(near[position] for position in positions(fresh)) & allowed & ~found
        found |= fresh
    return found
