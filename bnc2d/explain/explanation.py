"""The explanation of one decision: everything that can be asked about one instance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.arguments import mapping, names
from bnc2d.base.readers.choices import DecidedBy
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.readers.numbers import Number
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.errors import LogicError
from bnc2d.explain import feature_sets, listing
from bnc2d.explain.checks import Verdict, check
from bnc2d.explain.contrast import Contrast, Robustness, violations
from bnc2d.explain.reasons import Case
from bnc2d.explain.single import Keys, least_necessary, least_sufficient, one_sufficient
from bnc2d.explain.whole.nearest import nearest
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term, TermOrClause
from bnc2d.model.decision import Basis

_SHOWN_FEATURES = 6


class BaseExplanation:
    """Why a model decides one instance as it does; ``bnc2d.Explanation`` says what can be asked."""

    def __init__(self, model: BaseCompiledModel, instance: OneInstance, fixed: Iterable[str] = ()) -> None:
        self.model = model
        self._positions = tuple(encode_one(model.classifier.feature_variables, instance))
        self._held = frozenset(model.domain.index(name) for name in names(fixed, "fixed"))
        self.instance = model.domain.decode(self._positions)
        self.target = model.target
        self._label = int(model.diagram.labels(self._row)[0])
        self.decision = decisions(model)[self._label]
        self.fixed = self._names(sorted(self._held))
        self._cases: dict[int, Case] = {}

    @property
    def _row(self) -> Rows:
        return np.array([self._positions], dtype=np.intp)

    @property
    def _case(self) -> Case:
        return self._case_of(self._label)

    def _case_of(self, label: int) -> Case:
        """Return the case of the instance's own label, or that of "not this class"."""
        if label not in self._cases:
            model, is_own = self.model, label == self._label
            labels = {label} if is_own else set(range(model.diagram.terminals)) - {label}
            make = partial(model.diagram.to_nnf, label)
            if label < len(model.classes):
                make = partial(model.formula, model.classes[label], negated=not is_own)
            self._cases[label] = Case(model.diagram, frozenset(labels), self._positions, self._held, make)
        return self._cases[label]

    @cached_property
    def basis(self) -> Basis:
        """What the decision rests on, by exact inference in the network; made when first asked for."""
        return self.model.classifier.bases(self._row)[0]

    @property
    def possible(self) -> bool:
        """Whether the instance has a positive probability; no posterior decides one that has not."""
        return self.basis.possible

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

    def sufficient_reasons(self, limit: int | None = None, time_limit: float | None = None) -> Primes[Term]:
        """Return the sufficient reasons (also called PI- or abductive explanations)."""
        return listing.reasons(Term, self._case, False, limit, time_limit)

    def necessary_reasons(self, limit: int | None = None, time_limit: float | None = None) -> Primes[Clause]:
        """Return the necessary reasons (their features are the contrastive explanations of others)."""
        return listing.reasons(Clause, self._case, False, limit, time_limit)

    def general_sufficient_reasons(
        self, limit: int | None = None, time_limit: float | None = None
    ) -> Primes[Term]:
        """Return the general sufficient reasons."""
        return listing.reasons(Term, self._case, True, limit, time_limit)

    def general_necessary_reasons(
        self, limit: int | None = None, time_limit: float | None = None
    ) -> Primes[Clause]:
        """Return the general necessary reasons."""
        return listing.reasons(Clause, self._case, True, limit, time_limit)

    axps = sufficient_reasons
    cxps = necessary_reasons

    def contrastive(
        self, towards: str, limit: int | None = None, time_limit: float | None = None
    ) -> Contrast:
        """Return why the instance is not in class ``towards``: the general necessary reasons of "not it".

        Violating one, changing only its features, always leads into that class (see ``changes``). The answer
        is empty, and its ``message`` says why, where the instance is in the class or no change leads there.
        An unknown class is a ``ClassifierError``.
        """
        name = self._class(towards)
        if name == self.decision:
            message = f"the instance is already in class {name}"
        elif self.robustness(name).distance is None:
            condition = f" with {', '.join(self.fixed)} as here" if self.fixed else ""
            message = f"no instance{condition} is in class {name}"
        else:
            case = self._case_of(self.model.label(name))
            return Contrast(name, listing.reasons(Clause, case, True, limit, time_limit))
        return Contrast(name, Primes(lambda _: iter(()), limit, time_limit), message)

    def changes(
        self, clause: Clause | Mapping[str, object], limit: int | None = None
    ) -> Iterator[tuple[dict[str, str], str | None]]:
        """Yield the instances that violate a clause by changing only its features, with their decisions.

        For a clause of ``contrastive`` every decision is the class asked for; for a general necessary reason
        every decision is another one than the explained; for a necessary reason at least one is.
        """
        wanted, most = self._literals(Clause, clause), checked_limit(limit, LogicError)
        held = [name for name in wanted.features if name in self.fixed]
        if held:
            raise LogicError(f"the clause mentions {held[0]!r}, which is fixed")
        found, named = violations(self.model.diagram, self._positions, wanted, most), decisions(self.model)
        return ((self.model.domain.decode(row), named[label]) for row, label in found)

    def a_sufficient_reason(self) -> Term:
        """Return one sufficient reason at once, whatever the size of the model.

        Features are given up, from the last of the diagram to the first, while the others are enough; so it
        is minimal, but need not be among the shortest.
        """
        return self._case.own(Term, one_sufficient(self._case))

    def shortest_sufficient_reason(
        self, weights: Mapping[str, Number] | None = None, time_limit: float | None = None
    ) -> Term:
        """Return the sufficient reason of least total weight; features without a weight weigh 1.

        Of several, the one with the fewest features, then the first in the order of the features. Passing
        the time limit (seconds) raises ``LimitExceeded``.
        """
        keys = Keys(self.model.domain, weights)
        return self._case.own(Term, least_sufficient(self._case, keys, time_limit))

    def shortest_necessary_reason(self, weights: Mapping[str, Number] | None = None) -> Clause | None:
        """Return the necessary reason of least total weight, or None where nothing changes the decision.

        Ties are broken as for ``shortest_sufficient_reason``. Takes linear time.
        """
        features = least_necessary(self._case, Keys(self.model.domain, weights))
        return None if features is None else self._case.own(Clause, features)

    def robustness(self, towards: str | None = None) -> Robustness:
        """Return how many features must change for another decision, or for class ``towards``.

        The witness is one of the nearest instances. Where the instance is in class ``towards`` already, the
        distance is 0. Takes time linear in the decision diagram.
        """
        found = nearest(self.model, self.instance, towards, self.fixed)
        return Robustness(len(found.changes) if found else None, found.instance, found.decision)

    def count_sufficient_reasons(self, time_limit: float | None = None) -> int:
        """Return how many sufficient reasons there are; past the time limit ``LimitExceeded`` is raised."""
        return listing.count_reasons(Term, self._case, False, time_limit)

    def count_necessary_reasons(self, time_limit: float | None = None) -> int:
        """Return how many necessary reasons there are; past the time limit ``LimitExceeded`` is raised."""
        return listing.count_reasons(Clause, self._case, False, time_limit)

    def count_general_sufficient_reasons(self, time_limit: float | None = None) -> int:
        """Return how many general sufficient reasons there are; ``LimitExceeded`` past the time limit."""
        return listing.count_reasons(Term, self._case, True, time_limit)

    def count_general_necessary_reasons(self, time_limit: float | None = None) -> int:
        """Return how many general necessary reasons there are; ``LimitExceeded`` past the time limit.

        Takes as long as listing them where a feature of three or more states has several literals.
        """
        return listing.count_reasons(Clause, self._case, True, time_limit)

    def necessary_features(self) -> tuple[str, ...]:
        """Return the features that every sufficient reason has: each alone can change the decision."""
        return self._names(self._case.critical_masks)

    def relevant_features(self, time_limit: float | None = None) -> tuple[str, ...]:
        """Return the features that some sufficient reason has; ``LimitExceeded`` past the time limit."""
        return self._names(feature_sets.relevant(self._case, time_limit))

    def irrelevant_features(self, time_limit: float | None = None) -> tuple[str, ...]:
        """Return the features that no sufficient reason has, fixed ones among them."""
        relevant = set(self.relevant_features(time_limit))
        return tuple(name for name in self.model.domain.names if name not in relevant)

    def is_sufficient(self, term: Term | Mapping[str, object], time_limit: float | None = None) -> Verdict:
        """Return whether a term is a sufficient reason, by SAT (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Term, term), False, time_limit)

    def is_necessary(self, clause: Clause | Mapping[str, object], time_limit: float | None = None) -> Verdict:
        """Return whether a clause is a necessary reason, by SAT (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Clause, clause), False, time_limit)

    def is_general_sufficient(
        self, term: Term | Mapping[str, object], time_limit: float | None = None
    ) -> Verdict:
        """Return whether a term is a general sufficient reason, by SAT (see ``bnc2d.explain.checks``)."""
        return check(self._case, self._literals(Term, term), True, time_limit)

    def is_general_necessary(
        self,
        clause: Clause | Mapping[str, object],
        towards: str | None = None,
        time_limit: float | None = None,
    ) -> Verdict:
        """Return whether a clause is a general necessary reason, by SAT (see ``bnc2d.explain.checks``).

        With ``towards``, whether it is one of "not this class", as ``contrastive`` lists them.
        """
        wanted = self._literals(Clause, clause)
        label = None if towards is None else self.model.label(towards)
        if label == self._label:
            return Verdict(False, f"the instance is already in class {self.decision}", self.instance)
        return check(self._case if label is None else self._case_of(label), wanted, True, time_limit)

    def _class(self, name: object) -> str:
        """Return the name of a class; an unknown one is an error with the nearest name."""
        return self.model.classes[self.model.label(name)]

    def _names(self, features: Iterable[FeatureId]) -> tuple[str, ...]:
        return tuple(self.model.domain.names[feature] for feature in features)

    def _literals(self, kind: type[TermOrClause], given: Mapping[str, object]) -> TermOrClause:
        if isinstance(given, kind):
            if given.domain != self.model.domain:
                raise LogicError("the term or clause is over other features or states than the model")
            return given
        if isinstance(given, Term | Clause):
            raise LogicError(f"expected a {kind.__name__}, not a {type(given).__name__}")
        given = mapping(given, f"a {kind.__name__}", "a mapping from feature to states")
        return kind(self.model.domain, given)

    def __repr__(self) -> str:
        domain = self.model.domain
        shown = [domain.show_literal(f, 1 << p) for f, p in enumerate(self._positions[:_SHOWN_FEATURES])]
        more = ", …" if len(self._positions) > _SHOWN_FEATURES else ""
        decided = f"no class of {self.target}" if self.decision is None else f"{self.target}={self.decision}"
        return f"<Explanation of {decided} for {', '.join(shown)}{more}>"
