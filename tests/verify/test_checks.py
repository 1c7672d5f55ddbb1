"""Verification passes sound models and catches a single changed literal, each check on its own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings

from bnc2d import CPT, BayesianNetwork, Classifier, CompiledModel, Variable, example
from bnc2d.base.budget import Budget
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import Kind
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.nnf import NNF
from bnc2d.testing import random_classifier
from bnc2d.verify import checks
from bnc2d.verify.checks import verify_model
from bnc2d.verify.oracle import decide, exact_joint, exact_joints
from bnc2d.verify.report import Report
from tests.brute_force.decisions import joint_of_instances
from tests.cases import cases
from tests.compile.graph.test_target_part import STEPS, long_chain
from tests.strategies import classifiers

CLASS_TWO = (2, False)


def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def failed(report: Report) -> set[str]:
    return {check.name for check in report.checks if not check.passed}


def with_changed_literal(model: CompiledModel, change: Callable[[int, int], int]) -> CompiledModel:
    """Replace one literal of the formula of class 2."""
    formula = model.formula("2")
    manager = model.manager
    literals = [node for node in manager.reachable(formula.root) if manager.kind(node) == Kind.LITERAL]
    victim = manager.literal_of(literals[0])

    def literal(feature: int, mask: int) -> int:
        return manager.add_literal(feature, change(feature, mask) if (feature, mask) == victim else mask)

    model.formulas[CLASS_TWO] = NNF(manager, rewrite(manager, formula.root, literal))
    return model


def test_a_sound_model_passes() -> None:
    report = verify_model(diagnosis())
    assert report
    assert report.passed
    assert len(report.checks) == 8
    assert "all 18 instances" in str(report)
    assert all(check.seconds >= 0 and check.witness is None for check in report.checks)


def test_a_smaller_formula_is_caught() -> None:
    model = with_changed_literal(diagnosis(), lambda _, mask: mask & (mask - 1))
    report = model.verify()
    assert not report
    assert failed(report) == {
        "sat: exhaustive",
        "sat: complements",
        "second method",
        "sdd: equal",
        "sdd: counts",
        "oracle",
    }
    for check in report.checks:
        if not check.passed and check.name != "sdd: counts":
            assert check.witness is not None
            assert not model.formula("2").evaluate(check.witness)
            assert diagnosis().formula("2").evaluate(check.witness)
            assert "BP=" in str(check)


def test_a_larger_formula_is_caught() -> None:
    domain = diagnosis().domain
    model = with_changed_literal(diagnosis(), lambda feature, _: domain.full(feature))
    assert failed(model.verify()) >= {
        "sat: disjoint",
        "sat: complements",
        "second method",
        "sdd: equal",
        "oracle",
    }


def test_a_shape_that_breaks_reasons_is_caught() -> None:
    model = diagnosis()
    formula = model.formula("2")
    low = NNF.literal(model.manager, "BP", "Low")
    model.formulas[CLASS_TWO] = (formula & low) | (formula & ~low)
    assert failed(model.verify()) == {"structure"}


def test_a_wrong_negation_is_caught() -> None:
    model = diagnosis()
    model.formulas[2, True] = model.formula("0", negated=True)
    assert failed(model.verify()) == {"sat: complements", "sdd: equal", "oracle"}


@given(classifiers())
@settings(max_examples=15)
def test_random_models_pass(classifier: Classifier) -> None:
    assert not failed(verify_model(classifier.compile()))


@given(classifiers())
@settings(max_examples=cases(16, 100))
def test_the_oracle_agrees_with_the_joint_table(classifier: Classifier) -> None:
    joints = joint_of_instances(classifier)
    assert exact_joints(classifier) == joints
    states, joint = next(iter(joints.items()))
    assert exact_joint(classifier, dict(zip(classifier.features, states, strict=True))) == joint


def test_the_oracle_leaves_out_what_nobody_asks_about() -> None:
    """Below the target hangs a net of 60 variables that no order eliminates; all of them sum to 1."""
    asked = random_classifier(7, variables=6, features=3).network
    rng = np.random.default_rng(0)
    cpts, known = list(asked.cpts), list(asked.variables)
    for number in range(60):
        child = Variable(f"below{number}", ("a", "b", "c"))
        parents = [known[place] for place in rng.choice(len(known), 5, replace=False)]
        columns = rng.integers(1, 9, size=(prod(len(parent) for parent in parents), 3))
        entries = [Fraction(int(one), int(column.sum())) for column in columns for one in column]
        cpts.append(CPT(child, parents, entries))
        known.append(child)
    whole = BayesianNetwork(known, cpts)
    target, *features = asked.names[:4]
    expected = exact_joints(Classifier(asked, target, features))
    with Budget(60).limiting("the joints are not known"):
        assert exact_joints(Classifier(whole, target, features)) == expected
        for states, joint in expected.items():
            instance = dict(zip(features, states, strict=True))
            assert exact_joint(Classifier(whole, target, features), instance) == joint


def test_possible_instances_are_asked_where_nearly_all_are_impossible() -> None:
    """Of 3^59 instances hardly any is possible: a model that decides only impossible ones right is caught."""
    classifier = Classifier(long_chain(60, STEPS, 3), "v0", features="all")
    model = classifier.compile()
    assert checks._oracle(model, Budget(10), 60, 0)[0]
    nothing = Diagram(model.domain, tuple(range(59)), 3, (np.zeros((0, 3), np.int64),) * 59, 0)
    passed, _, witness = checks._oracle(CompiledModel(classifier, nothing, model.stats), Budget(10), 60, 0)
    assert not passed
    assert witness is not None
    assert any(classifier.posterior(witness).values())


def test_large_models_are_sampled_near_their_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_ALL_INSTANCES", 10)
    model = random_classifier(4, variables=9, features=7, zero_share=0.0).compile()
    report = verify_model(model, samples=20, second_method=False)
    assert report
    assert "20 instances, the nearest to a tie among them" in str(report)
    assert "second method" not in str(report)
    binary = random_classifier(5, variables=9, features=7, threshold=True, max_states=2).compile()
    assert binary.classifier.threshold is not None
    assert verify_model(binary, samples=20)


def test_a_check_that_runs_out_of_time_says_so() -> None:
    model = random_classifier(4, variables=12, features=9).compile()
    report = verify_model(model, time_limit=0.0, samples=4)
    assert not report
    assert "not finished" in str(report)
    assert decide(model.classifier, exact_joint(model.classifier, model.domain.decode([0] * 9))) is not None


def test_a_constraint_is_checked_too() -> None:
    model = diagnosis().given("HR=Normal -> BP!=Normal")
    assert len(model.verify().checks) == 10
    assert model.verify()
    other = diagnosis().given("CT")
    model._made[CLASS_TWO] = other.formula("2")
    report = model.verify()
    assert failed(report) == {"constraint: implied"}
    witness = report.witness
    assert witness is not None
    assert model.formula("2").evaluate(dict(witness)) != (
        not model.allows(dict(witness)) or model.unconstrained.predict(dict(witness)) == "2"
    )
    model = diagnosis().given("HR=Normal -> BP!=Normal")
    model._allowed = 17
    assert failed(model.verify()) == {"constraint: counts"}
