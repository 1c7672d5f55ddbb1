"""Explanations of one instance by several routes, and whether they agree in everything that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

from bnc2d import Classifier, Clause, Explanation, Number, Term
from bnc2d.api.explanation import Explanation as ExplanationOfUsers
from bnc2d.explain.routes import NetworkRoute
from bnc2d.regions.oracle import NetworkOracle, RegionOracle
from bnc2d.regions.search import FEW_INSTANCES, Bounds, Search

# What an explanation of a partial instance adds, and the same of the smaller classifier does not.
UNKNOWN = " while what is missing stays unknown"
LISTS = ("sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons")
CHECKS = ("is_sufficient", "is_necessary", "is_general_sufficient", "is_general_necessary")


def by_oracle(
    classifier: Classifier, oracle: RegionOracle, instance: dict[str, str], fixed: Sequence[str]
) -> Explanation:
    """Return the explanation by questions to an oracle."""
    return ExplanationOfUsers(NetworkRoute(classifier, oracle), instance, fixed)


def network_oracle(
    classifier: Classifier, bounds: Callable[[Classifier], Bounds], few: int = FEW_INSTANCES
) -> NetworkOracle:
    """Return the oracle that asks these bounds, and looks at ``few`` instances one by one."""
    known = bounds(classifier)
    oracle = NetworkOracle(classifier, lambda: known)
    oracle.__dict__["_search"] = Search(classifier, known, few)
    return oracle


def by_network(
    classifier: Classifier,
    instance: dict[str, str],
    fixed: Sequence[str],
    bounds: Callable[[Classifier], Bounds],
    few: int = FEW_INSTANCES,
) -> Explanation:
    """Return the explanation that these bounds give."""
    return by_oracle(classifier, network_oracle(classifier, bounds, few), instance, fixed)


def assert_same(compiled: Explanation, found: Explanation, seed: int) -> int:
    """Assert that two explanations of one instance agree; return how many reasons were compared."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    assert found.decision == compiled.decision
    reasons = 0
    for name, check in zip(LISTS, CHECKS, strict=True):
        expected, listed = list(getattr(compiled, name)()), list(getattr(found, name)())
        assert set(listed) == set(expected), name
        assert len(listed) == len(expected), name
        reasons += len(expected)
        for reason in rng.sample(expected, min(1, len(expected))):
            assert getattr(found, check)(reason), check
        assert all(reason.proved_minimal for reason in listed)
    for towards in compiled.classifier.classes:
        contrast, other = compiled.contrastive(towards), found.contrastive(towards)
        assert (other.message or "").removesuffix(UNKNOWN) == (contrast.message or "")
        expected, listed = list(contrast), list(other)
        assert set(listed) == set(expected), f"contrastive towards {towards}"
        assert len(listed) == len(expected)
        reasons += len(expected)
        _assert_as_near(compiled, found, towards)
    _assert_as_near(compiled, found, None)
    weights: dict[str, Number] = {
        name: Fraction(rng.choice([1, 2, 3]), 2) for name in compiled.instance if rng.random() < 0.5
    }
    for given in (None, weights):
        assert found.shortest_sufficient_reason(given) == compiled.shortest_sufficient_reason(given)
        assert found.shortest_necessary_reason(given) == compiled.shortest_necessary_reason(given)
    assert found.necessary_features() == compiled.necessary_features()
    assert found.relevant_features() == compiled.relevant_features()
    assert found.irrelevant_features() == compiled.irrelevant_features()
    one = found.a_sufficient_reason()
    assert one.proved_minimal
    assert compiled.is_sufficient(one)
    _assert_same_verdicts(compiled, found, rng)
    return reasons


def _assert_as_near(compiled: Explanation, found: Explanation, towards: str | None) -> None:
    near = found.robustness(towards)
    assert near.distance == compiled.robustness(towards).distance
    if near.witness is not None:
        differing = [name for name, state in near.witness.items() if state != compiled.instance[name]]
        assert len(differing) == near.distance
        assert not set(differing) & set(compiled.fixed)
        assert compiled.classifier.predict(near.witness) == near.decision
        assert near.decision != compiled.decision if towards is None else near.decision == towards


def _assert_same_verdicts(compiled: Explanation, found: Explanation, rng: Random) -> None:
    """Ask both whether something that may or may not be a reason is one."""
    variables = compiled.classifier.feature_variables
    own: dict[str, str] = {}
    wide: dict[str, list[str]] = {}
    for variable in variables:
        state = compiled.instance[variable.name]
        if len(variable) > 1 and rng.random() < 0.5:
            own[variable.name] = state
            others = [other for other in variable.states if other != state]
            more = rng.sample(others, rng.randrange(len(others)))
            wide[variable.name] = [state, *more]
    towards = rng.choice(compiled.classifier.classes)
    for check, given, options in (
        ("is_sufficient", own, {}),
        ("is_necessary", own, {}),
        ("is_general_sufficient", wide, {}),
        ("is_general_necessary", wide, {}),
        ("is_general_necessary", wide, {"towards": towards}),
    ):
        expected = getattr(compiled, check)(given, **options)
        verdict = getattr(found, check)(given, **options)
        assert verdict.holds == expected.holds, (check, given, options)
        assert verdict.reason == expected.reason
        if check.endswith("sufficient") and verdict.witness not in (None, compiled.instance):
            assert Term(compiled.route.domain, given).holds(verdict.witness)
            assert compiled.classifier.predict(verdict.witness) != compiled.decision
        if isinstance(verdict.smaller, Term | Clause):
            assert getattr(compiled, check)(verdict.smaller, **options)
