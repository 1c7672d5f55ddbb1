"""One case, answered from the diagram of a compiled model."""

from __future__ import annotations

from contextlib import AbstractContextManager

from bnc2d.explain.by_diagram import counting, feature_sets, single
from bnc2d.explain.by_diagram.boxes import GeneralClauses, GeneralTerms
from bnc2d.explain.by_diagram.feature_sets import DiagramSets
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.explain.case import Kept
from bnc2d.explain.changes.prices import Prices
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.convert.sat import CircuitSolver
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import FeatureId


class DiagramCase(Surroundings):
    """An instance that leads to some labels of a diagram; one reason of each kind takes a pass over it."""

    @property
    def critical(self) -> list[FeatureId]:
        """The features that alone can change the label."""
        return sorted(self.critical_masks)

    def feature_sets(self, *, clauses: bool, tiers: Tiers | None = None) -> DiagramSets:
        """Return the features of all reasons, the shortest first where that is quick."""
        return DiagramSets(self, clauses=clauses, tiers=tiers)

    def boxes(self, *, clauses: bool) -> GeneralTerms | GeneralClauses:
        """Return the general reasons over the features of sufficient, or of necessary, ones."""
        return GeneralClauses(self) if clauses else GeneralTerms(self)

    def one_sufficient(self, _time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of one sufficient reason, in a pass over the diagram for each tier."""
        return Kept(single.one_sufficient(self, tiers), [])

    def least_sufficient(self, keys: Keys, time_limit: float | None) -> list[FeatureId]:
        """Return the features of the sufficient reason with the least key, by a BDD or by MaxSAT."""
        return single.least_sufficient(self, keys, time_limit)

    def least_necessary(self, keys: Keys, _time_limit: float | None) -> list[FeatureId] | None:
        """Return the features of the necessary reason with the least key, in a pass over the diagram."""
        return single.least_necessary(self, keys)

    def nearest(self, _time_limit: float | None, prices: Prices | None = None) -> list[int] | None:
        """Return an instance with another label that differs in the fewest features, or costs least."""
        costs = None if prices is None else prices.by_state(unique=True)
        return nearest(self.diagram, self.positions, self.others, self.fixed, costs)

    def can_change(self, time_limit: float | None) -> bool:
        """Return whether some instance with the fixed features as they are has another label."""
        return self.nearest(time_limit) is not None

    def relevant(self, time_limit: float | None) -> list[FeatureId]:
        """Return the features that some sufficient reason has."""
        return feature_sets.relevant(self, time_limit)

    def solver(self) -> AbstractContextManager[CircuitSolver]:
        """Return a SAT solver that holds the formula."""
        return CircuitSolver(self.formula.manager, self.formula.root)

    def count(self, *, clauses: bool, general: bool, time_limit: float | None) -> int:
        """Return how many reasons of a kind there are."""
        return counting.count_reasons(self, clauses=clauses, general=general, time_limit=time_limit)
