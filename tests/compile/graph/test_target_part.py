"""Features that cannot matter are pruned, and impossible instances stay where the tie rule puts them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import prod
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bnc2d import (
    CPT,
    BayesianNetwork,
    Classifier,
    CompiledModel,
    LimitExceeded,
    TimeLimitExceeded,
    Variable,
    load,
)
from bnc2d.base.arrays import Rows
from bnc2d.base.readers.choices import METHODS, Method, Ties
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.pruning import TargetPart, target_part
from bnc2d.compile.zeros.relations import relations_of
from bnc2d.testing import random_network
from bnc2d.verify.oracle import exact_joint


def drawn(seed: int) -> Classifier:
    """Return a classifier with all variables as features, or some, on a network full of zeros."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    while True:
        network = random_network(
            rng.randrange(10**9),
            variables=rng.randint(3, 9),
            max_parents=rng.choice((1, 2, 3)),
            max_states=rng.choice((2, 2, 3)),
            zero_share=rng.choice((0.0, 0.2, 0.5)),
            deterministic_share=rng.choice((0.0, 0.3, 0.6)),
            digits=1,
        )
        target = rng.choice(network.names)
        others = [name for name in network.names if name != target]
        features = others if rng.random() < 0.4 else rng.sample(others, rng.randint(1, len(others)))
        binary = len(network.variable(target)) == 2
        threshold = rng.choice((None, "0.3", "0.5", "0.9")) if binary else None
        ties: Ties = rng.choice(("lowest", "none"))
        classifier = Classifier(network, target, features, threshold, ties=ties)
        if classifier.instance_count <= 400:
            return classifier


def expected(classifier: Classifier, rows: Rows) -> list[str | None]:
    """Return the decisions by the definition, from joints that share no code with the compiler."""
    answers: list[str | None] = []
    for row in rows.tolist():
        instance = {
            v.name: v.states[state] for v, state in zip(classifier.feature_variables, row, strict=True)
        }
        joint = exact_joint(classifier, instance)
        if classifier.threshold is not None:
            positive = str(classifier.positive)
            other = next(name for name in classifier.classes if name != positive)
            above = joint[positive] > classifier.threshold * sum(joint.values())
            answers.append(positive if above else other)
            continue
        best = max(joint.values())
        winners = [name for name in classifier.classes if joint[name] == best]
        answers.append(winners[0] if classifier.ties == "lowest" or len(winners) == 1 else None)
    return answers


def assert_decides(model: CompiledModel, rows: Rows, truth: Sequence[str | None]) -> None:
    answers = np.array(truth, dtype=object)
    assert (model.predict(rows) == answers).all()
    for name in model.classes:
        for negated in (False, True):
            formula = model.formula(name, negated)
            assert formula.is_or_decomposable()
            assert (formula.evaluate(rows) == ((answers == name) != negated)).all()


def kind(part: TargetPart) -> str:
    features = set(part.whole.features)
    if part.classifier is part.whole:
        return "whole"
    if not part.zero_tables:
        return "positive"
    hidden = any(variable.name not in features for table in part.zero_tables for variable in table.scope)
    return "hidden" if hidden else "observed"


def test_every_method_decides_every_instance() -> None:
    kinds = []
    for seed in range(100):
        classifier = drawn(seed)
        part = target_part(classifier)
        kinds.append(kind(part))
        rows = np.concatenate(list(all_rows(classifier.feature_variables)))
        truth = expected(classifier, rows)
        binary = all(
            len(v) == 2
            for v in (classifier.network.variable(classifier.target), *classifier.feature_variables)
        )
        for method in METHODS:
            if method == "block-order" and not binary:
                continue
            model = classifier.compile(method=method)
            model.diagram.assert_consistent()
            assert model.features == classifier.features
            assert_decides(model, rows, truth)
            assert [model.count(name) for name in model.classes] == [truth.count(n) for n in model.classes]
    assert min(kinds.count(name) for name in ("positive", "observed", "hidden")) >= 9, kinds
    assert "whole" in kinds


def test_the_part_has_exactly_the_features_that_are_not_separated() -> None:
    pruned = 0
    for seed in range(60):
        rng = Random(seed)  # noqa: S311 - reproducible test data
        network = random_network(seed, variables=9, max_parents=2)
        target, *others = rng.sample(network.names, 9)
        features = others[: rng.randint(2, 8)]
        found = set(target_part(Classifier(network, target, features)).classifier.features)
        matter = {name for name in features if connected(network, target, name, set(features) - {name})}
        assert found == matter or (not matter and len(found) == 1)
        pruned += len(features) - len(found)
    assert pruned > 60


