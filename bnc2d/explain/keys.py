"""Keys: weights as integers that order sets of features, no two of which have the same key."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import TypeAlias

from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain

Key: TypeAlias = int


class Keys:
    """One integer per feature that adds up over a set of features; a feature without a weight weighs 1.

    Sets are ordered by their weight, then by their number, then by the order of the domain (the set with the
    earliest feature first). So the least reason is unique, whatever finds it.

    >>> keys = Keys(Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")}), {"A": 2})
    >>> keys.of[1] + keys.of[2] < keys.of[0] + keys.of[1] < keys.of[0] + keys.of[2]
    True
    """

    def __init__(self, domain: Domain, weights: Mapping[str, Number] | None = None) -> None:
        given = read_weights(weights, domain.names, LogicError, positive=True)
        scale = lcm(*(weight.denominator for weight in given))
        count = len(domain)
        bits = count.bit_length()
        self.coarse = [(int(weight * scale) << bits) + 1 for weight in given]  # weight and number only
        self.of: list[Key] = [
            (coarse << count) - (1 << count - 1 - feature) for feature, coarse in enumerate(self.coarse)
        ]
