"""One classifier, every instance: all methods against the exact oracle, and the laws of class formulas."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.arrays import Rows
from bnc2d.base.readers.choices import METHODS
from bnc2d.base.readers.instances import all_rows
from bnc2d.verify.oracle import decide, exact_joints
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.long.outcome import Outcome

Decisions: TypeAlias = NDArray[np.object_]  # by instance: the name of the class, or None


def check_mixed(seed: int, outcome: Outcome) -> None:
    """Check a classifier of a random kind."""
    check_classifier(mixed_classifier(seed), outcome)


def check_extreme(seed: int, outcome: Outcome) -> None:
    """Check a classifier that is far from even."""
    check_classifier(extreme_classifier(seed), outcome)


def check_classifier(classifier: Classifier, outcome: Outcome) -> None:
    """Raise ``AssertionError`` with the reason where something disagrees."""
    joints = exact_joints(classifier)
    decisions = np.array([decide(classifier, joint) for joint in joints.values()], dtype=object)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert (classifier.predict(rows) == decisions).all(), "inference and the oracle differ"
    outcome.compared += len(rows)
    outcome.met.update(_cases(classifier, [list(joint.values()) for joint in joints.values()], decisions))
    binary = {len(classifier.classes), *(len(feature) for feature in classifier.feature_variables)} == {2}
    for method in METHODS:
        if method == "block-order" and not binary:
            continue
        _check_model(classifier.compile(method=method), method, rows, decisions)


def _check_model(model: CompiledModel, method: str, rows: Rows, decisions: Decisions) -> None:
    classifier = model.classifier
    assert (model.predict(rows) == decisions).all(), f"{method} and the oracle differ"
    covered = np.zeros(len(rows), dtype=int)
    for name in model.classes:
        formula, negated = model.formula(name), model.formula(name, negated=True)
        truth = decisions == name
        assert (formula.evaluate(rows) == truth).all(), f"{method}: the formula of {name} is wrong"
        assert (negated.evaluate(rows) != truth).all(), f"{method}: the formula of not {name} is wrong"
        assert formula.is_or_decomposable(), f"{method}: {name} is not OR-decomposable"
        assert negated.is_or_decomposable(), f"{method}: not {name} is not OR-decomposable"
        assert model.count(name) == formula.model_count() == truth.sum(), f"{method}: count of {name}"
        assert negated.model_count() == len(rows) - truth.sum(), f"{method}: count of not {name}"
        covered += formula.evaluate(rows)
    in_no_class = sum(decision is None for decision in decisions)
    assert sum(map(model.count, model.classes)) + in_no_class == len(rows), f"{method}: counts do not add up"
    if not classifier.rule.leaves_ties:
        assert (covered == 1).all(), f"{method}: the classes are no partition"


def _cases(classifier: Classifier, joints: list[list[Fraction]], decisions: Decisions) -> list[str]:
    """Return which hard cases a classifier holds."""
    network = classifier.network
    best = [max(joint) for joint in joints]
    positive = classifier.classes.index(str(classifier.positive)) if classifier.threshold is not None else 0
    cases = {
        "tie": any(b and joint.count(b) > 1 for b, joint in zip(best, joints, strict=True)),
        "impossible": 0 in best,
        "no class": None in decisions,
        "varied": len(set(decisions)) > 1,
        "empty class": len({*decisions} - {None}) < len(classifier.classes),
        "many classes": len(classifier.classes) > 2,
        "one class": len(classifier.classes) == 1,
        "many states": max(len(feature) for feature in classifier.feature_variables) > 4,
        "binary": set(map(len, classifier.feature_variables)) == {len(classifier.classes)} == {2},
        "single feature": len(classifier.features) == 1,
        "inner feature": any(name not in network.leaves for name in classifier.features),
        "target below": classifier.target not in network.roots,
        "threshold": classifier.threshold is not None,
        "threshold hit": classifier.threshold is not None
        and any(sum(joint) and joint[positive] == classifier.threshold * sum(joint) for joint in joints),
        "twin": "Twin" in classifier.features,
        "alone": "Alone" in classifier.features,
    }
    return [case for case, holds in cases.items() if holds]
