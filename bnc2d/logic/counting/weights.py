"""A number for each state of each feature: what it weighs in a count, or what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm, prod
from typing import Any, TypeAlias

from bnc2d.base.readers.arguments import as_text, is_series, mapping, wrong
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain, FeatureId, StateMask

# What users give: for some features, numbers by state.
StateNumbers: TypeAlias = Mapping[str, Mapping[Any, Number]]

_EXPECTED = "a mapping from feature to numbers by state"


def read_numbers(domain: Domain, given: object, name: str, default: int) -> list[list[Fraction]]:
    """Return the number of each state of each feature; what is left out has the ``default``."""
    found = [[Fraction(default)] * size for size in domain.cardinalities]
    for feature_name, by_state in mapping(given, name, _EXPECTED, LogicError).items():
        feature = domain.index(feature_name)
        what = f"{name} of {domain.names[feature]!r}"
        if is_series(by_state) and by_state.index.is_unique:
            by_state = dict(zip(by_state.index.tolist(), by_state.tolist(), strict=True))
        seen: dict[int, object] = {}
        for state, number in mapping(by_state, what, "a mapping from state to number", LogicError).items():
            place = domain.state_index(feature, state)
            if place in seen:
                both = f"{as_text(seen[place])[:60]!r} and {as_text(state)[:60]!r}"
                raise LogicError(f"{what}: {both} are the same state")
            seen[place] = state
            try:
                found[feature][place] = exact(number)
            except ValueError:
                which = f"{what}: that of {as_text(state)[:60]!r}"
                raise wrong(which, number, "a finite number", LogicError) from None
    return found


class Weights:
    """What the states of each feature weigh, as whole numbers over one denominator a feature.

    An instance weighs the product over its states, a set of instances the sum. ``table[f][s]`` over the
    ``unit`` of all features is exact; weights may be zero or negative.
    """

    def __init__(self, domain: Domain, given: object) -> None:
        numbers = read_numbers(domain, given, "weights", 1)
        units = [lcm(*(number.denominator for number in row)) for row in numbers]
        self.domain = domain
        self.unit = prod(units)
        self.table = [
            [int(number * unit) for number in row] for row, unit in zip(numbers, units, strict=True)
        ]
        self.totals = [sum(row) for row in self.table]

    @property
    def total(self) -> int:
        """What all instances weigh together, in units."""
        return prod(self.totals)

    @property
    def bound(self) -> int:
        """A number that no weight of instances of any features exceeds in size, in units."""
        return prod(max(1, sum(map(abs, row))) for row in self.table)

    def of_states(self, feature: FeatureId, mask: StateMask) -> int:
        """Return what the states in a mask weigh together, in units of the feature."""
        return sum(weight for state, weight in enumerate(self.table[feature]) if mask >> state & 1)

    def exactly(self, units: int) -> Fraction:
        """Return a weight from its number of units."""
        return Fraction(units, self.unit)
