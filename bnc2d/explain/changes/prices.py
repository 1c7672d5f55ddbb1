"""What the changes of an instance cost, in exact numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from bnc2d.base.readers.arguments import mapping, shown, wrong
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.base.readers.numbers import weights as read_weights
from bnc2d.errors import ClassifierError, NotCompiledError
from bnc2d.explain.changes.allowed import Box
from bnc2d.explain.keys import Key, Keys, unique_key
from bnc2d.logic.diagram.nearest import Price
from bnc2d.logic.domain import Domain, FeatureId

# What users give: for features a number, or one for each state to change to, or for each pair of states.
Costs: TypeAlias = Mapping[str, Number | Mapping[Any, Number]]

_EXPECTED = "a mapping from feature to a number, or to numbers by state or by pair of states"


class Prices:
    """What it costs to change each feature of an instance to each of its other states.

    One number a feature (``weights``) or costs; what has neither costs 1. States outside the ``box`` are not
    to be had.
    """

    def __init__(
        self,
        domain: Domain,
        positions: Sequence[int],
        weights: Mapping[str, Number] | None = None,
        costs: Costs | None = None,
        box: Box | None = None,
    ) -> None:
        self.positions = tuple(positions)
        self.is_count = weights is None and costs is None
        by_feature = read_weights(weights, domain.names, ClassifierError)
        sizes = domain.cardinalities
        self._costs = [[price] * size for price, size in zip(by_feature, sizes, strict=True)]
        given = {} if costs is None else mapping(costs, "costs", _EXPECTED)
        for name, cost in given.items():
            feature = domain.index(name)
            if weights is not None and name in weights:
                raise ClassifierError(f"{name!r} has a weight and costs; give one of them")
            self._costs[feature] = _by_state(domain, feature, positions[feature], cost)
        box = box or {}
        self._may = [
            [state != own and bool(box.get(feature, -1) >> state & 1) for state in range(size)]
            for feature, (own, size) in enumerate(zip(positions, sizes, strict=True))
        ]
        self._scale = lcm(*(cost.denominator for row in self._costs for cost in row))

    def changed(self, row: Sequence[int]) -> frozenset[FeatureId]:
        """Return the features in which another instance differs."""
        pairs = enumerate(zip(self.positions, row, strict=True))
        return frozenset(feature for feature, (own, other) in pairs if own != other)

    def distance(self, row: Sequence[int]) -> int | Fraction:
        """Return the sum of the costs, or how many features change where no costs were given."""
        changed = self.changed(row)
        if self.is_count:
            return len(changed)
        return sum((self._costs[feature][row[feature]] for feature in changed), Fraction(0))

    def key(self, row: Sequence[int]) -> Key:
        """Return what orders instances: by distance, then the number of changes, then the features."""
        return sum(self._key(feature, row[feature]) for feature in self.changed(row))

    def _key(self, feature: FeatureId, state: int) -> Key:
        return unique_key(int(self._costs[feature][state] * self._scale), feature, len(self.positions))

    def by_state(self, *, unique: bool) -> list[Price]:
        """Return the costs as integers, a number a feature where that says it all.

        With ``unique`` they are keys, so that the cheapest changes are those of the least key.
        """
        found: list[Price] = []
        for feature, (costs, may) in enumerate(zip(self._costs, self._may, strict=True)):
            prices: list[int | None] = [
                None if not is_open else self._key(feature, state) if unique else int(cost * self._scale)
                for state, (cost, is_open) in enumerate(zip(costs, may, strict=True))
            ]
            kinds = set(prices[: self.positions[feature]] + prices[self.positions[feature] + 1 :])
            only = kinds.pop() if len(kinds) == 1 else None
            found.append(prices if only is None else only)
        return found

    def by_feature(self) -> Keys:
        """Return the costs as keys of features; refused where the changes of one cost differently."""
        weights = []
        for costs, may in zip(self._costs, self._may, strict=True):
            kinds = {cost for cost, is_open in zip(costs, may, strict=True) if is_open}
            if len(kinds) > 1:
                raise NotCompiledError("a cost for each state of a feature")
            weights.append(kinds.pop() if kinds else Fraction(1))
        return Keys.weighing(weights)


def _by_state(domain: Domain, feature: FeatureId, own: int, given: object) -> list[Fraction]:
    """Return what changes from a state to every other one cost; a pair of states comes before a state."""
    name, size = domain.names[feature], domain.cardinalities[feature]
    if not isinstance(given, Mapping):
        return [_cost(name, given)] * size
    found = [Fraction(1)] * size
    pairs: dict[int, Fraction] = {}
    for states, number in given.items():
        cost = _cost(name, number)
        if not isinstance(states, tuple):
            found[domain.state_index(feature, states)] = cost
        elif len(states) == 2:
            before, after = (domain.state_index(feature, state) for state in states)
            if before == own:
                pairs[after] = cost
        else:
            raise wrong(f"costs of {name!r}", states, "by state or by a pair of states", ClassifierError)
    return [pairs.get(state, cost) for state, cost in enumerate(found)]


def _cost(name: str, value: object) -> Fraction:
    try:
        cost = exact(value)
    except ValueError:
        raise ClassifierError(f"a cost of {name!r} must be a number from 0 on, not {shown(value)}") from None
    if cost < 0:
        raise ClassifierError(f"a cost of {name!r} must not be negative, but is {shown(value)}")
    return cost