def connected(network: BayesianNetwork, start: str, goal: str, given: set[str]) -> bool:
    """Return whether an active trail leads from one variable to another (Koller and Friedman 2009, 3.3)."""
    above_given = network.ancestors(given)
    pending, seen = [(start, "up")], set()
    while pending:
        name, way = pending.pop()
        if (name, way) in seen:
            continue
        seen.add((name, way))
        if name == goal:
            return True
        if way == "up" and name not in given:
            pending += [(parent, "up") for parent in network.parents(name)]
            pending += [(child, "down") for child in network.children(name)]
        elif way == "down":
            if name not in given:
                pending += [(child, "down") for child in network.children(name)]
            if name in above_given:
                pending += [(parent, "up") for parent in network.parents(name)]
    return False


def long_chain(length: int, tables: Sequence[Sequence[str]], states: int = 2) -> BayesianNetwork:
    """Return ``v0 -> v1 -> …``; the tables after the first are repeated in turn."""
    variables = [Variable(f"v{n}", tuple(map(str, range(states)))) for n in range(length)]
    cpts = [CPT(variables[0], (), [Fraction(1, states)] * states)]
    for number, child in enumerate(variables[1:]):
        entries = [Fraction(entry) for entry in tables[number % len(tables)]]
        cpts.append(CPT(child, (variables[number],), entries))
    return BayesianNetwork(variables, cpts)


@pytest.mark.parametrize("method", METHODS)
def test_a_long_chain_depends_on_the_first_feature(method: Method) -> None:
    classifier = Classifier(long_chain(60, [("3/4", "1/4", "1/5", "4/5")]), "v0", features="all")
    model = classifier.compile(method=method, time_limit=20)
    assert str(model.formula("1")) == "v1"
    assert model.features == classifier.features
    assert model.count("1") == 2**58
    instance = dict.fromkeys(model.features, "1")
    assert [str(reason) for reason in model.explain(instance).sufficient_reasons()] == ["v1"]
    rows = np.random.default_rng(0).integers(0, 2, size=(200, 59))
    assert (model.predict(rows) == classifier.predict(rows)).all()


STEPS = [
    ("1/2", "1/2", "0", "0", "1/2", "1/2", "1/3", "1/3", "1/3"),
    ("1", "0", "0", "1/4", "1/2", "1/4", "0", "0", "1"),
]


@pytest.mark.parametrize("ties", ["lowest", "none"])
@pytest.mark.parametrize("method", ["fast", "paper", "enumerate"])
def test_a_long_chain_with_zeros(method: Method, ties: str, tmp_path: Path) -> None:
    classifier = Classifier(long_chain(60, STEPS, 3), "v0", features="all", ties=ties)  # type: ignore[arg-type]
    model = classifier.compile(method=method, time_limit=20)
    # Count by products of matrices, from the last feature to v1, which alone decides possible instances.
    allowed = [
        np.array([Fraction(entry) != 0 for entry in step], dtype=object).reshape(3, 3) for step in STEPS
    ]
    ways = np.ones(3, dtype=object)
    for number in range(58, 0, -1):
        ways = (allowed[number % 2] * 1).dot(ways)
    columns = np.array([Fraction(entry) for entry in STEPS[0]], dtype=object).reshape(3, 3)
    counts = dict.fromkeys([*classifier.classes, None], 0)
    for first in range(3):
        best = max(columns[:, first])
        winners = [state for state in range(3) if columns[state, first] == best]
        decided = str(winners[0]) if ties == "lowest" or len(winners) == 1 else None
        counts[decided] += ways[first]
    impossible = 3**59 - sum(counts.values())
    counts["0" if ties == "lowest" else None] += impossible
    assert {name: model.count(name) for name in model.classes} == {n: counts[n] for n in model.classes}
    rows = forward_rows(classifier, 60)
    rows = np.concatenate([rows, np.random.default_rng(0).integers(0, 3, size=(100, 59))])
    nearly = rows[:60].copy()
    nearly[np.arange(60), np.arange(60) % 59] = 2
    rows = np.concatenate([rows, nearly])
    assert_decides(model, rows, classifier.predict(rows).tolist())
    model.save(tmp_path / "chain.bnc2d")
    assert_decides(load(tmp_path / "chain.bnc2d"), rows, classifier.predict(rows).tolist())


