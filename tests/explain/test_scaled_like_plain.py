"""A classifier with scales answers every question as the same one without: inside, rows are positions.

Each state's raw value is the position of *another* state, so whatever reads positions as values is wrong.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Labels, States, Variable
from bnc2d.report.data import page_data
from tests.cases import cases
from tests.hard_classifiers import mixed_classifier


def turned(classifier: Classifier) -> Classifier:
    """Return the same classifier with labels for states: the label of each is the position of the next."""
    network = classifier.network
    made = {
        v.name: Variable(
            v.name, States(Labels([(at + 1) % len(v) for at in range(len(v))], names=v.states), v.states)
        )
        for v in network.variables
    }
    tables = [
        CPT(
            made[cpt.child.name],
            [made[parent.name] for parent in cpt.scope[:-1]],
            cpt.exact.reshape(-1).tolist(),
        )
        for cpt in network.cpts
    ]
    return Classifier(
        BayesianNetwork(made.values(), tables, network.name),
        classifier.target,
        classifier.features,
        classifier.threshold,
        classifier.positive,
        classifier.ties,
    )


def named(data: Any, classifier: Classifier) -> Any:
    """Return data of the turned classifier with names for its labels, without what only it has."""
    names = {label: classifier.classes[at] for at, label in enumerate(classifier.class_labels)}
    if isinstance(data, dict):
        found = {
            key: named(value, classifier) for key, value in data.items() if key not in ("values", "scales")
        }
        for key in ("decision", "other"):
            if data.get(key) is not None:
                found[key] = names[data[key]]
        if isinstance(data.get("alone"), dict):
            found["alone"] = {
                feature: {state: None if one is None else names[one] for state, one in states.items()}
                for feature, states in data["alone"].items()
            }
        return found
    return [named(one, classifier) for one in data] if isinstance(data, list | tuple) else data


@pytest.mark.parametrize("seed", range(cases(4, 20)))
def test_scales_change_nothing_inside(seed: int) -> None:
    plain = mixed_classifier(seed)
    scaled, rng = turned(plain), random.Random(seed)  # noqa: S311 - reproducible test data
    rows = [[rng.randrange(len(v)) for v in plain.feature_variables] for _ in range(cases(2, 4))]
    names = [
        {v.name: v.states[at] for v, at in zip(plain.feature_variables, row, strict=True)} for row in rows
    ]
    raw = np.array(
        [[(at + 1) % len(v) for v, at in zip(plain.feature_variables, row, strict=True)] for row in rows]
    )
    one, other = plain.compile(), scaled.compile()
    tables = zip(one.diagram.levels, other.diagram.levels, strict=True)
    assert all(np.array_equal(*pair) for pair in tables)
    labels: dict[Any, Any] = dict(zip(plain.classes, scaled.class_labels, strict=True))
    expected = [None if name is None else labels[name] for name in one.predict(names)]
    assert other.predict(raw).tolist() == scaled.predict(raw).tolist() == expected
    assert other.predict(names) == scaled.predict(names) == expected
    np.testing.assert_array_equal(scaled.predict_proba(raw), plain.predict_proba(np.array(rows)))
    assert other.verify(time_limit=20), str(other.verify())
    assert page_data(one) == page_data(other)
    assert one.given("possible").instance_count == other.given("possible").instance_count
    for instance, values in zip(names, raw, strict=True):
        for left, right in ((one, other), (plain, scaled)):
            first = left.explain(instance).to_dict(time_limit=20)
            assert named(right.explain(values).to_dict(time_limit=20), scaled) == named(first, plain)
        partial = dict(list(instance.items())[1:])
        first = plain.explain(partial).to_dict(time_limit=20)
        assert named(scaled.explain(partial).to_dict(time_limit=20), scaled) == named(first, plain)
    assert [row.reasons for row in one.explain_many(names)] == [
        row.reasons for row in other.explain_many(raw)
    ]
    protected = plain.features[:1]
    assert one.is_biased(protected).holds == other.is_biased(protected).holds
    assert bool(one.is_independent(protected)) == bool(other.is_independent(protected))
    assert one.compare(other).count == 0
