"""Many explanations by the network itself: those of single ones, and of the compiled model."""

from __future__ import annotations

import pickle
from random import Random
from time import perf_counter
from typing import Any

import pytest

from bnc2d import Classifier, example
from bnc2d.base.arrays import Rows
from bnc2d.explain.batch import KINDS, Row
from bnc2d.explain.routes import NetworkRoute
from bnc2d.testing import random_instance, random_naive_bayes, random_noisy_or, random_tan
from tests.cases import cases
from tests.executors import EXECUTORS, MakeExecutor
from tests.explain.test_batch import PATIENTS, IdleExecutor
from tests.hard_classifiers import extreme_classifier, mixed_classifier


def explained_alone(classifier: Classifier, instance: dict[str, str], kinds: list[Any], limit: Any) -> Row:
    explanation = classifier.explain(instance)
    lists = {kind: getattr(explanation, f"{kind}_reasons")(limit=limit) for kind in kinds}
    reasons: Any = {kind: tuple(found) for kind, found in lists.items()}
    cut: Any = {kind: found.cut for kind, found in lists.items()}
    basis = explanation.basis
    return Row(instance, explanation.decision, basis.possible, basis.decided_by, reasons, cut)


@pytest.mark.parametrize("start", range(0, cases(6, 18), 6))
def test_the_same_as_one_by_one(start: int) -> None:
    for seed in range(start, start + 6):
        for make in (mixed_classifier, extreme_classifier):
            classifier, rng = make(seed, 60), Random(seed)  # noqa: S311 - reproducible test data
            instances = [random_instance(classifier, number) for number in range(4)]
            kinds: list[Any] = rng.sample(list(KINDS), 2)
            limit = rng.choice([1, 2])
            plain: list[Any] = ["sufficient"]
            for asked, most in ((kinds, limit), (plain, 1)):
                rows = classifier.explain_many(instances, kinds=asked, limit=most)
                assert rows == [explained_alone(classifier, one, asked, most) for one in instances]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_as_compiled(seed: int) -> None:
    classifier = mixed_classifier(seed, 40)
    instances = [random_instance(classifier, number) for number in range(5)]
    by_network = classifier.explain_many(instances, kinds=tuple(KINDS), limit=None)
    compiled = classifier.compile().explain_many(instances, kinds=tuple(KINDS), limit=None)
    for one, other in zip(by_network, compiled, strict=True):
        assert (one.decision, one.decided_by, one.cut) == (other.decision, other.decided_by, other.cut)
        assert {kind: set(found) for kind, found in one.reasons.items()} == {
            kind: set(found) for kind, found in other.reasons.items()
        }


@pytest.mark.parametrize(
    "network", [random_naive_bayes(4, 36), random_tan(4, 20, states=3, classes=3)], ids=["NB", "TAN"]
)
def test_one_reason_each_is_one_and_knows_whether_it_is_the_only_one(network: Any) -> None:
    classifier = Classifier(network, "Y", features="all")
    instances = [random_instance(classifier, number) for number in range(10)]
    only = 0
    for row in classifier.explain_many(instances, kinds=["sufficient"], limit=1):
        explanation = classifier.explain(row.instance)
        (reason,) = row.reasons["sufficient"]
        assert explanation.is_sufficient(reason)
        alone = explanation.sufficient_reasons(limit=1)
        assert list(alone) == [reason]
        assert row.cut["sufficient"] == alone.cut
        only += alone.cut is None
    assert only < 10


@pytest.mark.filterwarnings("ignore")  # of what the libraries do at their start and end
@pytest.mark.parametrize("make", EXECUTORS)
def test_the_result_does_not_depend_on_the_executor(make: MakeExecutor) -> None:
    small = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    small.explain(PATIENTS[0]).a_sufficient_reason()  # what was asked before is not sent
    large = Classifier(random_tan(1, 40, states=3, classes=3), "Y", features="all")
    instances = [random_instance(large, seed) for seed in range(6)]
    options: Any = {"kinds": ["sufficient", "necessary"], "limit": 1}
    alone = [
        small.explain_many(PATIENTS, kinds=tuple(KINDS), limit=None),
        large.explain_many(instances, **options),
    ]
    with make() as executor:
        spread = [
            small.explain_many(PATIENTS, executor, kinds=tuple(KINDS), limit=None, chunk_size=4),
            large.explain_many(instances, executor, chunk_size=2, **options),
        ]
    assert spread == alone


def test_a_route_is_sent_without_its_oracle() -> None:
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"], ties="none")
    route = NetworkRoute(classifier, classifier._oracle)
    assert classifier._bounds
    sent: NetworkRoute = pickle.loads(pickle.dumps(route))  # noqa: S301 - its own
    assert sent.here() is sent.here() is route.here()
    assert sent.here() is not NetworkRoute(classifier).here()
    rows: Rows = classifier._decided(PATIENTS)[0].rows
    assert sent.labels(rows).tolist() == route.labels(rows).tolist()


def hidden() -> Classifier:
    network = random_noisy_or(3, 60)
    return Classifier(network, "Y", [name for name in network.names if name.startswith("X")])


@pytest.mark.parametrize("time_limit", [0.0, 1.0])
def test_one_time_limit_for_all_rows(time_limit: float) -> None:
    for classifier in (hidden(), Classifier(random_tan(1, 60, states=3, classes=3), "Y", features="all")):
        rows = [random_instance(classifier, seed) for seed in range(12)]
        started = perf_counter()
        answers = classifier.explain_many(rows, kinds=tuple(KINDS), limit=None, time_limit=time_limit)
        assert perf_counter() - started < time_limit + 1.5
        assert all("time" in row.cut.values() for row in answers)
        for row in answers:
            for kind, reasons in row.reasons.items():
                assert row.cut[kind] == "time" or all(reason.proved_minimal for reason in reasons)


def test_what_an_executor_does_not_answer_in_time() -> None:
    executor = IdleExecutor()
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    answers = classifier.explain_many(PATIENTS, executor, time_limit=0.3, chunk_size=6)
    assert [future.cancelled() for future in executor.futures] == [True] * 3
    assert {(reasons, row.cut[kind]) for row in answers for kind, reasons in row.reasons.items()} == {
        ((), "time")
    }


def test_a_data_frame_gives_a_data_frame() -> None:
    import pandas as pd

    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    frame = pd.DataFrame(PATIENTS[-2:], index=["a", "b"])
    answer = classifier.explain_many(frame, limit=None)
    compiled = classifier.compile().explain_many(frame, limit=None)
    assert answer.columns.tolist() == compiled.columns.tolist()
    assert answer.index.tolist() == ["a", "b"]
    for column in ("sufficient", "necessary"):
        for one, other in zip(answer[column], compiled[column], strict=True):
            assert set(one.split("; ")) == set(other.split("; "))
