"""Which states the features of an instance may change to: those allowed, not forbidden, or one way only.

Around one instance the allowed changes are a box: a set of states for each feature, its own among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def allowed_box(
    domain: Domain, positions: Sequence[int], allowed: Changes, forbidden: Changes, order: Orders
) -> Box:
    """Return the states of the features whose changes are limited, the instance's own among them.

    For a feature, ``allowed`` has states that it may change to, or ``"up"`` or ``"down"`` for those after or
    before its own, by ``order`` where that has the feature, or a mapping from states to those that may follow
    them; ``forbidden`` has in the same forms what it may not change to.

    >>> domain = Domain({"Age": ("young", "mid", "old"), "BP": ("Low", "Normal", "High")})
    >>> allowed_box(domain, [1, 2], {"Age": "up", "BP": {"High": "Normal"}}, None, None)
    {0: 6, 1: 6}
    """
    ranked = _ranked(domain, order)
    box: Box = {}
    for given, is_allowed in ((allowed, True), (forbidden, False)):
        called = "allowed" if is_allowed else "forbidden"
        for name, states in ({} if given is None else mapping(given, called, _EXPECTED)).items():
            feature = domain.index(name)
            found = _states(domain, feature, positions[feature], states, ranked[feature])
            kept = found if is_allowed else domain.full(feature) & ~found
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


def box_diagram(like: Diagram, box: Box) -> Diagram:
    """Return the diagram of "within the box", 1 where so and 0 where not, in the order of another one."""
    builder = DiagramBuilder(2)
    node = 1
    for feature in reversed(like.order):
        states = np.arange(like.domain.cardinalities[feature])
        inside = box.get(feature, like.domain.full(feature)) >> states & 1
        node = int(builder.add_level(np.where(inside == 1, node, 0)[None])[0])
    return builder.finish(like.domain, like.order, node)
