"""Keys: weights as integers that order sets of features, no two of which have the same key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Self, TypeAlias

from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.errors import LogicError
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import Domain, FeatureId

Key: TypeAlias = int


class Keys:
    """One integer per feature that adds up over a set of features; a feature without a weight weighs 1.

    Sets are ordered by their weight, then by their number, then by the order of the domain (the set with the
    earliest feature first). So the least reason is unique, whatever finds it. With ``tiers``, the number of
    features of the last tier comes before all that, then that of the tier before, but for the first tier.

    >>> keys = Keys(Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")}), {"A": 2})
    >>> keys.of[1] + keys.of[2] < keys.of[0] + keys.of[1] < keys.of[0] + keys.of[2]
    True
    """

    def __init__(
        self, domain: Domain, weights: Mapping[str, Number] | None = None, tiers: Tiers | None = None
    ) -> None:
        self._set(read_weights(weights, domain.names, LogicError, positive=True), tiers)

    @classmethod
    def weighing(cls, weights: Sequence[Fraction]) -> Self:
        """Return the keys of features with these weights, which may be 0."""
        made = cls.__new__(cls)
        made._set(weights, None)
        return made

    def _set(self, weights: Sequence[Fraction], tiers: Tiers | None) -> None:
        scale = lcm(*(weight.denominator for weight in weights))
        count = len(weights)
        scaled = [int(weight * scale) for weight in weights]
        if tiers is not None:  # one feature of a tier weighs more than all of the tiers before
            most = sum(scaled) + 1
            scaled = [
                weight + (most * (count + 1) ** (tier - 1) if tier else 0)
                for weight, tier in zip(scaled, tiers.of, strict=True)
            ]
        bits = count.bit_length()
        self.coarse = [(weight << bits) + 1 for weight in scaled]  # weight and number only
        self.of: list[Key] = [unique_key(weight, feature, count) for feature, weight in enumerate(scaled)]


def unique_key(weight: int, feature: FeatureId, count: int) -> Key:
    """Return the key of one of ``count`` features: its weight, that it is one, and which one it is."""
    coarse = (weight << count.bit_length()) + 1
    return (coarse << count) - (1 << count - 1 - feature)
