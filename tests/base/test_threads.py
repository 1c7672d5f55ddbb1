"""Matrix products use one thread, here and in every worker, and leave the process as it was."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from bnc2d import Classifier, example
from bnc2d.base.readers.choices import Method
from bnc2d.base.threads import one_thread
from bnc2d.compile.meet import work_share as rows
from bnc2d.explain import routes
from bnc2d.model import factors
from bnc2d.testing import random_classifier

INSTANCE = {"BP": "High", "CT": "1", "HR": "Normal"}


def threads() -> set[int]:
    """Return the number of threads of numpy's BLAS; another library that a test loaded may bring its own."""
    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    of_numpy = [one for one in found if "numpy" in Path(one["filepath"]).parent.name]
    return {one["num_threads"] for one in of_numpy or found}


@pytest.fixture(autouse=True)
def many_threads() -> Iterator[None]:
    """As on a machine with several cores, whatever this one has; and so it must be afterwards."""
    if not threads():
        pytest.skip("no BLAS whose threads can be set")
    with threadpool_limits(3, user_api="blas"):
        yield
        assert threads() == {3}


def test_one_inside_and_as_before_outside() -> None:
    with one_thread:
        assert threads() == {1}
        with one_thread:
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == {3}
    with pytest.raises(KeyError), one_thread:
        raise KeyError
    assert threads() == {3}


def test_blocks_that_overlap_in_several_threads() -> None:
    """The first to end must not free the other, and the last to end restores what the first found."""
    steps = Barrier(2)
    seen: list[set[int]] = []

    def first() -> None:
        with one_thread:
            steps.wait()  # both are inside
            steps.wait()
        steps.wait()  # only the second is inside

    def second() -> None:
        steps.wait()
        with one_thread:
            steps.wait()
            steps.wait()
            seen.append(threads())

    both = [Thread(target=work) for work in (first, second)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert seen == [{1}]


@pytest.mark.parametrize("method", ["fast", "paper", "block-order", "enumerate"])
def test_every_method(method: Method) -> None:
    seen: list[set[int]] = []
    classifier = Classifier(example("asia"), "lung", ["xray", "dysp", "asia"])
    classifier.compile(method=method, progress=lambda *_: seen.append(threads()))
    assert {1} in seen
    assert {3} not in seen


def test_posteriors(monkeypatch: pytest.MonkeyPatch) -> None:
    product, seen = factors._product, []

    def watched(*arguments: Any) -> factors.Factor:
        seen.append(threads())
        return product(*arguments)

    monkeypatch.setattr(factors, "_product", watched)
    Classifier(example("diagnosis"), "D").posterior(INSTANCE)
    assert {1} in seen
    assert {3} not in seen


def watch(path: str) -> None:
    """Begin a worker process: what it runs for us notes the threads it meets."""
    threadpool_limits(3, user_api="blas")
    for module, name in ((rows, "pack"), (routes, "DiagramCase")):
        wrapped = getattr(module, name)

        def watched(*arguments: Any, name: str = name, wrapped: Any = wrapped) -> Any:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(f"{name} {threads()}\n")
            return wrapped(*arguments)

        setattr(module, name, watched)


def test_workers_of_an_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "CELLS", 4)  # so that there is more than one share
    notes = tmp_path / "notes"
    with ProcessPoolExecutor(1, get_context("spawn"), watch, (str(notes),)) as pool:
        random_classifier(1, variables=9, features=8).compile(executor=pool)
        model = Classifier(example("diagnosis"), "D").compile()
        model.explain_many([INSTANCE], executor=pool)
    assert set(notes.read_text(encoding="utf-8").splitlines()) == {"pack {1}", "DiagramCase {1}"}
