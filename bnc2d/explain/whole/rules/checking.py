"""Goes through rules, by either route, until each is proved, refuted or out of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from bnc2d.base.budget import Budget
from bnc2d.base.scales import Label
from bnc2d.errors import LimitExceeded, TimeLimitExceeded
from bnc2d.explain.whole.rules.claims import (
    PairClaim,
    Rule,
    RuleFormula,
    coherence_rule,
    independence_rule,
    under,
)
from bnc2d.explain.whole.rules.parsing import read_rules
from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier


class RuleRoute(Protocol):
    """What finds instances that break a claim: the diagram of a model, or the network itself."""

    @property
    def domain(self) -> Domain:
        """The features and their states."""

    @property
    def settled(self) -> float | None:
        """The share of the claim asked about last that is known to hold, where that is known."""

    def breaking(self, claim: RuleFormula | PairClaim, budget: Budget, /) -> tuple[list[int], ...]:
        """Return the instance, or the two, that break a claim; none where it holds.

        ``LimitExceeded`` where that is too much to find out; the budget is one that is looked at already.
        """


def check_rules(
    classifier: BaseClassifier,
    route: RuleRoute,
    rules: str | Iterable[str],
    towards: Label | None = None,
    time_limit: float | None = None,
    given: object = None,
) -> RuleCheck:
    """Return whether all instances that satisfy a condition obey rules (see ``CompiledModel.check``).

    Each rule has an even share of the time that those before it left; one that it does not suffice for is
    open.
    """
    budget = Budget(time_limit)
    budget.left()  # reading the rules counts
    read = [under(rule, route.domain, given) for rule in read_rules(classifier, route.domain, rules, towards)]
    return RuleCheck(
        tuple(
            _result(classifier, route, rule, share)
            for rule, share in zip(read, budget.shares(len(read)), strict=True)
        )
    )


def check_independence(
    classifier: BaseClassifier,
    route: RuleRoute,
    features: str | Iterable[str],
    given: object,
    time_limit: float | None,
) -> RuleResult:
    """Return whether decisions do not depend on features (see ``CompiledModel.is_independent``)."""
    rule = independence_rule(route.domain, classifier, features, given)
    return _result(classifier, route, rule, Budget(time_limit))


def check_coherence(
    classifier: BaseClassifier,
    route: RuleRoute,
    order: Sequence[str] | None,
    features: str | Iterable[str] | None,
    given: object,
    time_limit: float | None,
) -> RuleResult:
    """Return whether one change leads to neighbouring classes only (see ``CompiledModel.is_coherent``)."""
    rule = coherence_rule(route.domain, classifier, order, features, given)
    return _result(classifier, route, rule, Budget(time_limit))


def _result(classifier: BaseClassifier, route: RuleRoute, rule: Rule, budget: Budget) -> RuleResult:
    begun = False
    try:
        with budget.limiting("the rule is not decided"):
            begun = True
            found = route.breaking(rule.claim, budget)
    except LimitExceeded as error:
        late = isinstance(error, TimeLimitExceeded)
        reason = "the time limit came first" if late else str(error)
        settled = route.settled if begun else None
        return RuleResult(rule.text, rule.line, None, reason=reason, settled=settled)
    if not found:
        return RuleResult(rule.text, rule.line, True)
    instances = [route.domain.decode(row) for row in found]
    first, second = instances[0], instances[-1]
    return RuleResult(
        rule.text,
        rule.line,
        False,
        first if len(instances) == 1 else (first, second),
        tuple(classifier.predict(instances)),
        tuple(classifier.posterior(instances, exact=True)),
    )
