"""Elimination: fills by definition, joins that sum out all they should, and plans against plain sums."""

from __future__ import annotations

from itertools import combinations
from math import inf, prod
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.base import kernels
from bnc2d.base.masks import Mask, StateCounts, mask_of, positions, union
from bnc2d.model.elimination import (
    Join,
    eliminate,
    joined_tables,
    joins_in_order,
    least_growth_order,
    min_fill_order,
    order_of,
    plan_for_rows,
    smallest_first,
    work_of,
)
from bnc2d.model.min_fill import MinFill
from tests.loops import needs_loops


def definition_of_fill(near: list[int], variable: int) -> int:
    others = positions(near[variable])
    return sum(not near[first] >> second & 1 for first, second in combinations(others, 2))


@given(st.integers(0, 10**9), st.integers(1, 14), st.floats(0, 1))
def test_fills_stay_what_they_are_by_definition(seed: int, size: int, density: float) -> None:
    rng = Random(seed)  # noqa: S311 - a test case, not cryptography
    near = [0] * size
    for first, second in combinations(range(size), 2):
        if rng.random() < density:
            near[first] |= 1 << second
            near[second] |= 1 << first
    search = MinFill(near)
    while search.left:
        left = positions(search.left)
        assert [search.fills[v] for v in left] == [definition_of_fill(search.near, v) for v in left]
        if rng.random() < 0.3:
            search.eliminate_simplicial()
        else:
            search.eliminate(rng.choice(left))
    assert sorted(search.order) == list(range(size))


def test_min_fill_takes_the_least_first() -> None:
    """A square with a tail: the tail goes for nothing, then any corner costs one edge."""
    square = [0b01010, 0b00101, 0b11010, 0b00101, 0b00100]
    search = MinFill(square)
    assert search.fills == [1, 1, 3, 1, 0]
    search.finish(0)
    assert search.order[0] == 4
    assert max(cluster.bit_count() for cluster in search.clusters) == 3
    some = MinFill(square, among=0b00011)
    some.finish(0)
    assert sorted(some.order) == [0, 1]


@st.composite
def products(draw: st.DrawFn) -> tuple[list[int], int, StateCounts]:
    """Draw tables, the variables to sum out, and their sizes."""
    size = draw(st.integers(1, 8))
    scopes = draw(st.lists(st.integers(1, 2**size - 1), min_size=1, max_size=8))
    sizes = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    return scopes, draw(st.integers(0, 2**size - 1)) & union(scopes), StateCounts(sizes)


@given(products())
def test_orders_have_every_variable_and_the_work_they_say(case: tuple[list[int], int, StateCounts]) -> None:
    scopes, summed, counts = case
    features = union(scopes) & ~summed
    order, work = least_growth_order(scopes, summed, counts)
    joins = joins_in_order(scopes, order, summed)
    assert work_of(joins, counts.count) == pytest.approx(work)
    smallest = order_of(smallest_first(scopes, summed, counts.count))
    assert sorted(smallest) == positions(summed)
    for tried in (order, smallest, min_fill_order(scopes, summed, features)):
        way = joins_in_order(scopes, tried, summed)
        assert union([join.summed for join in way]) == summed
        check_joins(scopes, way)
    few, least = least_growth_order(scopes, summed, counts, most=work / 2)
    assert order[: len(few)] == few
    assert least <= work


