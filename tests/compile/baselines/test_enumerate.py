"""Brute force: any classifier, every instance, within its limits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import event, given, settings

from bnc2d import Classifier, ClassifierError, LimitExceeded, example
from bnc2d.compile.baselines import enumerate as enumerate_method
from bnc2d.compile.graph.pruning import target_part
from bnc2d.testing import random_classifier, random_naive_bayes
from tests.cases import cases
from tests.compile.meet.test_method import check_against_enumeration
from tests.strategies import classifiers


@given(classifiers())
@settings(max_examples=cases(16, 100))
def test_every_instance_of_every_class(classifier: Classifier) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumerate_method, "_CHUNK", 16)
        model = classifier.compile(method="enumerate")
    check_against_enumeration(classifier, model)
    part = target_part(classifier).classifier
    assert model.stats.cells == part.instance_count
    order = [classifier.features[feature] for feature in model.diagram.order]
    assert [name for name in order if name in part.features] == list(part.features)
    event(f"exact calls: {model.stats.exact_calls != 0}")


def test_it_equals_the_other_methods() -> None:
    classifier = random_classifier(4, variables=9, features=6, max_states=3)
    model = classifier.compile(method="enumerate")
    for other in (classifier.compile(), classifier.compile(method="paper")):
        for name in model.classes:
            assert model.formula(name).equivalent(other.formula(name))
            assert model.formula(name, negated=True).equivalent(other.formula(name, negated=True))
    assert model.verify()


def test_limits_name_the_number_of_instances() -> None:
    classifier = Classifier(random_naive_bayes(1, 40), "Y")
    with pytest.raises(LimitExceeded, match=r"listing 1099511627776 instances needs .* raise memory_limit"):
        classifier.compile(method="enumerate")
    huge = Classifier(random_naive_bayes(1, 1200), "Y")
    with pytest.raises(LimitExceeded, match=r"listing 10\^361\.2 instances"):
        huge.compile(method="enumerate")
    small = Classifier(example("diagnosis"), "D")
    with pytest.raises(LimitExceeded, match="listing 18 instances"):
        small.compile(method="enumerate", memory_limit=100)
    with pytest.raises(LimitExceeded, match="time limit of 0 s reached"):
        small.compile(method="enumerate", time_limit=0)


def test_progress_and_the_time_limit_by_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerate_method, "_CHUNK", 64)
    classifier = Classifier(random_naive_bayes(1, 10), "Y")
    seen: dict[str, list[float]] = {}
    classifier.compile(
        method="enumerate", progress=lambda phase, done: seen.setdefault(phase, []).append(done)
    )
    assert list(seen) == ["order", "labels", "reduce", "formulas"]
    assert list(dict.fromkeys(seen["labels"])) == [part / 16 for part in range(17)]


def test_options_that_it_has_not() -> None:
    classifier = Classifier(example("diagnosis"), "D")
    with pytest.raises(ClassifierError, match="'enumerate' decides close calls exactly"):
        classifier.compile(method="enumerate", arithmetic="float")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ClassifierError, match="'enumerate' does not spread"),
    ):
        classifier.compile(method="enumerate", executor=executor)
