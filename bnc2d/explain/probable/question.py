"""Probabilities of decisions under partial instances, and the probable reasons of one decision.

An instance is drawn from a distribution; given that it has certain states of some features, and counts, how
probable is it that the decision on it is a certain one? ``Drawn`` answers that of any route: by its diagram,
or, for rows, by the decisions on them. ``Question`` asks for minimal sets of an instance's own states (Izza,
Huang, Ignatiev, Narodytska, Cooper and Marques-Silva, arXiv 2212.05990; Arenas, Barceló, Romero and
Subercaseaux, arXiv 2207.12213).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.base.readers.arguments import shown
from bnc2d.base.readers.instances import OneInstance, all_rows, encode_partial_one
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.numbers import exact
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.compile.shares.distribution import Box, ByRows, Distribution, read_distribution
from bnc2d.errors import ArgumentError, ClassifierError, InstanceError, LimitExceeded, NotCompiledError
from bnc2d.explain import listing
from bnc2d.explain.case import Case
from bnc2d.explain.keys import Keys
from bnc2d.explain.probable.by_masses import NetworkChances, RowChances
from bnc2d.explain.probable.by_product import ProductChances
from bnc2d.explain.probable.chances import Chances, Flags
from bnc2d.explain.probable.reason import ProbableReason
from bnc2d.explain.probable.search import MOST_SETS, minimal_by_size, one_locally_minimal
from bnc2d.explain.routes import DiagramRoute, Route
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Term

# Instances whose decisions are listed where no diagram is there.
_MOST_LISTED = 1 << 14
# Sets of one size that are looked at to prove that one reason is minimal.
_MOST_PROVING = 1 << 12


def wanted_probability(value: object) -> Fraction:
    """Return the probability that a decision is to be kept with, from 0 to 1."""
    try:
        number = exact(value)
    except ValueError:
        raise ArgumentError(f"d must be a number from 0 to 1, not {shown(value)}") from None
    if not 0 <= number <= 1:
        raise ArgumentError(f"d must be a probability from 0 to 1, not {shown(value)}")
    return number


class Drawn:
    """Instances as a distribution gives them, decided by a route: those that count.

    A label beyond the route's decisions says that an instance does not count.
    """

    def __init__(self, route: Route, distribution: Distribution) -> None:
        self.route, self.distribution = route, distribution
        self.decisions = len(route.decisions)
        if isinstance(distribution, ByRows) and (distribution.rows == MISSING).any():
            row = int((distribution.rows == MISSING).any(axis=1).argmax())
            raise InstanceError(
                f"row {row} of the distribution leaves features out; probabilities take complete rows"
            )

    @cached_property
    def diagram(self) -> Diagram:
        """The decisions on all instances; listed one by one where nothing is compiled and they are few."""
        route = self.route
        if isinstance(route.sendable, DiagramRoute):
            return route.sendable.diagram
        if route.domain.instance_count > _MOST_LISTED:
            raise NotCompiledError(f"a probability over {route.domain.instance_count} instances")
        labels = [np.asarray(route.labels(rows)) for rows in all_rows(route.classifier.feature_variables)]
        builder = DiagramBuilder(self.decisions + 1)
        table = np.concatenate(labels).astype(np.int64)[None]
        (root,) = reduce_table(table, route.domain.cardinalities, builder)
        return builder.finish(route.domain, range(len(route.domain)), int(root))

    @cached_property
    def row_labels(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The label of each row of a distribution by rows."""
        if not isinstance(self.distribution, ByRows):
            raise AssertionError("only rows have labels of their own")
        return np.asarray(self.route.labels(self.distribution.rows)).astype(np.int64)

    def probability(self, label: int, within: Box) -> Fraction | None:
        """Return the probability of a label given states of some features; None where these have none."""
        if isinstance(self.distribution, ByRows):
            labels = self.row_labels[self.distribution.agreeing(within)]
            masses = np.bincount(labels, minlength=self.decisions + 1).tolist()
        else:
            masses = self.distribution.masses(self.diagram, within)
        counting = sum(masses[: self.decisions])
        if not counting:
            return None
        # Of a partial instance classes may tie where no instance is in no class.
        return Fraction(masses[label], counting) if label < self.decisions else Fraction(0)

    def known_probability(self, label: int, within: Box, what: str) -> Fraction:
        """Return the same; that nothing has any weight is an error."""
        found = self.probability(label, within)
        if found is None:
            raise ClassifierError(self.nothing(what))
        return found

    def nothing(self, what: str) -> str:
        """Say that nothing has any weight."""
        name = self.distribution.name
        if isinstance(self.distribution, ByRows):
            return f"no row of the distribution that counts has {what}, so that no probability is defined"
        by = {"network": "by the network", "marginals": "by these marginals"}.get(
            name, "under the constraint"
        )
        return f"{what} has probability 0 {by}, so that no probability is defined given it"