@needs_loops
@pytest.mark.parametrize("seed", range(60))
def test_the_loop_finds_the_same_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also over several words of variables, and where sizes are not powers of two: to the last bit."""
    rng = Random(seed)  # noqa: S311 - a test case, not cryptography
    count = rng.choice([1, 3, 10, 63, 64, 65, 130, 260])
    counts = StateCounts([rng.choice([2] if seed % 3 else [1, 2, 3, 5, 7, 10]) for _ in range(count)])
    variables = range(count)
    scopes = [mask_of(rng.sample(variables, rng.randint(0, min(count, 6)))) for _ in range(2 * count)]
    summed = mask_of(rng.sample(variables, rng.randint(0, count)))
    for most in (inf, 1e6, 10.0):
        by_loop = least_growth_order(scopes, summed, counts, most)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "loops", None)
            assert least_growth_order(scopes, summed, counts, most) == by_loop


def check_joins(scopes: list[int], joins: list[Join]) -> None:
    """A join mentions what its tables do, and no table elsewhere mentions what it sums out."""
    inside, left = joined_tables(scopes, joins)
    every = [*scopes, *(join.result for join in joins)]
    assert sorted([*left, *(number for ids in inside for number in ids)]) == list(range(len(every)))
    for number, (join, ids) in enumerate(zip(joins, inside, strict=True)):
        assert union([every[table] for table in ids]) == join.scope
        assert all(table < len(scopes) + number for table in ids)
    assert not union([every[table] for table in left]) & union([join.summed for join in joins])


Table: TypeAlias = tuple[list[int], Any]


@given(products(), st.integers(0, 10**6))
def test_eliminating_is_summing_the_product(case: tuple[list[int], int, StateCounts], seed: int) -> None:
    scopes, summed, counts = case
    rng = np.random.default_rng(seed)
    tables: list[Table] = []
    for scope in scopes:
        variables = positions(scope)
        shape = [round(counts.count(1 << variable)) for variable in variables]
        tables.append((variables, rng.integers(0, 5, size=shape)))

    def multiply(some: list[Table], gone: Mask) -> Table:
        operands: list[Any] = []
        for variables, entries in some:
            operands += [entries, variables]
        kept = [variable for variable in positions(union(masks(some))) if not gone >> variable & 1]
        return kept, np.einsum(*operands, kept)

    everything = multiply(tables, summed)
    for joins in (smallest_first(scopes, summed, counts.count), planned(scopes, summed, counts, 1)):
        left = eliminate(tables, scopes, joins, multiply)
        assert not union(masks(left)) & summed
        kept, found = multiply(left, 0)
        assert (kept, found.tolist()) == (everything[0], everything[1].tolist())


def masks(tables: list[Table]) -> list[Mask]:
    return [union([1 << variable for variable in variables]) for variables, _ in tables]


def planned(scopes: list[int], summed: int, counts: StateCounts, rows: int) -> tuple[Join, ...]:
    return plan_for_rows(scopes, summed, union(scopes) & ~summed, counts, rows, 4, 1e9).joins


@given(products(), st.integers(1, 50), st.integers(1, 64))
def test_a_plan_costs_what_it_says(case: tuple[list[int], int, StateCounts], rows: int, limit: int) -> None:
    """Features count once for each of their instances, or for each row; more attempts are never worse."""
    scopes, summed, counts = case
    features = union(scopes) & ~summed

    def entries(scope: Mask) -> int:
        sizes = {variable: round(counts.count(1 << variable)) for variable in positions(scope)}
        instances = prod(size for variable, size in sizes.items() if features >> variable & 1)
        return min(rows, instances) * prod(s for v, s in sizes.items() if not features >> v & 1)

    few, many = (
        plan_for_rows(scopes, summed, features, counts, rows, attempts, limit) for attempts in (1, 8)
    )
    for plan in (few, many):
        check_joins(scopes, list(plan.joins))
        assert union([join.summed for join in plan.joins]) == summed
        assert plan.work == pytest.approx(sum(entries(join.scope) for join in plan.joins))
        largest = max((entries(join.result) for join in plan.joins), default=0)
        assert plan.largest_table == pytest.approx(largest)
    costs = [plan.work * max(1.0, plan.largest_table / limit) for plan in (few, many)]
    assert costs[1] <= costs[0] * (1 + 1e-9)
    event(f"more attempts help: {costs[1] < costs[0] * 0.99}")
