"""Weighted sums of rows: by the definition, of few terms and of many, for short rows and for long ones."""

from __future__ import annotations

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
