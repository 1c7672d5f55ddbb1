"""The default method against enumeration: every instance, every class, every rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings

from bnc2d import CPT, BayesianNetwork, Classifier, ClassifierError, LimitExceeded, Variable, example
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.instances import all_rows
from bnc2d.logic.diagram.diagram import DiagramBuilder, reduce_table
from bnc2d.testing import random_classifier
from tests.brute_force.decisions import decisions
from tests.cases import cases
from tests.logic.diagram.strategies import domain_of
from tests.strategies import classifiers


def check_against_enumeration(classifier: Classifier, model: CompiledModel) -> None:
    expected = decisions(classifier)
    instances = [dict(zip(classifier.features, states, strict=True)) for states in expected]
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert model.predict(instances) == list(expected.values())
    model.diagram.assert_consistent()
    covered = np.zeros(len(rows), dtype=int)
    for name in model.classes:
        formula, negated = model.formula(name), model.formula(name, negated=True)
        truth = [decision == name for decision in expected.values()]
        assert formula.evaluate(rows).tolist() == truth
        assert negated.evaluate(rows).tolist() == [not value for value in truth]
        assert formula.is_or_decomposable()
        assert negated.is_or_decomposable()
        assert model.count(name) == formula.model_count() == sum(truth)
        covered += formula.evaluate(rows)
    if classifier.ties == "lowest" or classifier.threshold is not None:
        assert covered.tolist() == [1] * len(rows)


@given(classifiers())
@settings(max_examples=cases(44, 300))
def test_every_instance_of_every_class(classifier: Classifier) -> None:
    model = classifier.compile()
    check_against_enumeration(classifier, model)
    event(f"exact calls: {model.stats.exact_calls != 0}")
    event(f"constant: {model.diagram.node_count == 0}")


@pytest.mark.parametrize("seed", range(12))
def test_larger_classifiers(seed: int) -> None:
    """Enough features for several words a row and several blocks."""
    states = 2 + seed % 3
    classifier = random_classifier(
        seed,
        variables=11 - states,
        features=10,
        max_states=states,
        min_states=states,
        digits=3,
        zero_share=0.05,
    )
    check_against_enumeration(classifier, classifier.compile())


def test_the_papers_examples() -> None:
    diagnosis = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    assert [diagnosis.count(name) for name in diagnosis.classes] == [6, 3, 9]
    assert diagnosis.classes == ("0", "1", "2")
    assert diagnosis.features == ("BP", "CT", "HR")
    running = Classifier(example("running"), "A", ["D", "E", "F"]).compile()
    assert running.count("1") == 5
    assert running.predict({"D": "1", "E": "0", "F": "1"}) == "1"
    check_against_enumeration(running.classifier, running)


def test_ties_everywhere_compile_exactly() -> None:
    """Uniform tables tie every instance; a duplicated feature ties some; each rule gets its answer."""
    half, target = [Fraction(1, 2)] * 2, Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(6)]
    uniform = BayesianNetwork(
        [target, *leaves], [CPT(target, (), half), *(CPT(f, (target,), half * 2) for f in leaves)]
    )
    model = Classifier(uniform, "T").compile()
    assert (model.count("a"), model.count("b"), model.stats.exact_calls) == (64, 0, 0)
    assert str(model.formula("a")) == "⊤"
    none = Classifier(uniform, "T", ties="none").compile()
    assert (none.count("a"), none.count("b")) == (0, 0)
    assert none.predict({f"F{number}": 0 for number in range(6)}) is None
    hit = Classifier(uniform, "T", threshold=Fraction(1, 2)).compile()
    assert hit.count("a") == 64


def test_tiny_thresholds_and_entries_do_not_underflow_into_impossible() -> None:
    """Entries of 1e-90 and a threshold of 1e-95: their products lie below the range of float64."""
    tiny, target = Fraction(1, 10**90), Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(4)]
    cpts = [CPT(leaf, (target,), [1 - tiny, tiny, tiny, 1 - tiny]) for leaf in leaves]
    network = BayesianNetwork([target, *leaves], [CPT(target, (), [1 - tiny, tiny]), *cpts])
    for threshold in (Fraction(1, 10**95), 1 - Fraction(1, 10**95), Fraction(1, 2)):
        for positive in target.states:
            classifier = Classifier(network, "T", threshold=threshold, positive=positive)
            check_against_enumeration(classifier, classifier.compile())


def test_one_feature_and_one_class() -> None:
    classifier = Classifier(example("asia"), "lung", ["smoke"])
    check_against_enumeration(classifier, classifier.compile())
    alone = Variable("Only", ("x",))
    network = BayesianNetwork([alone, Variable("F", ("0", "1"))], [CPT(alone, (), [Fraction(1)]), _coin("F")])
    model = Classifier(network, "Only", ["F"]).compile()
    assert model.count("x") == 2


def _coin(name: str) -> CPT:
    return CPT(Variable(name, ("0", "1")), (), [Fraction(1, 2)] * 2)


def test_many_rows_in_every_form() -> None:
    classifier = Classifier(example("student"), "Grade")
    model = classifier.compile()
    rows = np.random.default_rng(0).integers(0, [len(v) for v in classifier.feature_variables], size=(500, 2))
    assert model.predict(rows).tolist() == classifier.predict(rows).tolist()
    named = [
        [v.states[code] for v, code in zip(classifier.feature_variables, row, strict=True)] for row in rows
    ]
    frame = pd.DataFrame(named, columns=list(classifier.features))
    assert model.predict(frame).tolist() == classifier.predict(frame).tolist()


def test_limits_say_how_far_it_got() -> None:
    classifier = random_classifier(1, variables=12, features=10)
    with pytest.raises(LimitExceeded, match=r"time limit of 0 s reached after .* in phase 'order'"):
        classifier.compile(time_limit=0)
    with pytest.raises(LimitExceeded, match="raise memory_limit"):
        classifier.compile(memory_limit=100)


def test_progress_is_reported() -> None:
    seen: list[tuple[str, float]] = []
    random_classifier(1).compile(progress=lambda phase, done: seen.append((phase, done)))
    assert {phase for phase, _ in seen} == {"order", "tables", "labels", "reduce", "impossible", "formulas"}
    assert all(0 <= done <= 1 for _, done in seen)


def test_the_documented_defaults_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    classifier = random_classifier(1)
    options: Any = {"time_limit": None, "memory_limit": None, "arithmetic": "certified", "executor": None}
    check_against_enumeration(classifier, classifier.compile(**options, progress=False))
    model = classifier.compile(**options, progress=True)
    assert sum(model.count(name) for name in model.classes) == classifier.instance_count
    assert capsys.readouterr().out == ""


def test_float_arithmetic_skips_the_exact_part() -> None:
    classifier = random_classifier(5, zero_share=0.0)
    model = classifier.compile(arithmetic="float")
    assert model.stats.exact_calls == 0
    with pytest.raises(ClassifierError, match="'certified' or 'float', not str 'double'"):
        classifier.compile(arithmetic="double")  # type: ignore[arg-type]


def test_unknown_classes_are_refused() -> None:
    model = Classifier(example("diagnosis"), "D").compile()
    for question in (model.formula, model.count):
        with pytest.raises(ClassifierError, match="no class '3'"):
            question("3")
    assert model.formula("2") is model.formula("2")
    assert "3 classes, 3 features" in repr(model)
    assert set(model.stats.as_dict()) >= {"seconds", "omega_total", "exact_calls", "diagram_nodes"}


def test_diagrams_of_random_tables() -> None:
    rng = np.random.default_rng(3)
    for sizes in ((2, 2, 2), (3, 2, 4), (1, 5), (7,), (2,) * 9):
        total = int(np.prod(sizes))
        labels = rng.integers(0, 3, size=(1, total)) * rng.integers(0, 2, size=(1, total))
        builder = DiagramBuilder(3)
        root = reduce_table(labels.astype(np.int64), sizes, builder)
        diagram = builder.finish(domain_of(sizes), range(len(sizes)), int(root[0]))
        diagram.assert_consistent()
        rows = np.stack(np.unravel_index(np.arange(total), sizes), axis=1)
        assert diagram.labels(rows).tolist() == labels[0].tolist()
        assert diagram.counts() == [int((labels == end).sum()) for end in range(3)]
