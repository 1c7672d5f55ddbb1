"""One classifier, and what one knows: constraints, missing values, allowed changes, rules, shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import bnc2d
from bnc2d import LimitExceeded
from bnc2d.compile.zeros.constraint import allowed_instances
from bnc2d.explain.routes import NetworkRoute
from bnc2d.regions.hidden import HiddenBounds
from tests.brute_force.reasons import variable_minimal_clauses, variable_minimal_terms
from tests.compile.shares.test_shares import check_model
from tests.explain.changes import test_allowed, test_nearest, test_preferences
from tests.explain.missing import test_if_known, test_under_constraints
from tests.explain.routes import assert_same, network_oracle
from tests.explain.test_given import case
from tests.explain.whole.rules.test_against_enumeration import compare_seed
from tests.explain.whole.test_weighed_bias import check_bias
from tests.long.outcome import Outcome

LONG = 60.0


def check_knowledge(seed: int, outcome: Outcome) -> None:
    """Raise ``AssertionError`` where an answer is not that of its definition."""
    for name, check in _CHECKS.items():
        try:
            outcome.met[name] += check(seed)
        except LimitExceeded:  # the definition is too much to enumerate
            outcome.met[f"{name}: too large"] += 1
    outcome.compared += 1


def _constraint(seed: int) -> bool:
    """Compare reasons under a constraint: by definition, by the diagram and by the network, two ways."""
    found = case(seed)
    if found is None:
        return False
    truth, given, allowed, forbidden = found
    classifier, fixed = truth.model.classifier, [truth.model.features[f] for f in truth.fixed]
    e = given.explain(truth.instance, fixed)
    formula = truth.inside({truth.decision}) | (set(truth.space) - allowed)
    complete, general = truth.complete(formula), truth.general(formula)
    assert set(e.sufficient_reasons()) == truth.terms(truth.implicants(complete))
    assert set(e.necessary_reasons()) == truth.clauses(truth.implicates(complete))
    terms, clauses = truth.terms(truth.implicants(general)), truth.clauses(truth.implicates(general))
    assert set(e.general_sufficient_reasons()) == variable_minimal_terms(terms)
    assert set(e.general_necessary_reasons()) == variable_minimal_clauses(clauses)
    assert_same(e, classifier.explain(truth.instance, fixed, given=forbidden), seed)
    oracle = network_oracle(classifier, HiddenBounds, few=2)
    route = NetworkRoute(classifier, oracle, *allowed_instances(classifier, forbidden))
    assert_same(e, bnc2d.Explanation(route, truth.instance, fixed), seed)
    return True


def _missing(seed: int) -> bool:
    """Compare what is said of a partial instance with all its completions, by both routes."""
    completions = test_if_known.case_of(seed)
    classifier = completions.classifier
    for asked in (classifier.compile(), classifier):
        e = asked.explain(completions.known)
        assert e.decision == completions.decision(completions.known)
        completions.check(e.if_known(time_limit=LONG))
    return True


def _rules(seed: int) -> bool:
    counted = {name: Counter[tuple[str, str]]() for name in ("compiled", "given", "network")}
    for network in (False, True):
        compare_seed(seed, counted, network)
    return True


_CHECKS: dict[str, Callable[[int], bool]] = {
    "constraint": _constraint,
    "missing": _missing,
    "missing under a constraint": lambda seed: bool(test_under_constraints.compare(seed)),
    "allowed changes": lambda seed: bool(test_allowed.compare(seed)),
    "nearest": lambda seed: bool(test_nearest.compare(seed)),
    "ways out": lambda seed: bool(test_nearest.compare_explained(seed)),
    "preferences": lambda seed: bool(test_preferences.compare(seed)),
    "rules": _rules,
    "shares": lambda seed: bool(check_model(seed)),
    "shares of bias": lambda seed: bool(check_bias(seed)),
}
