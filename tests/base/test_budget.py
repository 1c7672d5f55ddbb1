"""A budget ends its own block at its limits, however budgets nest, and says how far the work was."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnc2d import ArgumentError, LimitExceeded, TimeLimitExceeded
from bnc2d.base import budget as budgets
from bnc2d.base.budget import Budget, OutOfTime, default_memory, resident_bytes
from bnc2d.base.checkpoints import checkpoint


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        patch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def work(limits: list[float | None], steps: list[float], clock: Time) -> None:
    """Pass a checkpoint after each step, inside a budget for each limit, the first outermost."""
    if limits:
        with Budget(limits[0]).limiting(f"budget {len(limits)} is not done"):
            work(limits[1:], steps, clock)
    else:
        for step in steps:
            clock.now += step
            checkpoint()


@given(
    st.lists(st.none() | st.integers(1, 50), max_size=5), st.lists(st.integers(0, 20), min_size=1, max_size=8)
)
def test_the_outermost_budget_whose_time_is_up_ends_its_block(
    limits: list[float | None], steps: list[float]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        clock = Time(patch)
        expected = None
        spent = 0.0
        for step in steps:
            spent += step
            over = [place for place, limit in enumerate(limits) if limit is not None and spent >= limit]
            if over:
                expected = (
                    f"budget {len(limits) - over[0]} is not done within the time limit of {limits[over[0]]} s"
                )
                break
        with pytest.raises(TimeLimitExceeded) if expected else nullcontext() as caught:
            work(limits, steps, clock)
        if caught is not None:
            assert str(caught.value) == expected
            assert clock.now == 1000 + spent


def test_time_starts_when_it_is_first_looked_at_and_is_shared_out(clock: Time) -> None:
    budget = Budget(10)
    clock.now += 100
    assert budget.left() == 10
    clock.now += 4
    assert budget.left() == 6
    assert budget.share(0.5).left() == 3
    assert (budget.at_least(5).left(), budget.at_least(7).left()) == (6, 7)
    assert Budget().at_least(5).left() is None
    clock.now += 7
    assert budget.left() == 0
    with pytest.raises(OutOfTime):
        budget.check()
    assert Budget().left() is None
    assert Budget().share(0.5).left() is None


def test_no_time_at_all_ends_a_block_at_its_door() -> None:
    with (
        pytest.raises(TimeLimitExceeded, match="nothing is done within the time limit of 0 s"),
        Budget(0).limiting("nothing is done"),
    ):
        raise AssertionError


def test_who_swallows_the_limit_of_an_inner_budget_does_not_swallow_the_outer_one(clock: Time) -> None:
    def run() -> None:
        with Budget(5).limiting("outer"), suppress(LimitExceeded), Budget(100).limiting("inner"):
            clock.now += 5
            checkpoint()

    with pytest.raises(TimeLimitExceeded, match="outer"):
        run()


def test_phases_are_named_timed_and_reported(clock: Time) -> None:
    heard: list[tuple[str, float]] = []
    budget = Budget(10, progress=lambda *now: heard.append(now))

    def run() -> None:
        with budget.limiting():
            with budget.phase("first"):
                checkpoint()  # nothing has changed
                clock.now += 1
                checkpoint()  # a sign of life
            with budget.phase("second"):
                budget.progress(0.25)
                clock.now += 9
                checkpoint()

    with pytest.raises(TimeLimitExceeded) as caught:
        run()
    assert heard == [
        *[("first", 0.0)] * 2,
        ("first", 1.0),
        ("second", 0.0),
        *[("second", 0.25)] * 2,
    ]
    assert str(caught.value) == "time limit of 10 s reached after 10.0 s, in phase 'second' (25% of it done)"
    assert list(budget.seconds) == ["first"]


def test_a_callback_cancels_the_work() -> None:
    def stop(phase: str, done: float) -> None:
        if done == 0.5:
            raise KeyboardInterrupt(phase)

    def run(budget: Budget) -> None:
        with budget.limiting(), budget.phase("here"):
            for done in (0.0, 0.5, 1.0):
                assert done < 1
                budget.progress(done)

    with pytest.raises(KeyboardInterrupt, match="here"):
        run(Budget(progress=stop))


def test_items_are_limited_one_by_one(clock: Time) -> None:
    def items() -> Iterator[int]:
        for item in range(10):
            checkpoint()
            yield item

    def run() -> None:
        for item in budget.within(items()):
            found.append(item)
            checkpoint()  # outside of the budget
            clock.now += 1

    budget = Budget(3)
    found: list[int] = []
    with pytest.raises(OutOfTime) as caught:
        run()
    assert caught.value.budget is budget
    assert found == [0, 1, 2]


def test_what_is_about_to_be_made_must_fit() -> None:
    budget = Budget(memory_limit=10 * 2**20)
    budget.expect(10 * 2**20, "the table needs")
    for size, shown in ((2**24, "16.0 MiB"), (10**400, "2^1328 bytes")):
        with pytest.raises(LimitExceeded) as caught:
            budget.expect(size, "the table needs", "do less")
        assert str(caught.value) == f"the table needs {shown}, more than the limit of 10.0 MiB; do less"
    with pytest.raises(LimitExceeded, match="needs 101 bytes, more than the limit of 100 bytes"):
        Budget(memory_limit=100).expect(101, "it needs")
    assert Budget().memory == default_memory() <= 4 * 2**30


@pytest.mark.skipif(resident_bytes() == 0, reason="the system does not tell")
def test_growth_of_the_process_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_BETWEEN_LOOKS", 0.0)
    kept: list[object] = []

    def grow(budget: Budget) -> None:
        with budget.limiting(), budget.phase("grow"):
            while len(kept) < 100:
                kept.append(np.ones(2**21))  # 16 MiB
                checkpoint()

    with pytest.raises(LimitExceeded, match=r"phase 'grow' .* the limit of 200\.0 MiB; .*raise memory_limit"):
        grow(Budget(memory_limit=200 * 2**20))
    assert 12 <= len(kept) < 100  # some of it is room that the process had
    with Budget().limiting():  # without a limit nobody looks
        checkpoint()


def test_memory_is_shared_out_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 2**30
    monkeypatch.setattr(budgets, "resident_bytes", lambda: size)
    monkeypatch.setattr(budgets, "_BETWEEN_LOOKS", 0.0)

    def grow(budget: Budget) -> None:
        nonlocal size
        with budget.limiting("no reason"):
            size += 2**28
            checkpoint()

    with pytest.raises(LimitExceeded) as caught:
        grow(Budget(memory_limit=400 * 2**20).share(0.5))
    assert str(caught.value) == (
        "no reason: it needs at least 256.0 MiB, more than the limit of 200.0 MiB; "
        "choose fewer features or raise memory_limit"
    )
    grow(Budget().share(0.5))  # without a limit nobody looks
    grow(Budget(memory_limit=2**30).share(0.5))


@pytest.mark.parametrize("progress", [True, False, None])
def test_a_bar_is_drawn_where_it_is_asked_for(progress: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    monkeypatch.setattr(drawn, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", drawn)
    monkeypatch.setenv("TERM", "xterm")
    budget = Budget(progress=progress)
    with budget.limiting(), budget.phase("a [red]long\x1b]0;phase\a"):
        budget.progress(0.5)
    assert ("a [red]long\N{REPLACEMENT CHARACTER}]0;phase" in drawn.getvalue()) == (progress is True)
    assert "\x1b]0;" not in drawn.getvalue()


def test_what_is_no_limit_is_refused() -> None:
    for wrong in ({"time_limit": float("nan")}, {"memory_limit": -1}, {"progress": "yes"}):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            Budget(**wrong)
