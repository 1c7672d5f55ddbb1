"""One compilation spread over an executor: the same result, bit for bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import active_count
from typing import cast

import numpy as np
import pytest

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.compile.formula import blocks, minimise
from bnc2d.compile.meet import work_share as rows
from bnc2d.compile.meet.tables import gathered_sums
from bnc2d.errors import ArgumentError, ClassifierError, LimitExceeded
from bnc2d.testing import random_classifier
from tests.executors import EXECUTORS, MakeExecutor


def same(one: CompiledModel, other: CompiledModel) -> bool:
    return (
        one.diagram.order == other.diagram.order
        and one.diagram.root == other.diagram.root
        and all(np.array_equal(a, b) for a, b in zip(one.diagram.levels, other.diagram.levels, strict=True))
        and one.stats.exact_calls == other.stats.exact_calls
        and [str(one.formula(c)) for c in one.classes] == [str(other.formula(c)) for c in other.classes]
    )


@pytest.mark.filterwarnings("ignore")  # of what the libraries do at their start and end
@pytest.mark.parametrize("make", EXECUTORS)
def test_the_result_does_not_depend_on_the_executor(
    make: MakeExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "CELLS", 4)  # small shares, so that small models have several
    with make() as executor:
        for seed in range(6):
            classifier = random_classifier(
                seed, variables=9, features=8, max_states=3, threshold=seed % 2 == 0, repeat_share=0.3
            )
            assert same(classifier.compile(), classifier.compile(executor=executor))


@pytest.mark.parametrize("seed", range(4))
def test_the_result_does_not_depend_on_the_threads(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Tables, labels and formulas in several threads: the same file; two classes and several."""
    monkeypatch.setattr(rows, "CELLS", 64)
    monkeypatch.setattr(gathered_sums, "PIECE", 64)
    monkeypatch.setattr(gathered_sums, "_PRODUCTS", 64)
    monkeypatch.setattr(minimise, "_COMPARED_NODES", 3)
    monkeypatch.setattr(blocks, "_FEW_NODES", 0)
    classifier = random_classifier(
        seed, variables=10, features=8, max_states=3, threshold=seed % 2 == 0, repeat_share=0.3
    )
    for jobs in (1, 2, 5):
        model = classifier.compile(jobs=jobs)
        model.save(tmp_path / str(jobs))
        assert same(classifier.compile(), model)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "5").read_bytes()


def test_jobs_are_a_number_of_threads() -> None:
    classifier = random_classifier(1)
    for wrong in (0, -1, 1.5, "2", None, True):
        with pytest.raises(ArgumentError, match="jobs"):
            classifier.compile(jobs=cast("int", wrong))
    with pytest.raises(ClassifierError, match="jobs=1"):
        classifier.compile(method="enumerate", jobs=2)


def test_a_limit_ends_all_threads() -> None:
    classifier = random_classifier(3, variables=10, features=9)
    before = active_count()
    with pytest.raises(LimitExceeded, match="time limit"):
        classifier.compile(time_limit=0.0, jobs=3)
    assert active_count() == before


def test_a_time_limit_ends_it_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "CELLS", 1)
    classifier = random_classifier(3, variables=10, features=9)
    with ThreadPoolExecutor(1) as pool, pytest.raises(LimitExceeded, match="time limit"):
        classifier.compile(time_limit=0.0, executor=pool)
