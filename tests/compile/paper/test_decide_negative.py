"""decide-negative, decide-positive and the test of instances: hand-made arrays, then laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.compile.paper.decide_negative import (
    NO,
    UNDECIDED,
    YES,
    ClassTest,
    decide_instances,
    decide_negative,
    decide_positive,
)
from bnc2d.model.accounts import Floats, margin
from bnc2d.model.decision import DecisionRule

LOWEST = DecisionRule("lowest", None, 0)
NONE = DecisionRule("none", None, 0)
HALF = DecisionRule("lowest", Fraction(1, 2), 1)
SMALL = margin(4)


def verdicts(table: list[list[float]], rule: DecisionRule, index: int) -> tuple[int, int]:
    joint = np.array([table], dtype=float)
    test = ClassTest.of(rule, len(table), index)
    return int(decide_negative(joint, test, SMALL)[0]), int(decide_positive(joint, test, SMALL)[0])


@pytest.mark.parametrize("rule", [LOWEST, NONE, HALF])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0.3, 0.2], [0.1, 0.1], YES),  # the first class is above in every state
        ([0.1, 0.1], [0.3, 0.2], NO),
        ([0.3, 0.1], [0.1, 0.3], UNDECIDED),
        ([0.3, 0.0], [0.1, 0.0], YES),  # an impossible state says nothing
        ([0.0, 0.0], [0.1, 0.0], NO),
        ([0.3, 0.2], [0.3, 0.1], UNDECIDED),  # a tie: too close for float64
        ([0.3, 0.2], [0.3 * (1 + 4e-16), 0.4], UNDECIDED),
        ([0.3, 0.2], [0.3 * (1 - 1e-13), 0.1], YES),
    ],
)
def test_two_classes(rule: DecisionRule, first: list[float], second: list[float], expected: int) -> None:
    flipped = {YES: NO, NO: YES, UNDECIDED: UNDECIDED}
    assert verdicts([first, second], rule, 0) == (flipped[expected], expected)
    assert verdicts([first, second], rule, 1) == (expected, flipped[expected])


def test_three_classes() -> None:
    table = [[0.3, 0.3], [0.2, 0.4], [0.1, 0.1]]
    assert verdicts(table, LOWEST, 0) == (UNDECIDED, UNDECIDED)
    assert verdicts(table, LOWEST, 2) == (YES, NO)  # one winner everywhere is enough
    assert verdicts([[0.3, 0.1], [0.1, 0.3], [0.2, 0.2]], LOWEST, 2) == (UNDECIDED, UNDECIDED)
    # Both zero in the second state, where the third class is above: the first loses either way.
    assert verdicts([[0.1, 0.0], [0.2, 0.0], [0.0, 0.5]], LOWEST, 0) == (YES, NO)


def test_one_class_has_everything() -> None:
    assert verdicts([[0.0, 0.5]], LOWEST, 0) == (NO, YES)
    assert verdicts([[0.0, 0.5]], NONE, 0) == (NO, YES)
    assert ClassTest.of(NONE, 1, 0).has_impossible


def test_threshold_weighs() -> None:
    rule = DecisionRule("lowest", Fraction(1, 5), 1)
    assert verdicts([[0.3], [0.1]], rule, 1) == (NO, YES)  # P = 1/4 > 1/5
    assert verdicts([[0.5], [0.1]], rule, 1) == (YES, NO)
    assert verdicts([[0.4], [0.1]], rule, 1) == (UNDECIDED, UNDECIDED)


def test_who_wins_ties() -> None:
    assert [ClassTest.of(LOWEST, 3, i).wins_tie.tolist() for i in range(3)] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]
    assert [ClassTest.of(NONE, 3, i).has_impossible for i in range(3)] == [False] * 3
    assert [ClassTest.of(HALF, 2, i).has_impossible for i in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("rule", "expected"), [(LOWEST, [YES, NO, NO]), (NONE, [NO, NO, NO])], ids=["lowest", "none"]
)
def test_instances_that_tie_at_zero(rule: DecisionRule, expected: list[int]) -> None:
    found = [int(decide_instances(np.zeros((1, 3)), ClassTest.of(rule, 3, i), SMALL)[0]) for i in range(3)]
    assert found == expected


def test_instances_that_tie_above_zero_are_close_calls() -> None:
    joint = np.array([[0.2, 0.2, 0.0], [0.0, 0.2, 0.0]])
    assert decide_instances(joint, ClassTest.of(LOWEST, 3, 0), SMALL).tolist() == [UNDECIDED, NO]
    assert decide_instances(joint, ClassTest.of(LOWEST, 3, 1), SMALL).tolist() == [UNDECIDED, YES]
    assert decide_instances(joint, ClassTest.of(LOWEST, 3, 2), SMALL).tolist() == [NO, NO]


def test_too_many_roundings_decide_nothing_but_zeros() -> None:
    error = margin(1 << 52)
    joint = np.array([[0.9, 0.1], [0.9, 0.0], [0.0, 0.0]])
    assert decide_instances(joint, ClassTest.of(LOWEST, 2, 0), error).tolist() == [UNDECIDED, UNDECIDED, YES]


def test_weights_too_small_for_float64_are_not_trusted() -> None:
    assert not ClassTest.of(DecisionRule("lowest", Fraction(1, 10**400), 1), 2, 1).trusted
    assert ClassTest.of(HALF, 2, 1).trusted


@st.composite
def tables(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Integers, so that every sum is exact: joint ``M[class, state]`` and completions ``[v, state]``."""
    classes, states = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    numbers = st.integers(0, 3)
    joint = draw(st.lists(numbers, min_size=classes * states, max_size=classes * states))
    below = draw(st.lists(numbers, min_size=5 * states, max_size=5 * states))
    return np.array(joint, dtype=float).reshape(classes, states), np.array(below, dtype=float).reshape(
        5, states
    )


@given(tables(), st.sampled_from(["lowest", "none", "threshold"]), st.integers(0, 3))
def test_a_verdict_holds_for_every_possible_completion(
    drawn: tuple[Floats, Floats], kind: str, choice: int
) -> None:
    joint, completions = drawn
    rule = {"lowest": LOWEST, "none": NONE, "threshold": DecisionRule("lowest", Fraction(1, 3), 1)}[kind]
    if kind == "threshold":
        joint = np.resize(joint, (2, joint.shape[1]))
    index = choice % len(joint)
    test = ClassTest.of(rule, len(joint), index)
    negative = int(decide_negative(joint[None], test, SMALL)[0])
    event(f"negative: {negative}")
    for instance in completions @ joint.T:
        is_member = rule.exact_label([int(value) for value in instance]) == index
        single = int(decide_instances(instance[None], test, SMALL)[0])
        assert single in (UNDECIDED, YES if is_member else NO)
        if not instance.any():
            assert is_member == test.has_impossible
        elif negative != UNDECIDED:
            assert is_member == (negative == NO)
