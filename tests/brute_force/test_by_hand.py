"""Brute force itself, on numbers worked out by hand."""

from fractions import Fraction

import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable, example
from bnc2d.testing import random_network
from tests.brute_force.decisions import decisions, joint_of_instances, joint_table
from tests.brute_force.reasons import necessary_reasons, sufficient_reasons

A = Variable("A", ("0", "1"))
B = Variable("B", ("x", "y", "z"))


def test_joint_table_by_hand() -> None:
    """P(A) = (1/4, 3/4); P(B | A=0) = (1/2, 1/2, 0), P(B | A=1) = (0, 1/3, 2/3)."""
    parts = [(1, 2), (1, 2), (0, 1), (0, 1), (1, 3), (2, 3)]
    cpts = [CPT(A, (), [Fraction(1, 4), Fraction(3, 4)]), CPT(B, (A,), [Fraction(*part) for part in parts])]
    network = BayesianNetwork([B, A], cpts)
    assert joint_table(network)[1].tolist() == [Fraction(1, 8), Fraction(1, 4)]  # B=y: A=0, A=1
    classifier = Classifier(network, "A", ["B"])
    assert joint_of_instances(classifier)["z",] == {"0": 0, "1": Fraction(1, 2)}
    assert decisions(classifier) == {("x",): "0", ("y",): "1", ("z",): "1"}


@pytest.mark.parametrize("seed", range(20))
def test_the_joint_sums_to_one(seed: int) -> None:
    assert joint_table(random_network(seed, variables=6)).sum() == 1


def test_reasons_of_the_running_example() -> None:
    """The paper's worked example: D, ¬E, F has the SRs ¬E and D ∧ F, and the NRs D ∨ ¬E and ¬E ∨ F."""
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    instance = {"D": "1", "E": "0", "F": "1"}
    assert sufficient_reasons(classifier, instance) == [{"E": "0"}, {"D": "1", "F": "1"}]
    assert necessary_reasons(classifier, instance) == [{"D": "1", "E": "0"}, {"E": "0", "F": "1"}]


def test_a_constant_classifier_needs_no_reason() -> None:
    network = example("cancer")
    classifier = Classifier(network, "Cancer", ["Xray", "Dyspnoea"])
    assert set(decisions(classifier).values()) == {"False"}
    instance = {"Xray": "positive", "Dyspnoea": "True"}
    assert sufficient_reasons(classifier, instance) == [{}]
    assert necessary_reasons(classifier, instance) == []


def test_a_large_joint_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="more than the limit"):
        joint_table(random_network(0, variables=40))
