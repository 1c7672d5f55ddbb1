"""Time limits of questions to SAT, of primes and of SDDs hold for large circuits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bnc2d import NNF
from tests.deadlines import assert_in_time, large_model

LIMIT = 0.2

ASKED: dict[str, Callable[[NNF], object]] = {
    "satisfiable": lambda f: f.satisfiable(LIMIT),
    "equivalent": lambda f: f.equivalent(large_model().formula("0"), LIMIT),
    "deterministic": lambda f: f.is_deterministic(LIMIT),
    "primes": lambda f: list(f.prime_implicants(time_limit=LIMIT)),
    "an SDD": lambda f: f.to_sdd(time_limit=LIMIT),
    "a small SDD": lambda f: f.to_sdd(time_limit=LIMIT, minimize=True),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_time_limit_holds(asked: str) -> None:
    formula = large_model().formula("1")
    assert_in_time(lambda: ASKED[asked](formula), LIMIT)
