"""Weighted sums of rows: by the definition, of few terms and of many, for short rows and for long ones."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnc2d.compile.meet.join import _LONG_ROW, Collector


@pytest.mark.parametrize("columns", [1, 7, _LONG_ROW - 1, _LONG_ROW])
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(-8, 8)), max_size=40))
def test_sums_are_what_they_are_called(columns: int, terms: list[tuple[int, int, int]]) -> None:
    table = np.arange(5 * columns, dtype=np.float64).reshape(5, columns)
    source, target, weight = (np.array([term[i] for term in terms], dtype=np.int64) for i in range(3))
    collector = Collector.of(source, weight.astype(np.float64), target)
    wanted = [
        sum((w * table[s] for s, t, w in terms if t == each), start=np.zeros(columns))
        for each in sorted(set(target.tolist()))
    ]
    found = collector.sums(table)
    assert found.shape == (len(wanted), columns)
    assert found.tolist() == [row.tolist() for row in wanted]  # exact, as all are small integers
    gained, lost = (part.sums(table) for part in collector.by_sign)
    assert (gained - lost).tolist() == found.tolist()
    sizes = collector.sizes().sums(table)
    assert (gained + lost).tolist() == sizes.tolist()
    strided = np.repeat(table, 2, axis=1)[:, ::2]
    assert collector.sums(strided).tolist() == found.tolist()


def test_long_sums_are_gathered_in_pieces() -> None:
    """However many terms a sum has, few rows are gathered at a time: all would be 64 MB here."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 9, (50, 100)).astype(np.float64)
    lengths = [1, 5, 9, 9, 40_000, 40_000]
    target = np.repeat(np.arange(len(lengths)), lengths)
    source, weight = rng.integers(0, 50, len(target)), rng.integers(-8, 9, len(target)).astype(np.float64)
    collector = Collector.of(source, weight, target)
    tracemalloc.start()
    try:
        found = collector.sums(table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    counts = np.zeros((len(lengths), 50))
    np.add.at(counts, (target, source), weight)
    assert found.tolist() == (counts @ table).tolist()  # exact, as all are integers
    assert peak < 8e6
