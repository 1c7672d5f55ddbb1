"""Every law of the reasons, on random classifiers against the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import event, given, settings

from bnc2d import NNF, Clause, Term
from bnc2d.logic.primes.stream import Primes
from tests.brute_force.reasons import (
    States,
    Truth,
    necessary_reasons,
    sufficient_reasons,
    truths,
    variable_minimal_clauses,
    variable_minimal_terms,
)
from tests.cases import cases


def models(truth: Truth, formula: NNF) -> set[States]:
    return {states for states in truth.space if formula.evaluate(truth.named(states))}


def everything(found: Primes[Any]) -> list[Any]:
    listed = list(found)
    assert found.complete
    assert found.ordered
    assert found.cut is None
    keys = [(len(prime), tuple(prime.masks), tuple(prime.masks.values())) for prime in listed]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    return listed


def features(reasons: Iterable[Term | Clause]) -> set[frozenset[str]]:
    return {frozenset(reason) for reason in reasons}


@settings(max_examples=cases(16, 100))
@given(truth=truths())
def test_reasons_are_those_of_the_definition(truth: Truth) -> None:
    e = truth.explanation
    formula = truth.inside({truth.decision})
    complete, general = truth.complete(formula), truth.general(formula)
    event(f"decision: {'none' if truth.decision is None else 'a class'}")
    event(f"constant: {formula == set(truth.space)}; fixed: {len(truth.fixed)}")
    assert e.decision == truth.decision
    assert models(truth, e.complete_reason) == complete
    assert models(truth, e.general_reason) == general
    assert truth.own in complete <= general <= formula
    assert set(everything(e.sufficient_reasons())) == truth.terms(truth.implicants(complete))
    assert set(everything(e.necessary_reasons())) == truth.clauses(truth.implicates(complete))
    terms, clauses = truth.terms(truth.implicants(general)), truth.clauses(truth.implicates(general))
    event(f"general reasons: {min(len(terms), 5)}, {min(len(clauses), 5)}")
    assert set(everything(e.general_sufficient_reasons())) == variable_minimal_terms(terms)
    assert set(everything(e.general_necessary_reasons())) == variable_minimal_clauses(clauses)


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_shrinking_general_reasons_gives_the_reasons(truth: Truth) -> None:
    e = truth.explanation
    domain = truth.model.domain
    general = everything(e.general_sufficient_reasons()), everything(e.general_necessary_reasons())
    for reason in (*general[0], *general[1]):
        assert all(truth.instance[name] in states for name, states in reason.items())
        assert not set(reason) & {domain.names[f] for f in truth.fixed}
    for kind, found, reasons in (
        (Term, general[0], e.sufficient_reasons()),
        (Clause, general[1], e.necessary_reasons()),
    ):
        shrunk = {kind(domain, {name: truth.instance[name] for name in reason}) for reason in found}
        assert shrunk == set(reasons)


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_violating_a_general_necessary_reason_changes_the_decision(truth: Truth) -> None:
    e = truth.explanation
    for clause in e.general_necessary_reasons():
        changed = list(e.changes(clause))
        assert changed
        for instance, decision in changed:
            assert not clause.holds(instance)
            assert {name for name in instance if instance[name] != truth.instance[name]} == set(clause)
            assert decision == truth.decide(instance) != truth.decision
    for clause in e.necessary_reasons():
        assert any(decision != truth.decision for _, decision in e.changes(clause))


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_the_smallest_necessary_reason_is_as_far_as_another_decision(truth: Truth) -> None:
    e = truth.explanation
    distances = [
        sum(a != b for a, b in zip(states, truth.own, strict=True))
        for states in truth.space
        if truth.table[states] != truth.decision
    ]
    nearest = min(distances, default=None)
    assert min(map(len, e.necessary_reasons()), default=None) == nearest
    assert min(map(len, e.general_necessary_reasons()), default=None) == nearest
    assert e.robustness().distance == nearest


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_the_oracle_finds_the_same_reasons(truth: Truth) -> None:
    classifier, instance = truth.model.classifier, truth.instance
    e = truth.model.explain(instance)
    for mine, theirs in (
        (e.axps(), sufficient_reasons(classifier, instance)),
        (e.cxps(), necessary_reasons(classifier, instance)),
    ):
        assert [{name: min(states) for name, states in reason.items()} for reason in mine] == theirs


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_features_that_matter(truth: Truth) -> None:
    e = truth.explanation
    sets = features(e.sufficient_reasons())
    event(f"sufficient reasons: {min(len(sets), 4)}")
    names = truth.model.features
    assert e.necessary_features() == tuple(n for n in names if all(n in part for part in sets))
    assert e.relevant_features() == tuple(n for n in names if any(n in part for part in sets))
    assert e.irrelevant_features() == tuple(n for n in names if not any(n in part for part in sets))
    assert features(e.necessary_reasons()) >= {frozenset([name]) for name in e.necessary_features()}
