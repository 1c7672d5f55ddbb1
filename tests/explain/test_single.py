"""One reason of each kind at once: it is among all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import event, given, settings

from bnc2d import Classifier, Clause, example
from tests.brute_force.reasons import Truth, truths
from tests.cases import cases


@settings(max_examples=cases(16, 80))
@given(truth=truths())
def test_it_is_one_of_the_sufficient_reasons(truth: Truth) -> None:
    e = truth.explanation
    found = e.a_sufficient_reason()
    assert found in set(e.sufficient_reasons())
    assert e.is_sufficient(found)


@settings(max_examples=cases(33, 200))
@given(truth=truths())
def test_a_list_without_time_has_one_reason(truth: Truth) -> None:
    e = truth.explanation
    others = [name for name in e.model.classes if name != e.decision]
    asked: list[Callable[..., Any]] = [
        e.sufficient_reasons,
        e.necessary_reasons,
        e.general_sufficient_reasons,
        e.general_necessary_reasons,
        *(partial(e.contrastive, name) for name in others),
    ]
    for ask in asked:
        every, late = ask(), ask(time_limit=0)
        found, listed = list(late), list(every)
        assert len(found) == min(1, len(listed))
        assert set(found) <= set(listed)
        trivial = not listed or not listed[0]  # no reason, or the empty one, which is then the only one
        assert (late.complete, late.cut) == ((True, None) if trivial else (False, "time"))
        if found and isinstance(found[0], Clause):
            assert len(found[0]) == len(listed[0])  # a shortest one
        event("nothing to list" if trivial else "a reason")
        assert list(ask(limit=0, time_limit=0)) == []


@pytest.mark.parametrize(("instance", "reason"), [((1, 0, 1), "D ∧ F"), ((1, 1, 1), "D ∧ F")])
def test_the_running_example(instance: tuple[int, ...], reason: str) -> None:
    model = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    e = model.explain(dict(zip("DEF", instance, strict=True)))
    assert str(e.a_sufficient_reason()) in {str(term) for term in e.sufficient_reasons()}
    assert reason in {str(term) for term in e.sufficient_reasons()}
