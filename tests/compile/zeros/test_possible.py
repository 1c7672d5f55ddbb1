"""The diagram of the possible instances, against inference on every instance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings

from bnc2d import Classifier, LimitExceeded, example
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.zeros import possible
from bnc2d.compile.zeros.possible import possible_instances
from tests.brute_force.decisions import joint_of_instances
from tests.cases import cases
from tests.explain.learnt import learnt_tan, some_rows
from tests.strategies import classifiers


@given(classifiers())
@settings(max_examples=cases(28, 150), deadline=None)
def test_it_leads_exactly_the_possible_instances_to_one(classifier: Classifier) -> None:
    diagram = possible_instances(classifier)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    possible = [any(joint.values()) for joint in joint_of_instances(classifier).values()]
    assert diagram.labels(rows).tolist() == [int(one) for one in possible]
    event(f"some impossible: {not all(possible)}")


@given(classifiers())
@settings(max_examples=cases(28, 50), deadline=None)
def test_asking_every_instance_gives_the_same(classifier: Classifier) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise LimitExceeded("too many hidden variables")

    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    labels = possible_instances(classifier).labels(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(possible, "compile_classifier", refuse)
        asked = possible_instances(classifier)
        asked.assert_consistent()
        assert np.array_equal(asked.labels(rows), labels)
        patch.setattr(possible, "_MOST_ASKED", 0)
        with pytest.raises(LimitExceeded, match="too many hidden variables"):
            possible_instances(classifier)


def test_most_instances_of_a_learnt_classifier_are_impossible() -> None:
    classifier = learnt_tan(some_rows(1, 30, 8, 3, 3), 3, 3)
    counts = possible_instances(classifier).counts()
    assert counts[0] == classifier.count_impossible() > 0.7 * 3**8


def test_without_zeros_there_is_nothing_to_decide() -> None:
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    assert possible_instances(classifier).node_count == 0


def test_limits() -> None:
    with pytest.raises(LimitExceeded):
        possible_instances(learnt_tan(some_rows(1, 30, 8, 3, 3), 3, 3), time_limit=0)
