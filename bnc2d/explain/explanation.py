"""The explanation of one decision: everything that can be asked about one instance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.arguments import mapping, names, seconds
from bnc2d.base.readers.choices import DecidedBy
from bnc2d.base.readers.instances import OneInstance, encode_partial_one, values_of
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.numbers import Number
from bnc2d.base.scales import Label
from bnc2d.compile.zeros.constraint import violation
from bnc2d.errors import InstanceError, LogicError, TimeLimitExceeded
from bnc2d.explain import listing
from bnc2d.explain.case import Case
from bnc2d.explain.changes.allowed import MayChange
from bnc2d.explain.checks import Verdict, check
from bnc2d.explain.contrast import Contrast, Robustness, violations
from bnc2d.explain.keys import Keys
from bnc2d.explain.missing.if_known import IfKnown, if_known
from bnc2d.explain.missing.smaller import smaller_route
from bnc2d.explain.routes import Route
from bnc2d.explain.scores.asked import Asked
from bnc2d.explain.tiers import Preferences, Tiers, read_tiers
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term, TermOrClause
from bnc2d.model.decision import DECISION_SECONDS, Basis

_SHOWN_FEATURES = 6
_ANYTHING = MayChange()


class BaseExplanation:
    """Why a classifier decides one instance as it does; ``bnc2d.Explanation`` says what can be asked."""

    def __init__(
        self,
        route: Route,
        instance: OneInstance,
        fixed: Iterable[str] = (),
        time_limit: float | None = None,
        may: MayChange = _ANYTHING,
    ) -> None:
        self._time_limit = seconds(time_limit)
        row = encode_partial_one(route.classifier.feature_variables, instance)
        self.missing: tuple[str, ...] = ()
        self.whole = route  # over all features, those that are missing among them
        if MISSING in row:
            known = [feature for feature, at in enumerate(row) if at != MISSING]
            self.missing = tuple(
                name for feature, name in enumerate(route.domain.names) if feature not in known
            )
            route = smaller_route(route, known)
            row = [row[feature] for feature in known]
        self.classifier = route.classifier
        self._positions = tuple(row)
        held = frozenset(self._known(route.domain, name) for name in names(fixed, "fixed"))
        self.instance = route.domain.decode(self._positions)
        self.values = values_of(instance, self.instance)
        self.target = self.classifier.target
        with Budget(self._time_limit).at_least(DECISION_SECONDS).limiting("the decision is not known"):
            self._label = int(route.labels(self._row)[0])
        if self._label >= len(route.decisions):
            raise violation()
        self.decision: Label | None = route.decisions[self._label]
        box = may.without(self.missing).box(route.domain, self._positions)
        self._box = {feature: mask for feature, mask in box.items() if feature not in held}
        self._held = held | {f for f, mask in self._box.items() if mask == 1 << self._positions[f]}
        limited = {feature: mask for feature, mask in self._box.items() if feature not in self._held}
        self.route = route.within(limited) if limited else route
        self.fixed = self._names(sorted(held))
        self._cases: dict[int, Case] = {}
        self._liked: Tiers | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was found: a copy finds it again."""
        return {**self.__dict__, "_cases": {}}

    @property
    def decision_name(self) -> str | None:
        """The name of the class that is decided, which is the decision but where data has other labels."""
        return None if self.decision is None else self.classifier.classes[self._label]

    @property
    def allowed(self) -> dict[str, tuple[str, ...]]:
        """The features that may not change to every state, and the states that they may change to."""
        domain, own = self.route.domain, self._positions
        return {domain.names[f]: domain.states_of(f, mask & ~(1 << own[f])) for f, mask in self._box.items()}

    @property
    def _row(self) -> Rows:
        return np.array([self._positions], dtype=np.intp)

    @property
    def _asked(self) -> Asked:
        """What scores are asked about."""
        return Asked(self.route, self._positions, self._label, self._held, self._box, self._case)

    @property
    def _case(self) -> Case:
        return self._case_of(self._label)

    def _case_of(self, label: int) -> Case:
        """Return the case of the instance's own label, or that of "not this class"."""
        if label not in self._cases:
            is_own = label == self._label
            self._cases[label] = self.route.case(label, is_own, self._positions, self._held)
        return self._cases[label]

    def _time(self, time_limit: float | None) -> float | None:
        """Return the time limit of a question: its own, or else that of the explanation."""
        return self._time_limit if time_limit is None else time_limit

    @cached_property
    def basis(self) -> Basis:
        """What the decision rests on, by exact inference in the network; made when first asked for."""
        return self.classifier.bases(self._row)[0]

    @cached_property
    def possible(self) -> bool:
        """Whether the instance has a positive probability; no posterior decides one that has not."""
        return bool(self.classifier.is_possible(self.instance))

    @property
    def decided_by(self) -> DecidedBy:
        """What decides: the posterior, or the rule for ties or for thresholds (see ``Basis``)."""
        return self.basis.decided_by

    @property
    def complete_reason(self) -> NNF:
        """The conditions on the instance's own states that are exactly what the decision needs."""
        return self._case.complete

    @property
    def general_reason(self) -> NNF:
        """The conditions on sets of states around the instance that are exactly what the decision needs."""
        return self._case.general

    def sufficient_reasons(
        self, limit: int | None = None, time_limit: float | None = None, **liked: Unpack[Preferences]
    ) -> Primes[Term]:
        """Return the sufficient reasons (also called PI- or abductive explanations)."""
        return listing.reasons(Term, self._case, False, limit, self._time(time_limit), self._tiers(liked))

    def necessary_reasons(
        self, limit: int | None = None, time_limit: float | None = None, **liked: Unpack[Preferences]
    ) -> Primes[Clause]:
        """Return the necessary reasons (their features are the contrastive explanations of others)."""
        return listing.reasons(Clause, self._case, False, limit, self._time(time_limit), self._tiers(liked))

    def general_sufficient_reasons(
        self, limit: int | None = None, time_limit: float | None = None, **liked: Unpack[Preferences]
    ) -> Primes[Term]:
        """Return the general sufficient reasons."""
        return listing.reasons(Term, self._case, True, limit, self._time(time_limit), self._tiers(liked))

    def general_necessary_reasons(
        self, limit: int | None = None, time_limit: float | None = None, **liked: Unpack[Preferences]
    ) -> Primes[Clause]:
        """Return the general necessary reasons."""
        return listing.reasons(Clause, self._case, True, limit, self._time(time_limit), self._tiers(liked))

    axps = sufficient_reasons
    cxps = necessary_reasons

    def contrastive(
        self,
        towards: Label,
        limit: int | None = None,
        time_limit: float | None = None,
        **liked: Unpack[Preferences],
    ) -> Contrast:
        """Return why the instance is not in class ``towards``: the general necessary reasons of "not it".

        Violating one, changing only its features, always leads into that class (see ``changes``). The answer
        is empty, and its ``message`` says why, where the instance is in the class or no change leads there.
        An unknown class is a ``ClassifierError``.
        """
        name, order = self._class(towards), self._tiers(liked)
        message = f"the instance is already in class {name}"
        if name != self.decision_name:
            case, budget = self._case_of(self.classifier.label(name)), Budget(self._time(time_limit))
            budget.left()  # the time starts to run
            changes = True
            with suppress(TimeLimitExceeded):  # the list says that time ended it
                changes = case.can_change(budget.left())
            if changes:
                return Contrast(name, listing.reasons(Clause, case, True, limit, budget.left(), order))
            condition = f" with {', '.join(self.fixed)} as here" if self.fixed else ""
            condition += " within the allowed changes" if self._box else ""
            message = f"no instance{condition} is in class {name}"
            message += " while what is missing stays unknown" if self.missing else ""
        return Contrast(name, Primes(lambda _: iter(()), limit, time_limit), message)

    def changes(
        self, clause: Clause | Mapping[str, object], limit: int | None = None
    ) -> Iterator[tuple[dict[str, str], Label | None]]:
        """Yield the instances that violate a clause by changing only its features, with their decisions.

        For a clause of ``contrastive`` every decision is the class asked for; for a general necessary reason
        every decision is another one than the explained; for a necessary reason at least one is. Instances
        that a constraint forbids, or that no allowed change leads to, are left out.
        """
        wanted, most = self._literals(Clause, clause), checked_limit(limit, LogicError)
        held = [name for name in wanted.features if name in self.fixed]
        if held:
            raise LogicError(f"the clause mentions {held[0]!r}, which is fixed")
        if not self._held.isdisjoint(wanted.masks):  # no allowed change violates it
            return iter(())
        found, named = violations(self.route.labels, self._positions, wanted, most), self.route.decisions
        return ((self.route.domain.decode(row), named[label]) for row, label in found if label < len(named))

    def a_sufficient_reason(self, time_limit: float | None = None, **liked: Unpack[Preferences]) -> Term:
        """Return one sufficient reason at once, whatever the size of the model.

        Features are given up, from the last to the first (of the diagram, where a model is compiled), while
        the others are enough; so it is minimal, but need not be among the shortest. Without compiling, the
        time limit (seconds) may leave questions open: then ``unproved`` names the features of the reason that
        are not proved to be needed, and ``proved_minimal`` is False. With ``avoid`` or ``tiers``, the
        features of the last tier are given up first: it has none of them where some reason has none.
        """
        found = self._case.one_sufficient(self._time(seconds(time_limit)), self._tiers(liked))
        return self._case.own(Term, found.features, self._names(found.unproved))

    def shortest_sufficient_reason(
        self,
        weights: Mapping[str, Number] | None = None,
        time_limit: float | None = None,
        **liked: Unpack[Preferences],
    ) -> Term:
        """Return the sufficient reason of least total weight; features without a weight weigh 1.

        Of several, the one with the fewest features, then the first in the order of the features. With
        ``avoid`` or ``tiers`` it is one with the fewest features of the last tier, then of the tier before,
        and so on, but for the first. Passing the time limit (seconds) raises ``LimitExceeded``.
        """
        keys = Keys(self.route.domain, weights, self._tiers(liked))
        return self._case.own(Term, self._case.least_sufficient(keys, self._time(time_limit)))

    def shortest_necessary_reason(
        self,
        weights: Mapping[str, Number] | None = None,
        time_limit: float | None = None,
        **liked: Unpack[Preferences],
    ) -> Clause | None:
        """Return the necessary reason of least total weight, or None where nothing changes the decision.

        Ties, ``avoid`` and ``tiers`` are as for ``shortest_sufficient_reason``. Takes linear time where a
        model is compiled, else ``LimitExceeded`` may be raised at the time limit (seconds).
        """
        keys = Keys(self.route.domain, weights, self._tiers(liked))
        features = self._case.least_necessary(keys, self._time(seconds(time_limit)))
        return None if features is None else self._case.own(Clause, features)

    def robustness(self, towards: Label | None = None, time_limit: float | None = None) -> Robustness:
        """Return how many features must change for another decision, or for class ``towards``.

        The witness is one of the nearest instances. Where the instance is in class ``towards`` already, the
        distance is 0. Takes time linear in the decision diagram where a model is compiled, else
        ``LimitExceeded`` may be raised at the time limit (seconds).
        """
        label = self._label if towards is None else self.classifier.label(towards)
        if towards is not None and label == self._label:
            return Robustness(0, self.instance, self.decision)
        found = self._case_of(label).nearest(self._time(seconds(time_limit)))
        if found is None:
            return Robustness(None)
        decided = self.route.decisions[int(self.route.labels(np.array([found], dtype=np.intp))[0])]
        changed = sum(own != other for own, other in zip(self._positions, found, strict=True))
        return Robustness(changed, self.route.domain.decode(found), decided)

    def if_known(self, time_limit: float | None = None) -> IfKnown:
        """Return what the missing features could do to the decision, if they were known (see ``IfKnown``).

        Answers in any case: what is not known at the time limit (seconds; by default that of the explanation,
        or else 3) has bounds, or is open.
        """
        known = {
            self.whole.domain.index(name): at for name, at in zip(self.instance, self._positions, strict=True)
        }
        own = len(self.classifier.classes) if self.decision is None else self._label
        return if_known(self.whole, known, own, self.possible, self._time(seconds(time_limit)))

    def count_sufficient_reasons(self, time_limit: float | None = None) -> int:
        """Return how many sufficient reasons there are; past the time limit ``LimitExceeded`` is raised."""
        return self._case.count(clauses=False, general=False, time_limit=self._time(time_limit))

    def count_necessary_reasons(self, time_limit: float | None = None) -> int:
        """Return how many necessary reasons there are; past the time limit ``LimitExceeded`` is raised."""
        return self._case.count(clauses=True, general=False, time_limit=self._time(time_limit))

    def count_general_sufficient_reasons(self, time_limit: float | None = None) -> int:
        """Return how many general sufficient reasons there are; ``LimitExceeded`` past the time limit."""
        return self._case.count(clauses=False, general=True, time_limit=self._time(time_limit))

    def count_general_necessary_reasons(self, time_limit: float | None = None) -> int:
        """Return how many general necessary reasons there are; ``LimitExceeded`` past the time limit.

        Takes as long as listing them where a feature of three or more states has several literals.
        """
        return self._case.count(clauses=True, general=True, time_limit=self._time(time_limit))

    def necessary_features(self) -> tuple[str, ...]:
        """Return the features that every sufficient reason has: each alone can change the decision."""
        with Budget(self._time_limit).limiting("the necessary features are not known"):
            return self._names(self._case.critical)

    def relevant_features(self, time_limit: float | None = None) -> tuple[str, ...]:
        """Return the features that some sufficient reason has; ``LimitExceeded`` past the time limit."""
        return self._names(self._case.relevant(self._time(time_limit)))

    def irrelevant_features(self, time_limit: float | None = None) -> tuple[str, ...]:
        """Return the features that no sufficient reason has, fixed ones among them."""
        relevant = set(self.relevant_features(time_limit))
        return tuple(name for name in self.route.domain.names if name not in relevant)

    def is_sufficient(self, term: Term | Mapping[str, object], time_limit: float | None = None) -> Verdict:
        """Return whether a term is a sufficient reason (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Term, term), False, self._time(time_limit))

    def is_necessary(self, clause: Clause | Mapping[str, object], time_limit: float | None = None) -> Verdict:
        """Return whether a clause is a necessary reason (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Clause, clause), False, self._time(time_limit))

    def is_general_sufficient(
        self, term: Term | Mapping[str, object], time_limit: float | None = None
    ) -> Verdict:
        """Return whether a term is a general sufficient reason (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Term, term), True, self._time(time_limit))

    def is_general_necessary(
        self,
        clause: Clause | Mapping[str, object],
        towards: Label | None = None,
        time_limit: float | None = None,
    ) -> Verdict:
        """Return whether a clause is a general necessary reason (see ``bnc2d.explain.checks``).

        With ``towards``, whether it is one of "not this class", as ``contrastive`` lists them.
        """
        wanted = self._literals(Clause, clause)
        label = None if towards is None else self.classifier.label(towards)
        if label == self._label:
            return Verdict(False, f"the instance is already in class {self.decision}", self.instance)
        return check(
            self._case if label is None else self._case_of(label), wanted, True, self._time(time_limit)
        )

    def preferring(self, **liked: Unpack[Preferences]) -> Self:
        """Return the same explanation with ``avoid`` or ``tiers`` wherever none are given, in texts, too."""
        found = copy(self)
        found._liked = read_tiers(self.route.domain, **liked)
        return found

    def _tiers(self, liked: Preferences) -> Tiers | None:
        return read_tiers(self.route.domain, **liked) if liked else self._liked

    def _known(self, domain: Domain, name: str) -> FeatureId:
        """Return the position of a feature, which must be known."""
        if isinstance(name, str) and name in self.missing:
            raise InstanceError(f"the feature {name!r} is missing, so that it cannot be fixed")
        return domain.index(name)

    def _class(self, name: object) -> str:
        """Return the name of a class; an unknown one is an error with the nearest name."""
        return self.classifier.classes[self.classifier.label(name)]

    def _names(self, features: Iterable[FeatureId]) -> tuple[str, ...]:
        return tuple(self.route.domain.names[feature] for feature in features)

    def _literals(self, kind: type[TermOrClause], given: Mapping[str, object]) -> TermOrClause:
        if isinstance(given, kind):
            if given.domain != self.route.domain:
                raise LogicError("the term or clause is over other features or states than the model")
            return given
        if isinstance(given, Term | Clause):
            raise LogicError(f"expected a {kind.__name__}, not a {type(given).__name__}")
        given = mapping(given, f"a {kind.__name__}", "a mapping from feature to states")
        return kind(self.route.domain, given)

    def __repr__(self) -> str:
        domain = self.route.domain
        shown = [domain.show_literal(f, 1 << p) for f, p in enumerate(self._positions[:_SHOWN_FEATURES])]
        more = ", …" if len(self._positions) > _SHOWN_FEATURES else ""
        more += f" ({len(self.missing)} missing)" if self.missing else ""
        decided = f"no class of {self.target}" if self.decision is None else f"{self.target}={self.decision}"
        return f"<Explanation of {decided} for {', '.join(shown) or 'nothing'}{more}>"
