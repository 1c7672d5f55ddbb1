"""One compilation spread over an executor: the same result, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np
import pytest

from bnc2d.compile import rows
from bnc2d.compile.model import CompiledModel
from bnc2d.errors import LimitExceeded
from bnc2d.testing import random_classifier


@contextmanager
def process_pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@contextmanager
def thread_pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@contextmanager
def dask_cluster() -> Iterator[Executor]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield client.get_executor()


def same(one: CompiledModel, other: CompiledModel) -> bool:
    return (
        one.diagram.order == other.diagram.order
        and one.diagram.root == other.diagram.root
        and all(np.array_equal(a, b) for a, b in zip(one.diagram.levels, other.diagram.levels, strict=True))
        and one.stats.exact_calls == other.stats.exact_calls
        and [str(one.formula(c)) for c in one.classes] == [str(other.formula(c)) for c in other.classes]
    )


@pytest.mark.filterwarnings("ignore")  # of what the libraries do at their start and end
@pytest.mark.parametrize("make", [process_pool, thread_pool, dask_cluster])
def test_the_result_does_not_depend_on_the_executor(make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "CELLS", 64)
    assert callable(make)
    with make() as executor:
        for seed in range(6):
            classifier = random_classifier(
                seed, variables=9, features=8, max_states=3, threshold=seed % 2 == 0, repeat_share=0.3
            )
            assert same(classifier.compile(), classifier.compile(executor=executor))


def test_a_time_limit_ends_it_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "CELLS", 1)
    classifier = random_classifier(3, variables=10, features=9)
    with ThreadPoolExecutor(1) as pool, pytest.raises(LimitExceeded, match="time limit"):
        classifier.compile(time_limit=0.0, executor=pool)
