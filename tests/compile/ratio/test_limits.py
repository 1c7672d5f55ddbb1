"""Wide naive Bayes networks under limits of one to three seconds: they end within a second more.

Each case spends its time elsewhere: in lists of clusters, in clusters split by long logarithms, in exact
quotients, and in formulas.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, TimeLimitExceeded, Variable
from bnc2d.testing import learnt_naive_bayes
from tests.deadlines import ALLOWANCE, assert_in_time


def wide(seed: int, features: int, lowest: int, highest: int) -> list[int]:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    return [round(lowest * (highest / lowest) ** rng.random()) for _ in range(features)]


def many_clusters() -> Classifier:
    return Classifier(learnt_naive_bayes(1, wide(1, 21, 10, 900), rows=5000), "Y")


def split_clusters() -> Classifier:
    """Balanced classes: the counts tie, the rounding of entries decides."""
    return Classifier(learnt_naive_bayes(2, wide(2, 15, 100, 900), rows=200, share=0.5), "Y")


def exact_quotients() -> Classifier:
    """Ratios that no logarithms of 100 bits tell apart."""
    rng = Random(3)  # noqa: S311 - reproducible test data
    target = Variable("Y", ("no", "yes"))
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(16):
        noise = [Fraction(rng.randint(-(10**9), 10**9), 10**60) for _ in range(6)]
        column = [Fraction(1, 6) + (a - b) for a, b in zip(noise, [*noise[1:], noise[0]], strict=True)]
        child = Variable(f"X{number}", tuple("012345"))
        cpts.append(CPT(child, (target,), [Fraction(1, 6)] * 6 + column))
    return Classifier(BayesianNetwork([cpt.child for cpt in cpts], cpts), "Y")


def large_formulas() -> Classifier:
    return Classifier(learnt_naive_bayes(5, wide(5, 19, 10, 100), rows=200, skew=2.5), "Y")


@pytest.mark.parametrize(
    ("make", "limit"),
    [(many_clusters, 1.5), (split_clusters, 2.0), (exact_quotients, 1.0), (large_formulas, 3.0)],
)
def test_limits_hold(make: Callable[[], Classifier], limit: float) -> None:
    def compiled() -> None:
        with pytest.raises(TimeLimitExceeded):
            classifier.compile(time_limit=limit, memory_limit=2**33)  # time ends it long before

    classifier = make()
    assert_in_time(compiled, limit)


def test_an_interrupt_ends_a_wide_compilation() -> None:
    script = (
        "from tests.compile.ratio.test_limits import many_clusters\n"
        "classifier = many_clusters()\n"
        "print('ready', flush=True)\n"
        "classifier.compile()\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - started < ALLOWANCE
        assert b"KeyboardInterrupt" in errors
