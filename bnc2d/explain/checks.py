"""Whether a term or clause is a reason, by SAT on the formula itself.

Nothing here uses complete reasons, general reasons or primes: a list of reasons and these checks stand on
different code. Every no comes with what shows it. A set of features *can change* the formula when some
instance that agrees with the explained one elsewhere does not satisfy it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, answer_words
from bnc2d.base.readers.choices import ReasonKind
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


def _sufficient(oracle: _Oracle, term: Term) -> Verdict:
    """Return whether the term is a sufficient reason.

    Its literals are states of the instance, every instance of the term satisfies the formula, and that is
    so of no part of the term. Witness: an instance of the term that fails. Smaller: a sufficient reason.
    """
    case = oracle.case
    failing = oracle.failing(term.masks)
    if failing is not None:
        return _no(case, "this instance has all of the term, yet the decision changes", failing)
    masks = oracle.without_spare_features(term.masks)
    if len(masks) < len(term):
        return Verdict(False, "a part of the term is enough", smaller=Term.from_masks(case.domain, masks))
    return Verdict(True, "the term fixes the decision, and no part of it does")


def _necessary(oracle: _Oracle, clause: Clause) -> Verdict:
    """Return whether the clause is a necessary reason.

    Its literals are states of the instance, its features together can change the formula, and no fewer of
    them can. Witness: an instance that violates the clause and still satisfies the formula, or one that the
    smaller clause lets through. Smaller: a necessary reason.
    """
    case = oracle.case
    changed = oracle.change(list(clause.masks))
    if changed is None:
        # Another state than the instance's: a literal's feature has two or more.
        kept = [int(p == 0) if f in clause.masks else p for f, p in enumerate(case.positions)]
        return _no(case, "whatever these features become, the decision stays", kept)
    features, changed = oracle.fewest_to_change(list(clause.masks), changed)
    if len(features) < len(clause):
        smaller = case.own(Clause, features)
        return _no(case, "a part of the clause can already change the decision", changed, smaller)
    return Verdict(True, "these features together can change the decision, and no fewer of them can")


def _general_sufficient(oracle: _Oracle, term: Term) -> Verdict:
    """Return whether the term is a general sufficient reason.

    The instance has all of it, every instance of it satisfies the formula, no literal can get another state
    without losing that, and no fewer features do. Witness: an instance of the term that fails (or the
    explained one, if it is not of the term). Smaller: a general sufficient reason that is weaker, or has
    fewer features.
    """
    case = oracle.case
    failing = oracle.failing(term.masks)
    if failing is not None:
        return _no(case, "this instance has all of the term, yet the decision changes", failing)
    fewer = oracle.without_spare_features(case.own(Term, term.masks).masks)
    if len(fewer) < len(term):
        smaller = Term.from_masks(case.domain, oracle.furthest(fewer, adding=True))
        return Verdict(False, "fewer features are enough", smaller=smaller)
    masks = oracle.furthest(term.masks, adding=True)
    if masks != term.masks:
        return Verdict(False, "a weaker term is enough", smaller=Term.from_masks(case.domain, masks))
    return Verdict(True, "the term fixes the decision; no weaker term does, nor one with fewer features")


def _general_necessary(oracle: _Oracle, clause: Clause) -> Verdict:
    """Return whether the clause is a general necessary reason.

    The instance has all of its literals; violating it, changing only its features, always makes the formula
    false; no fewer features can change the formula; and no literal can lose a state. Witness: an instance
    that violates the clause and still satisfies the formula. Smaller: a general necessary reason that is
    stronger, or has fewer features.
    """
    case = oracle.case
    kept = oracle.surviving(clause.masks)
    if kept is not None:
        return _no(case, "this instance violates the clause, yet the decision stays", kept)
    changed = oracle.change(list(clause.masks))
    if changed is None:  # a violation that is no change of the decision would have been found above
        raise AssertionError("a clause that is always violated by a change must have a change")
    features, changed = oracle.fewest_to_change(list(clause.masks), changed)
    if len(features) < len(clause):
        outside = {f: case.domain.full(f) & ~(1 << changed[f]) for f in features}
        smaller = Clause.from_masks(case.domain, oracle.furthest(outside, adding=False))
        return _no(case, "fewer features can change the decision", changed, smaller)
    masks = oracle.furthest(clause.masks, adding=False)
    if masks != clause.masks:
        return Verdict(False, "a stronger clause is necessary", smaller=Clause.from_masks(case.domain, masks))
    return Verdict(True, "violating the clause always changes the decision; it is the strongest of its kind")


def _not_of_the_instance(case: Case, literals: Term | Clause, *, exactly: bool) -> Verdict | None:
    """Return why a literal cannot be in a reason for the instance, if one cannot."""
    domain = case.domain
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


class _Oracle:
    """Questions about the formula around the instance, with the fixed features held."""

    def __init__(self, case: Case, solver: CircuitSolver) -> None:
        self.case = case
        self._solver = solver

    def failing(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance of the term that does not satisfy the formula."""
        return self._solver.solve({**masks, **self.case.fixed_masks}, value=False)

    def change(self, features: list[FeatureId]) -> list[int] | None:
        """Return an instance that differs only in these features and does not satisfy the formula."""
        return self._solver.solve(
            {f: mask for f, mask in self.case.instance_masks.items() if f not in features}, value=False
        )

    def surviving(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance that violates the clause, differs only there, and satisfies the formula."""
        full = self.case.domain.full
        violated = {feature: full(feature) & ~mask for feature, mask in masks.items()}
        return self._solver.solve({**self.case.instance_masks, **violated}, value=True)

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

    def furthest(self, masks: Mapping[FeatureId, StateMask], *, adding: bool) -> dict[FeatureId, StateMask]:
        """Return the term with states added, or the clause with states removed, as long as it is right.

        That is, the term implies the formula, or every violation of the clause makes the formula false.
        """
        found = dict(masks)
        counterexample = self.failing if adding else self.surviving
        for feature, mask in masks.items():
            own = self.case.positions[feature]
            for state in range(self.case.domain.cardinalities[feature]):
                further = {**found, feature: found[feature] ^ 1 << state}
                may_flip = state != own and bool(mask >> state & 1) != adding
                if may_flip and counterexample(further) is None:
                    found = further
        return found


_QUESTIONS: dict[ReasonKind, Callable[[_Oracle, Any], Verdict]] = {
    "sufficient": _sufficient,
    "necessary": _necessary,
    "general_sufficient": _general_sufficient,
    "general_necessary": _general_necessary,
}


def check(kind: ReasonKind, case: Case, given: Term | Clause, time_limit: float | None) -> Verdict:
    """Return whether a term or clause is a reason of a kind; it has to be of the class that the kind has."""
    odd = _not_of_the_instance(case, given, exactly=not kind.startswith("general"))
    if odd is not None:
        return odd
    with Budget(time_limit).limiting("the SAT solver has no answer"):
        formula = case.formula
        with CircuitSolver(formula.manager, formula.root) as solver:
            return _QUESTIONS[kind](_Oracle(case, solver), given)
