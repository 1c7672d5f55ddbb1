"""The ways to list reasons agree, and give way to each other when there are too many."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bnc2d import Classifier, CompiledModel
from bnc2d.explain import listing
from bnc2d.testing import random_naive_bayes
from tests.explain.by_definition import Truth, truths

KINDS = ["sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons"]


@pytest.fixture(scope="module")
def wide() -> CompiledModel:
    model: CompiledModel = Classifier(random_naive_bayes(5, 20), "Y").compile()
    return model


@pytest.fixture
def without_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_MOST_STEPS", -1)
    monkeypatch.setattr("bnc2d.logic.primes.diagrams._BETWEEN_LOOKS", 1)


@settings(max_examples=50)
@given(truth=truths())
def test_the_circuit_gives_the_same_list(truth: Truth) -> None:
    e = truth.explanation
    by_diagram = [list(getattr(e, kind)()) for kind in KINDS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing, "_MOST_STEPS", -1)
        patch.setattr("bnc2d.logic.primes.diagrams._BETWEEN_LOOKS", 1)
        assert [list(getattr(e, kind)()) for kind in KINDS] == by_diagram


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("without_diagrams")
def test_limits_without_a_diagram(wide: CompiledModel, kind: str) -> None:
    ask = getattr(wide.explain(dict.fromkeys(wide.features, 0)), kind)
    everything = ask()
    count = len(list(everything))
    assert everything.complete
    for limit in (0, 1, count - 1, count, count + 1):
        found = ask(limit=limit)
        assert len(list(found)) == min(limit, count)
        assert (found.cut, found.complete) == (("limit", False) if limit < count else (None, True))
    late = ask(time_limit=1e-3)
    list(late)
    assert late.cut == "time"


@pytest.mark.parametrize("kind", KINDS)
def test_very_many_come_shortest_first(
    wide: CompiledModel, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    e = wide.explain(dict.fromkeys(wide.features, 0))
    in_order = list(getattr(e, kind)())
    monkeypatch.setattr(listing, "_MOST_SORTED", 10)
    found = getattr(e, kind)()
    listed = list(found)
    assert not found.ordered
    assert set(listed) == set(in_order)
    assert [len(reason) for reason in listed] == [len(reason) for reason in in_order]
