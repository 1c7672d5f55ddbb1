"""A short slice of ``make long``, and proof that it would notice."""

from __future__ import annotations

import pytest

from bnc2d import CompiledModel
from tests.cases import cases
from tests.hard_classifiers import mixed_classifier
from tests.long.agreement import check_mixed
from tests.long.outcome import run_seeds

CASES = (
    "tie, impossible, no class, varied, empty class, many classes, one class, many states, single feature, "
    "inner feature, target below, threshold, threshold hit, twin, alone, binary"
)


def test_every_method_agrees_with_the_oracle_on_every_instance() -> None:
    outcome = run_seeds(check_mixed, 10**6, cases(45, 150))
    assert outcome.wrong == {}
    assert set(outcome.met) == set(CASES.split(", "))
    assert outcome.compared > 5000


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("count", lambda *_: 0, "count of"),
        ("predict", lambda _, rows: ["?"] * len(rows), "and the oracle differ"),
        ("formula", lambda *_, **__: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_wrong_answer_is_found(
    name: str, answer: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CompiledModel, name, answer)
    outcome = run_seeds(check_mixed, 5, 3)
    assert set(outcome.wrong) == {5, 6, 7}
    assert all(words in reason for reason in outcome.wrong.values())


def test_seeds_decide_everything() -> None:
    first, again = mixed_classifier(7), mixed_classifier(7)
    assert first.network == again.network
    assert (first.target, first.features, first.threshold) == (again.target, again.features, again.threshold)
    assert mixed_classifier(8).network != first.network
    assert all(mixed_classifier(seed, max_instances=20).instance_count <= 20 for seed in range(40))
