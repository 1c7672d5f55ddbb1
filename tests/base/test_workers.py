"""Threads that a computation was given: the same results in the same order, and limits that end it."""

from __future__ import annotations

from threading import active_count, get_ident

import pytest

from bnc2d.base.checkpoints import ending
from bnc2d.base.workers import spread, spread_out, working


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_come_in_order(jobs: int) -> None:
    with working(jobs):
        assert list(spread(lambda number: number * number, range(50))) == [n * n for n in range(50)]
        assert list(spread(str, [])) == []


def test_threads_are_used_and_gone_afterwards() -> None:
    before, seen = active_count(), set[int]()
    with working(3):
        spread_out(lambda _: seen.add(get_ident()), range(200))
        assert get_ident() not in seen
    assert active_count() == before
    seen.clear()
    spread_out(lambda _: seen.add(get_ident()), range(3))
    assert seen == {get_ident()}


def test_an_error_in_a_piece_is_the_callers() -> None:
    def fail(number: int) -> None:
        if number == 7:
            raise ValueError("seven")

    for jobs in (1, 2):
        with pytest.raises(ValueError, match="seven"), working(jobs):
            spread_out(fail, range(100))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_limit_ends_it_between_pieces(jobs: int) -> None:
    done: list[int] = []

    def check() -> None:
        if len(done) > 5:
            raise TimeoutError("over")

    with pytest.raises(TimeoutError, match="over"), working(jobs), ending(check):
        spread_out(done.append, range(10_000))
    assert len(done) < 1000
