"""Gathered sums are what they say, whichever rows groups share."""

from __future__ import annotations

import numpy as np
import pytest

from bnc2d.compile.meet.tables import gathered_sums as module
from bnc2d.compile.meet.tables.gathered_sums import GatheredSums
from tests.loops import WAYS, take_way


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(40))
def test_against_the_definition(seed: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of one length and of several, rows that no other group takes, one term, integers."""
    take_way(way, monkeypatch)
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(module, "_MANY_PRODUCTS", 1)
    monkeypatch.setattr(module, "_LONG_RUN", 1)
    monkeypatch.setattr(module, "PIECE", int(rng.choice([1, 64, 1 << 17])))
    monkeypatch.setattr(module, "_PRODUCTS", int(rng.choice([1, 64, 1 << 17])))
    a, b, terms, runs = (int(rng.integers(1, 11)) for _ in range(4))
    left, right = rng.random((7, a)), rng.random((9, b))
    if seed % 5 == 4:
        left, right = ((side * 100).astype(int).astype(object) for side in (left, right))
    counts = np.full(runs, 3) if seed % 2 else rng.integers(1, 9, runs)
    of_right = np.repeat(rng.integers(0, 9, (runs, terms)), counts, axis=0)
    of_right = of_right[rng.permutation(len(of_right))]
    of_left = rng.integers(0, 7, of_right.shape)
    sums = GatheredSums.planned(of_left, of_right, a * b, left.dtype == np.float64)
    table = sums.table(left, right)
    if sums.place is not None:
        assert sorted(sums.place.tolist()) == list(range(len(of_left)))
        table = table[sums.place]
    for group, row in enumerate(table):
        wanted = sum(
            np.multiply.outer(left[at], right[to])
            for at, to in zip(of_left[group], of_right[group], strict=True)
        )
        assert np.allclose(row.reshape(a, b).astype(float), np.asarray(wanted, dtype=float), rtol=1e-13)


def test_shared_rows_are_found() -> None:
    """With many products, groups change places."""
    rng = np.random.default_rng(0)
    of_right = np.tile(rng.integers(0, 50, (8, 4)), (16, 1))
    of_left = rng.integers(0, 20, of_right.shape)
    place = GatheredSums.planned(of_left, of_right, 2 * 512, is_float=True).place
    assert place is not None
    assert place[0] + 1 == place[8]
