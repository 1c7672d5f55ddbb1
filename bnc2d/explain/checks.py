"""Whether a term or clause is a reason: by SAT on the formula itself, or by questions about regions.

Nothing here uses complete reasons, general reasons or primes: where a model is compiled, a list of reasons
and these checks stand on different code. Every no comes with what shows it. A set of features *can change*
the formula when some instance that agrees with the explained one elsewhere does not satisfy it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, answer_words
from bnc2d.explain.case import Case, Solver
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
            reason = f"{shown} is not the instance's own state, {own}; only general reasons have more"
            return Verdict(False, reason)
    return None


class _Checker:
    """Questions about the formula around the instance, with the fixed features held."""

    def __init__(self, case: Case, solver: Solver) -> None:
        self._case = case
        self._solver = solver

    def term(self, term: Term, general: bool) -> Verdict:
        """Return whether the term is a sufficient reason, or a general one; the instance has all of it.

        Every instance of it satisfies the formula, and no fewer features are enough; of a general one, no
        literal can get another state either. Witness: an instance of the term that fails. Smaller: a reason
        with fewer features, or a weaker one.
        """
        failing = self._failing(term.masks)
        if failing is not None:
            return self._no("this instance has all of the term, yet the decision changes", failing)
        found = self._without_spare_features(self._case.own(Term, term.masks).masks)
        reason = "fewer features are enough" if general else "a part of the term is enough"
        if len(found) == len(term):
            found, reason = dict(term.masks), "a weaker term is enough"
        if general:
            found = self._furthest(found, adding=True)
        if found != term.masks:
            return Verdict(False, reason, smaller=Term.from_masks(self._case.domain, found))
        rest = "; no weaker term does, nor one with fewer features" if general else ", and no part of it does"
        return Verdict(True, f"the term fixes the decision{rest}")

    def clause(self, clause: Clause, general: bool) -> Verdict:
        """Return whether the clause is a necessary reason, or a general one; the instance has all of it.

        Its features together can change the formula, and no fewer of them can; of a general one, every
        violation that changes only these makes the formula false, and no literal can lose a state. Witness:
        an instance that violates the clause and still satisfies the formula, or one that the smaller clause
        lets through. Smaller: a reason with fewer features, or a stronger one.
        """
        case, features = self._case, list(clause.masks)
        kept = self._surviving(clause.masks) if general else None
        if kept is not None:
            return self._no("this instance violates the clause, yet the decision stays", kept)
        changed = self._change(features)
        if changed is None:
            # Another state than the instance's: a literal's feature has two or more.
            kept = [int(p == 0) if f in clause.masks else p for f, p in enumerate(case.positions)]
            return self._no("whatever these features become, the decision stays", kept)
        features, changed = self._fewest_to_change(features, changed)
        if len(features) < len(clause):
            if not general:
                reason = "a part of the clause can already change the decision"
                return self._no(reason, changed, case.own(Clause, features))
            outside = {f: case.domain.full(f) & ~(1 << changed[f]) for f in features}
            smaller = Clause.from_masks(case.domain, self._furthest(outside, adding=False))
            return self._no("fewer features can change the decision", changed, smaller)
        if not general:
            return Verdict(True, "these features together can change the decision, and no fewer of them can")
        masks = self._furthest(clause.masks, adding=False)
        if masks != clause.masks:
            smaller = Clause.from_masks(case.domain, masks)
            return Verdict(False, "a stronger clause is necessary", smaller=smaller)
        reason = "violating the clause always changes the decision; it is the strongest of its kind"
        return Verdict(True, reason)

    def _no(self, reason: str, witness: list[int], smaller: Clause | None = None) -> Verdict:
        return Verdict(False, reason, self._case.domain.decode(witness), smaller)

    def _failing(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance of the term that does not satisfy the formula."""
        return self._solver.solve({**masks, **self._case.fixed_masks}, value=False)

    def _change(self, features: list[FeatureId]) -> list[int] | None:
        """Return an instance that differs only in these features and does not satisfy the formula."""
        held = {f: mask for f, mask in self._case.instance_masks.items() if f not in features}
        return self._solver.solve(held, value=False)

    def _surviving(self, masks: Mapping[FeatureId, StateMask]) -> list[int] | None:
        """Return an instance that violates the clause, differs only there, and satisfies the formula."""
        full = self._case.domain.full
        violated = {feature: full(feature) & ~mask for feature, mask in masks.items()}
        return self._solver.solve({**self._case.instance_masks, **violated}, value=True)

    def _without_spare_features(self, masks: Mapping[FeatureId, StateMask]) -> dict[FeatureId, StateMask]:
        """Return a part of the term that still implies the formula, and no part of which does."""
        kept = dict(masks)
        for feature in masks:
            fewer = {other: mask for other, mask in kept.items() if other != feature}
            if self._failing(fewer) is None:
                kept = fewer
        return kept

    def _fewest_to_change(
        self, features: list[FeatureId], changed: list[int]
    ) -> tuple[list[FeatureId], list[int]]:
        """Return a minimal part of the features that can change the formula, with such a change."""
        for feature in list(features):
            fewer = [other for other in features if other != feature]
            found = self._change(fewer)
            if found is not None:
                features, changed = fewer, found
        return features, changed

    def _furthest(self, masks: Mapping[FeatureId, StateMask], *, adding: bool) -> dict[FeatureId, StateMask]:
        """Return the term with states added, or the clause with states removed, as long as it is right.

        That is, the term implies the formula, or every violation of the clause makes the formula false.
        """
        found = dict(masks)
        counterexample = self._failing if adding else self._surviving
        for feature, mask in masks.items():
            own = self._case.positions[feature]
            for state in range(self._case.domain.cardinalities[feature]):
                further = {**found, feature: found[feature] ^ 1 << state}
                may_flip = state != own and bool(mask >> state & 1) != adding
                if may_flip and counterexample(further) is None:
                    found = further
        return found


def check(case: Case, given: Term | Clause, general: bool, time_limit: float | None) -> Verdict:
    """Return whether a term is a sufficient reason, a clause a necessary one, or a general one."""
    odd = _not_of_the_instance(case, given, exactly=not general)
    if odd is not None:
        return odd
    with Budget(time_limit).limiting("the check has no answer"), case.solver() as solver:
        checker = _Checker(case, solver)
        return checker.term(given, general) if isinstance(given, Term) else checker.clause(given, general)
