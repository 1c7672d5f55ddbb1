"""Threads that a computation was given: the same results in the same order, and limits that end it."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Event, active_count, get_ident

import pytest

from bnc2d.base.checkpoints import checkpoint, ending
from bnc2d.base.workers import beside, spread, spread_out, usable_cores, working


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


def test_a_single_piece_is_done_here_and_may_spread_its_own() -> None:
    def ids(count: int) -> list[int]:
        return list(spread(lambda _: get_ident(), range(count)))

    with working(2):
        ((here, *there),) = spread(lambda _: [get_ident(), *ids(50)], [0])
        assert here == get_ident()
        assert get_ident() not in there
        for other, *its in spread(lambda _: [get_ident(), *ids(50)], [0, 1]):
            assert get_ident() != other  # of several, each does its own pieces itself
            assert set(its) == {other}


def test_threads_come_with_the_first_piece() -> None:
    before = active_count()
    with working(4) as pool:
        assert list(spread(str, [1])) == ["1"]
        assert active_count() == before
        assert pool is not None
        pool.submit(str, 1).result()
        assert active_count() > before
    assert active_count() == before


def test_threads_are_not_made_where_nothing_is_spread() -> None:
    """Nor is loaded what makes them, which would take a small problem a good part of its time."""
    program = (
        "import sys; from bnc2d.base.workers import spread, working\n"
        "with working(2): print(list(spread(str, [1])), 'concurrent.futures' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['1'] False\n"


def test_usable_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in (({0}, 1), ({3, 5}, 2), (set(range(64)), 4)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: cores, raising=False)
        assert usable_cores() == expected
    monkeypatch.delattr(os, "sched_getaffinity")
    for count, expected in ((None, 1), (1, 1), (3, 3), (64, 4)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert usable_cores() == expected


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


@pytest.mark.parametrize(("jobs", "worth_it"), [(2, True), (2, False), (1, True)])
def test_a_piece_beside_others(jobs: int, worth_it: bool) -> None:
    done, begun = list[int](), Event()

    def work() -> int:
        done.append(get_ident())
        begun.set()
        return 7

    with working(jobs), beside(work, worth_it) as wanted:
        others = list(spread(lambda number: number * number, range(50)))
        assert begun.wait(10) if jobs > 1 and worth_it else not done
        assert (wanted(), len(others)) == (7, 50)
        assert (done == [get_ident()]) == (jobs == 1 or not worth_it)


def test_a_piece_beside_others_ends_where_nobody_waits_and_hands_on_its_error() -> None:
    begun, ended = Event(), Event()

    def go_on() -> None:
        begun.set()
        try:
            while True:
                checkpoint()
        finally:
            ended.set()

    def fail() -> None:
        raise KeyError("piece")

    with working(2):
        with pytest.raises(ZeroDivisionError), beside(go_on, worth_it=True):
            raise ZeroDivisionError(begun.wait(10))  # what has not begun never does
        assert ended.wait(10)
        with beside(fail, worth_it=True) as wanted, pytest.raises(KeyError, match="piece"):
            wanted()