@dataclass(frozen=True)
class Question:
    """Which states of the instance of a ``case`` keep its ``label`` with the probability ``wanted``."""

    drawn: Drawn
    case: Case
    label: int
    wanted: Fraction

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self.drawn.route.domain

    @property
    def _is_sure(self) -> bool:
        """Whether sufficient reasons are what is asked for: for sure, where every instance has a weight."""
        marginals = self.drawn.distribution.marginals(self.domain.cardinalities)
        return self.wanted == 1 and marginals is not None and all(all(column) for column in marginals)

    def listed(self, limit: int | None, time_limit: float | None, shortest: bool) -> Primes[ProbableReason]:
        """Return the minimal sets, by size; with ``shortest`` only those of the least size."""
        if self._is_sure and not shortest:
            return self._sufficient(limit, time_limit)

        def make(budget: Budget) -> Iterator[ProbableReason]:
            budget.left()  # the time starts to run
            return budget.within(self._by_size(shortest))

        return Primes(make, limit, time_limit, lambda: True)

    def _sufficient(self, limit: int | None, time_limit: float | None) -> Primes[ProbableReason]:
        found: list[Primes[Term]] = []

        def make(budget: Budget) -> Iterator[ProbableReason]:
            terms = listing.reasons(Term, self.case, False, None, budget.left())
            found.append(terms)
            least = None
            for term in terms:
                least = least if least is not None else len(term) if terms.ordered else 0
                yield ProbableReason(term, Fraction(1), self.wanted, term.proved_minimal, least)
            if terms.cut:
                raise OutOfTime(budget)

        return Primes(make, limit, time_limit, lambda: any(terms.ordered for terms in found))

    def _by_size(self, shortest: bool) -> Iterator[ProbableReason]:
        chances = self.chances
        largest = None
        if shortest:
            one = one_locally_minimal(chances)
            largest = None if one is None else int(one.sum())
        least = None
        for size, sets in minimal_by_size(chances, largest=largest):
            if sets and least is None:
                least = size
            for features in sets:
                yield self._reason(features, least=least or 0)
            if sets and shortest:
                return

    def one(self, time_limit: float | None) -> ProbableReason:
        """Return a set that no single feature can leave, and that is minimal where that is soon proved."""
        budget = Budget(time_limit)
        if self._is_sure:
            with budget.limiting("no probable reason is known"):
                found = self.case.one_sufficient(budget.left())
                term = self.case.own(Term, found.features, [self.domain.names[f] for f in found.unproved])
                return ProbableReason(term, Fraction(1), self.wanted, term.proved_minimal)
        with budget.limiting("no probable reason is known"):
            columns = one_locally_minimal(self.chances)
            if columns is None:
                return self._first(None)
            reason = self._reason(self.chances.names_of(columns), proved=False)
        with suppress(LimitExceeded), budget.limiting("whether it is minimal is not known"):
            return self._first(columns)
        return reason

    def _first(self, among: Flags | None) -> ProbableReason:
        """Return the first of the shortest sets, of some features or of all; an error where there is none."""
        most = MOST_SETS if among is None else _MOST_PROVING
        for size, sets in minimal_by_size(self.chances, among, most=most):
            if sets:
                return self._reason(sets[0], least=size if among is None else 0)
        raise ClassifierError(
            f"no set of the instance's states keeps the decision with probability {self.wanted} or more: "
            "too little of the distribution agrees with the instance"
        )

    def shortest(self, time_limit: float | None) -> ProbableReason:
        """Return the first of the shortest sets or, where time ends, a set and what is proved of its size."""
        budget = Budget(time_limit)
        if self._is_sure:
            with budget.limiting("no shortest probable reason is known"):
                features = self.case.least_sufficient(Keys(self.domain), budget.left())
                return self._reason(features, least=len(features))
        best = None
        with budget.limiting("no probable reason is known"):
            columns = one_locally_minimal(self.chances)
            if columns is None:
                return self._first(None)
            best = self._reason(self.chances.names_of(columns), proved=False)
        least = 0
        with suppress(LimitExceeded), budget.limiting("the shortest is not known"):
            for size, sets in minimal_by_size(self.chances, largest=len(best)):
                if sets:
                    return self._reason(sets[0], least=size)
                least = size + 1
        return ProbableReason(best.term, best.probability, self.wanted, False, least)

    def _reason(
        self, features: Collection[FeatureId], *, proved: bool = True, least: int = 0
    ) -> ProbableReason:
        probability = self._exactly(sorted(features))
        if probability is None:
            raise AssertionError("what has no weight keeps nothing")
        term = self.case.own(Term, features)
        return ProbableReason(term, probability, self.wanted, proved, least)

    def _exactly(self, features: Sequence[FeatureId]) -> Fraction | None:
        masks = self.case.instance_masks
        within = {feature: masks[feature] for feature in (*self.case.fixed, *features)}
        return self.drawn.probability(self.label, within)

    @cached_property
    def chances(self) -> Chances:
        """What the search asks."""
        drawn, positions = self.drawn, self.case.positions
        if self._exactly([]) is None:
            names = ", ".join(self.domain.names[feature] for feature in sorted(self.case.fixed))
            what = f"what is fixed ({names})" if names else "what may change"
            raise ClassifierError(drawn.nothing(what))
        held = {feature: positions[feature] for feature in self.case.fixed}
        sizes = self.domain.cardinalities
        features = [f for f, size in enumerate(sizes) if f not in held and size > 1]
        if isinstance(drawn.distribution, ByRows):
            counting = drawn.row_labels < drawn.decisions
            counting &= drawn.distribution.agreeing(self.case.fixed_masks)
            is_own = drawn.row_labels[counting] == self.label
            rows = drawn.distribution.rows[counting]
            return RowChances(features, rows, positions, is_own, self.wanted, self._exactly)
        diagram = with_fixed(drawn.diagram, held) if held else drawn.diagram
        outside = range(drawn.decisions, diagram.terminals)
        if not any(diagram.counts()[terminal] for terminal in outside):
            diagram = diagram.leading_to([self.label])
            own, outside = 1, range(0)
        else:
            own = self.label
        marginals = drawn.distribution.marginals(self.domain.cardinalities)
        if marginals is None:
            owner = drawn.route.classifier
            return NetworkChances(
                features, owner, diagram, positions, held, own, outside, self.wanted, self._exactly
            )
        return ProductChances(diagram, positions, marginals, own, outside, self.wanted, self._exactly)


def decision_probability(
    model: BaseCompiledModel,
    route: Route,
    partial: OneInstance,
    decision: Label | None,
    distribution: object,
    time_limit: float | None,
) -> Fraction:
    """Return the probability of a decision given a partial instance (see ``CompiledModel``)."""
    with Budget(time_limit).limiting("the probability is not known"):
        row = encode_partial_one(model.classifier.feature_variables, partial)
        within = {feature: 1 << at for feature, at in enumerate(row) if at != MISSING}
        drawn = Drawn(route, read_distribution(model.classifier, distribution))
        name = model.predict(partial) if decision is None else decision
        label = len(model.classes) if name is None else model.label(name)
        return drawn.known_probability(label, within, "this partial instance")
