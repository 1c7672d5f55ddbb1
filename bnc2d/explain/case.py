"""A case: an instance whose label is one of some, and all that can be asked about why it is.

A case is answered from the diagram of a compiled model (``by_diagram``), or by questions about regions
(``by_regions``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.explain.changes.prices import Prices
from bnc2d.explain.keys import Keys
from bnc2d.explain.tiers import Tiers
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.terms import TermOrClause

Masks: TypeAlias = dict[FeatureId, StateMask]


class Kept(NamedTuple):
    """Features that are enough to keep the label, and those of them that are not proved to be needed."""

    features: list[FeatureId]
    unproved: list[FeatureId]


class FeatureSets(Protocol):
    """Gives the features of reasons, each a list in the order of the domain.

    ``ordered`` says whether the shortest come first, and then those with earlier features; ``unproved`` which
    features of the set given last are not proved to be needed.
    """

    ordered: bool
    unproved: Sequence[FeatureId]

    def within(self, budget: Budget) -> Iterator[list[FeatureId]]:
        """Yield one set after another."""


class Boxes(Protocol):
    """Gives the literals of general reasons over the features of a reason.

    ``ordered`` says whether those given so far came, over the same features, in the order of their states.
    """

    ordered: bool

    def over(self, features: list[FeatureId], budget: Budget) -> Iterator[Masks]:
        """Yield the general reasons over the features of a reason."""


class Solver(Protocol):
    """Finds instances that have, or have not, a label of the case."""

    def solve(self, masks: Mapping[FeatureId, StateMask], *, value: bool) -> list[int] | None:
        """Return an instance within the masks, as state positions, or None where there is none."""


class Case(ABC):
    """An instance, by its state positions, that has one of some ``labels``.

    The ``fixed`` features keep the states that the instance has: no reason mentions them.
    """

    labels: frozenset[int]
    positions: tuple[int, ...]
    fixed: frozenset[FeatureId]

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The features and their states."""

    @cached_property
    def instance_masks(self) -> Masks:
        """The instance's state of every feature, as a mask."""
        return {feature: 1 << position for feature, position in enumerate(self.positions)}

    @cached_property
    def fixed_masks(self) -> Masks:
        """The instance's state of every fixed feature, as a mask."""
        return {feature: self.instance_masks[feature] for feature in self.fixed}

    @cached_property
    def own_first(self) -> list[list[int]]:
        """The states of every feature, the instance's own first."""
        sizes = zip(self.positions, self.domain.cardinalities, strict=True)
        return [[own, *range(own), *range(own + 1, size)] for own, size in sizes]

    def own(
        self, kind: type[TermOrClause], features: Iterable[FeatureId], unproved: Iterable[str] = ()
    ) -> TermOrClause:
        """Return the term, or the clause, of the instance's states of these features."""
        masks = {feature: self.instance_masks[feature] for feature in features}
        return kind.from_masks(self.domain, masks, unproved)

    @property
    @abstractmethod
    def critical(self) -> Collection[FeatureId]:
        """The features that alone can change the label, in the order of the domain."""

    @abstractmethod
    def feature_sets(self, *, clauses: bool, tiers: Tiers | None = None) -> FeatureSets:
        """Return the features of all sufficient reasons, or (``clauses``) of all necessary ones.

        With ``tiers``, those of better tiers come first, and in each tier in the order without.
        """

    @abstractmethod
    def boxes(self, *, clauses: bool) -> Boxes:
        """Return the general reasons over the features of sufficient, or of necessary, ones."""

    @abstractmethod
    def one_sufficient(self, time_limit: float | None, tiers: Tiers | None = None) -> Kept:
        """Return the features of one sufficient reason; time may leave features in it that are not needed.

        With ``tiers``, features of the last tier are given up first.
        """

    @abstractmethod
    def least_sufficient(self, keys: Keys, time_limit: float | None) -> list[FeatureId]:
        """Return the features of the sufficient reason with the least key."""

    @abstractmethod
    def least_necessary(self, keys: Keys, time_limit: float | None) -> list[FeatureId] | None:
        """Return the features of the necessary reason with the least key, or None where there is none."""

    @abstractmethod
    def nearest(self, time_limit: float | None, prices: Prices | None = None) -> list[int] | None:
        """Return an instance with another label that differs in the fewest features; None: there is none.

        With ``prices``, the one with the least key of these.
        """

    @abstractmethod
    def can_change(self, time_limit: float | None) -> bool:
        """Return whether some instance with the fixed features as they are has another label."""

    @abstractmethod
    def relevant(self, time_limit: float | None) -> list[FeatureId]:
        """Return the features that some sufficient reason has, in the order of the domain."""

    @abstractmethod
    def solver(self) -> AbstractContextManager[Solver]:
        """Return what finds instances for checks; by other code than that which lists reasons."""

    @abstractmethod
    def count(self, *, clauses: bool, general: bool, time_limit: float | None) -> int:
        """Return how many reasons of a kind there are."""

    @property
    @abstractmethod
    def complete(self) -> NNF:
        """The complete reason: which of the instance's states together keep the label."""

    @property
    @abstractmethod
    def general(self) -> NNF:
        """The general reason: which sets of states around the instance together keep the label."""
