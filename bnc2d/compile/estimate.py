"""How long the default method is going to take, before anything large is made."""

from __future__ import annotations

from math import inf

from bnc2d.base.budget import default_memory
from bnc2d.compile.graph.alike_states import merge_alike_states
from bnc2d.compile.graph.pruning import prepare, target_part
from bnc2d.compile.meet.method import cheapest_cut
from bnc2d.compile.ratio.choice import groups_of
from bnc2d.compile.ratio.expected import expected_edges
from bnc2d.compile.ratio.factors import Groups
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier

# What an edge of a node takes, with the formulas; measured, one core of about 3 GHz. And its bytes at least.
_SECONDS_PER_EDGE = 1e-6
_BYTES_PER_EDGE = 16


def expected_seconds(classifier: BaseClassifier) -> float:
    """Return about how long compiling takes, to a power of ten or so; infinite where memory is too small.

    Instances that are alike, and products that decide early, can make it shorter than this; a diagram that
    is large can make it longer.
    """
    part = target_part(classifier).classifier
    prepared = prepare(part)
    groups = groups_of(part, prepared)
    if groups is not None:
        edges = _edges(part, groups)
        return edges * _SECONDS_PER_EDGE if edges * _BYTES_PER_EDGE <= default_memory() else inf
    try:
        return cheapest_cut(merge_alike_states(prepared), default_memory()).seconds
    except LimitExceeded:
        return inf


def _edges(classifier: BaseClassifier, groups: Groups) -> float:
    factors = [groups.factor(group) for group in groups.groups]
    return expected_edges(factors, [len(feature) for feature in classifier.feature_variables])
