"""Cuts: every table once, every hidden variable summed out where it may be, and costs by the definition."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, prod
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import event, given
from numpy.typing import NDArray

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable
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


def table_of(prepared: Prepared, cut: Cut, side: CutSide) -> tuple[Table, float]:
    """Multiply the messages of a side out, one after the other; return its table and the multiplications."""
    network = prepared.network
    results: list[Table] = []
    used: list[int] = []
    work = 0.0
    for message in side.messages:
        cpts = [network.cpt(name) for name in message.cpts]
        factors = [([v.name for v in cpt.scope], cpt.values) for cpt in cpts]
        factors += [results[position] for position in message.inputs]
        used += message.inputs
        axes = {name for scope, _ in factors for name in scope}
        results.append(contract(factors, sorted(axes - set(message.summed))))
        if message.summed:
            work += prod(len(network.variable(name)) for name in axes)
    assert sorted(used) == list(range(len(side.messages) - 1))
    table = results[-1] if results else ([], np.ones(()))
    assert set(table[0]) <= {*side.features, *cut.separator, prepared.target}
    return table, work


@given(classifiers())
def test_both_tables_of_a_cut_give_the_joint_probabilities(classifier: Classifier) -> None:
    prepared = prepare(classifier)
    cut = choose_cut(prepared, range(3), PLENTY)
    assert cut == choose_cut(prepared, range(3), PLENTY)
    assert_jointree(cut.jointree, [[v.name for v in cpt.scope] for cpt in prepared.network.cpts])
    assert sorted(cut.first.features + cut.second.features) == sorted(prepared.features)
    cpts = [name for side in (cut.first, cut.second) for message in side.messages for name in message.cpts]
    assert sorted(cpts) == sorted(prepared.network.names)
    (first, work), (second, other_work) = (table_of(prepared, cut, side) for side in (cut.first, cut.second))
    _, values = contract([first, second], [*prepared.features, prepared.target])
    joint = values.reshape(-1, len(classifier.classes))
    truth = [[float(p) for p in row.values()] for row in joint_of_instances(classifier).values()]
    assert np.allclose(joint, truth)
    event(f"sides: {sorted((len(cut.first.features), len(cut.second.features)))}")
    check_costs(prepared, cut, work + other_work)


def check_costs(prepared: Prepared, cut: Cut, messages: float) -> None:
    """Messages that join small steps take more multiplications than the estimate counts, but few."""
    size = {variable.name: len(variable) for variable in prepared.network.variables}
    cells = prod(size[name] for name in prepared.features)
    across = prod(size[name] for name in {*cut.separator, prepared.target})
    tables = sum(prod(size[name] for name in side.features) * across for side in (cut.first, cut.second))
    rows = sum(prod(size[name] for name in side.features) for side in (cut.first, cut.second))
    fixed = cells * SECONDS_PER_CELL + cells * across * SECONDS_PER_JOIN
    fixed += tables * SECONDS_PER_ENTRY + rows * SECONDS_PER_ROW
    counted = (cut.seconds - fixed) / SECONDS_PER_MESSAGE
    assert cut.log_work == pytest.approx(log2(cells * across + tables + counted))
    steps = sum(bool(message.summed) for side in (cut.first, cut.second) for message in side.messages)
    assert counted >= -1e-3
    assert messages <= counted + 1024 * steps + 1e-3


def test_a_star_is_cut_in_the_middle() -> None:
    """Naive Bayes: all tables meet at the target, half of the features on each side."""
    target = Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(16)]
    cpts = [CPT.from_numbers(leaf, (target,), ["0.3", "0.7", "0.6", "0.4"])[0] for leaf in leaves]
    prior = CPT.from_numbers(target, (), ["0.5", "0.5"])[0]
    cut = choose_cut(
        prepare(Classifier(BayesianNetwork([target, *leaves], [prior, *cpts]), "T")), [0], PLENTY
    )
    assert min(len(cut.first.features), len(cut.second.features)) >= 6
    assert set(cut.separator) <= {"T"}


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
    assert len(cut.separator) == 1


@pytest.mark.parametrize("seed", range(5))
def test_no_table_exceeds_the_limit(seed: int) -> None:
    classifier = random_classifier(seed, variables=16, features=10, max_parents=3)
    prepared = prepare(classifier)
    size = {variable.name: len(variable) for variable in prepared.network.variables}
    costs = []
    for limit in (1 << 20, 1 << 8, 1 << 6, 1 << 5):
        try:
            cut = choose_cut(prepared, range(4), limit)
        except LimitExceeded as error:
            assert "raise memory_limit" in str(error)  # noqa: PT017 - a limit may be too low or not
            continue
        across = prod(size[name] for name in {*cut.separator, prepared.target})
        rows = min(prod(size[name] for name in side.features) for side in (cut.first, cut.second))
        assert rows * across <= limit
        costs.append(cut.seconds)
    assert costs[0] <= min(costs) * 1.5
    with pytest.raises(
        LimitExceeded, match="every cut of the 10 features needs a table of more than 1 entries"
    ):
        choose_cut(prepared, range(4), 1)
