"""What decisions in one dimension take beside the general method, by the scopes of factors alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, prod
from typing import NamedTuple

from bnc2d.compile.ratio.factors import Groups
from bnc2d.compile.ratio.order import greedy
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.elimination import connected_groups

# What an edge, an entry of a factor and a stage take, in cells of the general method (2 ns).
_CELLS_PER_EDGE = 75
_CELLS_PER_ENTRY = 5_000
_CELLS_PER_STAGE = 500_000
# What a state of the boundary adds to a cell.
_CELLS_PER_TERM = 0.25
# Orders that are looked at.
_STARTS = 8


def pays(classifier: BaseClassifier, groups: Groups) -> bool:
    """Return whether intervals take less than cells, each of which is a sum over the states of a boundary."""
    sizes = [len(feature) for feature in classifier.feature_variables]
    scopes = [group.features for group in groups.groups]
    entries = sum(prod(sizes[feature] for feature in scope) for scope in scopes)
    least = outline(scopes, sizes)
    work = _CELLS_PER_EDGE * least.edges + _CELLS_PER_ENTRY * entries + _CELLS_PER_STAGE * len(sizes)
    return work < classifier.instance_count * (1 + _CELLS_PER_TERM * least.blocks)


class Outline(NamedTuple):
    """How many edges nodes have at most, and the blocks of the level with the most nodes."""

    edges: float
    blocks: float


def outline(scopes: Sequence[Sequence[FeatureId]], cardinalities: Sequence[int]) -> Outline:
    """Return what the number of products from either end of an order says.

    The order is the best of a few; ``choose_order`` looks for a better one, with the ratios known.
    """
    groups = [[frozenset(scopes[number]) for number in group] for group in connected_groups(scopes)]
    members = [sorted(frozenset().union(*own)) for own in groups]

    def from_start(start: int) -> Outline:
        order: list[FeatureId] = []
        for own, features in zip(groups, members, strict=True):
            if features:
                first = features[len(features) * start // _STARTS]
                order += greedy(first, own, cardinalities, eager=True)
        return _outline_of(order, scopes, cardinalities)

    return min(map(from_start, range(_STARTS)))


def _outline_of(
    order: Sequence[FeatureId], scopes: Sequence[Sequence[FeatureId]], cardinalities: Sequence[int]
) -> Outline:
    place = {feature: number for number, feature in enumerate(order)}
    last = [0] * len(order)  # by place: where the last factor of the feature is complete
    for scope in scopes:
        for feature in scope:
            last[place[feature]] = max(last[place[feature]], *(place[other] for other in scope))
    sizes = [log2(cardinalities[feature]) for feature in order]
    above, left, edges = 0.0, sum(sizes), 0.0
    fullest = 0.0, 0.0
    for number, size in enumerate(sizes):
        boundary = sum(sizes[before] for before in range(number) if last[before] >= number)
        nodes = min(above, boundary + left)
        fullest = max(fullest, (nodes, boundary))
        edges += 2.0 ** min(1000.0, nodes + size)
        above, left = above + size, left - size
    return Outline(edges, 2.0 ** min(1000.0, fullest[1]))
