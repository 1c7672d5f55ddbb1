"""Products of tables with all of their states, against einsum."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bnc2d.compile.meet.tables import dense
from bnc2d.compile.meet.tables.dense import Dense, dense_product, kept_variables

LEFT, RIGHT = "y", "z"  # the patterns, for einsum


@pytest.mark.parametrize("piece", [1, 7, 1 << 17])
def test_products_are_those_of_einsum(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_PIECE", piece)
    rng, numbers = Random(piece), np.random.default_rng(piece)  # noqa: S311 - reproducible test data
    for _ in range(60):
        sizes = [rng.randint(1, 4) for _ in range(6)]
        left, right = (tuple(rng.sample(range(6), rng.randint(0, 4))) for _ in range(2))
        summed = rng.sample(range(6), rng.randint(0, 4))
        shapes = [(*(sizes[v] for v in scope), rng.randint(1, 4)) for scope in (left, right)]
        tables = [numbers.integers(1, 1000, shape) for shape in shapes]
        kept = kept_variables(left, right, summed)
        names = ["".join("abcdef"[v] for v in scope) for scope in (left, right, kept)]
        wanted = np.einsum(f"{names[0]}{LEFT},{names[1]}{RIGHT}->{names[2]}{LEFT}{RIGHT}", *tables)
        for dtype in (np.float64, object):  # sums of a few small integers are exact in either
            one, other = (table.astype(dtype) for table in tables)
            found = dense_product(Dense(left, one), Dense(right, other), summed)
            assert found.dtype == dtype
            assert np.array_equal(found.reshape(wanted.shape), wanted)


def test_integers_stay_exact() -> None:
    large = np.full((1, 2, 1), 10**30 + 1, dtype=object)
    found = dense_product(Dense((0, 1), large), Dense((0, 1), large), [1])
    assert found.tolist() == [[2 * (10**30 + 1) ** 2]]
