"""Minimal sets that give enough, against all sets; floats that are off."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from bnc2d.logic.primes.thresholds import threshold_sets


@pytest.mark.parametrize("noise", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("seed", range(40))
def test_all_minimal_sets_that_give_enough(seed: int, noise: float) -> None:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    count = rng.randint(0, 7)
    gifts = [rng.randint(0, 6) for _ in range(count)]
    needs = rng.randint(-1, sum(gifts) + 1)

    def is_enough(members: list[int]) -> bool:
        return sum(gifts[member] for member in members) >= needs

    sets = [list(one) for size in range(count + 1) for one in combinations(range(count), size)]
    enough = [one for one in sets if is_enough(one)]
    expected = [one for one in enough if not any(set(other) < set(one) for other in enough)]
    seen = [max(0.0, gift + rng.uniform(-noise, noise)) if gift else 0.0 for gift in gifts]
    error = noise * (count + 1)
    found = list(threshold_sets(seen, needs + rng.uniform(-noise, noise), error, is_enough))
    assert sorted(found) == sorted(expected)
