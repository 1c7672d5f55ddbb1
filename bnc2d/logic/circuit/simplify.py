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
from bnc2d.logic.circuit.children import LOW

# The literal (or constant) that a gate makes of two literals of one feature: is it an OR, the two literals.
Merge: TypeAlias = Callable[[bool, int, int], int]

_OPEN = -1


class Simplified:
    """Gates after simplification: ``ids`` of those that are nodes already, arities and children of the rest.

    ``ids`` is -1 for the gates of the ``rest``; their children are in ascending order.
    """

    def __init__(
        self,
        is_or: NDArray[np.bool_],
        arities: Numbers,
        children: Numbers,
        features: NDArray[np.int32],
        merge: Merge,
    ) -> None:
        count = len(arities)
        self.ids = np.full(count, _OPEN, dtype=np.int64)
        self._is_or = is_or
        self._owners = np.arange(count).repeat(arities)
        self.children = children
        self._sort()
        self._absorb_constants()
        while self._merge_literals(features, merge):
            self._sort()
            self._absorb_constants()
        if len(self.children) < len(children) or (arities < 2).any():
            arities = np.bincount(self._owners, minlength=count)
            empty = ((arities == 0) & (self.ids == _OPEN)).nonzero()[0]
            self.ids[empty] = ~is_or[empty]  # no conjunct: true; no disjunct: false
            single = arities[self._owners] == 1
            if single.any():
                self.ids[self._owners[single]] = self.children[single]
                self.children = self.children[~single]
            self.rest = (self.ids == _OPEN).nonzero()[0]
            self.arities: Numbers = arities[self.rest]
        else:
            self.rest, self.arities = np.arange(count), arities

    def _sort(self) -> None:
        """Bring the children of each gate into ascending order, each once."""
        keys = self._owners << 32
        keys |= self.children
        if (keys[1:] > keys[:-1]).all():
            return
        keys.sort()
        repeated = (keys[1:] == keys[:-1]).nonzero()[0]
        if len(repeated):
            keys = np.delete(keys, repeated)
            self._owners = keys >> 32
        keys &= LOW
        self.children = keys

    def _absorb_constants(self) -> None:
        constant = self.children <= 1
        if not constant.any():
            return
        dominant = constant & (self.children == self._is_or[self._owners])
        decided = self._owners[dominant]
        self.ids[decided] = self._is_or[decided]
        self._keep(~constant & (self.ids[self._owners] == _OPEN))

    def _merge_literals(self, features: NDArray[np.int32], merge: Merge) -> bool:
        """Merge pairs of literals of one feature in a gate; return whether there was one."""
        feature = features[self.children]
        literals = (feature >= 0).nonzero()[0]
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
        pairs = (self.children[left] << 32) | self.children[right]
        is_or = self._is_or[self._owners[left]]
        self.children = self.children.copy()
        for disjunction in (False, True):
            chosen = np.flatnonzero(is_or == disjunction)
            if len(chosen):
                codes, _, place = distinct(pairs[chosen])
                merged = [merge(disjunction, code >> 32, code & LOW) for code in codes.tolist()]
                self.children[left[chosen]] = np.array(merged, dtype=np.int64)[place]
        kept = np.ones(len(self.children), dtype=bool)
        kept[right] = False
        self._keep(kept)
        return True

    def _keep(self, chosen: NDArray[np.bool_]) -> None:
        self._owners, self.children = self._owners[chosen], self.children[chosen]


def _has_equal(keys: Numbers) -> bool:
    ascending = np.sort(keys)
    return bool((ascending[1:] == ascending[:-1]).any())
