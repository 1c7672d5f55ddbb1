"""States that nothing tells apart: all are found, none is merged wrongly, decisions stay."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from bnc2d import BayesianNetwork, Classifier
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.alike_states import merge_alike_states
from bnc2d.compile.graph.pruning import prepare
from bnc2d.model.cpt import CPT
from bnc2d.model.variable import Variable
from bnc2d.testing import random_classifier

TINY = Fraction(1, 10**30)


def split_states(seed: int) -> tuple[Classifier, Classifier]:
    """Return a random classifier, and one in which states of its variables fall into several that are alike.

    States of a feature, of the target without parents among them, share the probability of the one that they
    came from alike in all contexts, those of a hidden variable in each context differently.
    """
    rng = Random(f"alike {seed}")  # noqa: S311 - reproducible test data
    plain = random_classifier(
        rng.randrange(10**9),
        variables=rng.randint(3, 8),
        features=rng.randint(1, 4),
        min_states=rng.choice((1, 2)),
        max_states=rng.choice((2, 3, 4)),
        max_parents=rng.choice((1, 2, 3)),
        zero_share=rng.choice((0.0, 0.3)),
        repeat_share=rng.choice((0.0, 0.5)),
        digits=rng.choice((1, 2)),
        inner_features=rng.random() < 0.3,
        root_target=rng.random() < 0.7,
        ties=rng.choice(("lowest", "none")),
    )
    network = plain.network
    origin = {}  # by variable: the state that each new state came from
    for variable in network.variables:
        copies = [rng.choice((1, 1, 1, 2, 3)) for _ in variable.states]
        origin[variable.name] = [state for state, number in enumerate(copies) for _ in range(number)]
    variables = {
        name: Variable(name, tuple(f"s{number}" for number in range(len(states))))
        for name, states in origin.items()
    }
    cpts = []
    for cpt in network.cpts:
        name = cpt.child.name
        # Equal ratios make classes that tie, and features that are proportional by one.
        fixed = [Fraction(rng.randint(1, 2)) for _ in origin[name]]
        table = cpt.exact[np.ix_(*(origin[variable.name] for variable in cpt.scope))]
        for column in table.reshape(-1, len(fixed)):
            weights = fixed if name in plain.features else [Fraction(rng.randint(1, 3)) for _ in fixed]
            total = [
                sum(w for w, o in zip(weights, origin[name], strict=True) if o == s) for s in origin[name]
            ]
            column *= np.array([w / t for w, t in zip(weights, total, strict=True)], dtype=object)
        cpts.append(CPT(variables[name], [variables[parent.name] for parent in cpt.parents], table))
    split = BayesianNetwork([cpt.child for cpt in cpts], cpts, network.name)
    return plain, Classifier(split, plain.target, plain.features, ties=plain.ties)


def check_decisions(classifier: Classifier) -> None:
    model = classifier.compile()
    for rows in all_rows(classifier.feature_variables):
        labels = model.diagram.labels(rows)
        labels[labels == len(classifier.classes)] = -1
        assert np.array_equal(labels, classifier.labels(rows))


@pytest.mark.parametrize("seed", range(12))
def test_decisions_are_those_of_the_network(seed: int) -> None:
    check_decisions(split_states(seed)[1])


@pytest.mark.parametrize("seed", range(12))
def test_states_that_were_split_are_one_again(seed: int) -> None:
    plain, split = split_states(seed)
    before, after = prepare(plain), merge_alike_states(prepare(split))
    for name, variable, size in zip(after.network.names, after.network.variables, before.sizes, strict=True):
        is_inner = split.network.children(name) if name in split.features else name not in split.network.names
        if is_inner or (name == split.target and split.network.parents(name)) or len(variable) == 2:
            continue
        assert len(variable) <= size, name


@pytest.mark.parametrize("seed", range(6))
def test_the_joint_of_merged_states_is_that_of_the_first(seed: int) -> None:
    """Up to a factor of an instance, and to the prior of a class."""
    _, split = split_states(seed)
    before, after = prepare(split), merge_alike_states(prepare(split))
    fewer = Classifier(after.network, after.target, after.features)
    same = Classifier(before.network, before.target, before.features)
    classes = after.merged.get(after.target_id, np.arange(len(same.classes)))
    prior = before.network.cpt(before.target)
    for rows in all_rows(same.feature_variables):
        columns = [
            after.merged[v][rows[:, at]] if v in after.merged else rows[:, at]
            for at, v in enumerate(after.feature_ids)
        ]
        wanted = same._query.joint(rows, exact=True).values
        found = fewer._query.joint(np.stack(columns, axis=1), exact=True).values
        if not prior.parents:
            wanted = wanted * np.array([1 / p if p else Fraction(0) for p in prior.exact], dtype=object)
            weights = after.network.cpt(after.target).exact
            found = found * np.array([1 / p if p else Fraction(0) for p in weights], dtype=object)
            found = found[:, classes] * (prior.exact > 0)
        for one, other in zip(wanted.tolist(), found.tolist(), strict=True):
            assert [a * sum(other) for a in one] == [b * sum(one) for b in other]


def leaf(*columns: Sequence[Fraction | int], parent: Variable) -> CPT:
    child = Variable("F", tuple(f"s{state}" for state in range(len(columns[0]))))
    return CPT(child, (parent,), [entry for column in columns for entry in column])


def test_what_differs_beyond_float64_is_not_merged() -> None:
    target = Variable("T", ("a", "b", "c"))
    prior = CPT(target, (), [Fraction(1, 3)] * 3)
    half = Fraction(1, 2)
    rows = [half, half], [half + TINY, half - TINY], [half + TINY, half - TINY]
    table = leaf(*rows, parent=target)
    classifier = Classifier(BayesianNetwork([target, table.child], [prior, table]), "T", ["F"])
    merged = merge_alike_states(prepare(classifier)).merged
    assert {variable: ids.tolist() for variable, ids in merged.items()} == {0: [0, 1, 1]}
    check_decisions(classifier)
    columns = [half, half / 2, half / 2], [half, half / 2 + TINY, half / 2 - TINY]
    coin = Variable("T", ("a", "b"))
    table = leaf(*columns, parent=coin)
    network = BayesianNetwork([coin, table.child], [CPT(coin, (), [half, half]), table])
    prepared = prepare(Classifier(network, "T", ["F"]))
    assert merge_alike_states(prepared) is prepared


def test_a_state_that_never_occurs_is_its_own() -> None:
    coin = Variable("T", ("a", "b"))
    third = Fraction(1, 3)
    table = leaf([third, 0, 2 * third, 0], [third, 0, 2 * third, 0], parent=coin)
    network = BayesianNetwork([coin, table.child], [CPT(coin, (), [third, 2 * third]), table])
    prepared = merge_alike_states(prepare(Classifier(network, "T", ["F"])))
    assert prepared.merged[1].tolist() == [0, 1, 0, 1]


def test_networks_of_binary_variables_are_left_as_they_are() -> None:
    prepared = prepare(random_classifier(1, variables=8, features=3, max_states=2))
    assert merge_alike_states(prepared) is prepared
