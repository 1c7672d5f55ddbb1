"""Many gates at once, each brought to the form that a manager keeps.

What ``Manager.add_and`` and ``add_or`` do for one gate: no child twice, constants absorbed, literals of one
feature merged into one, and a single child stands for the gate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers
from bnc2d.base.hashing import distinct
from bnc2d.logic.circuit.store import LOW

# The literal (or constant) that a gate makes of two literals of one feature: is it an OR, the two literals.
Merge: TypeAlias = Callable[[bool, int, int], int]

_OPEN = -1


class Simplified:
    """Gates after simplification: ``ids`` of those that are nodes already, arities and children of the rest.

    ``ids`` is -1 for the gates of the rest; their children are in ascending order.
    """

    def __init__(
        self,
        is_or: NDArray[np.bool_],
        arities: Numbers,
        children: Numbers,
        features: Numbers,
        merge: Merge,
    ) -> None:
        self.ids = np.full(len(arities), _OPEN, dtype=np.int64)
        self._is_or = is_or
        self._owners = np.repeat(np.arange(len(arities)), arities)
        self._children = children
        self._sort()
        self._absorb_constants()
        while self._merge_literals(features, merge):
            self._sort()
            self._absorb_constants()
        counts = np.bincount(self._owners, minlength=len(arities))
        empty = (counts == 0) & (self.ids == _OPEN)
        if empty.any():
            self.ids[empty] = ~is_or[empty]  # no conjunct: true; no disjunct: false
        single = counts[self._owners] == 1
        if single.any():
            self.ids[self._owners[single]] = self._children[single]
            self._children = self._children[~single]
        self.rest = np.flatnonzero(self.ids == _OPEN)
        self.arities: Numbers = counts[self.rest]
        self.children = self._children

    def _sort(self) -> None:
        """Bring the children of each gate into ascending order, each once."""
        keys = self._owners << 32
        keys |= self._children
        steps = keys[1:] > keys[:-1]
        if steps.all():
            return
        keys.sort()
        first = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        if not first.all():
            keys = keys[first]
        self._owners, self._children = keys >> 32, keys & LOW

    def _absorb_constants(self) -> None:
        constant = self._children <= 1
        if not constant.any():
            return
        dominant = constant & (self._children == self._is_or[self._owners])
        decided = self._owners[dominant]
        self.ids[decided] = self._is_or[decided]
        self._keep(~constant & (self.ids[self._owners] == _OPEN))

    def _merge_literals(self, features: Numbers, merge: Merge) -> bool:
        """Merge pairs of literals of one feature in a gate; return whether there was one."""
        feature = features[self._children]
        literals = np.flatnonzero(feature >= 0)
        if len(literals) < 2:
            return False
        keys = self._owners[literals] << 32
        keys |= feature[literals]
        if (keys[1:] > keys[:-1]).all() or not _has_equal(keys):
            return False
        order = np.argsort(keys, kind="stable")
        keys, literals = keys[order], literals[order]
        starts = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=starts[1:])
        position = np.arange(len(keys))
        position -= np.maximum.accumulate(np.where(starts, position, 0))
        second = np.flatnonzero(position % 2 == 1)  # of a pair; three or more are merged in several rounds
        left, right = literals[second - 1], literals[second]
        pairs = (self._children[left] << 32) | self._children[right]
        is_or = self._is_or[self._owners[left]]
        self._children = self._children.copy()
        for disjunction in (False, True):
            chosen = np.flatnonzero(is_or == disjunction)
            if len(chosen):
                codes, _, place = distinct(pairs[chosen])
                merged = [merge(disjunction, code >> 32, code & LOW) for code in codes.tolist()]
                self._children[left[chosen]] = np.array(merged, dtype=np.int64)[place]
        kept = np.ones(len(self._children), dtype=bool)
        kept[right] = False
        self._keep(kept)
        return True

    def _keep(self, chosen: NDArray[np.bool_]) -> None:
        self._owners, self._children = self._owners[chosen], self._children[chosen]


def _has_equal(keys: Numbers) -> bool:
    ascending = np.sort(keys)
    return bool((ascending[1:] == ascending[:-1]).any())
