"""The pool of rows: every number leads to its row, equal rows have one number, also where hashes collide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnc2d.compile.meet import row_packing
from bnc2d.compile.meet.row_packing import RowPool, take_labels


def all_alike(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a hash that tells few rows apart."""
    hashes: NDArray[np.uint64] = (rows.sum(axis=1) % 2).astype(np.uint64)
    return hashes


@pytest.mark.parametrize("hashes", [None, all_alike], ids=["hashes", "collisions"])
@given(st.integers(1, 3), st.lists(st.lists(st.integers(0, 3), max_size=30), max_size=5))
def test_every_number_leads_to_its_row(hashes: object, width: int, parts: list[list[int]]) -> None:
    pool, numbers, wanted = RowPool(), [], []
    with pytest.MonkeyPatch.context() as patched:
        if hashes is not None:
            patched.setattr(row_packing, "row_hashes", hashes)
        for part in parts:
            rows = np.array(part[: len(part) // width * width], dtype=np.int64).reshape(-1, width)
            numbers += pool.add(rows).tolist()
            wanted += rows.tolist()
    assert [pool.rows()[number].tolist() for number in numbers] == wanted
    assert sorted(set(numbers)) == list(range(len(pool)))
    if hashes is None:
        assert len(pool) == len({tuple(row) for row in wanted})


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9)), min_size=1), st.integers(1, 4))
def test_runs_of_equal_rows(runs: list[tuple[int, int]], width: int) -> None:
    """Runs are told apart by any of their columns, and numbered like all others."""
    rows = np.repeat(
        [[0] * (width // 2) + [kind] + [7] * 2 for kind, _ in runs], [n for _, n in runs], axis=0
    )
    pool = RowPool()
    numbers = pool.add(rows)
    assert len(pool) == len({kind for kind, _ in runs})
    assert pool.rows()[numbers].tolist() == rows.tolist()
    assert pool.add(rows).tolist() == numbers.tolist()
    event(f"runs: {row_packing._runs(rows) is not None}")


def test_new_rows_are_not_looked_for() -> None:
    pool = RowPool()
    assert pool.add(np.array([[1, 2], [3, 4], [1, 2]])).tolist() == [0, 1, 0]
    assert pool.add_new(np.array([[5, 6], [7, 8]])).tolist() == [2, 3]
    assert pool.add(np.array([[3, 4], [9, 9]])).tolist() == [1, 4]
    assert pool.rows().tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]]


@pytest.mark.parametrize("ends", [2, 3])
@given(st.integers(0, 40), st.integers(1, 40), st.integers(1, 40), st.integers(0, 1000))
def test_labels_are_taken_by_column(ends: int, rows: int, width: int, taken: int, seed: int) -> None:
    """Whether eight rows are taken at once or not."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        width, taken = 8 * width, 8 * taken
    labels = rng.integers(0, ends, (rows, width), dtype=np.uint8)
    columns = rng.integers(0, width, taken)
    assert (take_labels(labels, columns, ends) == labels[:, columns]).all()
