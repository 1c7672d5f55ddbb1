"""The compressed tables of both sides, and the matrices that join them, against exact values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnc2d.api.classifier import Classifier
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.meet.cut.cut import choose_cut
from bnc2d.compile.meet.cut_problem import CutProblem, Side
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.proportional import merge_patterns
from bnc2d.compile.meet.ties import by_instances, by_tables
from bnc2d.model.accounts import UNIT_ROUNDOFF
from tests.cases import cases
from tests.strategies import classifiers


def cut_problem_of(classifier: Classifier, fixed: int = 0) -> CutProblem:
    prepared = prepare(classifier)
    cut = choose_cut(prepared, range(2), 2**24)
    sides = [Side(prepared, side) for side in (cut.first, cut.second)]
    return CutProblem(classifier, prepared, sides, prepared.feature_ids[:fixed])


def dense(factor: CompressedFactor) -> np.ndarray:
    """The table with all states and all instances."""
    return factor.table[factor.group_of_state.reshape(-1)][:, factor.pattern_of_row]


def check_against_exact_tables(cut_problem: CutProblem) -> None:
    """The tables of both sides are proportional to the exact ones, and what is zero is known."""
    for factor, exact in zip(cut_problem.factors({}), cut_problem.factors({}, exact=True), strict=True):
        assert factor.features == exact.features
        order = [exact.scope.index(variable) for variable in factor.scope]
        sizes = [len(cut_problem.prepared.network.variables[variable]) for variable in exact.scope]
        states = np.arange(exact.group_of_state.size).reshape(sizes).transpose(order).reshape(-1)
        wanted, seen = dense(exact)[states], dense(factor)
        for truth, values in zip(wanted.T.tolist(), seen.T.tolist(), strict=True):
            assert [entry == 0 for entry in truth] == [value == 0 for value in values]
            top = max(range(len(truth)), key=lambda at: truth[at])
            for entry, value in zip(truth, values, strict=True):
                if entry:
                    ratio = Fraction(value) / Fraction(values[top]) / Fraction(entry, truth[top])
                    assert abs(ratio - 1) <= 4 * factor.account.roundings * UNIT_ROUNDOFF
        assert factor.zeros is None or (~factor.table.any(axis=1) == factor.zeros).all()


@given(classifiers())
@settings(max_examples=cases(28, 150))
def test_float_tables_are_proportional_to_exact_ones(classifier: Classifier) -> None:
    check_against_exact_tables(cut_problem_of(classifier))


@given(classifiers(), st.integers(0, 2))
@settings(max_examples=cases(28, 150))
def test_exact_tables_decide_every_instance(classifier: Classifier, fixed: int) -> None:
    cut_problem = cut_problem_of(classifier, min(fixed, len(classifier.features) - 1))
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    expected = dict(zip(map(tuple, rows.tolist()), classifier.labels(rows).tolist(), strict=True))
    for block in cut_problem.fixed_instances():
        exact, single = by_tables(cut_problem, block), by_instances(cut_problem, block)
        u, v = np.divmod(np.arange(len(exact.rows) * len(exact.columns)), len(exact.columns))
        labels = exact.labels(exact.rows[u], exact.columns[v]).tolist()
        assert labels == single.labels(u, v).tolist()
        free = (*cut_problem.first, *cut_problem.second)
        indices = [cut_problem.position[feature] for feature in free]
        states = np.unravel_index(np.arange(len(u)), cut_problem.cardinalities(free)) if free else ()
        instance = [block.get(feature, 0) for feature in cut_problem.prepared.feature_ids]
        for at, label in enumerate(labels):
            for index, column in zip(indices, states, strict=True):
                instance[index] = int(column[at])
            assert expected[tuple(instance)] == label


@given(classifiers())
@settings(max_examples=cases(28, 150))
def test_products_are_the_exact_differences(classifier: Classifier) -> None:
    """The sign of the truth where a product is beyond its bound; zero where it has no term."""
    cut_problem = cut_problem_of(classifier)
    first, second = cut_problem.factors({})
    join = cut_problem.join(first, second)
    resolver = by_instances(cut_problem, {})
    if join.labels or not join.is_provable or join.underflow is not None:
        return
    (product,) = join.products
    left, size = product.left(first.table)
    value, bound = left.T @ product.right, size.T @ product.right_size
    u, v = np.divmod(np.arange(len(resolver.rows) * len(resolver.columns)), len(resolver.columns))
    labels = resolver.labels(u, v)
    tie = cut_problem.decider(join).tie % (len(classifier.classes) + 1)
    at = first.pattern_of_row[u], second.pattern_of_row[v]
    proven = np.abs(value[at]) > 2 * join.roundings * UNIT_ROUNDOFF * bound[at]
    assert (labels[proven] == (value[at] > 0)[proven]).all()
    assert (labels[bound[at] == 0] % (len(classifier.classes) + 1) == tie).all()


@given(st.integers(0, 10**6))
def test_distinct_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, rng.integers(1, 9), size=(rng.integers(1, 60), rng.integers(1, 4)))
    group_ids, first = distinct_rows(rows)
    assert (rows[first[group_ids]] == rows).all()
    assert len(first) == len(np.unique(rows, axis=0))
    assert (np.diff(first) > 0).all()
    assert [int(np.flatnonzero(group_ids == kind)[0]) for kind in range(len(first))] == first.tolist()


@given(st.integers(0, 10**6), st.booleans())
def test_proportional_columns_merge(seed: int, exact: bool) -> None:
    rng = np.random.default_rng(seed)
    group_ids = rng.integers(0, 9, size=(4, 3)) * (rng.random((4, 3)) < 0.8)
    which = rng.integers(0, 3, size=40)
    scale = rng.integers(1, 50, size=40)
    table = group_ids[:, which] * scale
    if exact:
        whole = np.empty(table.shape, dtype=object)
        whole[:] = table.tolist()
        merged = merge_patterns(whole)
    else:
        merged = merge_patterns(table.astype(np.float64) / 7)
    proportional = {tuple(Fraction(int(x), max(1, int(c.sum()))) for x in c) for c in table.T}
    assert merged is not None
    # Floats on either side of a rounding may miss each other; those that merge are alike.
    assert len(proportional) <= len(merged.chosen) <= len(proportional) + (0 if exact else 3)
    for column, number in enumerate(merged.number.tolist()):
        one, other = table[:, column], table[:, merged.chosen[number]]
        assert (one * int(other.sum()) == other * int(one.sum())).all()


def test_columns_that_differ_by_more_than_rounding_stay_apart() -> None:
    table = np.ones((3, 20))
    table[1, 10:] += 2.0**-30
    merged = merge_patterns(table)
    assert merged is not None
    assert merged.number.tolist() == [0] * 10 + [1] * 10


@pytest.mark.parametrize("rows", [3, 511, 512, 700, 5000])
@pytest.mark.parametrize("columns", [30, 3000])
def test_columns_of_many_rows(rows: int, columns: int) -> None:
    """Those that differ merge with nobody, wherever they differ; those that do not, do, whatever rows say."""
    rng = np.random.default_rng(rows)
    table = rng.random((rows, columns))
    assert merge_patterns(table) is None
    scale = 2.0 ** rng.integers(-30, 30, columns - columns // 2)  # nothing is rounded
    table[:, columns // 2 :] = table[:, : columns - columns // 2] * scale
    merged = merge_patterns(table)
    assert merged is not None
    assert len(merged.chosen) == columns // 2
    expected = np.append(np.arange(columns // 2), np.arange(columns - columns // 2))
    assert merged.number.tolist() == expected.tolist()
    table[rows // 3, -3:] *= 1 + 2.0**-35
    merged = merge_patterns(table)
    assert merged is not None
    assert len(merged.chosen) == columns // 2 + 3
    assert merged.number[-3:].tolist() == [columns // 2, columns // 2 + 1, columns // 2 + 2]
    table[:] = 0.0
    table[rows // 2] = rng.random(columns)  # one row alone tells nothing apart
    merged = merge_patterns(table)
    assert merged is not None
    assert len(merged.chosen) == 1