def forward_rows(classifier: Classifier, count: int) -> Rows:
    """Return possible instances, drawn from the network (parents stand before children here)."""
    rng = Random(0)  # noqa: S311 - reproducible test data
    network = classifier.network
    rows = []
    for _ in range(count):
        states: dict[str, int] = {}
        for cpt in network.cpts:
            column = cpt.values[tuple(states[parent.name] for parent in cpt.parents)]
            states[cpt.child.name] = rng.choices(range(len(column)), column.tolist())[0]
        rows.append([states[name] for name in classifier.features])
    return np.array(rows)


def hidden_chain(length: int) -> BayesianNetwork:
    """Return ``T -> F -> H0 -> H1 -> …`` with an observation ``O`` below each ``H`` and the one before."""
    rng = Random(5)  # noqa: S311 - reproducible test data

    def column() -> list[Fraction]:
        weights = [0, rng.randint(1, 3), rng.choice((0, 1))]
        rng.shuffle(weights)
        return [Fraction(weight, sum(weights)) for weight in weights]

    target, first = (Variable(name, ("0", "1", "2")) for name in "TF")
    cpts = [CPT(target, (), [Fraction(1, 3)] * 3)]
    cpts.append(CPT(first, (target,), [Fraction(n, 6) for n in (1, 2, 3, 3, 2, 1, 2, 3, 1)]))
    above, seen = first, first
    for number in range(length):
        hidden = Variable(f"H{number}", ("0", "1", "2"))
        cpts.append(CPT(hidden, (above,), [entry for _ in range(3) for entry in column()]))
        shown = Variable(f"O{number}", ("0", "1", "2"))
        cpts.append(CPT(shown, (hidden, seen), [entry for _ in range(9) for entry in column()]))
        above, seen = hidden, shown
    return BayesianNetwork([cpt.child for cpt in cpts], cpts)


def test_hidden_variables_among_what_is_pruned() -> None:
    network = hidden_chain(40)
    features = ["F", *(f"O{number}" for number in range(40))]
    features = features[::3] + features[1::3] + features[2::3]
    classifier = Classifier(network, "T", features)
    part = target_part(classifier)
    assert part.classifier.features == ("F",)
    assert any(relation.hidden for relation in relations_of(part.zero_tables, features))
    model = classifier.compile(time_limit=20)
    possible = forward_rows(classifier, 100)
    changed = possible.copy()
    places = np.random.default_rng(0).integers(0, 41, size=100)
    changed[np.arange(100), places] = (changed[np.arange(100), places] + 1) % 3
    rows = np.concatenate([possible, changed])
    truth = classifier.predict(rows).tolist()
    assert_decides(model, rows, truth)
    # The sets of hidden states that are left, by the definition: all instances of a short chain.
    short = Classifier(hidden_chain(4), "T", ["F", *(f"O{number}" for number in range(4))])
    rows = np.concatenate(list(all_rows(short.feature_variables)))
    assert_decides(short.compile(), rows, expected(short, rows))


def test_all_variables_of_a_large_network(tmp_path: Path) -> None:
    network = random_network(
        3, variables=200, max_parents=3, zero_share=0.0, deterministic_share=0.01, digits=2
    )
    target = next(name for name in network.names if len(network.markov_blanket(name)) == 7)
    classifier = Classifier(network, target, features="all")
    model = classifier.compile(time_limit=30)
    assert sum(model.count(name) for name in model.classes) == prod(map(len, classifier.feature_variables))
    rows = np.random.default_rng(0).integers(
        0, [len(v) for v in classifier.feature_variables], size=(300, len(classifier.features))
    )
    truth = classifier.predict(rows).tolist()
    assert_decides(model, rows, truth)
    report = model.verify(time_limit=20, samples=40)
    assert report.passed, str(report)
    near = set(network.markov_blanket(target))
    zero = {v.name for cpt in network.cpts if 0 in cpt.exact for v in cpt.scope}
    for formula in (model.formula(name) for name in model.classes):
        assert set(formula.features) <= near | zero


