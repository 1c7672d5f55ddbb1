"""How long the default method is going to take, before anything large is made."""

from __future__ import annotations

from math import inf

from bnc2d.base.budget import default_memory
from bnc2d.compile.graph.alike_states import merge_alike_states
from bnc2d.compile.graph.pruning import prepare, target_part
from bnc2d.compile.meet.method import cheapest_cut
from bnc2d.compile.ratio.groups import groups_of
from bnc2d.compile.ratio.method import most_products
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier

# What a product in the middle takes, with the nodes that it becomes; measured, one core of about 3 GHz.
_SECONDS_PER_PRODUCT = 5e-6


def expected_seconds(classifier: BaseClassifier) -> float:
    """Return about how long compiling takes, to a power of ten or so; infinite where memory is too small.

    Instances that are alike, and products that decide early, can make it shorter than this; a diagram that
    is large can make it longer.
    """
    prepared = prepare(target_part(classifier).classifier)
    grouping = groups_of(prepared)
    if grouping is not None:
        return most_products(prepared, grouping) * _SECONDS_PER_PRODUCT
    try:
        return cheapest_cut(merge_alike_states(prepared), default_memory()).seconds
    except LimitExceeded:
        return inf
