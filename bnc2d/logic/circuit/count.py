"""Exact counts of models and of their weights, as Python integers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.errors import LimitExceeded, LogicError
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.overlaps import overlapping_on_sight
from bnc2d.logic.circuit.queries import feature_words, features_below, is_and_decomposable
from bnc2d.logic.circuit.transforms import condition, negate
from bnc2d.logic.counting.weights import Weights

# How many distinct sub-circuits one level of the diagram may have before counting gives up.
_MAX_WIDTH = 200_000


def model_count(manager: Manager, root: NodeId) -> int:
    """Return the number of instances that satisfy the circuit; see ``weighted_count``."""
    weights = Weights(manager.domain, {})
    return weighted_count(manager, root, weights)


def weighted_count(manager: Manager, root: NodeId, weights: Weights, deterministic: bool = False) -> int:
    """Return what the instances that satisfy the circuit weigh together, in units of the weights.

    Linear where the circuit, or its negation, is AND-decomposable and its ORs are deterministic on sight
    (every decision diagram is), or where the caller says that they are ``deterministic``; otherwise by
    expanding feature after feature and merging equal sub-circuits, which can take exponential space and then
    raises ``LimitExceeded``.
    """
    if is_and_decomposable(manager, root):
        if deterministic or not overlapping_on_sight(manager, root):
            return _count_decomposable(manager, root, weights)
    elif deterministic:
        raise LogicError(
            "deterministic=True needs an AND-decomposable circuit, and two conjuncts of this one share a "
            "feature; leave it out, or count to_sdd()"
        )
    complement = negate(manager, root)
    if is_and_decomposable(manager, complement) and not overlapping_on_sight(manager, complement):
        return weights.total - _count_decomposable(manager, complement, weights)
    return _count_by_levels(manager, root, weights)


def _count_decomposable(manager: Manager, root: NodeId, weights: Weights) -> int:
    """Count bottom-up: products at ANDs, sums at ORs, each part times the weights of features it lacks.

    Those of the features below a node over those below its child: an exact quotient of products. A feature
    whose weights sum to 0 is left out of them, and looked for by itself.
    """
    levels, domain = manager.levels(root), manager.domain
    words = np.stack(list(feature_words(manager, root)), axis=1)
    dtype = np.int64 if weights.bound < 1 << 62 else object
    groups, firsts = distinct_rows(words.view(np.int64))
    factors = [total or 1 for total in weights.totals]
    spaces = np.array([_product(factors, words[row]) for row in firsts.tolist()], dtype=dtype)[groups]
    vanishing = _as_words([not total for total in weights.totals], words.shape[1])
    counts = np.zeros(len(levels), dtype=dtype)
    counts[: levels.leaves] = [weights.of_states(f, mask) for _, f, mask in manager.literals(root)] or [root]
    for step in levels.steps:
        checkpoint()
        gates, below = slice(step.first, step.last), counts[step.children]
        if step.is_or:
            missing = spaces[gates].repeat(step.arities)
            missing //= spaces[step.children]
            if vanishing.any():
                lacking = words[gates].repeat(step.arities, axis=0)
                lacking &= ~words[step.children]
                missing[(lacking & vanishing).any(axis=1)] = 0
            counts[gates] = np.add.reduceat(below * missing, step.starts)
        else:
            counts[gates] = np.multiply.reduceat(below, step.starts)
    if root == TRUE:
        return weights.total
    mentioned = np.unpackbits(words[-1].view(np.uint8), bitorder="little").tolist()
    left = [total for total, inside in zip(weights.totals, mentioned, strict=False) if not inside]
    return int(counts[-1]) * prod(left)


def _product(factors: Sequence[int], words: NDArray[np.uint64]) -> int:
    """Return the product over a set of features."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").tolist()
    return prod(factor for factor, inside in zip(factors, bits, strict=False) if inside)


def _as_words(bits: Sequence[bool], words: int) -> NDArray[np.uint64]:
    """Return a set of features as ``feature_words`` has them."""
    found = np.zeros(64 * words, dtype=bool)
    found[: len(bits)] = bits
    return np.packbits(found, bitorder="little").view(np.uint64)


def _count_by_levels(manager: Manager, root: NodeId, weights: Weights) -> int:
    """Count top-down: fix one feature a level, merge equal sub-circuits, carry what reaches each."""
    work = Manager(manager.domain)
    level = {rewrite(manager, root, work.add_literal, into=work): 1}
    for feature, (row, total) in enumerate(zip(weights.table, weights.totals, strict=True)):
        following: dict[NodeId, int] = {}
        for node, reached in level.items():
            checkpoint()
            if node == TRUE or not features_below(work, node) >> feature & 1:
                following[node] = following.get(node, 0) + reached * total
                continue
            for state, weight in enumerate(row):
                if weight:
                    fixed = condition(work, node, {feature: 1 << state})
                    following[fixed] = following.get(fixed, 0) + reached * weight
        following.pop(FALSE, None)
        if len(following) > _MAX_WIDTH:
            raise LimitExceeded(
                f"counting needs more than {_MAX_WIDTH} sub-circuits after {feature + 1} features; "
                "try to_sdd().count()"
            )
        level = {node: reached for node, reached in following.items() if reached}
    return level.get(TRUE, 0)
