"""Exact counts of models and of their weights, as Python integers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import ranges
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.overlaps import gates_in_doubt
from bnc2d.logic.circuit.queries import feature_words
from bnc2d.logic.circuit.restriction import Restriction, features_as_met
from bnc2d.logic.counting.weights import Weights

# How many distinct sub-circuits one level of the diagram may have before counting gives up.
_MAX_WIDTH = 200_000


def model_count(manager: Manager, root: NodeId) -> int:
    """Return the number of instances that satisfy the circuit; see ``weighted_count``."""
    weights = Weights(manager.domain, {})
    return weighted_count(manager, root, weights)


def weighted_count(manager: Manager, root: NodeId, weights: Weights, deterministic: bool = False) -> int:
    """Return what the instances that satisfy the circuit weigh together, in units of the weights.

    Linear where a rule of ``_Rules`` fits every gate, as in binary decision diagrams and their complements;
    else by expanding feature after feature and merging equal sub-circuits, which can take exponential space
    and then raises ``LimitExceeded``. With ``deterministic``, ORs are taken to be so.
    """
    if root in (FALSE, TRUE):
        return weights.total if root == TRUE else 0
    rules = _Rules(manager, root, deterministic)
    return _count_in_one_pass(rules, weights) if rules.fit else _count_by_levels(manager, root, weights)


class _Rules:
    """How the weight of each gate follows from those of its children.

    Conjuncts that share no feature: their product. Disjuncts that share none: the same of the complements.
    Deterministic disjuncts: their sum. Conjuncts no two of which fail together: the same of the complements.
    ``shares`` tells the gates whose children share a feature, which need the latter two; whether these
    ``fit`` is seen from the states that the children allow.
    """

    def __init__(self, manager: Manager, root: NodeId, deterministic: bool) -> None:
        self.manager, self.root, self.levels = manager, root, manager.levels(root)
        levels = self.levels
        self.words = np.stack(list(feature_words(manager, root)), axis=1)
        sizes = np.bitwise_count(self.words).sum(axis=1, dtype=np.int64)
        self.shares = np.zeros(len(levels), dtype=bool)
        for step in levels.steps:
            checkpoint()
            sums = np.add.reduceat(sizes[step.children], step.starts)
            self.shares[step.first : step.last] = sums != sizes[step.first : step.last]
        self.fit = all(self._fits(ors) for ors in (True, False) if not (ors and deterministic))

    def _fits(self, ors: bool) -> bool:
        kinds = self.levels.kinds[self.levels.leaves :] == (Kind.OR if ors else Kind.AND)
        if not (self.shares[self.levels.leaves :] & kinds).any():
            return True
        return not self.shares[gates_in_doubt(self.manager, self.root, ors=ors)].any()


def _count_in_one_pass(rules: _Rules, weights: Weights) -> int:
    """Count bottom-up; a node counts the instances of the features below it.

    In a sum each part is multiplied by the weights of the features that it lacks, which is the exact quotient
    of what all instances weigh above and below. Features that weigh 0 in all are left out of these products
    and looked for by themselves.
    """
    manager, levels, words = rules.manager, rules.levels, rules.words
    dtype = np.int64 if weights.bound < 1 << 61 else object
    groups, firsts = distinct_rows(words.view(np.int64))
    factors = [total or 1 for total in weights.totals]
    spaces = np.array([_product(factors, words[row]) for row in firsts.tolist()], dtype=dtype)[groups]
    vanishing = _as_words([not total for total in weights.totals], words.shape[1])
    wholes = np.where((words & vanishing).any(axis=1), 0, spaces)
    counts = np.zeros(len(levels), dtype=dtype)
    counts[: levels.leaves] = [weights.of_states(f, mask) for _, f, mask in manager.literals(rules.root)]
    for step in levels.steps:
        checkpoint()
        for shares in (False, True):
            gates = np.flatnonzero(rules.shares[step.first : step.last] == shares)
            if not len(gates):
                continue
            arities = step.arities[gates]
            children = step.children[ranges(step.starts[gates], arities)]
            starts = arities.cumsum() - arities
            gates += step.first
            flipped = step.is_or != shares  # the complements are counted
            below = wholes[children] - counts[children] if flipped else counts[children]
            if shares:
                missing = spaces[gates].repeat(arities) // spaces[children]
                if vanishing.any():
                    lacking = words[gates].repeat(arities, axis=0) & ~words[children]
                    missing[(lacking & vanishing).any(axis=1)] = 0
                found = np.add.reduceat(below * missing, starts)
            else:
                found = np.multiply.reduceat(below, starts)
            counts[gates] = wholes[gates] - found if flipped else found
    inside = np.unpackbits(words[-1].view(np.uint8), bitorder="little").tolist()
    return int(counts[-1]) * prod(t for t, known in zip(weights.totals, inside, strict=False) if not known)


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
    order = features_as_met(manager, root)
    restrict = Restriction(work, order)
    for rank, feature in enumerate(order):
        row = weights.table[feature]
        following: dict[NodeId, int] = {}
        for node, reached in level.items():
            checkpoint()
            for fixed, weight in zip(restrict(node, rank), row, strict=True):
                following[fixed] = following.get(fixed, 0) + reached * weight
        following.pop(FALSE, None)
        level = {node: reached for node, reached in following.items() if reached}
        if len(level) > _MAX_WIDTH:
            raise LimitExceeded(
                f"counting needs more than {_MAX_WIDTH} sub-circuits after {rank + 1} features; "
                "try to_sdd().count()"
            )
    return level.get(TRUE, 0)
