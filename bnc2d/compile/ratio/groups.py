"""Groups of features that the target separates, and whether the decision in one dimension pays for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from bnc2d.compile.graph.jointree import Jointree, Name, build_jointree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.model.elimination import connected_groups

# At most this many entries of the integer table of a group.
_MAX_TABLE = 1 << 18
# An instance of a group takes as long as labelling this many cells (0.1 ms); the general method starts no
# faster than this many instances of groups are done.
_CELLS_PER_INSTANCE = 10_000
_FEW_INSTANCES = 200


@dataclass(frozen=True)
class Group:
    """Features that the target separates from all others, and the variables whose tables are theirs."""

    features: tuple[Name, ...]
    hidden: tuple[Name, ...]
    tables: tuple[Name, ...]


@dataclass(frozen=True)
class Grouping:
    """The groups of a network, and a jointree of it."""

    groups: tuple[Group, ...]
    jointree: Jointree


def groups_of(prepared: Prepared) -> Grouping | None:
    """Return the groups of features that a target with two states separates, or None where it does not pay.

    A group without features holds ancestors of the target only.
    """
    network, target = prepared.network, prepared.target
    components = _components(prepared)
    if len(network.variable(target)) != 2 or len(components) < 2:
        return None
    size = {variable.name: len(variable) for variable in network.variables}
    instances = [prod(size[name] for name in names.intersection(prepared.features)) for names in components]
    if sum(instances) > _FEW_INSTANCES + prod(instances) // _CELLS_PER_INSTANCE:
        return None
    jointree = build_jointree(network)
    clusters = [cluster - {*prepared.features} for cluster in jointree.clusters]
    groups = []
    for names, count in zip(components, instances, strict=True):
        hidden = [cluster for cluster in clusters if cluster & names]
        if count * max((prod(size[name] for name in cluster) for cluster in hidden), default=1) > _MAX_TABLE:
            return None
        features = tuple(name for name in prepared.features if name in names)
        tables = {*names, target} if names.intersection(network.parents(target)) else names
        groups.append(Group(features, tuple(sorted(names.difference(features))), tuple(sorted(tables))))
    return Grouping(tuple(groups), jointree)


def _components(prepared: Prepared) -> list[set[Name]]:
    """Return the variables that tables connect to each other without the target."""
    scopes = [{variable.name for variable in cpt.scope} - {prepared.target} for cpt in prepared.network.cpts]
    parts = [set().union(*(scopes[table] for table in group)) for group in connected_groups(scopes)]
    return [part for part in parts if part]
