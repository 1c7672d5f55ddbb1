"""Which states the features of an instance may change to: those allowed, not forbidden, or one way only.

Around one instance the allowed changes are a box: a set of states for each feature, its own among them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bnc2d.base.readers.arguments import mapping, names
from bnc2d.errors import ClassifierError
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.domain import Domain, FeatureId, StateMask

Box: TypeAlias = dict[FeatureId, StateMask]  # the states of the features that may not have all
# What users give: for features a state or states, "up" or "down", or a mapping from state to states.
Changes: TypeAlias = Mapping[str, Any] | None
Orders: TypeAlias = Mapping[str, Sequence[str]] | None

_EXPECTED = "a mapping from feature to the states that it may change to"


@dataclass(frozen=True)
class MayChange:
    """What features may change to, as users say it.

    For a feature, ``allowed`` has states that it may change to, or ``"up"`` or ``"down"`` for those after or
    before its own, by ``order`` where that has the feature, or a mapping from states to those that may follow
    them; ``forbidden`` has in the same forms what it may not change to. Features that neither has may change
    freely.

    >>> domain = Domain({"Age": ("young", "mid", "old"), "BP": ("Low", "Normal", "High")})
    >>> MayChange({"Age": "up", "BP": {"High": "Normal"}}).box(domain, [1, 2])
    {0: 6, 1: 6}
    """

    allowed: Changes = None
    forbidden: Changes = None
    order: Orders = None

    def without(self, missing: Collection[str]) -> MayChange:
        """Return the same without features that are missing in an instance: they do not change."""
        if not missing:
            return self
        kept = [
            {name: value for name, value in given.items() if name not in missing}
            if isinstance(given, Mapping)
            else given
            for given in (self.allowed, self.forbidden, self.order)
        ]
        return MayChange(*kept)

    def box(self, domain: Domain, positions: Sequence[int]) -> Box:
        """Return the states of the features whose changes are limited, the instance's own among them."""
        ranked = _ranked(domain, self.order)
        box: Box = {}
        for called, given in (("allowed", self.allowed), ("forbidden", self.forbidden)):
            for name, states in ({} if given is None else mapping(given, called, _EXPECTED)).items():
                feature = domain.index(name)
                found = _states(domain, feature, positions[feature], states, ranked[feature])
                kept = found if called == "allowed" else domain.full(feature) & ~found
                box[feature] = box.get(feature, domain.full(feature)) & kept
        with_own = {feature: mask | 1 << positions[feature] for feature, mask in sorted(box.items())}
        return {feature: mask for feature, mask in with_own.items() if mask != domain.full(feature)}


def _states(domain: Domain, feature: FeatureId, own: int, given: object, ranked: list[int]) -> StateMask:
    """Return the states that one entry names, for an instance with the state ``own``."""
    if isinstance(given, Mapping):
        found: StateMask = 0
        for state, others in given.items():
            is_own = domain.state_index(feature, state) == own
            found |= domain.mask(feature, others) * is_own
        return found
    if isinstance(given, str) and given in ("up", "down") and given not in domain.states[feature]:
        place = ranked.index(own)
        return sum(1 << state for state in (ranked[place:] if given == "up" else ranked[:place]))
    return domain.mask(feature, given)


def _ranked(domain: Domain, order: Orders) -> list[list[int]]:
    """Return the states of each feature from the lowest to the highest: as listed, or as given."""
    found = [list(range(size)) for size in domain.cardinalities]
    expected = "a mapping from feature to a list of its states"
    for name, states in ({} if order is None else mapping(order, "order", expected)).items():
        feature = domain.index(name)
        found[feature] = ranking(domain, feature, states)
    return found


def ranking(domain: Domain, feature: FeatureId, states: object) -> list[int]:
    """Return the positions of all states of a feature, in the order given."""
    name = domain.names[feature]
    ranked = [domain.state_index(feature, state) for state in names(states, f"order of {name!r}")]
    if sorted(ranked) != list(range(domain.cardinalities[feature])):
        raise ClassifierError(f"order of {name!r} must list each of its states once")
    return ranked


def box_diagram(domain: Domain, order: Sequence[FeatureId], box: Box) -> Diagram:
    """Return the diagram of "within the box", 1 where so and 0 where not, with the features in this order."""
    builder = DiagramBuilder(2)
    node = 1
    for feature in reversed(order):
        mask = box.get(feature, -1)
        children = [node * (mask >> state & 1) for state in range(domain.cardinalities[feature])]
        node = int(builder.add_level(np.array([children], dtype=np.int64))[0])
    return builder.finish(domain, order, node)


def in_words(allowed: Mapping[str, Sequence[str]]) -> str:
    """Say which features may change to which states: ``BP to Low or Normal, CT not at all``."""
    to = {name: f"to {' or '.join(states)}" if states else "not at all" for name, states in allowed.items()}
    return ", ".join(f"{name} {states}" for name, states in to.items())
