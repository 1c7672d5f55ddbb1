"""The time limit of a verification holds for each of its checks."""

from __future__ import annotations

from tests.deadlines import ALLOWANCE, ATTEMPTS, large_model

LIMIT = 0.2


def test_a_time_limit_holds_for_each_check() -> None:
    model = large_model()
    slowest = []
    for _ in range(ATTEMPTS):
        report = model.verify(time_limit=LIMIT)
        slowest.append(max(report.checks, key=lambda check: check.seconds))
        if slowest[-1].seconds < LIMIT + ALLOWANCE:
            return
    raise AssertionError("\n".join(map(str, slowest)))
