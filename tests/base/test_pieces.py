"""Operations on arrays piece by piece give what numpy gives, and pass checkpoints on the way."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from bnc2d.base import arrays, hashing
from bnc2d.base.checkpoints import ending


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make arrays of a few entries count as large."""
    for module in (arrays, hashing):
        monkeypatch.setattr(module, "PIECE", 16)
    monkeypatch.setattr(arrays, "OBJECTS", 8)
    monkeypatch.setattr(arrays, "_PRODUCTS", 24)
    monkeypatch.setattr(hashing, "_SAMPLE", 32)
    monkeypatch.setattr(hashing, "_BUCKET", 4)
    monkeypatch.setattr(hashing, "_FEW", 4)


RANDOM = np.random.default_rng(1)
KEYS = {
    "all different": RANDOM.permutation(300),
    "few": RANDOM.integers(0, 4, 300) * 10**15,
    "one": np.full(200, -5),
    "one outside": np.concatenate([np.full(200, 7), [3], np.full(99, 7)]),
    "wide": RANDOM.integers(-(2**62), 2**62, 257),
    "ascending": np.arange(100) // 3,
    "none": np.zeros(0, dtype=np.int64),
}


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", KEYS)
def test_keys_are_sorted_and_told_apart(name: str) -> None:
    keys = KEYS[name].astype(np.int64)
    expected = np.unique(keys, return_index=True, return_inverse=True)
    for found, wanted in zip(hashing.distinct(keys), expected, strict=True):
        assert_array_equal(found, wanted)
    assert_array_equal(hashing.sorted_distinct(keys), expected[0])
    found = np.unique(keys.view(np.uint64))
    assert hashing.count_different(keys.view(np.uint64)).tolist() == [len(found)]
    by_bits = np.bincount((found >> np.uint64(61)).astype(np.int64), minlength=8)
    assert_array_equal(hashing.count_different(keys.view(np.uint64), 3), by_bits)
    assert_array_equal(hashing.ascending(keys), np.sort(keys))
    assert_array_equal(hashing.stable_order(keys), np.argsort(keys, kind="stable"))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("width", [1, 2, 5, 40])
@pytest.mark.parametrize("most", [3, 10**6])
def test_rows_are_told_apart_in_the_order_of_their_coming(width: int, most: int) -> None:
    rows = RANDOM.integers(0, most, (150, width))
    rows[100:] = rows[RANDOM.integers(0, 100, 50)]
    kinds, first = hashing.distinct_rows(rows)
    assert_array_equal(rows[first[kinds]], rows)
    assert len(first) == len(np.unique(rows, axis=0))
    assert (np.diff(first) > 0).all()
    assert_array_equal(kinds[first], np.arange(len(first)))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("shape", [(), (0,), (1,), (50,), (3, 7), (40, 3), (2, 60), (3, 4, 5, 6), (2, 1, 90)])
@pytest.mark.parametrize("size", [1, 7, 16, 1000])
def test_blocks_cover_every_entry_once(shape: tuple[int, ...], size: int) -> None:
    seen = np.zeros(shape, dtype=np.int64)
    for block in arrays.array_pieces(shape, size):
        assert seen[block].size <= size
        seen[block] += 1
    assert (seen == 1).all()


@pytest.mark.usefixtures("small_pieces")
def test_parts_of_arrays_are_put_together() -> None:
    table, places = RANDOM.random((9, 30)), RANDOM.integers(0, 9, 70)
    assert_array_equal(arrays.take(table, places), table[places])
    assert_array_equal(arrays.take(table[:, 0], places), table[places, 0])
    columns = RANDOM.integers(0, 30, 55)
    assert_array_equal(arrays.take_columns(table, columns), table[:, columns])
    parts = [RANDOM.integers(0, 9, count) for count in (20, 0, 41)]
    assert_array_equal(arrays.joined(parts), np.concatenate(parts))
    turned = RANDOM.random((4, 5, 6)).transpose(2, 0, 1)
    copied = arrays.contiguous(turned)
    assert copied.flags.c_contiguous
    assert_array_equal(copied, turned)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("gone", [(), (0,), (3,), (1, 2), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("dtype", [np.int64, object])
def test_axes_are_summed_out(gone: tuple[int, ...], dtype: type) -> None:
    table: NDArray[Any] = RANDOM.integers(0, 100, (3, 4, 5, 6)).astype(dtype)
    assert_array_equal(arrays.sum_out(table, gone), table.sum(axis=gone))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("above", [(), (3,), (2, 20)])
@pytest.mark.parametrize(
    ("rows", "terms", "columns"), [(1, 1, 1), (7, 1, 9), (2, 3, 40), (9, 30, 2), (3, 2, 3)]
)
def test_matrices_are_multiplied(above: tuple[int, ...], rows: int, terms: int, columns: int) -> None:
    left = RANDOM.integers(0, 9, (*above, rows, terms)).astype(float)
    right = RANDOM.integers(0, 9, (*above, terms, columns)).astype(float)
    out = np.full((*above, rows, columns), np.nan)
    arrays.multiply_matrices(left, right, out)
    assert_array_equal(out, left @ right)


def test_large_arrays_pass_checkpoints() -> None:
    passed = 0

    def check() -> None:
        nonlocal passed
        passed += 1

    keys = RANDOM.integers(-(2**62), 2**62, 1 << 20)
    with ending(check):
        hashing.distinct_rows(keys[:, None])
    assert passed > 20


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.parametrize("counts", [[], [0], [3], [0, 2, 0, 0, 1], list(range(50)), [0] * 40 + [70]])
def test_positions_are_repeated(counts: list[int], dtype: type[np.integer[Any]]) -> None:
    numbers = np.array(counts, dtype=np.int64)
    found = arrays.repeated(numbers, dtype)
    assert found.dtype == dtype
    assert_array_equal(found, np.repeat(np.arange(len(counts)), numbers))
    assert arrays.bounds(numbers).tolist() == [sum(counts[:n]) for n in range(len(counts) + 1)]


@pytest.mark.parametrize("length", [1 << 16, 1 << 22])
def test_positions_are_repeated_without_other_large_arrays(length: int) -> None:
    counts = np.ones(length, dtype=np.int64)
    tracemalloc.start()
    try:
        arrays.repeated(counts, np.int32)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * length + (12 << 20)  # a few pieces


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_finite_numbers_are_quiet(dtype: type[np.floating[Any]]) -> None:
    """OpenBLAS on AVX-512 warns of five terms and one column, if what it had before was no number."""
    no_numbers = np.full((60, 60), 0x7F800001, dtype=np.uint32).view(np.float32)  # signalling ones
    for rows in range(1, 30):
        for terms in range(1, 9):
            left, right = np.ones((rows, terms), dtype=dtype), np.ones((terms, 3), dtype=dtype)
            for factor in (right, right[:, :1], np.ones(terms, dtype=dtype)):
                with np.errstate(all="ignore"):
                    assert np.isnan(no_numbers @ no_numbers[:, 0]).all()
                product = arrays.quiet_product(left, factor)
                assert product.dtype == dtype
                assert_array_equal(product, np.full((rows, *factor.shape[1:]), terms))
