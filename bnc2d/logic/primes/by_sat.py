"""Prime implicants and prime implicates of any circuit, by SAT over the one-hot encoding.

Two solvers work together, as in Primer (Previti, Ignatiev, Morgado, Marques-Silva 2015) and MARCO:

1. The *map* has a variable for each state of each feature, "the term allows this state". Its models are the
   terms not yet ruled out, large ones preferred.
2. The circuit's solver looks for an instance of such a term on which the circuit fails. If there is none,
   the term is grown, state by state, until nothing more can be allowed: a prime. The map then rules out
   every term within it.
3. Otherwise the instance is grown in the same way to a set of instances on which the circuit fails, and the
   map rules out every term that meets it.

Prime implicates are the complements of the prime implicants of the negation, so both share one search.
Nothing here depends on the structure of the circuit or on direct.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.convert.one_hot import BooleanLiteral, OneHot
from bnc2d.logic.convert.sat import CircuitSolver, SteppedSearch
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, TermOrClause

Masks: TypeAlias = dict[FeatureId, StateMask]


def primes(
    kind: type[TermOrClause],
    manager: Manager,
    root: NodeId,
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    variable_minimal: bool = False,
) -> Primes[TermOrClause]:
    """Return the weakest terms that imply the circuit, or the strongest clauses that it implies.

    They come as they are found: the same order on every run.
    """
    domain = manager.domain
    clauses = kind is Clause

    def found() -> Iterator[TermOrClause]:
        from pysat.solvers import Solver

        with CircuitSolver(manager, root) as solver, Solver(name="glucose4") as unexplored:
            search = _Search(domain, solver, unexplored, value=not clauses)
            for masks in search.primes(variable_minimal):
                if clauses:
                    masks = {feature: domain.full(feature) & ~mask for feature, mask in masks.items()}
                yield kind.from_masks(domain, masks)

    return Primes(lambda budget: budget.within(found()), limit, time_limit)


class _Search:
    """The prime implicants of the circuit (``value`` true) or of its negation (``value`` false)."""

    def __init__(self, domain: Domain, solver: CircuitSolver, unexplored: Any, *, value: bool) -> None:
        self._domain = domain
        self._solver = solver
        self._map = unexplored
        self._map_search = SteppedSearch(unexplored)
        self._value = value
        self._allowed = OneHot(domain)  # its variables, read as "allowed"; several states may be
        # The first helper: whether the primes already given are ruled out.
        self._only_new = self._allowed.count + 1
        self._helpers = self._only_new
        self._avoids: dict[tuple[FeatureId, StateMask], BooleanLiteral] = {}
        for feature in range(len(domain)):
            self._map.add_clause(list(self._allowed.variables(feature)))
        self._map.set_phases(range(1, self._allowed.count + 1))

    def primes(self, variable_minimal: bool) -> Iterator[Masks]:
        """Yield the primes as masks; features that are absent are free."""

        @cache
        def is_minimal(features: frozenset[FeatureId]) -> bool:
            return not any(self._find(features - {feature}) for feature in features)

        while (prime := self._find()) is not None:
            outside = [
                variable
                for feature, mask in prime.items()
                for variable in self._allowed.literal_clause(feature, self._domain.full(feature) & ~mask)
            ]
            self._map.add_clause([-self._only_new, *outside])  # nothing within the prime
            if not variable_minimal or is_minimal(frozenset(prime)):
                yield prime

    def _find(self, features: frozenset[FeatureId] | None = None) -> Masks | None:
        """Return a prime not yet given, or (given features) any prime that needs no others; None if none."""
        if features is None:
            assumptions = [self._only_new]
        else:
            others = set(range(len(self._domain))) - features
            assumptions = [-self._only_new, *(v for f in others for v in self._allowed.variables(f))]
        while (term := self._unexplored_term(assumptions)) is not None:
            failing = self._solver.solve(term, value=not self._value)
            if failing is None:
                return self._grow(self._value)
            self._solver.solve({f: 1 << state for f, state in enumerate(failing)}, value=self._value)
            avoided = self._grow(not self._value)
            self._map.add_clause([self._avoid(feature, mask) for feature, mask in avoided.items()])
        return None

    def _unexplored_term(self, assumptions: list[BooleanLiteral]) -> Masks | None:
        if not self._map_search.satisfiable(assumptions):
            return None
        masks: Masks = {}
        for variable in self._map.get_model()[: self._allowed.count]:
            if variable > 0:
                feature, state = self._allowed.owner(variable)
                masks[feature] = masks.get(feature, 0) | 1 << state
        return masks

    def _grow(self, value: bool) -> Masks:
        """Return largest masks with the circuit at ``value``, from the last question, which found none else.

        Whole features are freed before single states are allowed, so that primes tend to be short.
        """
        masks = self._solver.core()
        for feature in sorted(masks):
            self._try({**masks, feature: self._domain.full(feature)}, masks, value)
        for feature, mask in sorted(masks.items()):
            for state in range(self._domain.cardinalities[feature]):
                if not mask >> state & 1 and feature in masks:
                    self._try({**masks, feature: masks[feature] | 1 << state}, masks, value)
        return masks

    def _try(self, larger: Masks, masks: Masks, value: bool) -> None:
        """Replace ``masks`` in place if the larger ones keep the value."""
        if self._solver.solve(larger, value=not value) is None:
            masks.clear()
            masks.update(larger)
            full = self._domain.full
            for feature in [feature for feature, mask in masks.items() if mask == full(feature)]:
                del masks[feature]

    def _avoid(self, feature: FeatureId, mask: StateMask) -> BooleanLiteral:
        """Return a literal that implies that no state of the mask is allowed."""
        variables = self._allowed.literal_clause(feature, mask)
        if len(variables) == 1:
            return -variables[0]
        if (feature, mask) not in self._avoids:
            self._helpers += 1
            self._avoids[feature, mask] = self._helpers
            for variable in variables:
                self._map.add_clause([-self._helpers, -variable])
        return self._avoids[feature, mask]
