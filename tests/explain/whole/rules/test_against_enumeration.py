"""Random rules of every kind against their definitions, by every route."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bnc2d.explain.whole.rules import by_regions, pairs_by_regions
from tests.cases import cases
from tests.explain.whole.rules.random_rules import (
    compare,
    decided_rows,
    domain_of,
    random_condition,
    random_rule,
    small_classifier,
)

KINDS = ("formula", "independence", "coherency", "rising", "staying")


def compare_seed(seed: int, counted: dict[str, Counter[tuple[str, str]]], network: bool) -> None:
    """Check some rules of one random classifier, compiled, under a constraint and without compiling."""
    rng = Random(f"rules {seed}")  # noqa: S311 - reproducible test data
    classifier = small_classifier(seed)
    rows = decided_rows(classifier)
    rules = [random_rule(classifier, rng) for _ in range(rng.randint(1, 4))]
    text = rng.choice((";", "\n", " ;\n# a comment\n")).join(rule.text for rule in rules)
    given: str | list[str] = text if rng.random() < 0.5 else [rule.text for rule in rules]
    constraint, allows = random_condition(domain_of(classifier), rng)
    allowed = [row for row in rows if allows(row[0])]
    if network:
        found = classifier.check(given, time_limit=60)
        compare(classifier, found, rules, rows, counted["network"], seed)
        if seed % 2:
            found = classifier.check(given, time_limit=60, given=constraint)
            compare(classifier, found, rules, allowed, counted["given"], (seed, constraint))
        return
    model = classifier.compile()
    compare(classifier, model.check(given), rules, rows, counted["compiled"], seed)
    if allowed:
        under = model.given(constraint)
        compare(classifier, under.check(given), rules, allowed, counted["given"], (seed, constraint))


def enough(counted: Counter[tuple[str, str]], least: int) -> bool:
    """Return whether every kind of rule was proved and refuted often enough; none may be open."""
    return all(
        min(counted[kind, "proved"], counted[kind, "refuted"]) >= least and not counted[kind, "open"]
        for kind in KINDS
    )


def test_compiled_and_under_a_constraint() -> None:
    counted = {"compiled": Counter[tuple[str, str]](), "given": Counter[tuple[str, str]]()}
    for seed in range(cases(70, 100)):
        compare_seed(seed, counted, network=False)
    assert all(enough(route, 2) for route in counted.values()), counted


@pytest.mark.parametrize("few", [1, 1 << 10])
def test_without_compiling(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few instances looked at one by one, nearly all is left to bounds and the splitting of regions."""
    monkeypatch.setattr(pairs_by_regions, "FEW_INSTANCES", few)
    if few == 1:
        monkeypatch.setattr(by_regions, "_TRIED_REGIONS", 0)
    counted = {"network": Counter[tuple[str, str]](), "given": Counter[tuple[str, str]]()}
    for seed in range(few, few + 70):
        compare_seed(seed, counted, network=True)
    assert enough(counted["network"], 2), counted
