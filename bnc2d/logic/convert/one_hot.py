"""One Boolean variable for each state of each feature, of which exactly one is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from typing import TypeAlias

from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain, FeatureId, StateMask

Variable: TypeAlias = int  # positive, as in DIMACS
BooleanLiteral: TypeAlias = int  # a variable or its negative
BooleanClause: TypeAlias = list[BooleanLiteral]

# Up to this many states "at most one" is said pair by pair; then a ladder has fewer clauses.
_PAIRWISE_STATES = 8


class OneHot:
    """The variables 1..n of a domain: feature by feature, state by state.

    Numbers above ``count`` and up to ``top`` are helpers of ``clauses()``; the one-hot variables determine
    them, so that an instance is exactly one model of ``clauses()``.

    >>> hot = OneHot(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")}))
    >>> hot.variable(0, 2), hot.literal_clause(1, 0b11), hot.decode([-1, -2, 3, 4, -5])
    (3, [4, 5], [2, 0])
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        sizes = domain.cardinalities
        *self._first, end = accumulate(sizes, initial=1)
        self.count = end - 1
        self.top = self.count + sum(size - 2 for size in sizes if size > _PAIRWISE_STATES)
        self._owner = [(feature, state) for feature, size in enumerate(sizes) for state in range(size)]

    def variable(self, feature: FeatureId, state: int) -> Variable:
        """Return the variable that says the feature has this state."""
        return self._first[feature] + state

    def owner(self, variable: Variable) -> tuple[FeatureId, int]:
        """Return feature and state of a one-hot variable."""
        return self._owner[variable - 1]

    def variables(self, feature: FeatureId) -> range:
        """Return the variables of a feature, state by state."""
        first = self._first[feature]
        return range(first, first + self.domain.cardinalities[feature])

    def literal_clause(self, feature: FeatureId, mask: StateMask) -> BooleanClause:
        """Return the variables of the states in the mask: their disjunction is ``feature ∈ mask``."""
        return [variable for state, variable in enumerate(self.variables(feature)) if mask >> state & 1]

    def short_clause(self, feature: FeatureId, mask: StateMask) -> BooleanClause:
        """Return ``feature ∈ mask`` as a disjunction; a single literal where all states but one are in."""
        outside = self.domain.full(feature) & ~mask
        if outside and not outside & outside - 1:
            return [-self.variable(feature, outside.bit_length() - 1)]
        return self.literal_clause(feature, mask)

    def clauses(self) -> list[BooleanClause]:
        """Return the constraints that every feature has exactly one state."""
        clauses: list[BooleanClause] = []
        helper = self.count + 1
        for feature, size in enumerate(self.domain.cardinalities):
            variables = self.variables(feature)
            clauses.append(list(variables))
            if size <= _PAIRWISE_STATES:
                clauses.extend([-left, -right] for left, right in combinations(variables, 2))
            else:
                clauses.extend(_ladder(variables, helper))
                helper += size - 2
        return clauses

    def mask_assumptions(self, masks: Mapping[FeatureId, StateMask]) -> list[BooleanLiteral]:
        """Return literals that say ``feature ∈ mask`` for each feature given: the other states are out."""
        full = self.domain.full
        return [
            -v for feature, mask in masks.items() for v in self.literal_clause(feature, full(feature) & ~mask)
        ]

    def decode(self, model: Iterable[BooleanLiteral]) -> list[int]:
        """Return the state positions of a model; variables that are not one-hot are skipped."""
        positions = [-1] * len(self.domain)
        for literal in model:
            if 0 < literal <= self.count:
                feature, state = self._owner[literal - 1]
                positions[feature] = state
        if -1 in positions:
            name = self.domain.names[positions.index(-1)]
            raise LogicError(f"the model gives no state to feature {name!r}")
        return positions


def _ladder(variables: Sequence[Variable], helper: Variable) -> list[BooleanClause]:
    """Return "at most one" with helpers ``h_i ⇔ x_0 ∨ ... ∨ x_i`` (Sinz 2005, both directions)."""
    clauses: list[BooleanClause] = []
    before = variables[0]
    for here, variable in enumerate(variables[1:-1], start=helper):
        clauses += [[-before, -variable], [-before, here], [-variable, here], [-here, before, variable]]
        before = here
    clauses.append([-before, -variables[-1]])
    return clauses
