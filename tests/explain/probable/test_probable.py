"""Probable reasons: by definition on random classifiers, and what limits, missing values and errors do."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from bnc2d import (
    CPT,
    ArgumentError,
    BayesianNetwork,
    Bnc2dError,
    Classifier,
    ClassifierError,
    CompiledModel,
    InstanceError,
    LogicError,
    NotCompiledError,
    UnknownNameError,
    Variable,
    example,
)
from bnc2d.explain.probable.by_product import ProductChances
from bnc2d.explain.probable.question import Question
from bnc2d.explain.probable.search import minimal_by_size
from bnc2d.testing import random_naive_bayes, random_tan
from tests.brute_force.probable import Truth, decided
from tests.explain.probable.against_definition import compare, compare_one

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


@pytest.fixture(scope="module")
def model() -> CompiledModel:
    return Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()


def not_both() -> CompiledModel:
    """Return the model of "not both A and B": to know A alone makes it less probable than to know nothing."""
    a, b, y = (Variable(name, ("0", "1")) for name in "ABY")
    half, one = Fraction(1, 2), Fraction(1)
    even = [CPT(variable, (), [half, half]) for variable in (a, b)]
    table = CPT(y, (a, b), [0, one, 0, one, 0, one, one, 0])
    return Classifier(BayesianNetwork([a, b, y], [*even, table]), "Y", ["A", "B"]).compile()


def test_by_definition_on_random_classifiers() -> None:
    seen: Counter[str] = Counter()
    for seed in (0, 6, 7, 9, 10, 17, 33, 38, 39):
        compare(seed, seen)
    assert {"uniform", "marginals", "network", "rows", "given", "given fixed", "no set"} <= set(seen)
    assert seen["least 2"]
    assert seen["sufficient"]


def test_a_larger_set_may_be_less_probable() -> None:
    e = not_both().explain({"A": 1, "B": 0})
    assert [e.probability(some) for some in ([], ["A"], ["B"], ["A", "B"])] == [
        Fraction(3, 4),
        Fraction(1, 2),
        1,
        1,
    ]
    assert [reason.features for reason in e.probable_reasons(0.7)] == [()]
    assert [reason.features for reason in e.probable_reasons(0.8)] == [("B",)]


def test_subset_minimal_is_more_than_locally_minimal() -> None:
    """Where {} is enough and {A}, {B} are not, {A, B} loses it by giving up any one feature."""
    a, b, y = (Variable(name, ("0", "1", "2")) for name in "ABY")
    third = Fraction(1, 3)
    even = [CPT(variable, (), [third] * 3) for variable in (a, b)]
    columns: list[Fraction] = []
    for one in range(3):
        for other in range(3):
            is_own = (one == 0) == (other == 0)  # of 9 instances 5: as A, B = 0, 0 and where neither is 0
            columns += [Fraction(is_own), Fraction(not is_own), Fraction(0)]
    model = Classifier(
        BayesianNetwork([a, b, y], [*even, CPT(y, (a, b), columns)]), "Y", ["A", "B"]
    ).compile()
    e = model.explain({"A": 0, "B": 0})
    assert [e.probability(some) for some in ([], ["A"], ["A", "B"])] == [Fraction(5, 9), third, 1]
    assert [reason.features for reason in e.probable_reasons(0.5)] == [()]
    assert e.a_probable_reason(0.5).features == ()


def test_sure_reasons_are_found_by_the_search_too(model: CompiledModel) -> None:
    """For d = 1 the list is that of the sufficient reasons; the general search gives the same."""
    for seed in range(4):
        network = random_tan(seed, 7)
        features = [f"X{number}" for number in range(7)]
        e = Classifier(network, "Y", features).compile().explain(dict.fromkeys(features, "1"))
        question: Question = e._probably(1, None)
        assert isinstance(question.chances, ProductChances)
        found = [sets for _, sets in minimal_by_size(question.chances)]
        names = [tuple(features[f] for f in some) for sets in found for some in sets]
        assert names == [term.features for term in e.sufficient_reasons()]
        assert [reason.term for reason in e.probable_reasons(1)] == list(e.sufficient_reasons())
        assert e.shortest_probable_reason(1).term == e.shortest_sufficient_reason()
        assert e.a_probable_reason(1).term == e.a_sufficient_reason()


def test_by_the_network_it_is_the_same_decision_probability(model: CompiledModel) -> None:
    rng = Random(3)  # noqa: S311 - reproducible test data
    for seed in range(3):
        features = [f"X{number}" for number in range(5)]
        drawn = Classifier(random_naive_bayes(seed, 5, 3, 3), "Y", features).compile()
        partial = {name: str(rng.randrange(3)) for name in features if rng.random() < 0.5}
        expected = drawn.explain(partial).if_known().probability
        assert drawn.probability_of_decision(partial, distribution="network") == expected
    by_class = [model.probability_of_decision({"BP": "High"}, name, "network") for name in model.classes]
    assert sum(by_class) == 1


def test_of_all_it_is_the_share(model: CompiledModel) -> None:
    for distribution in (None, "network", {"BP": {"High": 1}}, [PATIENT, {**PATIENT, "HR": "Low"}]):
        shares = model.shares(distribution)
        found = {name: model.probability_of_decision({}, name, distribution) for name in model.classes}
        assert found == shares


def test_general_reasons_keep_the_decision_for_sure(model: CompiledModel) -> None:
    e = model.explain(PATIENT)
    for term in e.general_sufficient_reasons():
        for distribution in (None, "network"):
            assert e.probability(term, distribution) == 1


def test_missing_features_stay_unknown() -> None:
    """The classifier over what is known is asked about, with the distribution of what is known."""
    features = [f"X{number}" for number in range(6)]
    network = random_tan(11, 6)
    whole = Classifier(network, "Y", features)
    known = features[:4]
    small = Classifier(network, "Y", known)
    decisions, weights = decided(small)
    states = np.random.default_rng(0).integers(0, 2, (40, 6)).tolist()
    rows = [dict(zip(features, map(str, row), strict=True)) for row in states]
    marginals = {"X0": {"0": Fraction(1, 3), "1": Fraction(2, 3)}, "X5": {"0": 1}}
    partial = dict.fromkeys(known, "1")
    e = whole.compile().explain(partial)
    by_rows: dict[tuple[str, ...], Fraction] = {}
    for row in rows:
        kept = tuple(row[name] for name in known)
        by_rows[kept] = by_rows.get(kept, Fraction(0)) + 1
    product = {kept: Fraction(2 if kept[0] == "1" else 1) for kept in decisions}
    for given, weighing in (("network", weights), (rows, by_rows), (marginals, product)):
        truth = Truth(tuple(known), decisions, weighing, tuple(partial.values()), frozenset())
        compare_one(Random(0), e, truth, given, Counter())  # noqa: S311 - reproducible test data


def test_without_compiling_where_instances_are_few_or_rows() -> None:
    features = [f"X{number}" for number in range(5)]
    classifier = Classifier(random_tan(2, 5), "Y", features)
    instance = dict.fromkeys(features, "1")
    one, other = classifier.compile().explain(instance), classifier.explain(instance)
    for distribution in (None, "network"):
        for d in (0.5, 0.9, 1):
            here = [(r.term, r.probability) for r in one.probable_reasons(d, distribution)]
            assert here == [(r.term, r.probability) for r in other.probable_reasons(d, distribution)]
    many = [f"X{number}" for number in range(20)]
    large = Classifier(random_naive_bayes(2, 20), "Y", many).explain(dict.fromkeys(many, "1"))
    with pytest.raises(NotCompiledError, match="compile"):
        large.probability(["X0"])
    rows = np.random.default_rng(0).integers(0, 2, (200, 20))
    assert 0 <= large.probability(["X0"], rows) <= 1
    assert list(large.probable_reasons(0.9, rows, shortest=True))
    assert large.a_probable_reason(1).term == large.a_sufficient_reason()


def test_limits_end_lists_and_searches() -> None:
    features = [f"X{number}" for number in range(18)]
    e = Classifier(random_tan(4, 18), "Y", features).compile().explain(dict.fromkeys(features, "1"))
    found = e.probable_reasons(0.97, limit=1)
    assert len(list(found)) == 1
    assert found.cut == "limit"
    assert found.ordered
    hurried = e.probable_reasons(0.97, "network", time_limit=0.2)
    assert all(reason.probability >= Fraction(97, 100) for reason in hurried)
    assert hurried.cut == "time"
    assert not hurried.complete
    one = e.a_probable_reason(0.97)
    assert one.probability >= Fraction(97, 100)
    assert one.probability == e.probability(one.features)
    shortest = e.shortest_probable_reason(0.97, time_limit=20)
    assert shortest.proved_shortest
    assert len(shortest) <= len(one)


def test_errors_name_what_is_wrong(model: CompiledModel) -> None:
    e = model.explain(PATIENT, fixed=["BP"])
    word: Any = "no"
    cases: list[tuple[type[Bnc2dError], str, Any]] = [
        (ArgumentError, "d must be a probability from 0 to 1", lambda: e.probable_reasons(95)),
        (ArgumentError, "d must be a number", lambda: e.probable_reasons("much")),
        (ArgumentError, "d must be a number", lambda: e.a_probable_reason(True)),
        (ArgumentError, "shortest must be True or False", lambda: e.probable_reasons(0.5, shortest=word)),
        (UnknownNameError, "did you mean 'CT'", lambda: e.probability(["Ct"])),
        (LogicError, "'BP' is fixed", lambda: e.probability({"BP": "Low"})),
        (InstanceError, "row 0 .* leaves features out", lambda: e.probability([], [{"BP": "High"}])),
        (ClassifierError, "has probability 0", lambda: e.probability(["CT"], {"CT": {"0": 1}})),
        (ClassifierError, "no row", lambda: e.probability(["CT"], [{**PATIENT, "CT": 0}])),
        (ClassifierError, "no set", lambda: e.a_probable_reason(1, [{**PATIENT, "HR": "Low", "CT": 0}])),
        (ClassifierError, "no class '7'", lambda: model.probability_of_decision({}, "7")),
    ]
    for kind, words, ask in cases:
        with pytest.raises(kind, match=words):
            ask()


def test_a_reason_prints_as_term_and_probability(model: CompiledModel) -> None:
    reason = model.explain(PATIENT).shortest_probable_reason(0.8)
    assert str(reason) == "BP=High (probability 83.33 %)"
    assert "83.33" in reason._repr_html_()
    assert len(reason) == 1
    assert reason.features == ("BP",)
    assert model.explain(PATIENT).a_probable_reason(0)  # true, though it has no features
