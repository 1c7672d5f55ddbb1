"""Two classifiers against each other on all instances."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import bnc2d
from bnc2d import (
    CPT,
    BayesianNetwork,
    Classifier,
    ClassifierError,
    CompiledModel,
    LimitExceeded,
    Variable,
    example,
)
from bnc2d.explain.whole import compare as module
from tests.brute_force.decisions import known
from tests.cases import cases
from tests.hard_classifiers import mixed_classifier


def changed(classifier: Classifier, seed: int) -> Classifier:
    """Return a classifier with some tables drawn anew, and features, states and classes in another order."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    new = {
        variable.name: Variable(variable.name, tuple(rng.sample(variable.states, len(variable))))
        for variable in classifier.network.variables
    }
    cpts = []
    for cpt in classifier.network.cpts:
        table = cpt.exact
        if rng.random() < 0.5:
            rows = table.reshape(-1, len(cpt.child)).copy()
            for row in rows:
                weights = [rng.randint(1, 10) for _ in cpt.child.states]
                row[:] = [Fraction(weight, sum(weights)) for weight in weights]
            table = rows.reshape(table.shape)
        for axis, variable in enumerate((*cpt.parents, cpt.child)):
            table = table.take([variable.states.index(state) for state in new[variable.name].states], axis)
        parents = [new[parent.name] for parent in cpt.parents]
        cpts.append(CPT(new[cpt.child.name], parents, table.reshape(-1).tolist()))
    features = rng.sample(classifier.features, len(classifier.features))
    positive = classifier.positive if classifier.threshold is not None else None
    ties = rng.choice((classifier.ties, "lowest", "none"))
    return Classifier(
        BayesianNetwork(list(new.values()), cpts),
        classifier.target,
        features,
        classifier.threshold,
        positive,
        ties,
    )


@given(st.integers(0, 10**6), st.integers(0, 10**6))
@settings(max_examples=cases(16, 80), deadline=None)
def test_against_all_instances(seed: int, other_seed: int) -> None:
    first = mixed_classifier(seed, 150)
    one, two = known(first), known(changed(first, other_seed))
    pairs = {
        row: (decision, two.decisions[two.row(one.instance(row))]) for row, decision in one.decisions.items()
    }
    table = Counter(pairs.values())
    different = sum(count for (before, after), count in table.items() if before != after)
    event("same" if not different else "different")

    answer = one.model.equivalent(two.model)
    assert bool(answer) == (different == 0)
    if not answer:
        assert answer.witness is not None
        assert pairs[one.row(answer.witness)] == answer.decisions
        assert answer.decisions[0] != answer.decisions[1]
        assert answer.decisions == (one.model.predict(answer.witness), two.model.predict(answer.witness))

    comparison = one.model.compare(two.model)
    assert comparison.table == dict(table)
    assert comparison.count == different
    assert comparison.share == Fraction(different, len(pairs))
    assert bool(comparison) == bool(answer)
    assert comparison.witnesses.keys() == {cell for cell in table if cell[0] != cell[1]}
    for cell, witness in comparison.witnesses.items():
        assert pairs[one.row(witness)] == cell
    assert set(comparison.only_first) == mattering(one.model) - mattering(two.model)
    assert set(comparison.only_second) == mattering(two.model) - mattering(one.model)
    assert f"{different} instances decided differently" in str(comparison)


def mattering(model: CompiledModel) -> set[str]:
    return {name for name in model.features if model.is_biased(name)}


@given(st.integers(0, 10**6))
@settings(max_examples=cases(16, 30), deadline=None)
def test_another_order_changes_nothing(seed: int) -> None:
    classifier = mixed_classifier(seed, 500)
    rng = Random(seed)  # noqa: S311 - reproducible test data
    names = rng.sample(classifier.features, len(classifier.features))
    rule = (classifier.threshold, classifier.positive if classifier.threshold is not None else None)
    other = Classifier(classifier.network, classifier.target, names, *rule, classifier.ties)
    model = classifier.compile()
    assert bnc2d.equivalent(model, other.compile())
    assert model.compare(other.compile(method="paper")).count == 0


def diagnosis(**options: Any) -> CompiledModel:
    return Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile(**options)


def test_other_features_states_or_classes_are_refused() -> None:
    model = diagnosis()
    fewer = Classifier(example("diagnosis"), "D", ["BP", "CT"]).compile()
    with pytest.raises(ClassifierError, match="the second model has no feature 'HR'"):
        model.equivalent(fewer)
    with pytest.raises(ClassifierError, match="the first model has no feature 'HR'"):
        fewer.compare(model)
    with pytest.raises(ClassifierError, match="classes 0, 1, 2, the second 0, 1"):
        Classifier(example("diagnosis"), "D", ["BP"]).compile().equivalent(
            Classifier(example("diagnosis"), "X", ["BP"]).compile()
        )
    x, y = Variable("X", ("0", "1")), Variable("D", ("0", "1", "2"))
    third = [Fraction(1, 3)] * 3
    network = BayesianNetwork([y, x], [CPT(y, (), third), CPT(x, (y,), [Fraction(1, 2)] * 6)])
    odd = Variable("X", ("yes", "no"))
    other = BayesianNetwork([y, odd], [CPT(y, (), third), CPT(odd, (y,), [Fraction(1, 2)] * 6)])
    with pytest.raises(ClassifierError, match="the feature 'X' has the states"):
        Classifier(network, "D").compile().equivalent(Classifier(other, "D").compile())
    with pytest.raises(ClassifierError, match="another compiled model, not Classifier"):
        model.equivalent(model.classifier)  # type: ignore[arg-type]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = diagnosis()
    with pytest.raises(LimitExceeded, match="time limit of 0 s"):
        model.compare(model, time_limit=0)
    other = Classifier(example("diagnosis"), "D", ["HR", "CT", "BP"]).compile()
    names = [[m.features[at] for at in m.diagram.order] for m in (model, other)]
    monkeypatch.setattr(module, "MAX_NODES", 1)
    if names[0] == names[1]:
        assert model.equivalent(other)
    else:
        with pytest.raises(LimitExceeded, match="common order"):
            model.equivalent(other)
