"""Partial instances under constraints: what is known counts where some completion is allowed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

import bnc2d
from bnc2d import Classifier, Domain, Explanation, InstanceError, Label, Manager
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.result import feature_domain
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.diagram.projecting import some_completion
from tests.cases import cases
from tests.explain.missing.test_if_known import case_of
from tests.explain.routes import assert_same
from tests.explain.test_given import is_allowed, random_constraint

States = tuple[str, ...]


def test_some_completion_by_enumeration() -> None:
    for seed in range(80):
        classifier, rng = case_of(seed).classifier, Random(seed)  # noqa: S311 - reproducible test data
        domain = feature_domain(classifier)
        constraint = read_constraint(random_constraint(classifier, rng), Manager(domain))
        order = rng.sample(range(len(domain)), len(domain))
        whole = diagram_of_circuit(constraint.manager, constraint.root, order, lambda _: None)
        kept = [feature for feature in range(len(domain)) if rng.random() < 0.5] or [0]
        smaller = Domain({domain.names[feature]: domain.states[feature] for feature in kept})
        found = some_completion(whole, kept, smaller)
        found.assert_consistent()
        rows = np.concatenate(list(all_rows(classifier.feature_variables)))
        expected: dict[tuple[int, ...], bool] = {}
        for row, label in zip(rows[:, kept].tolist(), whole.labels(rows).tolist(), strict=True):
            expected[tuple(row)] = expected.get(tuple(row), False) or label == 1
        asked = np.array(list(expected), dtype=np.intp)
        assert found.labels(asked).tolist() == [int(value) for value in expected.values()], seed


def compare(seed: int) -> int:
    """Compare one partial instance under a random constraint with definitions; return how many were."""
    case, rng = case_of(seed), Random(f"under {seed}")  # noqa: S311 - reproducible test data
    clf, names = case.classifier, case.classifier.features
    forbidden = random_constraint(clf, rng)
    every = list(product(*(variable.states for variable in clf.feature_variables)))
    allowed = [states for states in every if is_allowed(states, names, forbidden)]
    if not allowed or not case.missing:
        return 0
    model, known = clf.compile().given(forbidden), case.known
    mine = [s for s in allowed if all(s[names.index(name)] == state for name, state in known.items())]
    assert model.allows(known) == bool(mine)
    if not mine:
        with pytest.raises(InstanceError, match="violates the constraint"):
            model.explain(known)
        with pytest.raises(InstanceError, match="violates the constraint"):
            clf.explain(known, given=forbidden)
        with pytest.raises(InstanceError, match="violates the constraint"):
            model.predict(known)
        return 0
    one, other = model.explain(known), clf.explain(known, given=forbidden)
    kept = [name for name in names if name in known]
    if kept:
        positive = None if clf.threshold is None else clf.positive
        smaller = Classifier(clf.network, clf.target, kept, clf.threshold, positive, clf.ties)
        seen = {tuple(s[names.index(name)] for name in kept) for s in allowed}
        out = [
            dict(zip(kept, states, strict=True))
            for states in product(*(variable.states for variable in smaller.feature_variables))
            if states not in seen
        ]
        expected = smaller.compile().given(out).explain(known)
        assert model.predict(known) == one.decision == expected.decision == smaller.predict(known)
        assert_same(expected, one, seed)
        assert_same(expected, other, seed)
    decided = {s: clf.predict(dict(zip(names, s, strict=True))) for s in mine}
    mass = {s: sum(case.joints[s].values(), Fraction(0)) for s in mine}
    for e in (one, other):
        compare_if_known(e, decided, mass, names)
    return 1


def compare_if_known(
    e: Explanation, decided: dict[States, Label | None], mass: dict[States, Fraction], names: States
) -> None:
    """Compare what missing features could do with all completions that are allowed."""
    found = e.if_known(time_limit=60)
    same = [s for s in decided if decided[s] == e.decision]
    assert found.share == Fraction(len(same), len(decided))
    assert found.holds == (len(same) == len(decided))
    total = sum(mass.values(), Fraction(0))
    if total:
        assert found.probability == sum((mass[s] for s in same), Fraction(0)) / total
    if found.witness is not None:
        assert decided[tuple(found.witness[name] for name in names)] != e.decision
    tips = {
        name
        for at, name in enumerate(names)
        if any(
            decided[x] != decided[z]
            for x, z in product(decided, decided)
            if [i for i in range(len(x)) if x[i] != z[i]] == [at]
        )
    }
    assert set(found.matters) == tips
    possible = {name: {s[at] for s in decided} for at, name in enumerate(names)}
    for name, states in (found.alone or {}).items():
        assert set(states) <= possible[name]


@pytest.mark.parametrize("start", range(0, cases(40, 120), 40))
def test_against_enumeration(start: int) -> None:
    assert sum(compare(seed) for seed in range(start, start + 40)) > 12


def test_in_words_and_in_rows() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    given = model.given("HR=Normal -> BP!=Normal")
    e = given.explain({"BP": "High", "HR": None})
    assert e.missing == ("CT", "HR")
    assert "Only instances that satisfy the constraint count" in e.to_text()
    assert e.to_dict()["given"]
    rows = given.explain_many([{"BP": "High", "CT": "?", "HR": "Normal"}, {"BP": "High"}])
    assert [row.missing for row in rows] == [("CT",), ("CT", "HR")]
    with pytest.raises(InstanceError, match="row 1 violates"):
        given.explain_many([{"BP": "High"}, {"BP": "Normal", "HR": "Normal"}])
