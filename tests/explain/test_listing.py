"""One list of each kind, whatever the way it is found, however it is cut and whatever was asked before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, Clause, CompiledModel, Explanation
from bnc2d.compile.store import model_from_bytes, model_to_bytes
from bnc2d.explain.by_diagram import boxes, feature_sets
from bnc2d.explain.by_diagram.case import DiagramCase
from bnc2d.testing import random_instance, random_naive_bayes
from tests.brute_force.reasons import Truth, truths
from tests.cases import cases

KINDS = ["sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons"]
# What the sizes around an instance are taken for: too large is that for a diagram of all reasons.
SIZES: dict[str, dict[str, int]] = {
    "as they are": {},
    "large": {"QUICK_NODES": -1, "QUICK_STEPS": -1},
    "too large": {"QUICK_NODES": -1, "QUICK_STEPS": -1, "_MOST_STEPS": -1},
}


@contextmanager
def taken(sizes: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SIZES[sizes].items():
            patch.setattr(feature_sets, name, value)
        yield


def asked(e: Explanation) -> list[Callable[..., Any]]:
    others = [name for name in e.model.classes if name != e.decision]
    return [getattr(e, kind) for kind in KINDS] + [partial(e.contrastive, name) for name in others]


@pytest.fixture(scope="module")
def wide() -> CompiledModel:
    model: CompiledModel = Classifier(random_naive_bayes(5, 20), "Y").compile()
    return model


@settings(max_examples=cases(28, 50))
@given(truth=truths())
def test_the_circuit_gives_the_same_list(truth: Truth) -> None:
    e = truth.explanation
    complete, general = e.complete_reason, e.general_reason
    by_circuit: list[Iterator[Any]] = [
        complete.prime_implicants(towards=e.instance),
        complete.prime_implicates(towards=e.instance),
        general.prime_implicants(towards=e.instance, variable_minimal=True),
        general.prime_implicates(towards=e.instance, variable_minimal=True),
    ]
    assert [list(getattr(e, kind)()) for kind in KINDS] == [list(found) for found in by_circuit]


@settings(max_examples=cases(16, 100))
@given(truth=truths())
def test_large_sizes_change_the_order_alone(truth: Truth) -> None:
    e = truth.explanation
    for ask in asked(e):
        in_order = list(ask())
        for sizes in ("large", "too large"):
            with taken(sizes):
                found = ask()
                listed = list(found)
            assert len(set(listed)) == len(listed)
            assert set(listed) == set(in_order)
            if listed and isinstance(listed[0], Clause):
                assert len(listed[0]) == len(in_order[0])
            if sizes == "large" and ask in asked(e)[:2]:
                rest = [reason for reason in in_order if reason != listed[0]]
                assert listed[1:] == rest
            assert not found.ordered or listed == in_order
            event(f"{sizes}: {'as ever' if listed == in_order else 'another order'}")


@settings(max_examples=cases(14, 60))
@given(truth=truths(), sizes=st.sampled_from(list(SIZES)), data=st.data())
def test_a_list_that_is_cut_is_the_beginning_of_the_whole(
    truth: Truth, sizes: str, data: st.DataObject
) -> None:
    with taken(sizes):
        for ask in asked(truth.explanation):
            whole = list(ask())
            limit = data.draw(st.integers(0, len(whole) + 1), "limit")
            cut = ask(limit=limit)
            assert list(cut) == whole[:limit]
            assert (cut.cut, cut.complete) == (("limit", False) if limit < len(whole) else (None, True))
            late = list(ask(time_limit=0))
            assert late == whole[:1]
            event(f"reasons: {min(len(whole), 4)}")


@settings(max_examples=cases(14, 60))
@given(truth=truths(), sizes=st.sampled_from(list(SIZES)), data=st.data())
def test_no_list_depends_on_what_was_asked_before(truth: Truth, sizes: str, data: st.DataObject) -> None:
    def everything(e: Explanation) -> dict[str, Callable[[], object]]:
        name = data.draw(st.sampled_from(e.model.classes), "class")
        found: dict[str, Callable[[], object]] = {
            **{kind: partial(_listed, getattr(e, kind)) for kind in KINDS},
            **{f"count_{kind}": getattr(e, f"count_{kind}") for kind in KINDS},
            f"contrastive {name}": partial(_listed, partial(e.contrastive, name)),
            "relevant": e.relevant_features,
            "shortest sufficient": e.shortest_sufficient_reason,
            "shortest necessary": e.shortest_necessary_reason,
            "one": e.a_sufficient_reason,
            "complete": lambda: e.complete_reason.to_text(),
            "general": lambda: e.general_reason.to_text(),
            "text": e.to_text,
        }
        return found

    with taken(sizes):
        first = truth.explanation
        expected = {what: ask() for what, ask in everything(first).items()}
        model = CompiledModel.of(model_from_bytes(model_to_bytes(truth.model)))
        if data.draw(st.booleans(), "formulas first"):
            for name in data.draw(st.permutations(model.classes), "formulas"):
                model.formula(name, negated=data.draw(st.booleans()))
        model.explain(data.draw(st.sampled_from(list(map(truth.named, truth.table))), "before")).to_text()
        questions = everything(model.explain(first.instance, first.fixed))
        for what in data.draw(st.permutations(list(questions)), "order"):
            answer = questions[what]()
            assert what not in expected or answer == expected[what]


def _listed(ask: Callable[..., Any]) -> list[str]:
    next(ask(limit=1), None)
    return list(map(str, ask()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", SIZES)
def test_limits_of_long_lists(wide: CompiledModel, kind: str, sizes: str) -> None:
    with taken(sizes):
        ask = getattr(wide.explain(dict.fromkeys(wide.features, 0)), kind)
        everything = ask()
        listed = list(everything)
        count = len(listed)
        assert everything.complete
        for limit in (0, 1, count - 1, count, count + 1) if sizes != "too large" else (0, 1, 20):
            found = ask(limit=limit)
            assert list(found) == listed[:limit]
            assert (found.cut, found.complete) == (("limit", False) if limit < count else (None, True))
        late = getattr(wide.explain(dict.fromkeys(wide.features, 0)), kind)(time_limit=1e-3)
        in_time = list(late)
        assert late.cut == "time"
        assert in_time == listed[: len(in_time)]
        assert in_time


@pytest.mark.parametrize("kind", KINDS)
def test_very_many_come_shortest_first(
    wide: CompiledModel, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    e = wide.explain(dict.fromkeys(wide.features, 0))
    in_order = list(getattr(e, kind)())
    monkeypatch.setattr(feature_sets, "_MOST_SORTED", 10)
    found = getattr(e, kind)()
    listed = list(found)
    assert not found.ordered
    assert set(listed) == set(in_order)
    assert [len(reason) for reason in listed] == [len(reason) for reason in in_order]


def test_the_first_of_a_large_model_is_the_one_at_once(wide: CompiledModel) -> None:
    for seed in range(5):
        e = wide.explain(random_instance(wide.classifier, seed))
        in_order = list(e.sufficient_reasons())
        with taken("large"):
            found = e.sufficient_reasons()
            first, *rest = found
        assert first == e.a_sufficient_reason()
        assert rest == [reason for reason in in_order if reason != first]
        assert not found.ordered
        with taken("too large"):
            assert list(islice(e.sufficient_reasons(), 1)) == [first]


@pytest.fixture(scope="module")
def of_four_states() -> CompiledModel:
    model: CompiledModel = Classifier(random_naive_bayes(3, 9, states=4, classes=3), "Y").compile()
    return model


@pytest.mark.parametrize("seed", range(4))
def test_general_reasons_of_many_states_are_those_of_the_circuit(
    of_four_states: CompiledModel, seed: int
) -> None:
    e = of_four_states.explain(random_instance(of_four_states.classifier, seed))
    reason = e.general_reason
    terms = list(reason.prime_implicants(towards=e.instance, variable_minimal=True))
    clauses = list(reason.prime_implicates(towards=e.instance, variable_minimal=True))
    assert len(terms) > len(list(e.sufficient_reasons()))
    for sizes in SIZES:
        with taken(sizes):
            for expected, found in (
                (terms, e.general_sufficient_reasons()),
                (clauses, e.general_necessary_reasons()),
            ):
                listed = list(found)
                assert set(listed) == set(expected)
                assert len(listed) == len(expected)
                assert not found.ordered or listed == expected
    assert isinstance(e._case, DiagramCase)
    with pytest.MonkeyPatch.context() as patch:  # boxes are just quick enough to be found together
        patch.setattr(feature_sets, "QUICK_STEPS", boxes.exclusions(e._case, 10**6).diagrams.steps)
        assert set(e.general_sufficient_reasons()) == set(terms)
    assert e.count_general_sufficient_reasons() == len(terms)
    assert e.count_general_necessary_reasons() == len(clauses)
