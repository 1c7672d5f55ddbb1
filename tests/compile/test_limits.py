"""Limits end a compilation with one clear line, and leave the classifier as it was."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from bnc2d import Classifier, LimitExceeded
from bnc2d.base import budget
from bnc2d.base.readers.choices import Method
from bnc2d.testing import random_naive_bayes

METHODS = ("fast", "paper")

WAY_OUT = "without compiling: classifier.explain(instance), or bnc2d explain --route network"


def classifier() -> Classifier:
    return Classifier(random_naive_bayes(1, 8), "Y")


def late_in(phase: str) -> Callable[[str, float], None]:
    """Return a callback that takes its time in a phase, once a part of it is done."""

    def callback(now: str, done: float) -> None:
        if now == phase and done > 0:
            time.sleep(0.6)

    return callback


@pytest.mark.parametrize("method", METHODS)
def test_a_time_limit_names_the_phase_and_how_far_it_got(method: Method) -> None:
    with pytest.raises(
        LimitExceeded, match=r"time limit of 0 s reached after \d+\.\d s, in phase 'order' \(0%"
    ):
        classifier().compile(method=method, time_limit=0)
    phases: list[str] = []
    classifier().compile(method=method, progress=lambda phase, _: phases.append(phase))
    for phase in sorted(set(phases)):
        with pytest.raises(LimitExceeded) as caught:
            classifier().compile(method=method, time_limit=0.5, progress=late_in(phase))
        found = re.fullmatch(
            rf"time limit of 0\.5 s reached after \d+\.\d s, in phase '{phase}' \((\d+)% of it done\)"
            rf"; {re.escape(WAY_OUT)}",
            str(caught.value),
        )
        assert found is not None, str(caught.value)
        assert 0 < int(found[1]) <= 100


@pytest.mark.parametrize("method", METHODS)
def test_a_memory_limit_that_is_too_small_says_so(method: Method) -> None:
    subject = classifier()
    with pytest.raises(LimitExceeded, match="raise memory_limit") as caught:
        subject.compile(method=method, memory_limit=100)
    assert "\n" not in str(caught.value)
    expected = classifier().compile(method=method)
    again = subject.compile(method=method, memory_limit=2**30)
    assert [again.count(name) for name in again.classes] == [expected.count(n) for n in expected.classes]


def test_the_papers_method_ends_where_the_process_outgrows_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter(range(0, 2**40, 2**26))
    monkeypatch.setattr(budget, "resident_bytes", lambda: next(sizes))
    monkeypatch.setattr(budget, "_BETWEEN_LOOKS", 0.0)
    with pytest.raises(LimitExceeded, match=r"at least 320\.0 MiB, more than the limit of 300\.0 MiB"):
        classifier().compile(method="paper", memory_limit=300 * 2**20)


@pytest.mark.parametrize("method", METHODS)
def test_a_memory_limit_holds_in_every_phase(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    phases: list[str] = []
    classifier().compile(method=method, progress=lambda phase, _: phases.append(phase))
    size = 0
    monkeypatch.setattr(budget, "_BETWEEN_LOOKS", 0.0)
    monkeypatch.setattr(budget, "resident_bytes", lambda: size)
    for phase in sorted(set(phases)):

        def progress(now: str, _: float, grows_in: str = phase) -> None:
            nonlocal size
            size = 3 * 2**30 if now == grows_in else 0

        size = 0
        with pytest.raises(LimitExceeded) as caught:
            classifier().compile(method=method, memory_limit=2**31, progress=progress)
        assert str(caught.value) == (
            f"phase '{phase}' needs at least 3072.0 MiB, more than the limit of 2048.0 MiB; "
            f"choose fewer features or raise memory_limit; {WAY_OUT}"
        )


@pytest.mark.parametrize("method", METHODS)
def test_enough_is_enough(method: Method) -> None:
    model = classifier().compile(method=method, time_limit=600, memory_limit=2**30)
    assert sum(model.count(name) for name in model.classes) == classifier().instance_count


@pytest.mark.parametrize("method", METHODS)
def test_limits_and_progress_end_with_the_compilation(method: Method) -> None:
    seen: list[str] = []
    model = classifier().compile(method=method, time_limit=30, progress=lambda phase, _: seen.append(phase))
    before, later = len(seen), time.monotonic() + 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: later)
        assert model.formula("1", negated=True).is_or_decomposable()
    assert len(seen) == before
