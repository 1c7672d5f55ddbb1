"""Groups of features that the target separates, and whether the decision in one dimension pays for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from bnc2d.base.masks import mask_of, positions
from bnc2d.compile.graph.jointree import Jointree, build_jointree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cut import CutSide, Step
from bnc2d.model.elimination import components

# At most this many entries of the integer table of a group.
_MAX_TABLE = 1 << 18
# An instance of a group takes as long as labelling this many cells (0.1 ms); the general method starts no
# faster than this many instances of groups are done.
_CELLS_PER_INSTANCE = 10_000
_FEW_INSTANCES = 200


@dataclass(frozen=True)
class Grouping:
    """The sides of a network that its target separates, a group of features each, and a jointree of it."""

    groups: tuple[CutSide, ...]
    jointree: Jointree


def groups_of(prepared: Prepared) -> Grouping | None:
    """Return the groups of features that a target with two states separates, or None where it does not pay.

    A group without features holds ancestors of the target only.
    """
    network, count = prepared.network, prepared.counts.count
    target, features = 1 << prepared.target_id, mask_of(prepared.feature_ids)
    parts = components([scope & ~target for scope in prepared.scopes])
    if len(network.variable(prepared.target)) != 2 or len(parts) < 2:
        return None
    instances = [prod(prepared.sizes[v] for v in positions(part & features)) for part in parts]
    if sum(instances) > _FEW_INSTANCES + prod(instances) // _CELLS_PER_INSTANCE:
        return None
    jointree = build_jointree(network)
    clusters = [
        mask_of([prepared.ids[name] for name in cluster]) & ~features for cluster in jointree.clusters
    ]
    groups = []
    for part, rows in zip(parts, instances, strict=True):
        largest = max((count(cluster) for cluster in clusters if cluster & part), default=1.0)
        if rows * largest > _MAX_TABLE:
            return None
        has_parents = part & prepared.scopes[prepared.target_id] != 0
        tables = tuple(positions(part | target if has_parents else part))
        own = tuple(feature for feature in prepared.feature_ids if part >> feature & 1)
        groups.append(CutSide(own, (Step(tables, part & ~features),)))
    return Grouping(tuple(groups), jointree)
