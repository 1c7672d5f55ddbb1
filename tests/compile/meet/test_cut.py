"""Cuts: every table once, every hidden variable summed out where it may be, and costs by the definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import log2, prod
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import event, given
from numpy.typing import NDArray

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable
from bnc2d.base.masks import Mask, positions
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.meet.cut.cost import (
    SECONDS_PER_CELL,
    SECONDS_PER_ENTRY,
    SECONDS_PER_JOIN,
    SECONDS_PER_MESSAGE,
    SECONDS_PER_ROW,
)
from bnc2d.compile.meet.cut.cut import Cut, CutSide, choose_cut
from bnc2d.testing import random_classifier
from tests.brute_force.decisions import joint_of_instances
from tests.compile.graph.checkers import assert_jointree
from tests.strategies import classifiers

PLENTY = 1 << 30
Table: TypeAlias = tuple[list[str], NDArray[np.float64]]


def contract(factors: Sequence[Table], kept: Sequence[str]) -> Table:
    """Multiply tables and sum out what is not kept."""
    axes = {
        name: position for position, name in enumerate(sorted({n for scope, _ in factors for n in scope}))
    }
    operands: list[Any] = []
    for scope, values in factors:
        operands += [values, [axes[name] for name in scope]]
    return list(kept), np.einsum(*operands, [axes[name] for name in kept])


def names_of(prepared: Prepared, mask: Mask) -> list[str]:
    return [prepared.network.names[variable] for variable in positions(mask)]


def feature_names(prepared: Prepared, side: CutSide) -> list[str]:
    return [prepared.network.names[feature] for feature in side.features]


def table_of(prepared: Prepared, cut: Cut, side: CutSide) -> tuple[Table, float]:
    """Take the steps of a side, one after the other; return its table and the multiplications.

    A step joins what earlier steps left and mentions what it sums out; the last step joins all that is left.
    """
    network = prepared.network
    left: list[Table] = []
    work = 0.0
    for number, step in enumerate(side.steps):
        summed = set(names_of(prepared, step.summed))
        cpts = [network.cpts[table] for table in step.tables]
        factors = [([v.name for v in cpt.scope], cpt.values) for cpt in cpts]
        is_last = number == len(side.steps) - 1
        factors += [table for table in left if is_last or summed.intersection(table[0])]
        left = [table for table in left if not is_last and not summed.intersection(table[0])]
        axes = {name for scope, _ in factors for name in scope}
        assert summed <= axes
        left.append(contract(factors, sorted(axes - summed)))
        if summed:
            work += prod(len(network.variable(name)) for name in axes)
    assert len(left) == (1 if side.steps else 0)
    table = left[0] if left else ([], np.ones(()))
    across = names_of(prepared, cut.separator)
    assert set(table[0]) <= {*feature_names(prepared, side), *across, prepared.target}
    return table, work


@given(classifiers())
def test_both_tables_of_a_cut_give_the_joint_probabilities(classifier: Classifier) -> None:
    prepared = prepare(classifier)
    cut = choose_cut(prepared, range(3), PLENTY)
    assert asdict(cut) == asdict(choose_cut(prepared, range(3), PLENTY))
    assert_jointree(cut.jointree, [[v.name for v in cpt.scope] for cpt in prepared.network.cpts])
    assert sorted(cut.first.features + cut.second.features) == sorted(prepared.feature_ids)
    tables = [table for side in (cut.first, cut.second) for step in side.steps for table in step.tables]
    assert sorted(tables) == list(range(len(prepared.network)))
    (first, work), (second, other_work) = (table_of(prepared, cut, side) for side in (cut.first, cut.second))
    _, values = contract([first, second], [*prepared.features, prepared.target])
    joint = values.reshape(-1, len(classifier.classes))
    truth = [[float(p) for p in row.values()] for row in joint_of_instances(classifier).values()]
    assert np.allclose(joint, truth)
    event(f"sides: {sorted((len(cut.first.features), len(cut.second.features)))}")
    check_costs(prepared, cut, work + other_work)


def check_costs(prepared: Prepared, cut: Cut, messages: float) -> None:
    """Steps that join small ones take more multiplications than the estimate counts, but few."""
    size = prepared.sizes
    cells = prod(size[feature] for feature in prepared.feature_ids)
    across = prod(size[v] for v in {*positions(cut.separator), prepared.target_id})
    tables = sum(prod(size[v] for v in side.features) * across for side in (cut.first, cut.second))
    rows = sum(prod(size[v] for v in side.features) for side in (cut.first, cut.second))
    fixed = cells * SECONDS_PER_CELL + cells * across * SECONDS_PER_JOIN
    fixed += tables * SECONDS_PER_ENTRY + rows * SECONDS_PER_ROW
    counted = (cut.seconds - fixed) / SECONDS_PER_MESSAGE
    assert cut.log_work == pytest.approx(log2(cells * across + tables + counted))
    steps = sum(bool(step.summed) for side in (cut.first, cut.second) for step in side.steps)
    assert counted >= -1e-3
    assert messages <= counted + 1024 * steps + 1e-3


def test_a_star_is_cut_in_the_middle() -> None:
    """Naive Bayes: all tables meet at the target, half of the features on each side."""
    target = Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(16)]
    cpts = [CPT.from_numbers(leaf, (target,), ["0.3", "0.7", "0.6", "0.4"])[0] for leaf in leaves]
    prior = CPT.from_numbers(target, (), ["0.5", "0.5"])[0]
    prepared = prepare(Classifier(BayesianNetwork([target, *leaves], [prior, *cpts]), "T"))
    cut = choose_cut(prepared, [0], PLENTY)
    assert min(len(cut.first.features), len(cut.second.features)) >= 6
    assert set(names_of(prepared, cut.separator)) <= {"T"}


def test_two_bushes_are_cut_between_them() -> None:
    """A chain with features at both ends: a hidden variable in between separates them."""
    names = ["T", "A", "B", *(f"F{number}" for number in range(12))]
    variables = {name: Variable(name, ("0", "1")) for name in names}
    parents: dict[str, list[str]] = {
        "T": [],
        "A": ["T"],
        "B": ["A"],
        **{f"F{n}": ["T" if n < 6 else "B"] for n in range(12)},
    }
    cpts = [
        CPT.from_numbers(
            variables[name], [variables[p] for p in above], ["0.3", "0.7", "0.6", "0.4"][: 2 + 2 * len(above)]
        )[0]
        for name, above in parents.items()
    ]
    cut = choose_cut(prepare(Classifier(BayesianNetwork(variables.values(), cpts), "T")), range(4), PLENTY)
    assert {len(cut.first.features), len(cut.second.features)} == {6}
    assert cut.separator.bit_count() == 1


@pytest.mark.parametrize("seed", range(5))
def test_no_table_exceeds_the_limit(seed: int) -> None:
    classifier = random_classifier(seed, variables=16, features=10, max_parents=3)
    prepared = prepare(classifier)
    size = prepared.sizes
    costs = []
    for limit in (1 << 20, 1 << 8, 1 << 6, 1 << 5):
        try:
            cut = choose_cut(prepared, range(4), limit)
        except LimitExceeded as error:
            assert "raise memory_limit" in str(error)  # noqa: PT017 - a limit may be too low or not
            continue
        across = prod(size[v] for v in {*positions(cut.separator), prepared.target_id})
        rows = min(prod(size[v] for v in side.features) for side in (cut.first, cut.second))
        assert rows * across <= limit
        costs.append(cut.seconds)
    assert costs[0] <= min(costs) * 1.5
    with pytest.raises(
        LimitExceeded, match="every cut of the 10 features needs a table of more than 1 entries"
    ):
        choose_cut(prepared, range(4), 1)
