"""Numbers of reasons, against the lists."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import event, given, settings

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable
from bnc2d.testing import random_instance, random_naive_bayes
from tests.brute_force.reasons import Truth, truths
from tests.cases import cases

KINDS = ["sufficient", "necessary", "general_sufficient", "general_necessary"]


@settings(max_examples=cases(14, 60))
@given(truth=truths())
def test_counts_are_the_lengths_of_the_lists(truth: Truth) -> None:
    e = truth.explanation
    for kind in KINDS:
        listed = sum(1 for _ in getattr(e, f"{kind}_reasons")())
        event(f"{kind}: {min(listed, 5)}")
        assert getattr(e, f"count_{kind}_reasons")() == listed


@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_hundreds(kind: str) -> None:
    model = Classifier(random_naive_bayes(5, 18), "Y").compile()
    counts = []
    for seed in range(4):
        e = model.explain(random_instance(model.classifier, seed))
        counts.append(getattr(e, f"count_{kind}_reasons")())
        assert counts[-1] == sum(1 for _ in getattr(e, f"{kind}_reasons")())
    assert max(counts) > 50


def test_a_majority_of_twenty_has_as_many_reasons_as_known() -> None:
    """Each 11 of 20 equal votes are a reason; listing all 167,960 would take longer."""
    y = Variable("Y", ("0", "1"))
    votes = [Variable(f"V{n}", ("0", "1")) for n in range(20)]
    entries = [Fraction(n, 10) for n in (9, 1, 1, 9)]
    network = BayesianNetwork(
        [y, *votes], [CPT(y, (), [Fraction(1, 2)] * 2), *(CPT(v, (y,), entries) for v in votes)]
    )
    model = Classifier(network, "Y").compile()  # ties go to class 0
    e = model.explain(dict.fromkeys(model.features, 1))
    assert e.decision == "1"
    assert e.count_sufficient_reasons() == e.count_general_sufficient_reasons() == 167_960
    assert e.count_necessary_reasons() == e.count_general_necessary_reasons() == 184_756
    assert e.robustness().distance == 10
    assert len(e.shortest_sufficient_reason()) == 11
    first = e.sufficient_reasons(limit=3)
    assert [len(term) for term in first] == [11, 11, 11]
    for kind in KINDS:
        with pytest.raises(LimitExceeded, match="time limit"):
            getattr(e, f"count_{kind}_reasons")(time_limit=0)
