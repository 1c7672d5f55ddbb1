"""One sufficient reason at once: it is among all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bnc2d import Classifier, example
from tests.explain.by_definition import Truth, truths


@settings(max_examples=80)
@given(truth=truths())
def test_it_is_one_of_the_sufficient_reasons(truth: Truth) -> None:
    e = truth.explanation
    found = e.a_sufficient_reason()
    assert found in set(e.sufficient_reasons())
    assert e.is_sufficient(found)


@pytest.mark.parametrize(("instance", "reason"), [((1, 0, 1), "D ∧ F"), ((1, 1, 1), "D ∧ F")])
def test_the_running_example(instance: tuple[int, ...], reason: str) -> None:
    model = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    e = model.explain(dict(zip("DEF", instance, strict=True)))
    assert str(e.a_sufficient_reason()) in {str(term) for term in e.sufficient_reasons()}
    assert reason in {str(term) for term in e.sufficient_reasons()}
