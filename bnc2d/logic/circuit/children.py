"""The children of many gates, one gate after the other in one array."""

from __future__ import annotations

import numpy as np

from bnc2d.base.arrays import Numbers

LOW = (1 << 32) - 1  # a node's number fits in 32 bits, so that two fit in a key

# The children of this many gates, of at most so many each, are sorted together by arity.
_MANY, _SMALL = 1000, 40


def in_ascending_order(arities: Numbers, children: Numbers) -> Numbers:
    """Return the children of each gate in ascending order."""
    ends = arities.cumsum()
    greater = children[1:] > children[:-1]
    greater[ends[:-1] - 1] = True  # another gate begins
    if greater.all():
        return children
    if len(arities) < _MANY or arities.max() > _SMALL:
        keys: Numbers = (np.arange(len(arities)) << 32).repeat(arities)
        keys |= children
        keys.sort()
        return keys & LOW
    ordered = np.empty_like(children)
    pairs = ends[arities == 2]
    one, other = children[pairs - 2], children[pairs - 1]
    ordered[pairs - 2], ordered[pairs - 1] = np.minimum(one, other), np.maximum(one, other)
    for arity in np.flatnonzero(np.bincount(arities)[3:]).tolist():
        indices = ends[arities == arity + 3][:, None] + np.arange(-arity - 3, 0)
        ordered[indices] = np.sort(children[indices], axis=1)
    return ordered


def first_with_a_child_twice(ends: Numbers, children: Numbers) -> int:
    """Return the first gate that has a child twice, or the number of gates; children are ascending."""
    same = children[1:] == children[:-1]
    same[ends[:-1] - 1] = False
    return int(np.searchsorted(ends, same.argmax(), side="right")) if same.any() else len(ends)