def tangled(pairs: int) -> Classifier:
    """Return a classifier where a feature and some others, drawn blindly, cannot all be 0."""
    variables = [Variable(f"x{n}", ("0", "1")) for n in range(2 * pairs)]
    target = Variable("T", ("0", "1"))
    half = Fraction(1, 2)
    cpts = [CPT(target, (), [half, half])]
    cpts.append(CPT(variables[0], (target,), [Fraction(n, 10) for n in (9, 1, 2, 8)]))
    rng = Random(0)  # noqa: S311 - reproducible test data
    for number in range(1, 2 * pairs):
        parents = rng.sample(variables[:number], min(3, number))
        columns = [[half, half] for _ in range(2 ** len(parents) - 1)]
        cpts.append(CPT(variables[number], parents, [0 * half, 2 * half, *chain.from_iterable(columns)]))
    return Classifier(BayesianNetwork([target, *variables], cpts), "T", features="all")


def test_limits_hold_where_possible_instances_are_tangled() -> None:
    with pytest.raises(LimitExceeded, match=r"choose fewer features: x0 decide all possible instances"):
        tangled(40).compile(memory_limit=2**20)
    with pytest.raises(TimeLimitExceeded, match="time limit"):
        tangled(40).compile(time_limit=0)


def test_relations_leave_out_what_excludes_nothing() -> None:
    a, b, c = (Variable(name, ("0", "1")) for name in "abc")
    sure = CPT(b, (a,), [Fraction(1), Fraction(0), Fraction(0), Fraction(1)])
    even = CPT(c, (b,), [Fraction(1, 2)] * 4)
    assert relations_of([sure], ["a"]) == []  # some state of b is always possible
    (relation,) = relations_of([sure, even], ["a", "b"])
    assert relation.features == (0, 1)
    assert relation.hidden == ()
    for one, other in combinations(range(2), 2):
        assert not relation.allowed[one, other]


def test_the_order_keeps_little_in_mind() -> None:
    """Twelve chains with zeros hang on one feature; side by side they would need 3^12 nodes a level."""
    rng = Random(2)  # noqa: S311 - reproducible test data
    target, hub = (Variable(name, ("0", "1", "2")) for name in ("T", "hub"))
    cpts = [CPT(target, (), [Fraction(1, 3)] * 3)]
    cpts.append(CPT(hub, (target,), [Fraction(n, 6) for n in (3, 2, 1, 1, 3, 2, 2, 1, 3)]))
    for arm in range(12):
        above = hub
        for number in range(8):
            child = Variable(f"a{arm}_{number}", ("0", "1", "2"))
            cpts.append(CPT(child, (above,), [Fraction(entry) for entry in STEPS[number % 2]]))
            above = child
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    features = [name for name in network.names if name != "T"]
    rng.shuffle(features)
    classifier = Classifier(network, "T", features)
    model = classifier.compile(time_limit=20)
    assert model.diagram.node_count <= 10 * len(features)
    rows = forward_rows(classifier, 50)
    assert_decides(model, rows, classifier.predict(rows).tolist())


def test_few_features_and_many_hidden_variables() -> None:
    """Behind the feature next to the target lies a ladder of 80 hidden variables; few features are on it."""
    rng = Random(4)  # noqa: S311 - reproducible test data
    third = Fraction(1, 3)

    def columns(count: int) -> list[Fraction]:
        kinds = [[third] * 3, [1 - third, third, 0 * third], [0 * third, 0 * third, 3 * third]]
        return [entry for _ in range(count) for entry in rng.choice(kinds)]

    target, first = (Variable(name, ("0", "1", "2")) for name in "TF")
    cpts = [
        CPT(target, (), [third] * 3),
        CPT(first, (target,), [Fraction(n, 6) for n in (3, 2, 1, 1, 3, 2, 2, 1, 3)]),
    ]
    left = right = first
    for number in range(40):
        below_left, below_right = (Variable(f"{side}{number}", ("0", "1", "2")) for side in "LR")
        cpts.append(CPT(below_left, (left,), columns(3)))
        parents = (below_left,) if left is right else (right, below_left)
        cpts.append(CPT(below_right, parents, columns(3 ** len(parents))))
        left, right = below_left, below_right
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    kinds = set()
    for features in (["F", "R1", "R39"], ["R39", "L0", "F", "R20"], ["F", "L39", "R2", "R3"]):
        classifier = Classifier(network, "T", features)
        rows = np.concatenate(list(all_rows(classifier.feature_variables)))
        kinds.add(bool(classifier.count_impossible()))
        assert_decides(classifier.compile(time_limit=20), rows, classifier.predict(rows).tolist())
    assert True in kinds
