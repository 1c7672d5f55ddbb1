"""The loops in C do what numpy does beside them, and refuse what would lead them out of an array."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from bnc2d.base import hashing, kernels
from bnc2d.base.kernels import loops
from bnc2d.compile.meet import boxed_rows, boxes
from bnc2d.compile.meet.boxed_rows import rows_by_boxes, rows_by_loop
from bnc2d.compile.meet.boxes import BOX, Boxes
from bnc2d.compile.meet.join import Collector, Join, Patterns, Product
from bnc2d.compile.meet.labels import Decider, Difference
from bnc2d.compile.meet.row_packing import unpack
from bnc2d.logic.diagram.diagram import DiagramBuilder
from bnc2d.model.accounts import power_below
from tests.loops import needs_loops, take_way

Rows = NDArray[np.int64]
WORD = 1 << 64


def test_every_loop_has_its_types() -> None:
    """The stub names what the C files offer, no more and no less."""
    folder = Path(kernels.__file__).parent
    stub = set(re.findall(r"^def (\w+)", (folder / "compiled.pyi").read_text(), re.MULTILINE))
    code = "".join(path.read_text() for path in folder.glob("*.c"))
    assert stub == set(re.findall(r'\{"(\w+)", \1, METH_', code))
    if loops is not None:
        assert stub == {name for name in vars(loops) if not name.startswith("_")}


def both_ways(ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    by_loop = ask()
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "loops", None)
        return by_loop, ask()


def unmixed(hashed: int) -> int:
    """Return the number whose hash is given: ``hashing._mixed`` is one to one."""
    number = hashed ^ hashed >> 32
    number = number * pow(int(hashing._SECOND), -1, WORD) % WORD
    number ^= number >> 29 ^ number >> 58
    return number * pow(int(hashing._FIRST), -1, WORD) % WORD


def mixed(number: int) -> int:
    return int(hashing._mixed(np.array([number], dtype=np.uint64))[0])


def colliding_rows(count: int) -> Rows:
    """Return different pairs, each twice, whose hashes are all equal."""
    first, second = map(int, hashing.hash_weights(2))
    inverse = pow(first, -1, WORD)
    pairs = [(unmixed((12345 - mixed(b) * second) * inverse % WORD), b) for b in range(count)]
    return np.array(pairs + pairs[::-1], dtype=np.uint64).view(np.int64)


def random_rows(seed: int, count: int, width: int, values: int) -> Rows:
    return np.random.default_rng(seed).integers(-values, values, (count, width))


LOW_BITS = np.array([unmixed(n << 24) for n in range(3000)] * 2, dtype=np.uint64).view(np.int64)
MATRICES = {
    **{f"width {width}": random_rows(width, 4000, width, 1 + 40 // width) for width in range(1, 10)},
    "all different": random_rows(0, 5000, 3, 1 << 62),
    "all equal": np.full((5000, 4), -1),
    "zeros": np.zeros((5000, 2), dtype=np.int64),
    "equal hashes": colliding_rows(1500),
    "equal low bits": LOW_BITS[:, None],
    "differ at the end": np.pad(np.arange(3000)[:, None] % 1700, ((0, 0), (7, 0))),
    "by column": np.asfortranarray(random_rows(1, 4000, 5, 3)),
    "every other": random_rows(2, 8000, 10, 3)[::2, ::2],
    "backwards": random_rows(3, 4000, 3, 8)[::-1],
    "one row": np.arange(200)[None],
    "none": np.zeros((0, 3), dtype=np.int64),
    "no columns": np.zeros((0, 0), dtype=np.int64),
}


def by_dict(rows: Rows) -> tuple[list[int], list[int]]:
    """Group rows by definition."""
    known: dict[tuple[int, ...], int] = {}
    ids = [known.setdefault(tuple(row), len(known)) for row in rows.tolist()]
    return ids, [ids.index(group) for group in range(len(known))] if len(known) < 50 else []


@needs_loops
@pytest.mark.parametrize("added", [1 << 21, 700])
@pytest.mark.parametrize("name", MATRICES)
def test_equal_rows(name: str, added: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece and in several."""
    monkeypatch.setattr(hashing, "_ADDED", added)
    rows = MATRICES[name]
    (ids, first), by_numpy = both_ways(lambda: hashing.distinct_rows(rows), monkeypatch)
    assert_array_equal(ids, by_numpy[0])
    assert_array_equal(first, by_numpy[1])
    expected_ids, expected_first = by_dict(rows)
    assert ids.tolist() == expected_ids
    assert not expected_first or first.tolist() == expected_first
    by_loop, by_numpy = both_ways(lambda: hashing.row_hashes(rows), monkeypatch)
    assert by_loop.dtype == by_numpy.dtype == np.uint64
    assert_array_equal(by_loop, by_numpy)


