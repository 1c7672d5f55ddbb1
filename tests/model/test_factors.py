"""The algebra of factors against sums over all instances, in float64, in integers and in booleans."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import log2, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d import CPT, Variable
from bnc2d.model import factors as model_factors
from bnc2d.model.accounts import EXACT, UNIT_ROUNDOFF, Account, exponents, lost_by_merging
from bnc2d.model.factors import Factor, multiply_out

ONE_ROW = np.zeros(1, dtype=np.intp)


def factor(scope: Sequence[int], entries: Any, roundings: int = 0, rows: Any = ONE_ROW) -> Factor:
    """A float64 factor of exact entries, ``[pattern, *scope]``."""
    table = np.asarray(entries, dtype=np.float64)
    return Factor(tuple(scope), table, np.asarray(rows), Account(roundings, *exponents(table)))


def test_tables_keep_account() -> None:
    table = factor([0, 1], [[[0.5, 0.5], [0.0, 0.0]]], roundings=1)
    margin = table.sum_out([1])
    assert (margin.table.tolist(), margin.account.roundings) == ([[1.0, 0.0]], 2)
    quotient = table.divided_by(margin)
    assert (quotient.table.tolist(), quotient.account.roundings) == ([[[0.5, 0.5], [0.0, 0.0]]], 4)
    assert quotient.trusted.all()
    assert set(multiply_out([table, factor([2], [[1.0, 1.0, 1.0]])], []).scope) == {0, 1, 2}
    small = factor([0], [[1e-200, 1.0]])
    square = multiply_out([small, small], [])
    assert not square.trusted.any()
    assert not multiply_out([square.sum_out([0]), table], []).trusted.any()
    tiny = factor([0], [[1e-300, 1e-300]])
    assert multiply_out([tiny, tiny], []).trusted.all()  # the scale of a whole pattern does not matter
    assert not small.divided_by(factor([], [1e200])).trusted.any()


@st.composite
def products(draw: st.DrawFn) -> tuple[list[tuple[list[int], Any]], list[int], list[int], Any]:
    """Draw tables of small integers ``[pattern, *scope]``, the sizes of variables, those to sum, and rows."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count = int(rng.integers(1, 6))
    tables, patterns = [], []
    for _ in range(draw(st.integers(1, 4))):
        scope = [variable for variable in rng.permutation(len(sizes)).tolist() if rng.random() < 0.6]
        width = int(rng.integers(1, 4))
        entries = rng.integers(0, 10, size=(width, *(sizes[v] for v in scope))) * (
            rng.random((width, *(sizes[v] for v in scope))) < 0.8
        )
        tables.append((scope, entries))
        patterns.append(rng.integers(0, width, size=count))
    summed = [variable for variable in range(len(sizes)) if rng.random() < 0.5]
    return tables, sizes, summed, patterns


@given(products(), st.sampled_from([np.float64, object, np.bool_]), st.sampled_from([0, 8, 1 << 20]))
def test_products_are_sums_over_all_states(
    case: tuple[list[tuple[list[int], Any]], list[int], list[int], Any], dtype: Any, at_once: int
) -> None:
    tables, sizes, summed, patterns = case
    factors = []
    for (scope, entries), rows in zip(tables, patterns, strict=True):
        table = entries.astype(object).astype(dtype)
        account = Account(0, *exponents(table)) if dtype == np.float64 else EXACT
        factors.append(Factor(tuple(scope), table, rows, account))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_factors, "_EXACT_ENTRIES", at_once)  # larger products are split
        found = multiply_out(factors, summed)
    mentioned = {variable for scope, _ in tables for variable in scope}
    kept = sorted(mentioned.difference(summed))
    assert sorted(found.scope) == kept
    gone = sorted(mentioned.intersection(summed))
    dense = found.over(kept)
    for row, pattern in enumerate(found.pattern_of_row.tolist()):
        for states in product(*(range(sizes[variable]) for variable in kept)):
            total = 0
            for others in product(*(range(sizes[variable]) for variable in gone)):
                state = dict(zip([*kept, *gone], [*states, *others], strict=True))
                total += prod(
                    int(entries[(rows[row], *(state[variable] for variable in scope))])
                    for (scope, entries), rows in zip(tables, patterns, strict=True)
                )
            assert dense[(pattern, *states)] == (bool(total) if dtype == np.bool_ else total)
    event(f"{len(tables)} tables, {len(gone)} summed")


