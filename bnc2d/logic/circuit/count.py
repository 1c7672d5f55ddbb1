"""Exact model counts, as Python integers."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import TRUE, Manager, NodeId
from bnc2d.logic.circuit.overlaps import overlapping_on_sight
from bnc2d.logic.circuit.queries import feature_words, features_below, is_and_decomposable
from bnc2d.logic.circuit.transforms import condition, negate
from bnc2d.logic.domain import Domain

# How many distinct sub-circuits one level of the diagram may have before counting gives up.
_MAX_WIDTH = 200_000


def model_count(manager: Manager, root: NodeId) -> int:
    """Return the number of instances that satisfy the circuit.

    Linear where the circuit, or its negation, is AND-decomposable and its ORs are deterministic on sight
    (every decision diagram is); otherwise by expanding feature after feature and merging equal
    sub-circuits, which can take exponential space and then raises ``LimitExceeded``.
    """
    if _countable(manager, root):
        return _count_decomposable(manager, root)
    complement = negate(manager, root)
    if _countable(manager, complement):
        return manager.domain.instance_count - _count_decomposable(manager, complement)
    return _count_by_levels(manager, root)


def _countable(manager: Manager, root: NodeId) -> bool:
    return is_and_decomposable(manager, root) and not overlapping_on_sight(manager, root)


def _count_decomposable(manager: Manager, root: NodeId) -> int:
    """Count bottom-up: products at ANDs, sums at ORs, each part times the states of features it lacks."""
    levels, domain = manager.levels(root), manager.domain
    words = np.stack(list(feature_words(manager, root)), axis=1)
    # A count never exceeds the number of instances; where that is no machine integer, Python's are used.
    dtype = np.int64 if domain.instance_count < 1 << 62 else object
    groups, firsts = distinct_rows(words.view(np.int64))
    spaces = np.array([_instances(domain, words[row]) for row in firsts.tolist()], dtype=dtype)[groups]
    counts = np.zeros(len(levels), dtype=dtype)
    counts[: levels.leaves] = [mask.bit_count() for _, _, mask in manager.literals(root)] or [root]
    for step in levels.steps:
        checkpoint()
        gates, below = slice(step.first, step.last), counts[step.children]
        if step.is_or:
            missing = spaces[gates].repeat(step.arities)
            missing //= spaces[step.children]
            counts[gates] = np.add.reduceat(below * missing, step.starts)
        else:
            counts[gates] = np.multiply.reduceat(below, step.starts)
    return int(counts[-1]) * (domain.instance_count // int(spaces[-1]))


def _instances(domain: Domain, words: NDArray[np.uint64]) -> int:
    """Return the number of instances of a set of features."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").tolist()
    return prod(size for size, inside in zip(domain.cardinalities, bits, strict=False) if inside)


def _count_by_levels(manager: Manager, root: NodeId) -> int:
    """Count top-down: fix one feature a level, merge equal sub-circuits, carry how often each is reached."""
    work = Manager(manager.domain)
    level = {rewrite(manager, root, work.add_literal, into=work): 1}
    for feature, size in enumerate(manager.domain.cardinalities):
        following: dict[NodeId, int] = {}
        for node, ways in level.items():
            if node == TRUE or not features_below(work, node) >> feature & 1:
                following[node] = following.get(node, 0) + ways * size
                continue
            for state in range(size):
                fixed = condition(work, node, {feature: 1 << state})
                following[fixed] = following.get(fixed, 0) + ways
        following.pop(0, None)
        if len(following) > _MAX_WIDTH:
            raise LimitExceeded(
                f"counting needs more than {_MAX_WIDTH} sub-circuits after {feature + 1} features; "
                "try to_sdd().count()"
            )
        level = following
    return level.get(TRUE, 0)
