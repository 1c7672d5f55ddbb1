"""Tiers: which features are liked better in reasons than others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias, TypedDict

from bnc2d.base.readers.arguments import items, names
from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain, FeatureId

# What users give: names of features, and lists of such names.
Avoided: TypeAlias = str | Iterable[str]
TierLists: TypeAlias = Iterable[str | Iterable[str]]


class Preferences(TypedDict, total=False):
    """Which features reasons had better not have, and features by tier, the best first."""

    avoid: Avoided
    tiers: TierLists


class Tiers:
    """The tier of every feature, 0 being the best; ``of`` has it by feature, and every tier has features."""

    def __init__(self, of: Iterable[int]) -> None:
        given = list(of)
        place = {tier: number for number, tier in enumerate(sorted(set(given)))}
        self.of = [place[tier] for tier in given]
        self.count = len(place)

    def worst(self, features: Collection[FeatureId]) -> int:
        """Return the worst tier of some features."""
        return max((self.of[feature] for feature in features), default=0)

    def groups(self) -> list[list[FeatureId]]:
        """Return the features of each tier, the last tier first."""
        members = range(len(self.of))
        return [[f for f in members if self.of[f] == tier] for tier in reversed(range(self.count))]

    def beyond(self, tier: int) -> list[FeatureId]:
        """Return the features of all tiers after one."""
        return [feature for feature, own in enumerate(self.of) if own > tier]


def from_the_last(features: Iterable[FeatureId], tiers: Tiers | None) -> list[FeatureId]:
    """Return features, those of the last tier first; in a tier the later ones come first."""
    if tiers is None:
        return sorted(features, reverse=True)
    return sorted(features, key=lambda feature: (tiers.of[feature], feature), reverse=True)


def read_tiers(domain: Domain, avoid: Avoided = (), tiers: TierLists = ()) -> Tiers | None:
    """Return the tier of every feature, or None where all are alike.

    Features that are not named are a tier after those listed; those to ``avoid`` are the last.

    >>> domain = Domain(dict.fromkeys("ABCD", ("0", "1")))
    >>> found = read_tiers(domain, "A", [["C"]])
    >>> found.of if found else None
    [2, 1, 0, 1]
    """
    lists = [names(one, "a tier") for one in items(tiers, "tiers", "a list of lists of features", LogicError)]
    lists += [[], names(avoid, "avoid")]
    tier_of: dict[FeatureId, int] = {}
    for tier, listed in enumerate(lists):
        for name in listed:
            feature = domain.index(name)
            if tier_of.setdefault(feature, tier) != tier:
                raise LogicError(f"{name!r} is in two tiers, or in one and among those to avoid")
    found = Tiers(tier_of.get(feature, len(lists) - 2) for feature in range(len(domain)))
    return found if found.count > 1 else None