@pytest.mark.parametrize("summed", [(0,), (1,), (0, 1), ()])
def test_a_large_exact_product_is_never_there_as_a_whole(
    summed: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact tables of 10^7 integers took gibibytes on barley."""
    rng = np.random.default_rng(0)
    scopes = [(0, 1), (0, 2), (0, 3), (0, 1, 2, 3)]
    factors = [
        Factor(scope, rng.integers(1, 9, size=(1, *[9] * len(scope))).astype(object), ONE_ROW, EXACT)
        for scope in scopes
    ]
    made: list[int] = []
    multiplied = model_factors._product

    def product_of(left: Factor, right: Factor, gone: Any) -> Factor:
        found = multiplied(left, right, gone)
        made.append(found.table.size)
        return found

    monkeypatch.setattr(model_factors, "_product", product_of)
    whole = multiply_out(factors, summed)
    assert max(made) == 9**4
    made.clear()
    monkeypatch.setattr(model_factors, "_EXACT_ENTRIES", 9**3)
    parts = multiply_out(factors, summed)
    assert 0 < max(made) <= 9**3
    assert parts.over(whole.scope).tolist() == whole.table.tolist()


@given(st.integers(0, 10**6), st.sampled_from([1, 10**100, 10**250, 10**400]))
def test_accounts_hold(seed: int, divisor: int) -> None:
    """Products of tables with entries down to ``1 / divisor``: right within the account, or not trusted."""
    rng = np.random.default_rng(seed)
    variables = [Variable(name, ("0", "1")) for name in "ABC"]
    ids = {"A": 0, "B": 1, "C": 2}
    little = [Fraction(int(n), 7 * divisor) for n in rng.integers(0, 7, size=7)]
    prior = CPT(variables[0], (), [little[0], 1 - little[0]])
    first = CPT(variables[1], variables[:1], [little[1], 1 - little[1], 1 - little[2], little[2]])
    entries = [entry for share in little[3:] for entry in (share, 1 - share)]
    second = CPT(variables[2], variables[:2], entries)
    rows = np.array([[state] for state in rng.integers(0, 2, size=3)])
    cpts = [prior, first, second]
    column = {2: 0}
    floats = multiply_out([Factor.of_cpt(cpt, ids, np.float64, rows, column) for cpt in cpts], [1])
    exact = multiply_out([Factor.of_cpt(cpt, ids, object, rows, column) for cpt in cpts], [1])
    possible = multiply_out([Factor.of_cpt(cpt, ids, np.bool_, rows, column) for cpt in cpts], [1])
    for row in range(len(rows)):
        truth = exact.over([0])[exact.pattern_of_row[row]].tolist()
        assert possible.over([0])[possible.pattern_of_row[row]].tolist() == [entry > 0 for entry in truth]
        pattern = floats.pattern_of_row[row]
        values = floats.over([0])[pattern].tolist()
        event(f"trusted: {floats.trusted[pattern]}")
        if floats.trusted[pattern]:
            assert [value == 0 for value in values] == [entry == 0 for entry in truth]
            top = max(range(2), key=lambda state: truth[state])
            for value, entry in zip(values, truth, strict=True):
                if entry:
                    ratio = Fraction(value) / Fraction(values[top]) / Fraction(entry, truth[top])
                    assert abs(ratio - 1) <= 4 * floats.account.roundings * UNIT_ROUNDOFF


@pytest.mark.parametrize("dtype", [np.float64, object, np.bool_])
def test_a_table_is_read_for_the_patterns_of_its_rows(dtype: Any) -> None:
    parent, child = Variable("P", ("0", "1", "2")), Variable("C", ("0", "1"))
    cpt = CPT(child, (parent,), [Fraction(n, 4) for n in (1, 3, 4, 0, 2, 2)])
    rows = np.array([[2], [0], [2]])
    read = Factor.of_cpt(cpt, {"P": 5, "C": 3}, dtype, rows, {5: 0})
    assert (read.scope, read.pattern_of_row.tolist()) == ((3,), [1, 0, 1])
    wanted = {np.float64: [[0.25, 0.75], [0.5, 0.5]], object: [[1, 3], [2, 2]], np.bool_: [[1, 1], [1, 1]]}
    assert read.table.tolist() == wanted[dtype]


def test_what_is_lost_stays_lost_when_columns_merge() -> None:
    """Also where the scale of the column that is kept makes it too small for float64."""
    lost = np.array([0.0, 2.0**-1000, 0.0, np.inf])
    merged = lost_by_merging(lost, np.array([1.0, 2.0**-400, 1.0, 0.0]), np.array([0, 0, 1, 2]), 3)
    assert merged is not None
    assert [entry > 0 for entry in merged.tolist()] == [True, False, True]
    assert np.isinf(merged[2])
    assert lost_by_merging(None, lost, np.array([0, 0, 1, 2]), 3) is None


@pytest.mark.parametrize("dtype", [np.float64, np.longdouble])
@given(
    st.lists(st.floats(0, allow_nan=False, allow_infinity=False), max_size=9),
    st.integers(0, 3),
)
def test_exponents(dtype: type[np.floating[Any]], entries: list[float], zeros: int) -> None:
    table = np.array([*entries, *[0.0] * zeros, *[-0.0] * (zeros % 2)], dtype=dtype)
    positive = [entry for entry in entries if entry > 0]
    expected = (log2(min(positive)), log2(max(positive))) if positive else (0.0, 0.0)
    assert exponents(table) == expected
    assert exponents(np.stack([table, table], axis=1)[:, 0]) == expected  # not in one piece