def test_the_colliding_rows_collide() -> None:
    rows = MATRICES["equal hashes"]
    assert set(hashing.row_hashes(rows).tolist()) == {12345}
    assert len(set(map(tuple, rows.tolist()))) == 1500
    assert not (hashing._mixed(LOW_BITS.view(np.uint64)) & np.uint64((1 << 24) - 1)).any()


@needs_loops
@pytest.mark.parametrize("added", [1 << 21, 700])
@pytest.mark.parametrize("column", ["width 1", "all different", "all equal", "equal low bits", "every other"])
def test_equal_keys(column: str, added: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_ADDED", added)
    keys = MATRICES[column][:, 0]
    assert len(keys) > hashing._FEW  # fewer are not left to the loop
    for dtype in (np.int64, np.uint64):
        by_loop, by_numpy = both_ways(partial(hashing.grouped, keys.view(dtype)), monkeypatch)
        assert_array_equal(by_loop[0], by_numpy[0])
        assert_array_equal(by_loop[1], by_numpy[1])
        assert by_loop[0].tolist() == by_dict(keys[:, None])[0]
    for bits in (0, 1, 5):
        count = partial(hashing.count_different, keys.view(np.uint64), bits)
        by_loop, by_numpy = both_ways(count, monkeypatch)
        assert_array_equal(by_loop, by_numpy)
        assert by_loop.shape == (1 << bits,)
        assert by_loop.sum() == len(set(keys.tolist()))


@needs_loops
@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("added", [1 << 21, 700])
@pytest.mark.parametrize("nodes", [3, 40, 5000])
def test_nodes_are_reduced(nodes: int, added: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_ADDED", added)
    children = np.random.default_rng(nodes).integers(0, nodes, (3000, width))
    children[::7] = children[::7, :1]  # all edges to one child
    answers = []
    for way in ("loop", "numpy"):
        with pytest.MonkeyPatch.context() as patch:
            take_way(way, patch)
            builder = DiagramBuilder(nodes)
            answers.append((builder.add_level(children), builder._levels[0], builder._next))
    for by_loop, by_numpy in zip(*answers, strict=True):
        assert_array_equal(by_loop, by_numpy)
    numbers, table, _ = answers[0]
    known: dict[tuple[int, ...], int] = {}
    for number, row in zip(numbers.tolist(), children.tolist(), strict=True):
        alone = len(set(row)) == 1
        assert number == (row[0] if alone else known.setdefault(tuple(row), nodes + len(known)))
    assert list(map(tuple, table.tolist())) == list(known)


@needs_loops
def test_nodes_of_64_bits_are_refused() -> None:
    for wrong in (-1, 1 << 32, 1 << 62):
        children = np.array([[1, 2]] * 100 + [[wrong, 1]])
        with pytest.raises(ValueError, match="no such rows"):
            hashing.added_rows(children, 10)
        assert len(hashing.added_rows(children)[1]) == 2


def product_of(seed: int, patterns: int, columns: int) -> tuple[Product, NDArray[np.float64]]:
    """Return a product and a table of small whole numbers, so that no sum in it is rounded.

    Some patterns and some columns have no term but zeros, and patterns and columns are of many magnitudes.
    """
    rng = np.random.default_rng(seed)
    groups, sums, terms = int(rng.integers(2, 7)), int(rng.integers(1, 20)), int(rng.integers(20, 40))
    target = np.sort(np.append(np.arange(sums), rng.integers(0, sums, terms - sums)))
    weight = rng.choice(np.array([-3.0, -1.0, 1.0, 2.0] if seed % 3 else [1.0, 2.0]), terms)
    table = rng.integers(0, 9, (groups, patterns)) * (rng.random(patterns) > 0.1)
    numbers = rng.integers(0, 9, (sums, columns)) * (rng.random(columns) > 0.1)
    scales = 2.0 ** -rng.integers(0, 200, patterns), 2.0 ** -rng.integers(0, 40, columns)
    right = numbers * scales[1] / 16
    collector = Collector.of(rng.integers(0, groups, terms), weight, target)
    return Product(collector, right, right, right), table * scales[0]


def collected(collector: Collector, table: NDArray[np.float64]) -> tuple[NDArray[Any], ...]:
    patterns, sums = table.shape[1], len(collector.starts)
    left, sizes = np.full((2, patterns, sums), np.nan, dtype=np.float32)
    tied = np.full(patterns, 7, dtype=np.uint8)
    starts = np.append(collector.starts, len(collector.source))
    assert loops is not None
    loops.collect(table, collector.source, collector.weight, starts, left, sizes, tied)
    return left, sizes, tied


@needs_loops
@pytest.mark.parametrize("seed", range(12))
def test_collected_sums(seed: int) -> None:
    """The sums of ``Product.left``, each pattern scaled by a power of two; some columns of a larger table."""
    patterns = [1, 7, 8, 9, 61, 200][seed % 6]
    product, wide = product_of(seed, patterns + 5, 3)
    for table in (wide, wide[:, 2 : 2 + patterns], wide[:, :0]):
        values, absolute = product.left(table)
        scale = power_below(absolute.sum(axis=0))
        left, sizes, tied = collected(product.collector, table)
        assert_array_equal(left, (values * scale).T.astype(np.float32))
        assert_array_equal(sizes, (absolute * scale).T.astype(np.float32))
        assert_array_equal(tied, (absolute.sum(axis=0) == 0).view(np.uint8))
    assert wide.any()
    rounded = wide * np.random.default_rng(seed).random(wide.shape)
    values, absolute = product.left(rounded)
    scale = power_below(absolute.sum(axis=0))
    left, sizes, _ = collected(product.collector, rounded)
    assert (np.abs(left.T - values * scale) <= absolute * scale * 2.0**-23).all()
    assert (np.abs(sizes.T - absolute * scale) <= absolute * scale * 2.0**-23).all()


def decider_of(product: Product, table: NDArray[np.float64], tie: int) -> tuple[Decider, NDArray[np.intp]]:
    """Return what decides, its columns sorted into boxes as ``in_boxes`` does, and their order."""
    size = product.right_size.sum(axis=0)
    scaled = product.right / np.where(size > 0, size, 1.0)
    order = boxes._alike(scaled)
    sizes = product.right_size[:, order]
    patterns = Patterns(table, np.zeros(table.shape[1]))
    join = Join(patterns, (product,), (), product.terms + len(product.collector.source) + 8, None)
    return Decider(join.against(order), tie, (), Boxes.around(scaled[:, order], sizes)), order


@needs_loops
@pytest.mark.parametrize("seed", range(12))
def test_boxes_by_loop(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every label is right, and what is left open are the exact ties; by numpy it is the same."""
    monkeypatch.setattr(boxed_rows, "_MOST", 1.0)
    monkeypatch.setattr(boxed_rows, "_ROOM", 1 << 20)
    monkeypatch.setattr(boxed_rows, "_WORK", [1 << 31, 1 << 14][seed % 2])  # in one call, in several
    columns, rows, tie = [1, 63, 64, 65, 500, 1100][seed % 6], [1, 127, 128, 300][seed % 4], seed // 6
    product, table = product_of(seed, rows, columns)
    decider, order = decider_of(product, table, tie)
    values, absolute = product.left(table)
    whole, sizes = values.T @ product.right[:, order], absolute.T @ product.right[:, order]
    expected = np.where(sizes == 0, tie, whole > 0)  # as no sum is rounded
    ties = (whole == 0) & (sizes > 0)
    assert decider.boxes is not None
    answers = {
        "loop": rows_by_loop(decider, decider.join.first),
        "numpy": rows_by_boxes(decider, decider.boxes, Difference(decider, decider.join.first)),
    }
    for way, answer in answers.items():
        assert answer is not None, way
        words, (u, v) = answer
        labels = unpack(words, 2, columns)
        assert_array_equal(labels[~ties], expected[~ties], err_msg=way)
        found = np.stack([u, v], axis=1)[np.lexsort((v, u))]
        assert_array_equal(found, np.argwhere(ties), err_msg=way)
        beyond = -columns % BOX
        assert not beyond or not (words[:, -1].view(np.uint64) >> np.uint64(BOX - beyond)).any()


@needs_loops
def test_the_loop_gives_up_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for every near cell but one it does, with one more it does not."""
    product, table = product_of(1, 40, 200)
    decider, _ = decider_of(product, table, 0)
    assert loops is not None
    decide, found = loops.decide_boxes, list[int]()

    def noted(*given: Any) -> int:
        found.append(decide(*given))
        return found[-1]

    monkeypatch.setattr(loops, "decide_boxes", noted)
    monkeypatch.setattr(boxed_rows, "_FEW_NEAR", 1 << 60)
    assert rows_by_loop(decider, decider.join.first) is not None
    (near,) = found
    assert near > 0
    for room in (near, near - 1, 0):
        monkeypatch.setattr(boxed_rows, "_ROOM", room)
        assert (rows_by_loop(decider, decider.join.first) is None) == (room < near)


def floats(*shape: int) -> NDArray[np.float32]:
    return np.zeros(shape, dtype=np.float32)


def whole(*shape: int) -> Rows:
    return np.zeros(shape, dtype=np.int64)


def octets(*shape: int) -> NDArray[np.uint8]:
    return np.zeros(shape, dtype=np.uint8)


# Arguments that are right, and at which positions something is wrong.
BOXES = [100, floats(3, 5), floats(3, 5), floats(2, 5, 64), *(floats(5, 16) for _ in range(3)), 0.0, 0.0, 0.0]
BOXES += [octets(3), 0, whole(3, 2), whole(4), whole(4)]
COLLECT = [
    np.zeros((4, 10)),
    whole(6),
    np.zeros(6),
    np.array([0, 2, 6]),
    floats(10, 2),
    floats(10, 2),
    octets(10),
]
GROUPS, KEYS = object(), object()  # each stands for a new one
ROWS = [GROUPS, whole(10, 3), hashing.hash_weights(3), 0, 10, whole(10), whole(10), 0]
HASHES = [whole(10, 3), hashing.hash_weights(3), whole(10)]
# Values of six nodes, their first words and levels; what is open; then pairs of nodes, or a level's children.
VALUES = [np.zeros((6, 8), np.uint64), np.zeros(6, np.uint64), np.zeros(6, np.uint16)]
VALUES += [whole(20), whole(20), whole(4), 0]
COMPARE = [*VALUES, whole(10), whole(10), 0, octets(10)]
FOLLOW = [*VALUES, whole(3, 2), 2, np.full(10, (4 << 32) + 3), 0, octets(10, 2)]


def small(*shape: int) -> NDArray[np.int32]:
    return np.zeros(shape, dtype=np.int32)


CELLS, EDGES = small(4, 10), small(12)
PARTS = [KEYS, KEYS, CELLS, whole(10), 0, 10, whole(3), whole(3)]
EXTEND = [
    CELLS,
    whole(10),
    np.zeros(10, dtype=np.int32),
    EDGES,
    2,
    0,
    10,
    np.zeros((4, 2, 10), dtype=np.int32),
]
EXPAND = [whole(10, 2), 2, np.arange(128), 64, whole(10, 2)]
GATHER = [np.zeros((4, 2)), 2, np.zeros((5, 3)), 3, whole(6, 2), whole(6, 2), 2, np.zeros((6, 2, 3))]
GROWTH = [whole(3, 2), whole(2), whole(1, 2), np.ones(1), 1000.0, 1e9, small(128)]
PAIRS = [np.zeros(5, np.uint64), whole(5), np.array([2, 1, 0, 1, 0]), 0, 5, whole(2, 4), whole(2, 4)]
CLAIM = [np.zeros(5, np.uint64), np.zeros(5, np.uint64), whole(7), whole(7)]
# A store with two literals and room for two gates more; the gates, what is known, levels, and their nodes.
GATES: list[Any] = [
    np.full(16, -1, np.int32),
    octets(6),
    small(6),
    small(6),
    np.arange(6, dtype=np.uint64),
    whole(7),
]
GATES += [whole(4), 4, np.array([2, 3], np.uint8), np.array([0, 2, 4]), np.array([2, 3, 3, 4])]
GATES += [None, whole(0), whole(2)]
_WRONG_VALUES: dict[int, list[Any]] = {
    0: [np.zeros((5, 8), np.uint64)],
    1: [np.zeros(7, np.uint64)],
    2: [np.zeros(5, np.uint16), np.full(6, 3, np.uint16), np.full(6, 65535, np.uint16)],
    3: [whole(9)],
    4: [whole(9)],
    5: [whole(0), whole(1)],
}
WRONG: dict[str, tuple[list[Any], dict[int, list[Any]]]] = {
    "decide_boxes": (
        BOXES,
        {
            0: [-1, -64, 129, 1 << 40],
            2: [floats(3, 4)],
            3: [floats(1, 5, 64), floats(2, 5, 63), floats(0)],
            **{at: [floats(5, 15), floats(0)] for at in (4, 5, 6)},
            12: [whole(3, 1), whole(0)],
            14: [whole(3)],
        },
    ),
    "collect": (
        COLLECT,
        {
            0: [np.zeros((4, 9)), np.zeros((4, 11)), np.zeros(40), np.zeros((4, 20))[:, ::2], floats(4, 10)],
            1: [np.array([0, 1, 2, 3, 4, 0]), np.array([0, -1, 0, 0, 0, 0]), np.full(6, 1 << 60), whole(7)],
            2: [np.zeros(5)],
            3: [whole(0), np.array([0, 3, 2]), np.array([-1, 2, 6]), np.array([0, 2, 7]), whole(4) + 6],
            4: [floats(9, 2)],
            5: [floats(9, 2)],
            6: [octets(9), octets(11)],
        },
    ),
    "add_rows": (
        ROWS,
        {
            1: [whole(9, 3), whole(0)],
            2: [hashing.hash_weights(4), hashing.hash_weights(0)],
            3: [-1, 11],
            4: [-1, 11],
            5: [whole(9)],
            6: [whole(9)],
        },
    ),
    "compare_pairs": (
        COMPARE,
        {
            **_WRONG_VALUES,
            7: [whole(9), np.full(10, 6), np.full(10, -1), np.full(10, 1 << 61)],
            8: [whole(9), np.full(10, 6), np.full(10, -1)],
            10: [octets(21)],
        },
    ),
    "follow_pairs": (
        FOLLOW,
        {
            **_WRONG_VALUES,
            7: [whole(2, 2), np.full((3, 2), 6), np.full((3, 2), -1), whole(9, 2)],
            8: [-1, 0, 1 << 40],
            9: [whole(9), np.full(10, 5 << 32), np.full(10, 5), np.full(10, -1)],
            11: [octets(19), octets(21), octets(10)],
        },
    ),
    "count_parts": (
        PARTS,
        {
            0: [object()],
            2: [CELLS.ravel()[:39], small(65, 10)],
            3: [whole(9), np.full(10, 3), np.full(10, -1)],
            4: [-1, 11],
            5: [-1, 11],
            6: [whole(2)],
            7: [whole(2)],
        },
    ),
    "extend_cells": (
        EXTEND,
        {
            0: [small(4, 10) + 6, small(3, 10), CELLS.ravel()[:39]],
            1: [whole(9)],
            2: [
                np.full(10, 11, dtype=np.int32),
                np.full(10, -1, dtype=np.int32),
                np.zeros(9, dtype=np.int32),
            ],
            3: [EDGES[:1]],
            4: [0, -1, 3, 1 << 60],
            5: [-1, 11],
            6: [-1, 11],
            7: [small(4, 2, 9)],
        },
    ),
    "expand_bits": (
        EXPAND,
        {
            1: [0, -1, 1, 1 << 60],
            2: [np.arange(128) + 1, np.arange(128) - 1, np.arange(127)],
            3: [0, -8, 7, 72],
            4: [whole(9, 2)],
        },
    ),
    "gather_sums": (
        GATHER,
        {
            **{at: [0, -1, 1, 1 << 60] for at in (1, 3)},
            4: [np.full((6, 2), 4), np.full((6, 2), -1), whole(5, 2)],
            5: [np.full((6, 2), 5), np.full((6, 2), -1), whole(5, 2)],
            6: [0, -1, 3, 1 << 60],
            7: [np.zeros((5, 2, 3))],
        },
    ),
    "open_pairs": (
        PAIRS,
        {
            1: [whole(4)],
            2: [whole(4), np.array([2, 1, 0, 1, 1]), np.array([5, 0, 0, 0, 0]), np.full(5, -1)],
            3: [-1, 6],
            4: [-1, 6],
            5: [whole(2, 3), whole(0), whole(2, 5)],
            6: [whole(2, 3)],
        },
    ),
    "claim_cells": (
        CLAIM,
        {
            0: [np.zeros(6, np.uint64)],
            **{at: [np.full(7, 5), np.full(7, -1), np.full(7, 1 << 60)] for at in (2, 3)},
            3: [whole(6), np.full(7, 5), np.full(7, -1)],
        },
    ),
    "add_gates": (
        GATES,
        {
            0: [np.full(8, 5, np.int32), np.full(15, -1, np.int32), np.full(4, -1, np.int32), small(16) + 4],
            **{at: [each[:-1]] for at, each in enumerate(GATES) if at in (1, 2, 3, 4, 6, 13)},
            5: [whole(6), np.full(7, -1), np.full(7, 1), np.full(7, 1 << 60)],
            7: [-1, 1, 5, 1 << 31, 1 << 62],
            8: [np.array([2, 3, 2], np.uint8)],
            9: [whole(2), whole(3), np.array([0, 2, 2]), np.array([0, 5, 4]), np.array([-2, 0, 2])],
            10: [whole(3), np.array([2, 3, 3, 5]), np.array([2, 3, 3, -1]), np.array([4, 3, 2, 3])],
            11: [np.array([0, 1, 2]), np.array([0, 1, 2, 6]), np.array([0, 1, -1, 3])],
        },
    ),
    "growth_order": (GROWTH, {1: [whole(0), whole(2000)], 2: [whole(1)], 6: [small(127)]}),
    "keep_memory": ([1 << 27, 1 << 29, 1 << 26, False], {at: [-1, 1 << 31, 1 << 60] for at in range(3)}),
    "give_back": ([1 << 29], {0: [-1]}),
    "row_hashes": (HASHES, {0: [whole(9, 3)], 1: [hashing.hash_weights(4)], 2: [whole(11)]}),
}


@needs_loops
@pytest.mark.parametrize(
    ("name", "at", "wrong"),
    [
        (name, at, value)
        for name, (_, by_place) in WRONG.items()
        for at, some in by_place.items()
        for value in some
    ],
)
def test_wrong_arguments(name: str, at: int, wrong: object) -> None:
    """What is too short, out of range or laid out otherwise is an error; the same call without it works."""
    assert loops is not None
    new = {id(GROUPS): loops.new_groups, id(KEYS): loops.new_keys}

    def arguments() -> list[Any]:
        return [new[id(each)]() if id(each) in new else deepcopy(each) for each in WRONG[name][0]]

    getattr(loops, name)(*arguments())
    given = arguments()
    given[at] = wrong
    with pytest.raises(ValueError, match=r"array \d+ has|no such|too many|not of the same|PyCapsule"):
        getattr(loops, name)(*given)


def test_every_loop_is_tried_with_wrong_arguments() -> None:
    folder = Path(kernels.__file__).parent
    stub = set(re.findall(r"^def (\w+)", (folder / "compiled.pyi").read_text(), re.MULTILINE))
    assert set(WRONG) == {name for name in stub if not name.startswith("new_")}


MISUSES = {
    "more rows than there can be": "add(new, rows, one, 0, 1 << 61, ids, first, 0)",
    "groups of other rows": "for _ in range(2): add(new, rows, one, 0, n, ids, first, 0)",
    "first rows of nobody": "add(new, pairs, two, 0, 9, *found, 0); add(new, pairs, two, 9, n, ids, far, 0)",
    "no groups": "add(object(), rows, one, 0, n, ids, first, 0)",
}


@needs_loops
@pytest.mark.parametrize("what", MISUSES)
def test_misuse_of_groups(what: str) -> None:
    """What no array is too short for is refused, too; tried in a process of its own, which might crash."""
    program = (
        "import numpy as np\n"
        "from bnc2d.base.hashing import hash_weights\n"
        "from bnc2d.base.kernels import loops\n"
        "n = 100_000; add, new = loops.add_rows, loops.new_groups()\n"
        "rows, pairs, (ids, first) = np.arange(n), np.zeros((n, 2), dtype=int), np.zeros((2, n), dtype=int)\n"
        "found = ids, first; one, two, far = hash_weights(1), hash_weights(2), np.full(n, -1 << 50)\n"
        "def misuse():\n"
        f"    {MISUSES[what]}\n"
        "try: misuse()\n"
        "except ValueError: print('refused')\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


COMPILED = """
import hashlib, bnc2d
from bnc2d.base import hashing, kernels
from bnc2d.compile.meet import boxed_rows, boxes
from bnc2d.compile.store import model_to_bytes
boxes._MANY_CELLS = boxes._MANY_COLUMNS = hashing._FEW = hashing._VERY_FEW = hashing._FEW_ENTRIES = 1
boxed_rows._MOST = 1.0
print(kernels.loops is None)
for name in bnc2d.examples():
    network = bnc2d.example(name)
    model = bnc2d.Classifier(network, network.variables[0]).compile()
    print(name, hashlib.sha256(model_to_bytes(model)).hexdigest())
"""


@needs_loops
def test_compiled_models_are_the_same() -> None:
    """In fresh processes, with and without loops, which take over small problems too."""
    outputs = []
    for setting in ({}, {"BNC2D_KERNELS": "numpy"}):
        clean = {name: value for name, value in os.environ.items() if name != "BNC2D_KERNELS"}
        command = [sys.executable, "-W", "ignore", "-c", COMPILED]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=clean | setting)
        outputs.append(done.stdout.splitlines())
    (with_loops, *some), (without, *others) = outputs
    assert (with_loops, without) == ("False", "True")
    assert some == others
    assert len(some) > 3
