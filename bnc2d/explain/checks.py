"""Whether a term or clause is a reason, by SAT on the formula itself.

Nothing here uses complete reasons, general reasons or primes: a list of reasons and these checks stand on
different code. Every no comes with what shows it. A set of features *can change* the formula when some
instance that agrees with the explained one elsewhere does not satisfy it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, answer_words
from bnc2d.errors import LogicError
from bnc2d.explain.reasons import Case
from bnc2d.logic.convert.sat import CircuitSolver
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.terms import Clause, Term


@dataclass(frozen=True)
class Verdict(Finding):
    """Yes or no, why, and where the answer is no, an instance or a smaller reason that shows it."""

    holds: bool
    reason: str
    witness: dict[str, str] | None = None
    smaller: Term | Clause | None = None

    def __str__(self) -> str:
        smaller = "" if self.smaller is None else f"; a reason is {self.smaller}"
        return answer_words(self.holds, self.reason, self.witness) + smaller


def is_sufficient(case: Case, term: Term, time_limit: float | None = None) -> Verdict:
    """Return whether the term is a sufficient reason.

    Its literals are states of the instance, every instance of the term satisfies the formula, and that is
    so of no part of the term. Witness: an instance of the term that fails. Smaller: a sufficient reason.
    """
    odd = _not_of_the_instance(case, term, exactly=True)
    if odd is not None:
        return odd
    with _oracle(case, time_limit) as oracle:
        failing = oracle.failing(term.masks)
        if failing is not None:
            return _no(case, "this instance has all of the term, yet the decision changes", failing)
        masks = oracle.without_spare_features(term.masks)
    if len(masks) < len(term):
        return Verdict(False, "a part of the term is enough", smaller=case.term(masks))
    return Verdict(True, "the term fixes the decision, and no part of it does")


def is_necessary(case: Case, clause: Clause, time_limit: float | None = None) -> Verdict:
    """Return whether the clause is a necessary reason.

    Its literals are states of the instance, its features together can change the formula, and no fewer of
    them can. Witness: an instance that violates the clause and still satisfies the formula, or one that the
    smaller clause lets through. Smaller: a necessary reason.
    """
    odd = _not_of_the_instance(case, clause, exactly=True)
    if odd is not None:
        return odd
    with _oracle(case, time_limit) as oracle:
        changed = oracle.change(list(clause.masks))
        if changed is None:
            kept = [_another(case, f) if f in clause.masks else p for f, p in enumerate(case.positions)]
            return _no(case, "whatever these features become, the decision stays", kept)
        features, changed = oracle.fewest_to_change(list(clause.masks), changed)
    if len(features) < len(clause):
        smaller = case.own_clause(features)
        return _no(case, "a part of the clause can already change the decision", changed, smaller)
    return Verdict(True, "these features together can change the decision, and no fewer of them can")


def is_general_sufficient(case: Case, term: Term, time_limit: float | None = None) -> Verdict:
    """Return whether the term is a general sufficient reason.

    The instance has all of it, every instance of it satisfies the formula, no literal can get another state
    without losing that, and no fewer features do. Witness: an instance of the term that fails (or the
    explained one, if it is not of the term). Smaller: a general sufficient reason that is weaker, or has
    fewer features.
    """
    odd = _not_of_the_instance(case, term, exactly=False)
    if odd is not None:
        return odd
    with _oracle(case, time_limit) as oracle:
        failing = oracle.failing(term.masks)
        if failing is not None:
            return _no(case, "this instance has all of the term, yet the decision changes", failing)
        fewer = oracle.without_spare_features(case.own_term(term.masks).masks)
        if len(fewer) < len(term):
            smaller = case.term(oracle.weakest(fewer))
            return Verdict(False, "fewer features are enough", smaller=smaller)
        masks = oracle.weakest(term.masks)
    if masks != term.masks:
        return Verdict(False, "a weaker term is enough", smaller=case.term(masks))
    return Verdict(True, "the term fixes the decision; no weaker term does, nor one with fewer features")


def is_general_necessary(case: Case, clause: Clause, time_limit: float | None = None) -> Verdict:
    """Return whether the clause is a general necessary reason.

    The instance has all of its literals; violating it, changing only its features, always makes the formula
    false; no fewer features can change the formula; and no literal can lose a state. Witness: an instance
    that violates the clause and still satisfies the formula. Smaller: a general necessary reason that is
    stronger, or has fewer features.
    """
    odd = _not_of_the_instance(case, clause, exactly=False)
    if odd is not None:
        return odd
    with _oracle(case, time_limit) as oracle:
        kept = oracle.surviving(clause.masks)
        if kept is not None:
            return _no(case, "this instance violates the clause, yet the decision stays", kept)
        changed = oracle.change(list(clause.masks))
        if changed is None:  # a violation that is no change of the decision would have been found above
            raise AssertionError("a clause that is always violated by a change must have a change")
        features, changed = oracle.fewest_to_change(list(clause.masks), changed)
        if len(features) < len(clause):
            outside = {f: case.domain.full(f) & ~(1 << changed[f]) for f in features}
            smaller = case.clause(oracle.strongest(outside))
            return _no(case, "fewer features can change the decision", changed, smaller)
        masks = oracle.strongest(clause.masks)
    if masks != clause.masks:
        return Verdict(False, "a stronger clause is necessary", smaller=case.clause(masks))
    return Verdict(True, "violating the clause always changes the decision; it is the strongest of its kind")


def _not_of_the_instance(case: Case, literals: Term | Clause, *, exactly: bool) -> Verdict | None:
    """Return why a literal cannot be in a reason for the instance, if one cannot."""
    domain = case.domain
    if literals.domain != domain:
        raise LogicError("the term or clause is over other features or states than the model")
    for feature, mask in literals.masks.items():
        own_mask = case.instance_masks[feature]
        shown, own = domain.show_literal(feature, mask), domain.show_literal(feature, own_mask)
        if feature in case.fixed:
            return Verdict(False, f"{domain.names[feature]!r} is fixed, so no reason mentions it")
        if not mask & own_mask:
            witness = domain.decode(case.positions)
            return Verdict(False, f"{shown} does not hold for the instance, which has {own}", witness)
        if exactly and mask != own_mask:
            return Verdict(
                False, f"{shown} is not the instance's own state, {own}; only general reasons have more"
            )
    return None


def _no(case: Case, reason: str, witness: list[int], smaller: Term | Clause | None = None) -> Verdict:
    return Verdict(False, reason, case.domain.decode(witness), smaller)


def _another(case: Case, feature: FeatureId) -> int:
    """Return the first state that is not the instance's; a literal's feature has two or more."""
    return 1 if case.positions[feature] == 0 else 0


class _Oracle:
    """Questions about the formula around the instance, with the fixed features held."""

    def __init__(self, case: Case, solver: CircuitSolver) -> None:
        self._case = case
        self._solver = solver

    def failing(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance of the term that does not satisfy the formula."""
        return self._solver.solve({**masks, **self._case.fixed_masks}, value=False)

    def change(self, features: list[FeatureId]) -> list[int] | None:
        """Return an instance that differs only in these features and does not satisfy the formula."""
        return self._solver.solve(
            {f: mask for f, mask in self._case.instance_masks.items() if f not in features}, value=False
        )

    def surviving(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance that violates the clause, differs only there, and satisfies the formula."""
        full = self._case.domain.full
        violated = {feature: full(feature) & ~mask for feature, mask in masks.items()}
        return self._solver.solve({**self._case.instance_masks, **violated}, value=True)

    def without_spare_features(self, masks: Mapping[FeatureId, StateMask]) -> dict[FeatureId, StateMask]:
        """Return a part of the term that still implies the formula, and no part of which does."""
        kept = dict(masks)
        for feature in masks:
            fewer = {other: mask for other, mask in kept.items() if other != feature}
            if self.failing(fewer) is None:
                kept = fewer
        return kept

    def fewest_to_change(
        self, features: list[FeatureId], changed: list[int]
    ) -> tuple[list[FeatureId], list[int]]:
        """Return a minimal part of the features that can change the formula, with such a change."""
        for feature in list(features):
            fewer = [other for other in features if other != feature]
            found = self.change(fewer)
            if found is not None:
                features, changed = fewer, found
        return features, changed

    def weakest(self, masks: Mapping[FeatureId, StateMask]) -> dict[FeatureId, StateMask]:
        """Return the term with states added as long as it implies the formula."""
        grown = dict(masks)
        for feature, mask in masks.items():
            for state in range(self._case.domain.cardinalities[feature]):
                more = {**grown, feature: grown[feature] | 1 << state}
                if not mask >> state & 1 and self.failing(more) is None:
                    grown = more
        return grown

    def strongest(self, masks: Mapping[FeatureId, StateMask]) -> dict[FeatureId, StateMask]:
        """Return the clause with states removed as long as every violation makes the formula false."""
        shrunk = dict(masks)
        for feature, mask in masks.items():
            for state in range(self._case.domain.cardinalities[feature]):
                less = {**shrunk, feature: shrunk[feature] & ~(1 << state)}
                removable = mask >> state & 1 and state != self._case.positions[feature]
                if removable and self.surviving(less) is None:
                    shrunk = less
        return shrunk


@contextmanager
def _oracle(case: Case, time_limit: float | None) -> Iterator[_Oracle]:
    with Budget(time_limit).limiting("the SAT solver has no answer"):
        formula = case.formula
        with CircuitSolver(formula.manager, formula.root) as solver:
            yield _Oracle(case, solver)
