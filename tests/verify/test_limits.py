"""The limits of a verification hold for each of its checks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import bnc2d
from bnc2d import ArgumentError, CompiledModel
from bnc2d.base import budget
from tests.deadlines import ALLOWANCE, ATTEMPTS, large_model

LIMIT = 0.2
# All instances would need 770 MiB, one of them needs 50.
ASK = """
import resource
from bnc2d import Classifier
from tests.deadlines import layers

model = Classifier(layers(1, 2, 40, 10, 2, 2), "Y", [f"X{number}" for number in range(10)]).compile()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from bnc2d.verify.checks import Budget, _oracle, _run

print(_run("oracle", lambda limits: _oracle(model, limits, 4, 0), Budget(60, 200 * 2**20)))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def diagnosis() -> CompiledModel:
    return bnc2d.Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()


def test_a_time_limit_holds_for_each_check() -> None:
    model = large_model()
    slowest = []
    for _ in range(ATTEMPTS):
        report = model.verify(time_limit=LIMIT)
        slowest.append(max(report.checks, key=lambda check: check.seconds))
        if slowest[-1].seconds < LIMIT + ALLOWANCE:
            return
    raise AssertionError("\n".join(map(str, slowest)))


@pytest.mark.parametrize("name", [check.name for check in diagnosis().verify().checks])
def test_a_memory_limit_holds_for_each_check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 0

    def grow(check: str, *_: object) -> None:
        nonlocal size
        size = 2**30 if check == name else 0

    monkeypatch.setattr(budget, "_BETWEEN_LOOKS", 0.0)
    looks = iter(range(2**60))  # the first look of a budget is at what there was before
    monkeypatch.setattr(budget, "resident_bytes", lambda: size * next(looks))
    checks = {check.name: check for check in diagnosis().verify(progress=grow, memory_limit=2**29).checks}
    cut = checks.pop(name)
    assert not cut.finished
    assert "more than the limit of 512.0 MiB" in cut.detail
    assert "raise memory_limit" in cut.detail
    assert all(check.passed for check in checks.values())


def test_the_oracle_asks_fewer_instances_where_memory_is_short() -> None:
    command = [sys.executable, "-W", "ignore", "-c", ASK]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    said, grown = found.stdout.splitlines()
    assert said.endswith("4 instances, the nearest to a tie among them")
    assert said.startswith("ok")
    assert int(grown) < 300


def test_a_wrong_memory_limit_is_refused() -> None:
    with pytest.raises(ArgumentError, match="memory_limit must not be negative"):
        diagnosis().verify(memory_limit=-1)
